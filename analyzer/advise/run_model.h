// A run under changes: what is left of its compilations, as the simulator says.

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
#include "shapewise/dynamo/run_function.h"
#include "shapewise/dynamo/simulator.h"
#include "shapewise/model/session.h"
#include "shapewise/result/advice.h"
#include "shapewise/result/prediction.h"

namespace shapewise {

/// Answers what a list of changes saves, where the calls of a function are known and the simulator
/// gets its compiles right as they were.
class RunModel {
 public:
  /// `recorded`: what a recorder wrote of the run. `probes`: what probes of it traced; null:
  /// nothing.
  explicit RunModel(const Session& session,
                    const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {},
                    const Session* probes = nullptr);

  const std::vector<CompiledFrame>& frames() const { return frames_; }

  /// Whether all sizes of each compile of the frame with this index are known, and the simulator
  /// gets its compiles right.
  bool IsWellKnown(size_t frame) const;

  /// What `changes`, made together, save; absent: of a function that they concern it is not known.
  std::optional<Saving> Evaluate(const std::vector<CodeChange>& changes) const;

  /// Cache entries of all frames, as the run made them.
  uint64_t compiles() const;

 private:
  using PlaceKey = std::tuple<std::string, std::string, uint32_t>;  // file, function, line

  /// A function whose own compiles the simulator gets right, and what it says of them.
  struct Trusted {
    const RunFunction* function = nullptr;
    Prediction as_it_was;
  };

  void FindTrusted();
  /// The frames that `changes` concern.
  std::set<size_t> FramesOf(const std::vector<CodeChange>& changes) const;
  /// What the simulator says of the frame with this index under `changes`; absent: it does not
  /// know.
  std::optional<Prediction> SimulateFrame(size_t frame,
                                          const std::vector<CodeChange>& changes) const;
  static SimulatorOptions OptionsFor(const RunFunction& function);

  /// Of `changes` those that the frame with this index notices.
  std::vector<CodeChange> OwnChanges(size_t frame, const std::vector<CodeChange>& changes) const;

  std::vector<CompiledFrame> frames_;
  std::vector<std::set<std::string>> sources_;  // by frame: what its failed guards speak of
  std::map<PlaceKey, std::vector<size_t>> by_place_;
  std::vector<std::unique_ptr<RunFunction>> functions_;
  std::map<size_t, Trusted> trusted_;  // by index of the frame
};

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_RUN_MODEL_H_
