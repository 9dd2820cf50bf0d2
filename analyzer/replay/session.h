// A loaded program, ready to be run and timed at any values of its symbols.

#ifndef SHAPEWISE_REPLAY_SESSION_H_
#define SHAPEWISE_REPLAY_SESSION_H_

#include <c10/core/Device.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "replay/constants.h"
#include "replay/executor.h"
#include "replay/inputs.h"
#include "replay/program.h"

namespace shapewise::replay {

/// How much to run.
struct TimingOptions {
  size_t warmup = 3;  ///< runs that are not counted
  size_t min_runs = 5;
  size_t max_runs = 200;
  double max_seconds = 1.0;  ///< after `min_runs`, stop once the runs have taken this long
};

struct Timing {
  double seconds = 0;  ///< median of a run
  double iqr = 0;      ///< interquartile range: third quartile minus first
  size_t runs = 0;
};

/// Times `run`, whose work is on `device`: by the clock on a CPU; by events in the device's stream
/// elsewhere, so that only its own work counts.
Timing Measure(const std::function<void()>& run, c10::Device device, const TimingOptions& options);

/// The peak number of bytes allocated during `run` on any device, as reported by PyTorch's
/// allocators to its profiler.
int64_t MeasurePeakBytes(const std::function<void()>& run);

/// Options shared by the commands.
struct SessionOptions {
  std::string program;             ///< PROGRAM
  std::string graph;               ///< --graph
  std::string device;              ///< --device; empty: as in the program
  std::string inputs;              ///< --inputs; empty: all are generated
  std::string weights;             ///< --weights: a .pt2 archive; empty: generated
  std::vector<std::string> bind;   ///< --bind
  std::vector<std::string> types;  ///< --type
  uint64_t seed = 0;
  int threads = 0;  ///< for one operator; 0: torch's default
};

/// A measurement at one binding.
struct Measurement {
  Timing timing;
  int64_t peak_bytes = 0;  ///< of tensors, including inputs
};

class Session {
 public:
  /// Confines the process, then reads the program, or TorchScript archive, and the files of
  /// --weights and
  /// --inputs; after that no file can be opened for writing. Throws std::runtime_error or
  /// c10::Error.
  explicit Session(const SessionOptions& options);

  const Program& program() const { return program_; }
  /// Combines --bind, shapes of given inputs, and hints; `more` takes precedence.
  Bindings Bind(const Bindings& more = {}) const;
  RunInputs Inputs(const Bindings& bindings) const;
  RunResult Run(const RunInputs& inputs) { return executor_->Run(inputs); }

  /// Times the program at `bindings`. Throws std::runtime_error that names the first statement that
  /// cannot be run.
  Measurement Measure(const Bindings& bindings, const TimingOptions& options);

 private:
  SessionOptions options_;
  DeviceChoice devices_;
  Program program_;
  std::map<std::string, Value> given_;
  std::unique_ptr<Executor> executor_;
};

/// "s0" or "s0,s1" at `size`: equal sizes may have several symbols.
Bindings BindTogether(const std::string& symbols, int64_t size);

/// A failed statement, for a message: "line 12: x = torch.foo: no operator of this torch ...".
std::string Describe(const Program& program, const Failure& failure);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_SESSION_H_
