#include "replay/operators_by_hand.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include "replay/archive.h"

namespace shapewise::replay {
namespace {

Value IntsOf(c10::IntArrayRef numbers) {
  std::vector<Value> items;
  for (const int64_t number : numbers) items.push_back(Value::Int(number));
  return Value::Tuple(std::move(items));
}

/// x.shape and other tensor attributes that are not calls.
Value GetAttribute(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  const std::string& name = arguments.Get(1).AsText();
  if (name == "shape") return IntsOf(tensor.sizes());
  if (name == "dtype") {
    return {Value::Kind::kDtype, c10::IValue(static_cast<int64_t>(tensor.scalar_type()))};
  }
  if (name == "device") return {Value::Kind::kPlain, c10::IValue(tensor.device())};
  if (name == "layout") {
    return {Value::Kind::kLayout, c10::IValue(static_cast<int64_t>(tensor.layout()))};
  }
  if (name == "ndim") return Value::Int(tensor.dim());
  if (name == "T") return Value::Of(tensor.numpy_T());
  if (name == "mT") return Value::Of(tensor.mT());
  if (name == "H") return Value::Of(tensor.matrix_H());
  if (name == "mH") return Value::Of(tensor.mH());
  if (name == "real") return Value::Of(at::real(tensor));
  if (name == "imag") return Value::Of(at::imag(tensor));
  if (name == "data") return Value::Of(tensor.detach());
  if (name == "is_cuda") return Value::Bool(tensor.is_cuda());
  if (name == "requires_grad") return Value::Bool(tensor.requires_grad());
  if (name == "grad") return Value::None();
  TORCH_CHECK(false, "the attribute ", name, " of a tensor is not known");
}

Value Length(const CallArguments& arguments) {
  const Value object = arguments.Get(0);
  return Value::Int(object.IsTensor() ? object.AsTensor().size(0)
                                      : static_cast<int64_t>(object.AsSequence().size()));
}

/// Size checks hold wherever the graph may be run.
Value Nothing(const CallArguments& /*arguments*/) { return Value::None(); }

Value AssertScalar(const CallArguments& arguments) {
  const Value message = arguments.Get(1);
  TORCH_CHECK(arguments.Get(0).AsBool(), "an assertion of the graph does not hold: ",
              message.IsText() ? message.AsText() : "");
  return Value::None();
}

Value SetGradEnabled(const CallArguments& arguments) {
  // Gradients are never recorded here, whatever the graph says.
  return Value::Bool(arguments.Get(0).AsBool());
}

/// torch.amp.autocast_mode._enter_autocast(device_type, dtype, enabled, cache_enabled).
Value EnterAutocast(const CallArguments& arguments) {
  const c10::Device device(arguments.Get(0, "device_type").AsText());
  const Value dtype = arguments.Get(1, "dtype");
  const std::vector<Value> before = {
      Value::Text(arguments.Get(0, "device_type").AsText()),
      Value::Bool(at::autocast::is_autocast_enabled(device.type())),
      {Value::Kind::kDtype,
       c10::IValue(static_cast<int64_t>(at::autocast::get_autocast_dtype(device.type())))},
      Value::Bool(at::autocast::is_autocast_cache_enabled())};
  at::autocast::set_autocast_enabled(device.type(), arguments.Get(2, "enabled").AsBool());
  if (dtype.kind() == Value::Kind::kDtype) {
    at::autocast::set_autocast_dtype(device.type(), dtype.AsDtype());
  }
  at::autocast::increment_nesting();
  return Value::List(before);
}

Value ExitAutocast(const CallArguments& arguments) {
  const std::vector<Value>& before = arguments.Get(0).AsSequence();
  const c10::Device device(before.at(0).AsText());
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device.type(), before.at(1).AsBool());
  at::autocast::set_autocast_dtype(device.type(), before.at(2).AsDtype());
  return Value::None();
}

constexpr NamedFunction kByHand[] = {
    {"operator.getitem", GetItem},
    {"operator.setitem", SetItem},
    {"getattr", GetAttribute},
    {"len", Length},
    {"torchscript.forward", CallTorchScript},
    {"aten._assert_scalar.default", AssertScalar},
    {"aten.sym_constrain_range.default", Nothing},
    {"aten.sym_constrain_range_for_size.default", Nothing},
    {"torch._assert_scalar", AssertScalar},
    {"torch._check", AssertScalar},
    {"torch._check_is_size", Nothing},
    {"torch._check_value", AssertScalar},
    {"torch._C._set_grad_enabled", SetGradEnabled},
    {"torch.amp.autocast_mode._enter_autocast", EnterAutocast},
    {"torch.amp.autocast_mode._exit_autocast", ExitAutocast},
    {"torch.amp._enter_autocast", EnterAutocast},
    {"torch.amp._exit_autocast", ExitAutocast},
};

}  // namespace

HandFunction FindOperatorByHand(std::string_view target) {
  for (const NamedFunction& row : kByHand) {
    if (row.target == target) return row.function;
  }
  return FindPrim(target);
}

}  // namespace shapewise::replay
