// The options of `shapewise buckets`.

#ifndef SHAPEWISE_CLI_BUCKETS_OPTIONS_H_
#define SHAPEWISE_CLI_BUCKETS_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/redaction.h"
#include "shapewise/pipeline/buckets.h"
#include "shapewise/report/report_writer.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// What `shapewise buckets` was asked to do, as the command line says it.
struct BucketsArguments {
  BucketOptions buckets;  ///< what needs no reading beyond a number

  std::vector<int64_t> align;   ///< --align: one a dim, or one for all
  std::vector<int64_t> min;     ///< --min
  std::vector<int64_t> max;     ///< --max
  std::vector<int64_t> force;   ///< --force
  std::vector<int64_t> forbid;  ///< --forbid
  std::string cost_model;       ///< --cost-model
  /// Per cent.
  std::optional<double> dynamic_slowdown;
  std::optional<double> aligned_slowdown;
  std::optional<double> captured_slowdown;
  std::optional<double> eager_slowdown;

  std::string format = "text";      ///< a BucketWriter::name()
  std::string emit;                 ///< --emit; empty: a report
  std::string output;               ///< --output; empty: standard output
  std::string fail_on = "warning";  ///< a severity, or "never"
  bool exit_zero = false;           ///< what is found does not change the exit status
  std::string color = "auto";       ///< auto, always or never
  ReportOptions report;             ///< --all
  RedactArguments redact;           ///< --redact, --redact-key
};

/// Adds all options to `app`, which write into `arguments`.
void AddBucketsOptions(CLI::App& app, BucketsArguments& arguments);

/// Makes `arguments.buckets` complete. Error: values that cannot be, or contradict each other.
Error FinishBucketsArguments(BucketsArguments& arguments);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_BUCKETS_OPTIONS_H_
