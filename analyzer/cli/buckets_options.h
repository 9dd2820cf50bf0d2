// The options of `shapewise buckets`.

#ifndef SHAPEWISE_CLI_BUCKETS_OPTIONS_H_
#define SHAPEWISE_CLI_BUCKETS_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/result_options.h"
#include "pipeline/buckets.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// The command line of `shapewise buckets`.
struct BucketsArguments : ResultArguments {
  BucketOptions buckets;  ///< options that need no further parsing

  BucketLimitLists limits;  ///< --align, --min, --max, --force, --forbid
  std::string cost_model;   ///< --cost-model
  /// Per cent.
  std::optional<double> dynamic_slowdown;
  std::optional<double> aligned_slowdown;
  std::optional<double> captured_slowdown;
  std::optional<double> eager_slowdown;

  std::string emit;  ///< --emit; empty: a report
};

/// Adds all options to `app`; they write to `arguments`.
void AddBucketsOptions(CLI::App& app, BucketsArguments& arguments);

/// Completes `arguments.buckets`. Error: invalid or contradictory values.
Error FinishBucketsArguments(BucketsArguments& arguments);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_BUCKETS_OPTIONS_H_
