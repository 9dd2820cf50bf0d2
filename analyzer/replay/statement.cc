#include "replay/statement.h"

#include <algorithm>
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

std::vector<const Overload*> OverloadsCalled(const std::string& name) {
  std::vector<const Overload*> overloads;
  for (const Overload& overload : FindOverloads(name)) overloads.push_back(&overload);
  return overloads;
}

/// The overloads that `node` may call, regardless of arguments; sets `name` to their name.
std::vector<const Overload*> OverloadsOf(const ProgramNode& node, std::string& name) {
  name = node.target;
  if (node.op == "operator") return OverloadsCalled(name);
  if (!IsMethod(node) && IsOperatorTarget(node.target)) {
    std::vector<const Overload*> overloads = FindOverloadOfTarget(node.target);
    if (!overloads.empty()) return overloads;
    const std::string prim = OperatorOfPrim(node.target);
    if (!prim.empty()) name = prim;
    return prim.empty() ? overloads : OverloadsCalled(prim);
  }
  const std::string called = OperatorName(node);
  if (called.empty()) return {};
  name = called;
  std::vector<const Overload*> overloads = OverloadsCalled(called);
  if (overloads.empty() && IsMethod(node) && IsSpecialMethod(node.target)) {
    name = "aten::" + node.target.substr(2, node.target.size() - 4);
    overloads = OverloadsCalled(name);
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

}  // namespace

std::string_view MeansName(Means means) {
  switch (means) {
    case Means::kOperator:
      return "operator";
    case Means::kByHand:
      return "by hand";
    case Means::kAdapter:
      return "adapter";
    case Means::kValue:
      return "value";
    case Means::kNone:
      return "none";
  }
  return "none";
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

void Statement::PrepareCall(const std::vector<const Overload*>& overloads, const std::string& name,
                            const ArgumentList& arguments, const Frame& frame) {
  call_.emplace(overloads, name, arguments, frame);
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
  PrepareCall(OverloadsCalled(name), name, arguments, frame);
}

void Statement::Resolve(const Frame& frame) {
  std::string reason;
  switch (MeansOf(*node_, &reason)) {
    case Means::kAdapter:
      adapter_ = FindPythonAdapter(AdapterName(*node_));
      break;
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
      PrepareCall(overloads, name, {node_->args, node_->kwargs}, frame);
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
  if (adapter_ != nullptr)
    return adapter_->function(BindToSignature(*adapter_, EvaluateAll(frame)));
  return by_hand_(EvaluateAll(frame));
}

}  // namespace shapewise::replay
