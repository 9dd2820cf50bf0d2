// What leaves `advise`: actions in the order in which to follow them.

#ifndef SHAPEWISE_RESULT_ADVICE_H_
#define SHAPEWISE_RESULT_ADVICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/finding.h"
#include "shapewise/result/place.h"

namespace shapewise {

/// Where the code of an action goes, so that a program can put it there.
enum class PasteAt : uint8_t {
  kByHand,       ///< not told: a person has to look, or there is no code
  kEnvironment,  ///< "environment": shell assignments for the process
  kConfig,       ///< "config": Python statements before the first compile, after the imports
  kCompileCall,  ///< "compile_call": keyword arguments of torch.compile
  kBeforeCall,   ///< "before_call": statements before each call, in terms of the parameters' names
  kDecorator,    ///< "decorator": a line above the function
};
/// The name in JSON; empty for kByHand.
std::string_view PasteAtName(PasteAt at);

/// TORCH_COMPILE_DYNAMIC_SOURCES="L['x']:0" as a Python statement; empty: no setting has that name.
std::string ConfigOfVariable(std::string_view assignment);

/// Compilations of one function that gave code, over all processes.
struct FunctionCompiles {
  Place where;
  uint64_t before = 0;
  uint64_t after = 0;
};

/// What following an action, or several, would save, as the simulator says: the run's own calls,
/// played back to Dynamo's rules. Nothing was run.
struct Saving {
  std::vector<FunctionCompiles> functions;  ///< that the action is about
  uint64_t compiles = 0;
  std::optional<double> seconds;      ///< of compiling: as many average ones; absent: not told
  uint64_t eager_functions = 0;       ///< that would not run eager
  bool assumes_no_questions = false;  ///< it is not known what the code asks of sizes: nothing?
  uint64_t raises = 0;                ///< functions that would raise an error instead
};

/// What came of running an action, or the plan, beside the run as it is (docs/replay.md). What was
/// not measured is absent.
struct MeasuredSaving {
  std::string policy;    ///< that was run, in the words of `predict --policy`
  std::string verdict;   ///< a ReplayVerdictName: "faster"
  std::string why;       ///< of the verdict, a sentence; empty: it says all
  bool is_kept = false;  ///< it pays; else it is withdrawn
  std::optional<uint64_t> predicted_compiles;
  std::optional<uint64_t> compiles;
  std::optional<uint64_t> compiles_before;
  std::optional<double> compile_seconds;
  std::optional<double> compile_seconds_before;
  std::optional<double> steps_per_second;
  std::optional<double> steps_per_second_before;
  std::optional<bool> equal;  ///< results are those of the program
  std::string error;          ///< what ended it; empty: nothing did
};

/// An action with what it is worth.
struct RankedAction {
  Action action;
  PasteAt at = PasteAt::kByHand;
  /// What it changes, as `predict --policy` reads it; empty: a person has to change the program.
  std::string policy;
  std::optional<Saving> saving;  ///< alone; absent: the simulator does not know
  bool is_planned = false;
  std::optional<MeasuredSaving> measured;  ///< absent: it was not run
  bool is_experiment = false;              ///< it may hurt: only a replay tells
  std::string rule;                        ///< of the finding that it answers
  Severity severity = Severity::kWarning;  ///< of that finding
};

/// The plan as a change to the user's files.
struct SourcePatch {
  std::string diff;                  ///< unified, three lines of context; empty: nothing
  std::vector<std::string> skipped;  ///< one sentence each: what is not in it, and why
};

/// The whole answer of `advise`.
struct Advice {
  std::vector<RankedAction> actions;  ///< best first
  std::vector<NextStep> next_steps;   ///< of the causes, each once
  std::vector<size_t> plan;           ///< which to follow together, ascending
  std::optional<Saving> together;     ///< of the plan; absent: the simulator does not know
  std::optional<MeasuredSaving> measured_together;  ///< absent: the plan was not run
  uint64_t compiles = 0;             ///< of the functions that are judged, as they were
  std::optional<double> seconds;     ///< of all compiling
  std::optional<SourcePatch> patch;  ///< absent: it was not asked for
  std::vector<std::string> unread;   ///< one message an input that could not be read
  std::vector<std::string> gaps;     ///< what the input could not tell, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_ADVICE_H_
