// The result of `advise`: actions in the order in which to follow them.

#ifndef SHAPEWISE_RESULT_ADVICE_H_
#define SHAPEWISE_RESULT_ADVICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/finding.h"
#include "result/place.h"

namespace shapewise {

/// Whether `action` says that nothing has to be done: it has no number and is in no plan.
inline bool IsToLeave(const Action& action) {
  return action.code.empty() &&
         (action.text.starts_with("Leave it") || action.text.starts_with("Accept "));
}

/// Whether that holds under a condition, which the text states.
inline bool IsToLeaveSometimes(const Action& action) {
  const std::string_view text = action.text;
  return IsToLeave(action) && (text.starts_with("Leave it if ") || text.starts_with("Leave it w") ||
                               text.starts_with("Leave it unless "));
}

/// Where the code of an action belongs, so that a program can insert it.
enum class PasteAt : uint8_t {
  kByHand,       ///< unknown: a person has to decide, or there is no code
  kEnvironment,  ///< "environment": shell assignments for the process
  kConfig,       ///< "config": Python statements after the imports and before the first compile
  kCompileCall,  ///< "compile_call": keyword arguments of torch.compile
  kBeforeCall,   ///< "before_call": statements before each call, using the parameters' names
  kDecorator,    ///< "decorator": a line above the function
};
/// The name in JSON; empty for kByHand.
std::string_view PasteAtName(PasteAt at);

/// The shell assignment that makes symbols of `sources`, separated by commas.
std::string DynamicSourcesCode(const std::string& sources);

/// TORCH_COMPILE_DYNAMIC_SOURCES="L['x']:0" as a Python statement; empty: there is no such setting.
std::string ConfigOfVariable(std::string_view assignment);

/// Compilations of one function that produced code, over all processes.
struct FunctionCompiles {
  Place where;
  uint64_t before = 0;
  uint64_t after = 0;
};

/// Simulated savings of an action or several: the run's own calls are simulated by Dynamo's rules.
/// Nothing is run.
struct Saving {
  std::vector<FunctionCompiles> functions;  ///< functions that the action is about
  uint64_t compiles = 0;
  /// Compile time, from the mean of logged compilations; absent: unknown.
  std::optional<double> seconds;
  uint64_t eager_functions = 0;       ///< functions that would stay compiled
  bool assumes_no_questions = false;  ///< which sizes the code compares is unknown; assumed: none
  uint64_t raises = 0;                ///< functions that would raise an error instead
};

/// Whether a saving is known. One that assumes that the code asks nothing of its sizes only orders
/// the actions: a text log does not show enough for its figures.
inline bool HasFigures(const std::optional<Saving>& saving) {
  return saving && !saving->assumes_no_questions;
}

/// Measured results of an action or the plan, compared with the unchanged run (docs/replay.md).
/// Absent: not measured.
struct MeasuredSaving {
  std::string policy;    ///< the policy that was run, in the syntax of `predict --policy`
  std::string verdict;   ///< a ReplayVerdictName: "faster"
  std::string why;       ///< reason for the verdict, a sentence; empty: self-explanatory
  bool is_kept = false;  ///< it pays off; else it is withdrawn
  std::optional<uint64_t> predicted_compiles;
  std::optional<uint64_t> compiles;
  std::optional<uint64_t> compiles_before;
  std::optional<double> compile_seconds;
  std::optional<double> compile_seconds_before;
  std::optional<double> steps_per_second;
  std::optional<double> steps_per_second_before;
  std::optional<bool> equal;  ///< results equal those of the program
  std::string error;          ///< what ended it; empty: nothing did
};

/// How an action begins that removes the break from which its finding follows: the number of the
/// line, a full stop and the break's own action come after it.
inline constexpr std::string_view kStartWithBreak = "Start with the graph break at line ";

/// An action with its value.
struct RankedAction {
  Action action;
  PasteAt at = PasteAt::kByHand;
  /// The change, in the syntax of `predict --policy`; empty: a person has to change the program.
  std::string policy;
  std::optional<Saving> saving;  ///< alone; absent: the simulator has no prediction
  bool is_planned = false;
  std::optional<MeasuredSaving> measured;  ///< absent: not run
  bool is_experiment = false;              ///< it may do harm: only a replay can decide
  std::string rule;                        ///< rule of the finding that it addresses
  Severity severity = Severity::kWarning;  ///< severity of that finding
};

/// The plan as a change to the user's files.
struct SourcePatch {
  std::string diff;                  ///< unified, with three lines of context; empty: no change
  std::vector<std::string> skipped;  ///< what was left out and why, one sentence each
};

/// The result of `advise`.
struct Advice {
  std::vector<RankedAction> actions;  ///< best first
  std::vector<NextStep> next_steps;   ///< of the causes, without duplicates
  std::vector<size_t> plan;           ///< actions to follow together, ascending
  std::optional<Saving> together;     ///< of the plan; absent: the simulator has no prediction
  std::optional<MeasuredSaving> measured_together;  ///< absent: the plan was not run
  uint64_t compiles = 0;                            ///< of the functions covered, before any change
  std::optional<double> seconds;                    ///< total compile time
  bool program_failed = false;                      ///< the log ends with an error
  std::optional<SourcePatch> patch;                 ///< absent: not requested
  std::vector<std::string> unread;                  ///< one message per unreadable input
  std::vector<std::string> gaps;                    ///< limits of the input, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_ADVICE_H_
