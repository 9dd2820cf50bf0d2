#include "replay/session.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "replay/archive.h"
#include "replay/confinement.h"
#include "replay/inputs.h"
#include "replay/program.h"
#include "replay/tensor_file.h"

namespace shapewise::replay {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double TimeOnClock(const std::function<void()>& run) {
  const Clock::time_point begin = Clock::now();
  run();
  return SecondsSince(begin);
}

/// Uses c10's events and streams, which need no vendor headers.
double TimeByEvents(const std::function<void()>& run, c10::Device device) {
  const c10::impl::VirtualGuardImpl guard(device.type());
  // Default events are created without a clock.
  c10::Event begin(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  c10::Event end(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  begin.record(guard.getStream(device));
  run();
  end.record(guard.getStream(device));
  end.synchronize();
  return begin.elapsedTime(end) / 1e3;
}

double Quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Freed memory, such as that of inputs, was not always allocated while counting.
class ByteCounter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*pointer*/, int64_t size, size_t /*total_allocated*/,
                         size_t /*total_reserved*/, c10::Device /*device*/) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_ += size;
    peak_ = std::max(peak_, bytes_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  std::mutex mutex_;
  int64_t bytes_ = 0;
  int64_t peak_ = 0;
};

/// Graphs are checked before they run. If a check or a PyTorch kernel is vulnerable, the system
/// limits the damage.
void Confine() {
  // Querying devices loads their drivers, which open files for writing.
  const std::string missing = ConfineProcess(/*needs_devices=*/at::hasCUDA());
  if (missing.empty()) return;
  fprintf(stderr, "shapewise-replay: warning: this system cannot deny access to %s to graphs\n",
          missing.c_str());
}

Program Read(const SessionOptions& options, const DeviceChoice& devices) {
  Confine();
  Program program = IsArchive(options.program)
                        ? ReadTorchScript(options.program, devices)
                        : ReadProgram(options.program, options.graph, devices);
  for (const std::string& text : options.types) SetType(text, devices, program);
  return program;
}

/// `value` with tensors placed by --device; without it they stay where their file puts them.
Value Placed(const Value& value, const DeviceChoice& devices) {
  if (!devices.IsForced()) return value;
  if (value.IsTensor()) return Value::Of(value.AsTensor().to(devices.Default()));
  if (!value.IsSequence()) return value;
  std::vector<Value> items;
  for (const Value& item : value.items()) items.push_back(Placed(item, devices));
  return value.kind() == Value::Kind::kList ? Value::List(std::move(items))
                                            : Value::Tuple(std::move(items));
}

/// Where the work is done: the device of the first tensor in `inputs` that is not on the CPU.
c10::Device DeviceOf(const RunInputs& inputs) {
  for (const Value& value : inputs.values) {
    if (value.IsTensor() && !value.AsTensor().is_cpu()) return value.AsTensor().device();
  }
  for (const auto& [slot, value] : inputs.attributes) {
    if (value.IsTensor() && !value.AsTensor().is_cpu()) return value.AsTensor().device();
  }
  return c10::kCPU;
}

}  // namespace

Timing Measure(const std::function<void()>& run, c10::Device device, const TimingOptions& options) {
  const auto time = [&] { return device.is_cpu() ? TimeOnClock(run) : TimeByEvents(run, device); };
  for (size_t i = 0; i < options.warmup; ++i) time();
  std::vector<double> seconds;
  const Clock::time_point begin = Clock::now();
  while (seconds.size() < std::max<size_t>(1, options.max_runs)) {
    if (seconds.size() >= options.min_runs && SecondsSince(begin) >= options.max_seconds) break;
    seconds.push_back(time());
  }
  std::ranges::sort(seconds);
  return {Quantile(seconds, 0.5), Quantile(seconds, 0.75) - Quantile(seconds, 0.25),
          seconds.size()};
}

int64_t MeasurePeakBytes(const std::function<void()>& run) {
  const auto counter = std::make_shared<ByteCounter>();
  {
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
    run();
  }
  return counter->peak();
}

Session::Session(const SessionOptions& options)
    : options_(options), devices_(options.device), program_(Read(options, devices_)) {
  if (options.threads > 0) at::set_num_threads(options.threads);
  if (!options.inputs.empty()) given_ = ReadTensors(options.inputs, program_);
  for (auto& [name, value] : given_) value = Placed(value, devices_);
  if (!options.weights.empty()) given_.merge(ReadWeights(options.weights, devices_));
  executor_ = std::make_unique<Executor>(program_);
}

Bindings Session::Bind(const Bindings& more) const {
  Bindings given;
  for (const std::string& text : options_.bind) ReadBindings(text, given);
  for (const auto& [name, value] : more) given[name] = value;
  Bindings bindings = CompleteBindings(program_, given);
  BindFromInputs(program_, given_, bindings);
  return bindings;
}

RunInputs Session::Inputs(const Bindings& bindings) const {
  return MakeInputs(program_, bindings, options_.seed, given_);
}

Measurement Session::Measure(const Bindings& bindings, const TimingOptions& options) {
  const RunInputs inputs = Inputs(bindings);
  const RunResult first = Run(inputs);
  for (const Failure& failure : first.failures) {
    if (!failure.is_consequence) throw std::runtime_error(Describe(program_, failure));
  }
  Measurement measurement;
  measurement.timing =
      replay::Measure([&] { executor_->RunOrThrow(inputs); }, DeviceOf(inputs), options);
  measurement.peak_bytes =
      BytesOf(inputs) + MeasurePeakBytes([&] { executor_->RunOrThrow(inputs); });
  return measurement;
}

Bindings BindTogether(const std::string& symbols, int64_t size) {
  Bindings bindings;
  size_t begin = 0;
  while (begin <= symbols.size()) {
    const size_t end = std::min(symbols.find(',', begin), symbols.size());
    bindings[symbols.substr(begin, end - begin)] = static_cast<double>(size);
    begin = end + 1;
  }
  return bindings;
}

std::string Describe(const Program& program, const Failure& failure) {
  const ProgramNode& node = program.nodes[failure.node];
  const std::string place = node.line == 0 ? "" : "line " + std::to_string(node.line) + ": ";
  return "not replayable: " + place + NameOf(program, node) + " = " + node.target + ": " +
         failure.reason;
}

}  // namespace shapewise::replay
