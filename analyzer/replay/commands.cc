// The commands of shapewise-replay, except pad.

#include <torch/version.h>

#include <ATen/Parallel.h>
#include <ATen/ScalarOps.h>
#include <ATen/ops/add.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "replay/command.h"
#include "replay/executor.h"
#include "replay/tensor_file.h"

namespace shapewise::replay {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

Json SizesJson(const std::optional<std::vector<SizeExpression>>& sizes) {
  if (!sizes) return nullptr;
  Json json = Json::array();
  for (const SizeExpression& size : *sizes) {
    json.push_back(size.kind == SizeExpression::Kind::kInteger ? Json(size.integer)
                                                               : Json(ToText(size)));
  }
  return json;
}

template <typename Number>
Json OrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

/// A statement that cannot be run.
Json UnrunJson(const Program& program, const ProgramNode& node, const std::string& reason) {
  return {{"line", node.line == 0 ? Json() : Json(node.line)},
          {"name", NameOf(program, node)},
          {"target", node.target},
          {"reason", reason}};
}

Json InfoJson(const Program& program) {
  Json json = {{"schema", "shapewise.replay-info/1"},
               {"torch", TORCH_VERSION},
               {"cuda", IsAvailable(c10::kCUDA)},
               {"threads", at::get_num_threads()},
               {"name", program.name},
               {"format", program.format},
               {"statements", program.nodes.size()}};
  Json& symbols = json["symbols"] = Json::array();
  for (const ProgramSymbol& symbol : program.symbols) {
    symbols.push_back({{"name", symbol.name},
                       {"hint", OrNull(symbol.hint)},
                       {"lower", OrNull(symbol.lower)},
                       {"upper", OrNull(symbol.upper)}});
  }
  Json& inputs = json["inputs"] = Json::array();
  for (const ProgramInput& input : program.inputs) {
    inputs.push_back({{"name", input.name},
                      {"kind", input.kind},
                      {"dtype", input.type.dtype ? Json(DtypeName(*input.type.dtype)) : Json()},
                      {"shape", SizesJson(input.type.shape)}});
  }
  Json means = Json::object();
  Json& missing = json["not_replayable"] = Json::array();
  for (const ProgramNode& node : program.nodes) {
    std::string reason;
    const Means found = MeansOf(node, &reason);
    Json& count = means[std::string(MeansName(found))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
    if (found != Means::kNone) continue;
    missing.push_back(UnrunJson(program, node, reason));
  }
  json["means"] = std::move(means);
  return json;
}

/// The failures that are not consequences of others.
Json FailuresJson(const Program& program, const RunResult& result) {
  Json list = Json::array();
  for (const Failure& failure : result.failures) {
    if (failure.is_consequence) continue;
    list.push_back(UnrunJson(program, program.nodes[failure.node], failure.reason));
  }
  return list;
}

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

Json MeasurementJson(const Measurement& measurement) {
  return {{"seconds", measurement.timing.seconds},
          {"iqr", measurement.timing.iqr},
          {"runs", measurement.timing.runs},
          {"peak_bytes", measurement.peak_bytes}};
}

Json Answer(Session& session, const TimingOptions& timing, const std::string& line) {
  const Json request = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  bool asks = request.is_object() && request.contains("time") && request["time"].is_object();
  if (asks) {
    for (const Json& size : request["time"]) asks = asks && size.is_number();
  }
  if (!asks) return {{"error", "expected {\"time\": {SYMBOL: SIZE}}"}};
  Json answer = {{"time", request["time"]}};
  try {
    Bindings bindings;
    for (const auto& [name, size] : request["time"].items()) {
      bindings[name] = size.get<double>();
    }
    answer.update(MeasurementJson(session.Measure(session.Bind(bindings), timing)));
  } catch (const std::exception& error) {
    answer["error"] = FirstLine(error.what());
  }
  return answer;
}

/// x + 1 + 1 ... : each statement uses the previous result, which is then freed.
Program ChainOfAdditions(size_t length) {
  Program program;
  program.name = "chain";
  program.slot_names.emplace_back("x");
  ProgramInput input;
  input.name = "x";
  input.kind = "input";
  program.inputs.push_back(input);
  for (size_t i = 0; i < length; ++i) {
    ProgramNode node;
    node.op = "call_function";
    node.target = "aten.add.Tensor";
    node.args.push_back(ProgramArgument::Slot(static_cast<uint32_t>(i)));
    node.args.push_back(ProgramArgument::Constant(Value::Int(1)));
    node.outputs.push_back(static_cast<uint32_t>(i + 1));
    node.types.resize(1);
    node.freed.push_back(static_cast<uint32_t>(i));
    program.slot_names.push_back("x" + std::to_string(i + 1));
    program.nodes.push_back(std::move(node));
  }
  program.outputs = ProgramArgument::Slot(static_cast<uint32_t>(length));
  return program;
}

/// The same without a program: a lower bound for any caller of operators.
at::Tensor AddDirectly(at::Tensor x, const at::Tensor& one, size_t length) {
  for (size_t i = 0; i < length; ++i) x = at::add(x, one);
  return x;
}

template <typename Run>
double SecondsOf(const Run& run) {
  const Clock::time_point begin = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int PrintInfo(const SessionOptions& options) {
  const Session session(options);
  std::cout << InfoJson(session.program()).dump() << "\n";
  return kDone;
}

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

int MeasureCurve(const CurveArguments& arguments) {
  Session session(arguments.session);
  if (arguments.as_csv) std::cout << "size,seconds,iqr,runs,peak_bytes\n";
  for (const int64_t size : arguments.sizes) {
    const Bindings bindings = session.Bind(BindTogether(arguments.symbol, size));
    const Measurement measured = session.Measure(bindings, arguments.timing);
    Json point = {{"size", size}};
    point.update(MeasurementJson(measured));
    if (!arguments.as_csv) {
      std::cout << point.dump() << std::endl;
      continue;
    }
    const char* separator = "";
    for (const auto& [name, value] : point.items()) {
      std::cout << separator << value.dump();
      separator = ",";
    }
    std::cout << std::endl;
  }
  return kDone;
}

int Serve(const ServeArguments& arguments) {
  Session session(arguments.session);
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << Answer(session, arguments.timing, line)
                     .dump(-1, ' ', false, Json::error_handler_t::replace)
              << std::endl;
  }
  return kDone;
}

int MeasureOverhead(const OverheadArguments& arguments) {
  if (arguments.operators == 0 || arguments.rounds == 0) {
    throw std::runtime_error("--operators and --rounds are 1 or more");
  }
  at::set_num_threads(1);
  const c10::NoGradGuard no_gradients;
  const Program program = ChainOfAdditions(arguments.operators);
  Executor executor(program);
  RunInputs inputs;
  const at::Tensor x = at::zeros({1});
  inputs.values.push_back(Value::Of(x));
  at::Tensor one = at::scalar_to_tensor(1);
  one.unsafeGetTensorImpl()->set_wrapped_number(true);

  // Other activity only makes rounds longer: compare the shortest of each, alternating.
  double interpreted = std::numeric_limits<double>::infinity();
  double direct = interpreted;
  for (size_t round = 0; round < arguments.rounds; ++round) {
    Value result;
    interpreted = std::min(interpreted, SecondsOf([&] { result = executor.RunOrThrow(inputs); }));
    at::Tensor expected;
    direct =
        std::min(direct, SecondsOf([&] { expected = AddDirectly(x, one, arguments.operators); }));
    if (result.AsTensor().item().toDouble() != expected.item().toDouble()) {
      throw std::runtime_error("the program computed something else");
    }
  }
  const double scale = 1e9 / static_cast<double>(arguments.operators);
  const Json json = {{"operators", arguments.operators},
                     {"rounds", arguments.rounds},
                     {"interpreted_ns", interpreted * scale},
                     {"direct_ns", direct * scale},
                     {"overhead_ns", (interpreted - direct) * scale}};
  std::cout << json.dump() << "\n";
  return kDone;
}

}  // namespace shapewise::replay
