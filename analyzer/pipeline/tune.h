// The engine of `shapewise tune`: selects actions, prepares runs of the program, and compares them.

#ifndef SHAPEWISE_PIPELINE_TUNE_H_
#define SHAPEWISE_PIPELINE_TUNE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/session.h"
#include "pipeline/advise.h"
#include "result/advice.h"
#include "result/tune_report.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// Selects candidates for a run.
struct TuneOptions {
  uint64_t max_candidates = 8;
  bool allows_padding = false;
  std::string torch;              ///< version that ran the program: names of settings differ
  bool has_real_backend = false;  ///< modes and settings of Inductor have an effect
  AdviseOptions advise;           ///< its paths and calls are those of the run
};

/// The results of one call: numbers for its tensors, and texts for everything else.
struct TuneOutput {
  struct Value {
    std::string kind;  ///< size and dtype, or the value itself
    double scale = 0;  ///< mean magnitude
    double tolerance = 0;
    std::vector<double> numbers;
  };
  uint64_t call = 0;
  std::vector<Value> values;
};

/// A loss or another score that a program printed.
struct TuneScore {
  std::string name;  ///< the word before the number: "loss", "acc@5"
  double number = 0;
};

/// What came back of one run.
struct TuneObservation {
  TuneRun run;
  std::string torch;
  std::string device;
  size_t processes = 0;             ///< processes that called compiled functions
  std::vector<TuneOutput> outputs;  ///< of the first rank, by call
  std::vector<TuneScore> scores;    ///< on standard output, in order
};

/// What to inject into the next run, and when to end it.
struct TuneLimits {
  std::string backend;  ///< empty: unchanged
  uint64_t steps = 0;
  double seconds = 0;
  int64_t parent = 0;  ///< process id of this program
};

/// The job of a run as JSON, for python/shapewise/tune. `results`: the folder for figures.
/// `patches`: pairs of a source file's path and the path of its replacement.
std::string TuneJobText(const TunedAction* action, const TuneLimits& limits,
                        const std::string& results,
                        const std::vector<std::pair<std::string, std::string>>& patches);

/// Reads the output of a run: the files of figures at `paths`, and its standard output.
TuneObservation ReadTuneRun(const std::vector<std::string>& paths, const std::string& output,
                            FileSource& files);

/// The actions to try after the run `baseline`, best first: those of `advise`, and some that help
/// many programs. Adds what is left out to `gaps`. Error: as for AdviseOnRun.
Expected<std::vector<TunedAction>> TuneCandidates(const TuneOptions& options,
                                                  const TuneRun& baseline, FileSource& files,
                                                  std::vector<std::string>& gaps);

/// Compares `observed` with the unchanged program, which ran once or (`repeated`) twice.
void JudgeTunedAction(const TuneObservation& baseline, const TuneObservation* repeated,
                      TuneObservation observed, bool has_real_backend, TunedAction& action);

/// The best action that helps; absent: none helps.
std::optional<size_t> BestTunedAction(const std::vector<TunedAction>& actions);

/// Combines the best action with others that help, change something else, and lower a count that
/// the best one leaves higher; absent without such actions.
std::optional<TunedAction> CombineTunedActions(const std::vector<TunedAction>& actions);

/// The best action as advice with a plan; if nothing helps, the plan is empty.
Advice AdviceOfTune(const TuneReport& report);

/// All safe fixes in the files in which `session` has graph breaks; absent: none.
std::optional<TunedAction> FixesOfBreaks(const Session& session, FileSource& files);

/// The numbers that follow the words loss, acc, accuracy, perplexity, ppl and score, in the
/// order of `text`: "val_loss: 0.25", "acc@5=0.9", "{'score': nan}". Words count whole, in any
/// case. A number counts only directly after its word, with no other word in between: times, rates
/// and steps next to it do not. At most the first 10,000.
std::vector<TuneScore> ScoresIn(std::string_view text);

/// Whether both are the same score, but for rounding.
bool AreEqualScores(const TuneScore& a, const TuneScore& b);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_TUNE_H_
