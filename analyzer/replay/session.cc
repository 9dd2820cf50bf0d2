#include "replay/session.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "replay/archive.h"
#include "replay/confinement.h"
#include "replay/inputs.h"
#include "replay/program.h"
#include "replay/tensor_file.h"
#include "replay/timing.h"

namespace shapewise::replay {

using Json = nlohmann::ordered_json;

namespace {

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
                        : ReadProgram(options.program, {options.graph}, devices);
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

}  // namespace

Session::Session(const SessionOptions& options)
    : options_(options), devices_(options.device), program_(Read(options, devices_)) {
  if (options.threads > 0) at::set_num_threads(options.threads);
  if (!options.inputs.empty()) given_ = ReadTensors(options.inputs, program_);
  for (auto& [name, value] : given_) value = Placed(value, devices_);
  if (!options.weights.empty()) given_.merge(ReadWeights(options.weights, devices_));
  executor_ = std::make_unique<Executor>(program_);
}

Session::~Session() = default;

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

c10::Device Session::DeviceOf(const RunInputs& inputs) {
  for (const Value& value : inputs.values) {
    if (value.IsTensor() && !value.AsTensor().is_cpu()) return value.AsTensor().device();
  }
  for (const auto& [slot, value] : inputs.attributes) {
    if (value.IsTensor() && !value.AsTensor().is_cpu()) return value.AsTensor().device();
  }
  return c10::kCPU;
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

Json MeasurementJson(const Measurement& measurement) {
  return {{"seconds", measurement.timing.seconds},
          {"iqr", measurement.timing.iqr},
          {"runs", measurement.timing.runs},
          {"peak_bytes", measurement.peak_bytes}};
}

std::string Describe(const Program& program, const Failure& failure) {
  const ProgramNode& node = program.nodes[failure.node];
  const std::string place = node.line == 0 ? "" : "line " + std::to_string(node.line) + ": ";
  return "not replayable: " + place + NameOf(program, node) + " = " + node.target + ": " +
         failure.reason;
}

Json FailuresJson(const Program& program, const RunResult& result) {
  Json list = Json::array();
  for (const Failure& failure : result.failures) {
    if (failure.is_consequence) continue;
    const ProgramNode& node = program.nodes[failure.node];
    list.push_back({{"line", node.line == 0 ? Json() : Json(node.line)},
                    {"name", NameOf(program, node)},
                    {"target", node.target},
                    {"reason", failure.reason}});
  }
  return list;
}

}  // namespace shapewise::replay
