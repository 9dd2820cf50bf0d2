// What leaves the engines: findings with their evidence and advice, and the totals of a run.

#ifndef SHAPEWISE_RESULT_FINDING_H_
#define SHAPEWISE_RESULT_FINDING_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/model/guard.h"
#include "shapewise/result/cost.h"
#include "shapewise/result/place.h"
#include "shapewise/result/rank_divergence.h"
#include "shapewise/result/server_report.h"
#include "shapewise/result/step_report.h"

namespace shapewise {

/// How bad a finding is; in ascending order, as --fail-on compares them.
enum class Severity : uint8_t { kNote, kWarning, kError };

/// "note", "warning", "error".
std::string_view SeverityName(Severity severity);

/// What makes a cause the same one in another run: nothing in it moves with lines, folders, process
/// ids, the release of PyTorch or how often it struck. Empty where the log does not say.
struct Identity {
  std::string kind;         ///< "recompile", "graph_break" ...; "log": the log itself
  std::string function;     ///< the user's behind a wrapper; "forward (after a break)"
  std::string file;         ///< base name
  std::string type;         ///< of a break its registry id; else the contract's words
  std::string guard_class;  ///< of the culprit; relations of sizes are "size"
  std::string source;       ///< of the culprit, as its user would write it
  int32_t dim = -1;         ///< -1: none

  friend auto operator<=>(const Identity&, const Identity&) = default;
};

/// One thing to do (contract, section 7).
struct Action {
  std::string kind;  ///< `mark_dynamic`, `fix_break` ...
  Place target;
  std::string source;
  int32_t dim = -1;
  std::string code;  ///< text to paste; empty when there is only something to do
  std::string text;  ///< what to do, one sentence
  std::string trap;  ///< what can go wrong with it, one sentence; may be empty
  std::optional<uint64_t> saves_compiles;
  std::optional<double> saves_seconds;  ///< of compiling, predicted from what the log tells
  double confidence = 0.5;              ///< 0..1
  std::string torch;                    ///< range of releases it holds for, such as ">=2.1"
  std::vector<size_t> evidence;         ///< event indices, a few
};

/// How to learn what the input does not tell, such as more logging. It saves nothing by itself.
struct NextStep {
  std::string text;  ///< what to do, one sentence
  std::string code;  ///< text to paste; may be empty

  friend bool operator==(const NextStep&, const NextStep&) = default;
};

/// One cause, told to a person.
struct Finding {
  std::string rule;  ///< code of the rule: "SWG001"
  std::string name;  ///< its name: "int-argument"
  Severity severity = Severity::kWarning;
  std::string message;  ///< one line, no full stop
  Place where;          ///< the compiled function
  Place user;           ///< the line of code that asks for it, where the log tells
  std::optional<Culprit> cause;
  std::vector<std::string> values;     ///< what the culprit took, in order, at most 32
  std::string pattern;                 ///< how the values move: "counter", "growing" ... or empty
  uint64_t count = 0;                  ///< how often it struck
  std::optional<double> cost_seconds;  ///< absent when the log does not tell
  std::vector<int32_t> ranks;          ///< ascending; empty when no rank is known
  std::vector<size_t> events;          ///< indices of the evidence, ascending
  std::vector<Action> advice;
  std::vector<NextStep> next_steps;
  std::string torch;        ///< range of releases that the rule holds for
  std::string fingerprint;  ///< of `identity`: 16 hex digits
  Identity identity;
  bool runs_eager = false;  ///< what it speaks of is not compiled any more
};

/// A function that runs uncompiled since a limit was hit.
struct EagerFunction {
  Place where;
  int64_t limit = 0;         ///< 0: not printed
  std::vector<Place> below;  ///< resume functions of it, which stop compiling with it
};

/// Totals of a run (contract, section 2, summary).
struct RunSummary {
  uint64_t recompiles = 0;
  uint64_t recompile_limit_hits = 0;
  uint64_t graph_breaks = 0;
  uint64_t graph_break_sites = 0;
  uint64_t skipped_frames = 0;
  uint64_t compiles = 0;
  std::optional<double> compile_seconds;  ///< of all compilations, failed and empty ones as well
  std::optional<CompileCosts> costs;      ///< where they went; absent: no structured trace was read
  std::vector<EagerFunction> eager_functions;
  std::vector<int32_t> ranks;  ///< ascending
  std::string torch;           ///< "2.5 to 2.6"; empty when nothing tells
  std::string torch_why;       ///< the marks that say so
  uint64_t lines = 0;
  uint64_t damaged = 0;        ///< records of grade data loss
  uint64_t unknown_lines = 0;  ///< lines of torch.compile that were not understood
  std::string failure;  ///< how the program failed: "exit status 1"; empty: it is not known to
};

/// Whether logs print a kind of record at all, so that to see none means that there were none.
enum class Printed : uint8_t {
  kUnknown,  ///< none was seen, and nothing shows that there were some
  kYes,
  kNo,  ///< there were some, known from elsewhere, and none was printed
};

/// What the logs of a run print; it depends on TORCH_LOGS.
struct Coverage {
  Printed recompiles = Printed::kUnknown;
  Printed graph_breaks = Printed::kUnknown;

  friend bool operator==(const Coverage&, const Coverage&) = default;
};

/// What a baseline did to a result.
struct BaselineUse {
  std::string file;                ///< as given by the user
  std::vector<Finding> held_back;  ///< known causes, which are not told; worst first
  std::vector<Finding> stale;      ///< entries that no longer occur, in the order of the file
  std::vector<std::string> worse;  ///< fingerprints of told causes that were known as less bad
};

/// The whole answer of `lint`.
struct LintResult {
  RunSummary summary;
  Coverage coverage;
  std::vector<Finding> findings;        ///< worst first
  std::vector<FunctionCost> functions;  ///< dearest first; empty: no structured trace was read
  StepReport steps;                     ///< empty when no input tells of steps
  std::vector<std::string> unread;  ///< one message an input that could not be read (to its end)
  std::vector<std::string> gaps;    ///< what the input could not tell, one sentence each
  ServerReport server;              ///< empty: no inference server wrote the logs
  std::optional<RankComparison> ranks;  ///< absent with fewer than two ranks
  std::optional<BaselineUse> baseline;  ///< absent: none was used
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_FINDING_H_
