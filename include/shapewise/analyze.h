// What shapewise does, for other programs: paths and options in, a document out
// (analyzer/docs/api.md).
//
// No function throws or prints. Document::messages contains errors, and the status is then
// kTrouble, as in the program. Settings files are not read. Functions may run in several threads at
// once.

#ifndef SHAPEWISE_ANALYZE_H_
#define SHAPEWISE_ANALYZE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/document.h"

namespace shapewise::api {

// Members have initializers because GCC warns of designated initializers that leave others out.

/// Files and folders; "-" is standard input.
using Paths = std::vector<std::filesystem::path>;
/// Rules, names, patterns ...
using Words = std::vector<std::string>;
/// Sizes of one dim, or values of several dims.
using SizeList = std::vector<int64_t>;

/// The version of the library: "0.1.0".
std::string_view Version();

/// Options of Lint.
struct LintOptions {
  Paths paths = {};            ///< logs, traces, or folders of them; at least one
  Words select = {};           ///< codes, beginnings of codes, or names of rules; empty: all
  Words ignore = {};           ///< the same for rules to leave out
  bool expect_output = false;  ///< an input without output of torch.compile is an error
  bool step_prints = false;    ///< also read step times that the program prints
  /// Keep what only the formats html (guards) and perfetto (phases of compilations) show. It needs
  /// memory.
  bool keep_details = false;
  unsigned jobs = 0;  ///< threads; 0: as many as the machine has
};

/// Finds recompilations, graph breaks and their causes in the logs of a run.
Document Lint(const LintOptions& options);

/// The mode of a model that a check is about.
enum class CheckMode : uint8_t {
  kBoth,
  kTrain,  ///< code that runs only in evaluation is not checked
  kEval,   ///< code that runs only in training is not checked
};

/// Options of Check.
struct CheckOptions {
  Paths paths = {};  ///< Python files, notebooks and folders; at least one
  CheckMode mode = CheckMode::kBoth;
  Words select = {};   ///< codes, beginnings of codes, or names of rules; empty: all
  Words ignore = {};   ///< the same for rules to leave out
  Words entries = {};  ///< functions that compiled code calls: "package.module.f"
  Words exclude = {};  ///< patterns of files and folders to leave out
  bool all = false;    ///< also uncertain findings, and code that was not followed
  unsigned jobs = 0;   ///< threads; 0: as many as the machine has
};

/// Finds code that breaks graphs or recompiles, without running it.
Document Check(const CheckOptions& options);

/// Options of Advise.
struct AdviseOptions {
  Paths paths = {};            ///< logs, traces, or folders of them; at least one
  Paths calls = {};            ///< recorded calls of the run; empty: none
  Words select = {};           ///< address only findings of these rules; empty: all
  Words ignore = {};           ///< do not address findings of these rules
  bool expect_output = false;  ///< an input without output of torch.compile is an error
  bool patch = false;          ///< offer the format "patch"
  /// For the patch: the folder of the sources; empty: as logged.
  std::filesystem::path source_root = {};
};

/// Ranks actions for a run by what they would save. Nothing is run.
Document Advise(const AdviseOptions& options);

/// Options of Buckets. An absent value means the default of the program.
struct BucketOptions {
  Paths paths = {};               ///< sizes of calls; at least one
  Words columns = {};             ///< columns of a table: one per dim, at most three
  std::string count_column = {};  ///< column with the number of calls; empty: found by its name
  Words sources = {};             ///< dims in call records and lint results: "x:1"
  std::string function = {};      ///< use only calls of this function; empty: of all
  std::optional<size_t> buckets = {};      ///< plan with at most this number, 1 to 4096
  std::optional<size_t> max_buckets = {};  ///< plan with the best number up to this one
  /// Buckets above 32 are multiples of it: one value per dim, or one for all.
  SizeList align = {};
  SizeList min = {};     ///< smallest bucket, in the same form
  SizeList max = {};     ///< largest size to serve, in the same form
  SizeList force = {};   ///< always use these sizes
  SizeList forbid = {};  ///< never use these sizes
  /// Measured costs: a CSV of sizes and seconds; empty: none.
  std::filesystem::path cost_file = {};
  std::string cost_model = {};  ///< "linear", "tile:1e-3,1e-6,2e-9,64" ...; empty: padding
  std::optional<double> compile_seconds = {};          ///< to compile one static graph
  std::optional<double> dynamic_compile_seconds = {};  ///< to compile one dynamic graph
  std::optional<uint64_t> steps = {};                  ///< calls to come
  Words compare = {};  ///< lists of other programs, "vllm", or files of sizes
};

/// Finds the sizes to pad to, and how many.
Document Buckets(const BucketOptions& options);

}  // namespace shapewise::api

#endif  // SHAPEWISE_ANALYZE_H_
