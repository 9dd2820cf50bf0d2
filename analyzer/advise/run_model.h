// A run under changes: what is left of its compilations, its slow steps, what runs eager.

#ifndef SHAPEWISE_ADVISE_RUN_MODEL_H_
#define SHAPEWISE_ADVISE_RUN_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "advise/change.h"
#include "advise/compiled_frame.h"
#include "advise/estimate.h"
#include "shapewise/dynamo/run_function.h"
#include "shapewise/dynamo/simulator.h"
#include "shapewise/model/session.h"
#include "shapewise/result/advice.h"
#include "shapewise/result/prediction.h"
#include "shapewise/result/step_report.h"

namespace shapewise {

/// Answers what a list of changes saves. Asks the simulator where the calls of a function are known
/// and its own compiles come out right; else the reasons that were printed.
class RunModel {
 public:
  /// `recorded`: what a recorder wrote of the run.
  RunModel(const Session& session, const StepReport& steps,
           const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {});

  const std::vector<CompiledFrame>& frames() const { return frames_; }

  /// Whether all sizes of each compile of the frame with this index are known, and the simulator
  /// gets its compiles right.
  bool IsWellKnown(size_t frame) const;

  /// What `changes`, made together, save. Functions that they do not concern are not listed.
  Saving Evaluate(const std::vector<CodeChange>& changes) const;

  /// Cache entries of all frames, as the run made them.
  uint64_t compiles() const;

 private:
  /// Entries that are left of each frame that `changes` concern, by its index.
  using Entries = std::map<size_t, uint64_t>;

  using PlaceKey = std::tuple<std::string, std::string, uint32_t>;  // file, function, line

  /// A function whose own compiles the simulator gets right, and what it says of them.
  struct Trusted {
    const RunFunction* function = nullptr;
    Prediction as_it_was;
  };

  void FindTrusted();
  /// The frames that `changes` concern, breaks apart.
  std::set<size_t> FramesOf(const std::vector<CodeChange>& changes) const;
  /// What the simulator says of the frame with this index under `changes`; absent: it does not
  /// know.
  std::optional<Prediction> SimulateFrame(size_t frame,
                                          const std::vector<CodeChange>& changes) const;
  static SimulatorOptions OptionsFor(const RunFunction& function);

  /// Of `changes` those that the frame with this index notices.
  std::vector<CodeChange> OwnChanges(size_t frame, const std::vector<CodeChange>& changes) const;

  void MergeFrames(const std::vector<CodeChange>& changes, Entries& entries) const;
  /// The frame that goes on in the resume function of the frame with index `rest`.
  std::optional<size_t> FrameBefore(size_t rest) const;
  std::vector<FunctionCompiles> CountFunctions(const std::vector<CodeChange>& changes,
                                               const Entries& entries) const;
  bool TellsSteps() const { return !slow_events_.empty(); }

  std::vector<CompiledFrame> frames_;
  std::vector<std::set<std::string>> sources_;  // by frame: what its failed guards speak of
  std::map<PlaceKey, std::vector<size_t>> by_place_;
  std::map<std::pair<std::string, uint32_t>, std::vector<size_t>> resumes_;  // by file and break
  /// By file and function, its resume functions included.
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> by_function_;
  std::vector<std::unique_ptr<RunFunction>> functions_;
  std::map<size_t, Trusted> trusted_;          // by index of the frame
  std::vector<std::set<size_t>> slow_events_;  // by slow step: events of the compilations in it
};

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_RUN_MODEL_H_
