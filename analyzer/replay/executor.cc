#include "replay/executor.h"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <exception>
#include <stdexcept>

#include "replay/statement.h"

namespace shapewise::replay {
namespace {

std::string MessageOf(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  return FirstLine(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
}

}  // namespace

std::string FirstLine(std::string_view what) {
  while (!what.empty() && what.front() == '\n') what.remove_prefix(1);
  std::string line(what.substr(0, what.find('\n')));
  for (size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    // The second byte of U+0080 to U+009F in UTF-8.
    const bool is_c1 =
        byte >= 0x80 && byte <= 0x9F && i > 0 && static_cast<unsigned char>(line[i - 1]) == 0xC2;
    if (is_c1) line[i - 1] = '?';
    if (byte < 0x20 || byte == 0x7F || is_c1) line[i] = '?';
  }
  return line;
}

struct Executor::Statements {
  std::vector<Statement> list;  ///< one per node
};

Executor::Executor(const Program& program)
    : program_(program), statements_(std::make_unique<Statements>()) {
  statements_->list.reserve(program.nodes.size());
  for (const ProgramNode& node : program.nodes) statements_->list.emplace_back(node);
}

Executor::~Executor() = default;

void Executor::Begin(const RunInputs& inputs) {
  frame_.program = &program_;
  frame_.bindings = inputs.bindings;
  frame_.slots.assign(program_.slot_names.size(), Value());
  for (size_t i = 0; i < program_.inputs.size() && i < inputs.values.size(); ++i) {
    frame_.slots[program_.inputs[i].slot] = inputs.values[i];
  }
  for (const auto& [slot, value] : inputs.attributes) frame_.slots[slot] = value;
}

void Executor::RunNode(size_t index) {
  const ProgramNode& node = program_.nodes[index];
  const bool has_value = !node.outputs.empty() && !frame_.slots[node.outputs[0]].IsMissing();
  if (node.op != "get_attr" || !has_value) {
    Value result = statements_->list[index].Run(frame_);
    if (node.outputs.size() == 1) {
      frame_.slots[node.outputs[0]] = std::move(result);
    } else if (node.outputs.size() > 1) {
      const std::vector<Value>& items = result.AsSequence();
      if (items.size() != node.outputs.size()) {
        throw std::runtime_error(node.target + " made " + std::to_string(items.size()) +
                                 " values, not " + std::to_string(node.outputs.size()));
      }
      for (size_t i = 0; i < items.size(); ++i) frame_.slots[node.outputs[i]] = items[i];
    }
  }
  for (const uint32_t slot : node.freed) frame_.slots[slot] = Value();
}

void Executor::End() { frame_.slots.assign(program_.slot_names.size(), Value()); }

RunResult Executor::Run(const RunInputs& inputs) {
  const c10::NoGradGuard no_gradients;
  RunResult result;
  Begin(inputs);
  for (size_t i = 0; i < program_.nodes.size(); ++i) {
    try {
      RunNode(i);
    } catch (const NotReached& error) {
      result.failures.push_back({i, error.what(), true});
    } catch (const std::exception& error) {
      result.failures.push_back({i, MessageOf(error), false});
    }
  }
  try {
    result.outputs = EvaluateArgument(program_.outputs, frame_);
  } catch (const std::exception& error) {
    result.why_no_outputs = MessageOf(error);
  }
  End();
  return result;
}

Value Executor::RunOrThrow(const RunInputs& inputs) {
  const c10::NoGradGuard no_gradients;
  Begin(inputs);
  for (size_t i = 0; i < program_.nodes.size(); ++i) RunNode(i);
  Value outputs = EvaluateArgument(program_.outputs, frame_);
  End();
  return outputs;
}

}  // namespace shapewise::replay
