// What the commands of the program and the library's functions have in common: what counts as
// serious, and how a result is printed.

#ifndef SHAPEWISE_API_COMMAND_PARTS_H_
#define SHAPEWISE_API_COMMAND_PARTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "pipeline/buckets.h"
#include "report/report.h"
#include "result/advice.h"
#include "result/bucket_report.h"
#include "result/code_finding.h"
#include "result/code_text.h"
#include "result/finding.h"
#include "support/error.h"

namespace shapewise {

/// The highest severity of `findings`; absent for none.
template <typename Findings>
std::optional<Severity> WorstOf(const Findings& findings) {
  std::optional<Severity> worst;
  for (const auto& finding : findings) {
    worst = std::max(worst, std::optional<Severity>(finding.severity));
  }
  return worst;
}

/// The highest severity of findings and faults.
std::optional<Severity> WorstOf(const CheckResult& result);

/// The highest severity of findings with an action that was not run, or paid off.
std::optional<Severity> WorstOf(const Advice& advice);

/// kWarning if later calls show that the plan is unreliable; else absent.
std::optional<Severity> WorstOf(const BucketReport& report);

/// Error: a file that is given by its name is not Python, neither by its ending nor by its text.
Error CheckIsPython(const std::vector<std::string>& paths, const CheckResult& result);

/// The warning that the pattern of an entry matches no function.
std::string NoEntryText(std::string_view pattern);

/// The warning that `paths` contain no Python.
std::string NoPythonText(const std::vector<std::string>& paths);

/// What the inputs of Buckets contain.
inline constexpr const char* kExpectedSizes = "a size a line";

/// The largest number of buckets, and of calls to come, that options accept.
inline constexpr size_t kMostPlannedBuckets = 4096;
inline constexpr uint64_t kMostPlannedSteps = 1'000'000'000'000'000;

/// Limits of buckets as options give them: one value per dim, or one for all dims.
struct BucketLimitLists {
  std::vector<int64_t> align;
  std::vector<int64_t> min;
  std::vector<int64_t> max;
  std::vector<int64_t> force;
  std::vector<int64_t> forbid;
};

/// Sets the limits of `options.plan`, whose other members are complete. Error: contradictory
/// values, or too many dims.
Error SetBucketLimits(const BucketLimitLists& lists, BucketOptions& options);

/// Prints a result in one of LintFormats(). The format html also shows what-ifs, sizes and guards.
void WriteLint(const LintResult& result, const Session& session, std::string_view format,
               ReportOptions options, llvm::raw_ostream& out);

/// Prints a result in one of CheckFormats().
void WriteCheck(const CheckResult& result, const CodeTexts& texts, std::string_view format,
                ReportOptions options, llvm::raw_ostream& out);

/// Descriptions of all rules, for formats that print them.
std::vector<DiagnosticRule> DiagnosticRules();

}  // namespace shapewise

#endif  // SHAPEWISE_API_COMMAND_PARTS_H_
