// A run under changes: which compilations remain, according to the simulator.

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
#include "shapewise/dynamo/run_probes.h"
#include "shapewise/dynamo/simulator.h"
#include "shapewise/model/session.h"
#include "shapewise/result/advice.h"
#include "shapewise/result/prediction.h"

namespace shapewise {

/// Computes what a list of changes saves, if the calls of a function are known and the simulator
/// reproduces its actual compiles.
class RunModel {
 public:
  /// `recorded`: what a recorder wrote of the run. `probes`: what probes of it traced; null:
  /// nothing.
  explicit RunModel(const Session& session,
                    const std::vector<std::unique_ptr<RecordedFunction>>& recorded = {},
                    const RunProbes* probes = nullptr);

  const std::vector<CompiledFrame>& frames() const { return frames_; }

  /// The saving of `changes`, applied together; absent if it is unknown for a function that they
  /// affect.
  std::optional<Saving> Evaluate(const std::vector<CodeChange>& changes) const;

  /// Cache entries of all frames in the actual run.
  uint64_t compiles() const;

 private:
  using PlaceKey = std::tuple<std::string, std::string, uint32_t>;  // file, function, line

  /// A function whose actual compiles the simulator reproduces, with the prediction.
  struct Trusted {
    const RunFunction* function = nullptr;
    Prediction as_it_was;
  };

  void FindTrusted();
  /// The frames that `changes` affect.
  std::set<size_t> FramesOf(const std::vector<CodeChange>& changes) const;
  /// The prediction for the frame with this index under `changes`; absent: unknown.
  std::optional<Prediction> SimulateFrame(size_t frame,
                                          const std::vector<CodeChange>& changes) const;
  static SimulatorOptions OptionsFor(const RunFunction& function);

  /// Those of `changes` that apply to the frame with this index.
  std::vector<CodeChange> OwnChanges(size_t frame, const std::vector<CodeChange>& changes) const;

  std::vector<CompiledFrame> frames_;
  std::vector<std::set<std::string>> sources_;  // by frame: sources in its failed guards
  std::map<PlaceKey, std::vector<size_t>> by_place_;
  std::vector<std::unique_ptr<RunFunction>> functions_;
  std::map<size_t, Trusted> trusted_;  // by index of the frame
};

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_RUN_MODEL_H_
