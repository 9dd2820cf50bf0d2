// A loaded program, ready to be run and timed at any values of its symbols.

#ifndef SHAPEWISE_REPLAY_SESSION_H_
#define SHAPEWISE_REPLAY_SESSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/constants.h"
#include "replay/executor.h"
#include "replay/inputs.h"
#include "replay/program.h"
#include "replay/timing.h"

namespace shapewise::replay {

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
  ~Session();

  const Program& program() const { return program_; }
  const std::map<std::string, Value>& given() const { return given_; }
  /// Combines --bind, shapes of given inputs, and hints; `more` takes precedence.
  Bindings Bind(const Bindings& more = {}) const;
  RunInputs Inputs(const Bindings& bindings) const;
  RunResult Run(const RunInputs& inputs) { return executor_->Run(inputs); }
  /// Where the work is done: the device of the first tensor in `inputs` that is not on the CPU.
  static c10::Device DeviceOf(const RunInputs& inputs);

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

/// {"seconds", "iqr", "runs", "peak_bytes"}.
nlohmann::ordered_json MeasurementJson(const Measurement& measurement);

/// A failed statement, for a message: "line 12: x = torch.foo: no operator of this torch ...".
std::string Describe(const Program& program, const Failure& failure);

/// The failures that are not consequences of others, as [{line, name, target, reason}].
nlohmann::ordered_json FailuresJson(const Program& program, const RunResult& result);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_SESSION_H_
