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
#include "dynamo/run_function.h"
#include "dynamo/run_probes.h"
#include "dynamo/simulator.h"
#include "model/session.h"
#include "result/advice.h"
#include "result/prediction.h"

namespace shapewise {

/// Computes what a list of changes saves, if the calls of a function are known and the simulator
/// reproduces its actual compiles.
class RunModel {
 public:
  /// `frames`: those of `session`. `recorded`: what a recorder wrote of the run. `probes`: what
  /// probes of it traced; null: nothing.
  RunModel(std::vector<CompiledFrame> frames, const Session& session,
           const std::vector<std::unique_ptr<RecordedFunction>>& recorded, const RunProbes* probes);

  const std::vector<CompiledFrame>& frames() const { return frames_; }

  /// The saving of `changes`, applied together; absent if it is unknown for a function that they
  /// affect.
  std::optional<Saving> Evaluate(const std::vector<CodeChange>& changes) const;

  /// Cache entries of all frames in the actual run.
  uint64_t compiles() const;

 private:
  using PlaceKey = std::tuple<std::string, std::string, uint32_t>;  // file, function, line

  /// A recorded or logged function whose actual compiles the simulator reproduces, and what runs
  /// after its graph breaks.
  struct Trusted {
    const RunFunction* function = nullptr;
    const LinkedFunctions* linked = nullptr;  ///< null: the function alone
    std::vector<size_t> frames;               ///< indices of its frames; the first is its own
    Prediction as_it_was = {};
    /// The first without the others, for changes whose effect on the others is unknown; may be
    /// null.
    std::unique_ptr<Trusted> alone = nullptr;
  };

  void FindTrusted();
  void Trust(const RunFunction& function, const LinkedFunctions* linked,
             std::vector<size_t> frames);
  /// Sets `as_it_was`; false: it is not what the run compiled.
  bool ReproducesRun(Trusted& trusted) const;
  /// The frames that `changes` affect.
  std::set<size_t> FramesOf(const std::vector<CodeChange>& changes) const;
  /// The prediction for `trusted` under those of `changes` that apply to it; absent: unknown.
  std::optional<Prediction> SimulateTrusted(const Trusted& trusted,
                                            const std::vector<CodeChange>& changes) const;
  /// Adds what `simulated` saves of the frame number `part` of `trusted`.
  void AddSaving(const Trusted& trusted, size_t part, const PredictedTotals& simulated,
                 Saving& saving) const;
  /// What `prediction` says of the frame number `part` of `trusted`.
  static const PredictedTotals& PartOf(const Trusted& trusted, const Prediction& prediction,
                                       size_t part);
  static Prediction Simulated(const Trusted& trusted, const CompilePolicy& policy);
  static SimulatorOptions OptionsFor(const Trusted& trusted);

  /// Whether a saving of `changes` rests on sizes that stayed constants, perhaps because the code
  /// needs them. Padding saves in any case.
  bool RestsOnConstants(const Trusted& trusted, const std::vector<CodeChange>& changes) const;
  bool AffectsCodeAfterBreak(const std::vector<CodeChange>& changes, const Trusted& trusted) const;
  /// Whether `change` applies to the frame with this index.
  bool Affects(const CodeChange& change, size_t frame) const;

  std::vector<CompiledFrame> frames_;
  std::vector<std::set<std::string>> sources_;  // by frame: sources in its failed guards
  std::map<PlaceKey, std::vector<size_t>> by_place_;
  std::vector<std::unique_ptr<RunFunction>> functions_;
  std::vector<LinkedFunctions> linked_;
  std::vector<std::unique_ptr<Trusted>> trusted_;
  std::map<size_t, size_t> trusted_of_;  // by index of the frame
};

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_RUN_MODEL_H_
