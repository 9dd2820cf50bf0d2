#include "replay/executor.h"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <algorithm>
#include <exception>
#include <stdexcept>

#include "replay/python_adapters.h"

namespace shapewise::replay {
namespace {

/// A module of torch with functions named after their operators.
struct Namespace {
  std::string_view prefix;
  std::string_view added;  ///< prefix of the operator's name
};

constexpr Namespace kNamespaces[] = {
    {"torch._C._nn.", ""},
    {"torch._C._fft.", ""},
    {"torch._C._linalg.", ""},
    {"torch._C._special.", ""},
    {"torch._C._VariableFunctions.", ""},
    {"torch._VF.", ""},
    {"torch._VariableFunctions.", ""},
    {"torch.nn.functional.", ""},
    {"torch.functional.", ""},
    {"torch.linalg.", "linalg_"},
    {"torch.fft.", "fft_"},
    {"torch.special.", "special_"},
    {"torch.Tensor.", ""},
    {"torch.", ""},
};

/// "torch._C._nn.linear" -> "aten::linear"; empty: unknown module of torch.
std::string OperatorOfFunction(std::string_view target) {
  for (const Namespace& part : kNamespaces) {
    if (!target.starts_with(part.prefix)) continue;
    const std::string_view name = target.substr(part.prefix.size());
    if (name.empty() || name.find('.') != std::string_view::npos) return {};
    return "aten::" + std::string(part.added) + std::string(name);
  }
  return {};
}

bool IsMethod(const ProgramNode& node) { return node.op == "call_method"; }

/// Whether it is "aten.add.Tensor" or "mylib.op.default", but not "torch.add" or "operator.add".
bool IsOperatorTarget(std::string_view target) {
  return !target.starts_with("torch.") && !target.starts_with("operator.") &&
         !target.starts_with("math.") && std::ranges::count(target, '.') == 2;
}

/// prims.sin.default is computed by aten::sin.
std::string OperatorOfPrim(std::string_view target) {
  constexpr std::string_view kPrims = "prims.";
  if (!target.starts_with(kPrims)) return {};
  const std::string_view rest = target.substr(kPrims.size());
  return "aten::" + std::string(rest.substr(0, rest.find('.')));
}

/// x.__eq__(2), as Dynamo in torch 2.11 prints x == 2.
bool IsSpecialMethod(std::string_view method) {
  return method.size() > 4 && method.starts_with("__") && method.ends_with("__");
}

std::string OperatorName(const ProgramNode& node) {
  return IsMethod(node) ? "aten::" + node.target : OperatorOfFunction(node.target);
}

/// The overloads that `node` may call, regardless of arguments; sets `name` to their name.
std::vector<const Overload*> OverloadsOf(const ProgramNode& node, std::string& name) {
  name = node.target;
  if (node.op == "operator") return FindOverloads(name);
  if (!IsMethod(node) && IsOperatorTarget(node.target)) {
    std::vector<const Overload*> overloads = FindOverloadOfTarget(node.target);
    if (!overloads.empty()) return overloads;
    const std::string prim = OperatorOfPrim(node.target);
    if (!prim.empty()) name = prim;
    return prim.empty() ? overloads : FindOverloads(prim);
  }
  const std::string called = OperatorName(node);
  if (called.empty()) return {};
  name = called;
  std::vector<const Overload*> overloads = FindOverloads(called);
  if (overloads.empty() && IsMethod(node) && IsSpecialMethod(node.target)) {
    name = "aten::" + node.target.substr(2, node.target.size() - 4);
    overloads = FindOverloads(name);
  }
  return overloads;
}

std::string AdapterName(const ProgramNode& node) {
  return IsMethod(node) ? "." + node.target : node.target;
}

/// `name`: the operator that `node` would call.
std::string WhyNot(const ProgramNode& node, const std::string& name) {
  if (node.op == "call_module")
    return "what the module " + node.target + " does is not in the dump";
  if (node.target.starts_with("torch.ops.higher_order.") ||
      node.target.find("higher_order") != std::string::npos) {
    return "a higher-order operator: " + node.target;
  }
  const std::string called =
      name.find("::") == std::string::npos ? OperatorOfTarget(node.target) : name;
  if (HasRefusedOverloads(called)) {
    return called + " is not on the list of allowed operators: graphs may not use files, the " +
           "network or operators outside of aten and prims";
  }
  return "no operator of this torch is called " + node.target;
}

bool HasTensor(const std::vector<Value>& values) {
  return std::ranges::any_of(values, [](const Value& value) { return value.IsTensor(); });
}

std::string MessageOf(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  return FirstLine(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
}

std::vector<Value> EvaluateChildren(const ProgramArgument& argument, const Frame& frame) {
  std::vector<Value> items;
  items.reserve(argument.children.size());
  for (const ProgramArgument& child : argument.children) {
    items.push_back(EvaluateArgument(child, frame));
  }
  return items;
}

}  // namespace

std::string_view MeansName(Means means) {
  constexpr std::string_view kNames[] = {"operator", "by hand", "adapter", "value", "none"};
  return kNames[static_cast<size_t>(means)];
}

Means MeansOf(const ProgramNode& node, std::string* reason) {
  if (node.op == "get_attr") return Means::kValue;
  std::string name;
  if (node.op != "call_module") {
    if (FindPythonAdapter(AdapterName(node)) != nullptr) return Means::kAdapter;
    if (!IsMethod(node) && (FindOperatorByHand(node.target) != nullptr ||
                            FindOperatorOnNumbers(node.target) != nullptr ||
                            FindTensorOperator(node.target) != nullptr)) {
      return Means::kByHand;
    }
    if (!OverloadsOf(node, name).empty()) return Means::kOperator;
  }
  if (reason != nullptr) *reason = WhyNot(node, name);
  return Means::kNone;
}

CallArguments Statement::EvaluateAll(const Frame& frame) const {
  CallArguments arguments;
  arguments.positional.reserve(node_->args.size());
  for (const ProgramArgument& argument : node_->args) {
    arguments.positional.push_back(EvaluateArgument(argument, frame));
  }
  for (const auto& [keyword, argument] : node_->kwargs) {
    arguments.keywords.emplace_back(keyword, EvaluateArgument(argument, frame));
  }
  return arguments;
}

void Statement::ResolveOnTensors(const TensorOperator& tensor_operator, const Frame& frame) {
  const Value first = EvaluateArgument(node_->args.at(0), frame);
  ArgumentList arguments{node_->args, node_->kwargs};
  std::string name(tensor_operator.name);
  if (!first.IsTensor() && node_->args.size() == 2) {
    if (tensor_operator.python == "operator.truediv") {
      by_hand_ = DivideNumberByTensor;
      return;
    }
    if (!tensor_operator.reflected.empty()) {
      name = tensor_operator.reflected;
      std::swap(arguments.positional[0], arguments.positional[1]);
    }
  }
  call_.emplace(FindOverloads(name), name, arguments, frame);
}

void Statement::Resolve(const Frame& frame) {
  std::string reason;
  switch (MeansOf(*node_, &reason)) {
    case Means::kAdapter: {
      adapter_ = FindPythonAdapter(AdapterName(*node_));
      bound_ = BindToSignature(*adapter_, *node_);
      if (adapter_->function != nullptr) break;
      const OperatorCall call = CallOf(*adapter_, bound_, frame);
      call_.emplace(FindOverloads(call.name), call.name, call.arguments, frame);
      break;
    }
    case Means::kByHand: {
      by_hand_ = FindOperatorByHand(node_->target);
      if (by_hand_ != nullptr) break;
      const TensorOperator* on_tensors = FindTensorOperator(node_->target);
      if (on_tensors != nullptr && HasTensor(EvaluateAll(frame).positional)) {
        ResolveOnTensors(*on_tensors, frame);
        break;
      }
      by_hand_ = FindOperatorOnNumbers(node_->target);
      if (by_hand_ == nullptr) throw std::runtime_error("not of numbers: " + node_->target);
      break;
    }
    case Means::kOperator: {
      std::string name;
      const std::vector<const Overload*> overloads = OverloadsOf(*node_, name);
      call_.emplace(overloads, name, ArgumentList{node_->args, node_->kwargs}, frame);
      break;
    }
    case Means::kValue:
      throw std::runtime_error("the value of self." + node_->target + " is not in the dump");
    case Means::kNone:
      throw std::runtime_error(reason);
  }
  is_resolved_ = true;
}

Value Statement::Run(const Frame& frame) {
  if (!is_resolved_) Resolve(frame);
  if (call_) return call_->Run(frame);
  if (adapter_ == nullptr) return by_hand_(EvaluateAll(frame));
  std::vector<Value> arguments;
  for (const ProgramArgument& argument : bound_) {
    arguments.push_back(EvaluateArgument(argument, frame));
  }
  return adapter_->function(arguments);
}

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
    Value result = statements_[index].Run(frame_);
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

Value EvaluateArgument(const ProgramArgument& argument, const Frame& frame) {
  switch (argument.kind) {
    case ProgramArgument::Kind::kSlot: {
      const Value& value = frame.slots[argument.slot];
      if (!value.IsMissing()) return value;
      throw NotReached("needs " + frame.program->slot_names[argument.slot] +
                       ", which was not computed");
    }
    case ProgramArgument::Kind::kConstant:
      return argument.constant;
    case ProgramArgument::Kind::kList:
      return Value::List(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kTuple:
      return Value::Tuple(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kDict:
      return Value::Dict(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kSlice:
      return Value::Slice(EvaluateChildren(argument, frame));
    case ProgramArgument::Kind::kExpression: {
      const std::optional<int64_t> number = Evaluate(argument.expression, frame.bindings);
      if (number) return Value::Int(*number);
      throw std::runtime_error("the size " + ToText(argument.expression) + " has no value");
    }
    case ProgramArgument::Kind::kText:
      break;
  }
  throw std::runtime_error("the argument '" + argument.text.substr(0, 80) + "' is not understood");
}

}  // namespace shapewise::replay
