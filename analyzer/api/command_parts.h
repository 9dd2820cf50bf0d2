// What the commands of the program and the library's functions have in common: what counts as
// serious, how a result is printed, and messages about the inputs.

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
#include "model/session.h"
#include "pipeline/buckets.h"
#include "pipeline/load_run.h"
#include "report/report.h"
#include "result/advice.h"
#include "result/bucket_report.h"
#include "result/code_finding.h"
#include "result/finding.h"
#include "shapewise/document.h"
#include "support/error.h"
#include "support/terminal_text.h"

namespace shapewise {

/// The messages of one analysis, in order.
using Messages = std::vector<api::Message>;

/// Adds a message. `text` may contain foreign paths and words: control characters are replaced.
inline void AddMessage(Messages& messages, api::Severity severity, std::string_view text) {
  messages.push_back({severity, MakePrintable(text)});
}

/// Adds one message per text.
inline void AddMessages(Messages& messages, api::Severity severity,
                        const std::vector<std::string>& texts) {
  for (const std::string& text : texts) AddMessage(messages, severity, text);
}

/// Maximum number of unrecognized inputs that are named.
inline constexpr size_t kMaxUnrecognised = 5;

/// How a command handles inputs without torch.compile output.
enum class EmptyInputs : uint8_t {
  kClean,   ///< nothing was compiled, or logging was off: a valid result
  kError,   ///< an error, because the command or its user expects some output
  kUnread,  ///< an error that was reported: an unreadable input might contain the output
};

/// `expects_output`: --expect-output was given. `is_all_read`: all inputs were readable.
inline EmptyInputs EmptyInputsFor(bool expects_output, bool is_all_read) {
  if (!is_all_read) return EmptyInputs::kUnread;
  return expects_output ? EmptyInputs::kError : EmptyInputs::kClean;
}

/// Adds messages about inputs without torch.compile output, and that there are no inputs. Returns
/// whether the analysis can continue: at least one input contains some, or `empty_inputs` is kClean
/// and all are text.
bool FindUnrecognised(const Session& session, EmptyInputs empty_inputs, Messages& messages);

/// Adds messages about lines of `files` that are not the `expected` records. False: one of the
/// files contains nothing usable.
bool FindDamage(const std::vector<RecordFile>& files, const std::string& expected,
                Messages& messages);

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
