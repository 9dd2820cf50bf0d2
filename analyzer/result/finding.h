// Findings with their evidence and advice, and the totals of a run. What changes in them while a
// run is followed.

#ifndef SHAPEWISE_RESULT_FINDING_H_
#define SHAPEWISE_RESULT_FINDING_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/guard.h"
#include "result/cost.h"
#include "result/place.h"
#include "result/rank_divergence.h"
#include "result/server_report.h"
#include "result/step_report.h"

namespace shapewise {

/// Severity in ascending order, as compared by --fail-on.
enum class Severity : uint8_t { kNote, kWarning, kError };

/// "note", "warning", "error".
std::string_view SeverityName(Severity severity);

/// Identifies a cause across runs: independent of lines, folders, process ids, the PyTorch release
/// and counts. Empty where the log does not say.
struct Identity {
  std::string kind;         ///< "recompile", "graph_break" ...; "log": the log itself
  std::string function;     ///< the user's function behind a wrapper; "forward (after a break)"
  std::string file;         ///< base name
  std::string type;         ///< registry id of a break; else the contract's words
  std::string guard_class;  ///< of the culprit; relations of sizes are "size"
  std::string source;       ///< of the culprit, as users write it
  int32_t dim = -1;         ///< -1: none

  friend auto operator<=>(const Identity&, const Identity&) = default;
};

/// A recommended action (contract, section 7).
struct Action {
  std::string kind;  ///< `mark_dynamic`, `fix_break` ...
  Place target;
  std::string source;
  int32_t dim = -1;
  std::string code;  ///< text to paste; may be empty
  std::string text;  ///< what to do, one sentence
  std::string trap;  ///< what can go wrong, one sentence; may be empty
  std::optional<uint64_t> saves_compiles;
  std::optional<double> saves_seconds;  ///< compile time, predicted from the log
  double confidence = 0.5;              ///< 0..1
  std::string torch;                    ///< releases it applies to, such as ">=2.1"
  std::vector<size_t> evidence;         ///< a few event indices
};

/// How to obtain information that the input lacks, such as more logging. Saves nothing by itself.
struct NextStep {
  std::string text;  ///< what to do, one sentence
  std::string code;  ///< text to paste; may be empty

  friend bool operator==(const NextStep&, const NextStep&) = default;
};

/// A cause, described for people.
struct Finding {
  std::string rule;  ///< code of the rule: "SWG001"
  std::string name;  ///< its name: "int-argument"
  Severity severity = Severity::kWarning;
  std::string message;  ///< one line, no full stop
  Place where;          ///< the compiled function
  Place user;           ///< the line of code that triggers it, if logged
  std::optional<Culprit> cause;
  std::vector<std::string> values;     ///< values of the culprit, in order, at most 32
  std::string pattern;                 ///< how the values change: "counter", "growing" ... or empty
  uint64_t count = 0;                  ///< number of occurrences
  std::optional<double> cost_seconds;  ///< absent: unknown
  std::vector<int32_t> ranks;          ///< ascending; empty: no rank is known
  std::vector<size_t> events;          ///< indices of the evidence, ascending
  std::vector<Action> advice;
  std::vector<NextStep> next_steps;
  std::string torch;        ///< releases that the rule applies to
  std::string fingerprint;  ///< of `identity`: 16 hex digits
  Identity identity;
  bool runs_eager = false;  ///< the function is no longer compiled
  /// Its advice comes before that of a break in the rest of its function.
  bool comes_first = false;
};

/// A function that runs uncompiled since it hit a limit.
struct EagerFunction {
  Place where;
  std::string user_function;  ///< the user's, if `where` is a wrapper and the log names it
  int64_t limit = 0;          ///< 0: not printed
  std::vector<Place> below;   ///< its resume functions, which are no longer compiled either
};

/// Totals of a run (contract, section 2, summary).
struct RunSummary {
  uint64_t recompiles = 0;
  uint64_t recompile_limit_hits = 0;
  uint64_t graph_breaks = 0;
  uint64_t graph_break_sites = 0;
  uint64_t skipped_frames = 0;
  uint64_t compiles = 0;
  std::optional<double> compile_seconds;  ///< of all compilations, including failed and empty ones
  /// Compile time by kind; absent: no structured trace was read.
  std::optional<CompileCosts> costs;
  std::vector<EagerFunction> eager_functions;
  std::vector<int32_t> ranks;  ///< ascending
  std::string torch;           ///< "2.5 to 2.6"; empty: unknown
  std::string torch_why;       ///< the evidence for it
  uint64_t lines = 0;
  uint64_t damaged = 0;        ///< records with grade data loss
  uint64_t unknown_lines = 0;  ///< lines of torch.compile that were not understood
  std::string failure;  ///< how the program failed: "exit status 1"; empty: it is not known to
};

/// Whether logs print a kind of record at all, so that its absence means that it did not occur.
enum class Printed : uint8_t {
  kUnknown,  ///< none was seen, and nothing shows whether any occurred
  kYes,
  kNo,  ///< none was printed, although some occurred
};

/// The kinds of records that the logs of a run print, which depends on TORCH_LOGS.
struct Coverage {
  Printed recompiles = Printed::kUnknown;
  Printed graph_breaks = Printed::kUnknown;

  friend bool operator==(const Coverage&, const Coverage&) = default;
};

/// The effect of a baseline on a result.
struct BaselineUse {
  std::string file;                ///< as given by the user
  std::vector<Finding> held_back;  ///< known causes, which are not reported; worst first
  std::vector<Finding> stale;      ///< entries that no longer occur, in file order
  /// Fingerprints of reported causes that are worse than in the baseline.
  std::vector<std::string> worse;
};

/// The result of `lint`.
struct LintResult {
  RunSummary summary;
  Coverage coverage;
  std::vector<Finding> findings;  ///< worst first
  uint64_t deselected = 0;        ///< findings of rules that were not selected
  /// Most expensive first; empty: no structured trace was read.
  std::vector<FunctionCost> functions;
  StepReport steps;                 ///< empty if no input contains steps
  std::vector<std::string> unread;  ///< one message an input that could not be read (to its end)
  std::vector<std::string> gaps;    ///< information missing in the input, one sentence each
  ServerReport server;              ///< empty: no inference server wrote the logs
  std::optional<RankComparison> ranks;  ///< absent with fewer than two ranks
  std::optional<BaselineUse> baseline;  ///< absent: none was used
};

/// A piece of news of a running program.
struct RunNews {
  enum class Kind : uint8_t {
    kNew,    ///< a new cause
    kWorse,  ///< a known cause that became an error, or whose function now runs eagerly
    kAlarm,  ///< an alarm went off
  };
  Kind kind = Kind::kNew;
  Finding finding;         ///< kNew, kWorse; `events` are indices at that time
  std::string alarm;       ///< kAlarm: as requested
  uint64_t count = 0;      ///< kAlarm: number of events in the window
  std::string function;    ///< kAlarm: function of the last event; may be empty
  std::string input_name;  ///< origin of the news; empty: the logs as a whole
  uint64_t line = 0;       ///< 1-based
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_FINDING_H_
