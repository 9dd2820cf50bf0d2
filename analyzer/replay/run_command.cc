// shapewise-replay run: runs a program once, and reports which statements could not be run.

#include <iostream>
#include <nlohmann/json.hpp>

#include "replay/command.h"
#include "replay/tensor_file.h"

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;

Json OutputsJson(const Value& outputs) {
  Json list = Json::array();
  if (outputs.IsMissing()) return list;
  const std::vector<Value> items =
      outputs.IsSequence() ? outputs.items() : std::vector<Value>{outputs};
  for (const Value& output : items) {
    Json json = {{"kind", output.KindName()}};
    if (output.IsTensor()) {
      json["dtype"] = DtypeName(output.AsTensor().scalar_type());
      json["shape"] = output.AsTensor().sizes().vec();
      json["device"] = output.AsTensor().device().str();
    }
    list.push_back(std::move(json));
  }
  return list;
}

/// Saves the input tensors by name.
void SaveInputs(TensorFile& file, const Program& program, const RunInputs& inputs) {
  std::vector<Value> pairs;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    pairs.push_back(Value::Tuple({Value::Text(program.inputs[i].name), inputs.values[i]}));
  }
  for (const auto& [slot, value] : inputs.attributes) {
    pairs.push_back(Value::Tuple({Value::Text(program.slot_names[slot]), value}));
  }
  file.Write(Value::Tuple(std::move(pairs)));
}

}  // namespace

int RunOnce(const RunArguments& arguments) {
  TensorFile outputs(arguments.outputs);
  TensorFile saved_inputs(arguments.save_inputs);
  Session session(arguments.session);
  const Bindings bindings = session.Bind();
  const RunInputs inputs = session.Inputs(bindings);
  if (saved_inputs.IsNamed()) SaveInputs(saved_inputs, session.program(), inputs);
  const RunResult result = session.Run(inputs);
  const size_t num_failed = result.failures.size();
  const bool is_whole = !result.outputs.IsMissing();
  const Json json = {{"schema", "shapewise.replay-run/1"},
                     {"name", session.program().name},
                     {"bindings", bindings},
                     {"statements", session.program().nodes.size()},
                     {"ran", session.program().nodes.size() - num_failed},
                     {"not_replayable", FailuresJson(session.program(), result)},
                     {"outputs", OutputsJson(result.outputs)}};
  std::cout << json.dump() << "\n";
  for (const Failure& failure : result.failures) {
    if (failure.is_consequence) continue;
    std::cerr << FirstLine(Describe(session.program(), failure)) << "\n";
  }
  if (!is_whole) std::cerr << "no outputs: " << FirstLine(result.why_no_outputs) << "\n";
  if (is_whole && outputs.IsNamed()) outputs.Write(result.outputs);
  return is_whole && num_failed == 0 ? kDone : kTrouble;
}

}  // namespace shapewise::replay
