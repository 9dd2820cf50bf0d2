// shapewise-replay overhead: measures how much running an operator from a program costs beyond
// calling it.

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

#include "replay/command.h"

namespace shapewise::replay {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

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
    ProgramArgument one;
    one.constant = Value::Int(1);
    node.args.push_back(one);
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
