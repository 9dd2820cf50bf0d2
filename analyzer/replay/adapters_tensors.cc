// Tensor methods and functions that Python wraps. Sources: torch/_tensor.py, torch/functional.py,
// torch/csrc/autograd/python_variable_methods.cpp.

#include <ATen/ATen.h>

#include "replay/operator_lookup.h"
#include "replay/python_adapters.h"

namespace shapewise::replay {
namespace {

using Arguments = std::vector<Value>;

/// The values, or the elements of a single list.
std::vector<at::Tensor> Tensors(const Value& many) {
  const std::vector<Value>& items = many.AsSequence();
  return items.size() == 1 && items[0].IsSequence() ? items[0].AsTensors() : many.AsTensors();
}

Value ListOf(const std::vector<at::Tensor>& tensors) {
  std::vector<Value> items;
  for (const at::Tensor& tensor : tensors) items.push_back(Value::Of(tensor));
  return Value::Tuple(std::move(items));
}

/// x.to(dtype), x.to(device), x.to(device, dtype), x.to(other), and the same with keywords.
Value To(const Arguments& a) {
  const at::Tensor& tensor = a[0].AsTensor();
  c10::TensorOptions options = tensor.options();
  bool copies = a[4].AsBool();
  for (const Value& target : {a[1], a[2], a[5], a[6], a[7]}) {
    if (target.kind() == Value::Kind::kDtype) {
      options = options.dtype(target.AsDtype());
    } else if (target.IsTensor()) {
      options = target.AsTensor().options();
    } else if (target.IsText()) {
      options = options.device(c10::Device(target.AsText()));
    } else if (target.kind() == Value::Kind::kPlain && target.plain().isDevice()) {
      options = options.device(target.plain().toDevice());
    } else {
      TORCH_CHECK(target.IsNone() || target.IsBool(), "x.to of ", target.KindName());
    }
  }
  std::optional<c10::MemoryFormat> format;
  if (a[8].kind() == Value::Kind::kMemoryFormat) {
    format = static_cast<c10::MemoryFormat>(a[8].plain().toInt());
  }
  return Value::Of(tensor.to(options.device(), c10::typeMetaToScalarType(options.dtype()),
                             a[3].AsBool(), copies, format));
}

Value Type(const Arguments& a) {
  TORCH_CHECK(a[1].kind() == Value::Kind::kDtype, "x.type of ", a[1].KindName());
  return Value::Of(a[0].AsTensor().to(a[1].AsDtype()));
}

Value ToHost(const Arguments& a) { return Value::Of(a[0].AsTensor().cpu()); }

Value Norm(const Arguments& a) {
  const Value& order = a[1];
  TORCH_CHECK(!order.IsText() || order.AsText() == "fro", "norm '", order.AsText(), "'");
  const Value dim = a[2].IsNumber() ? Value::List({a[2]}) : a[2];
  const Value number = order.IsNumber() ? order : Value::Int(2);
  return CallOperator("aten::linalg_vector_norm", {a[0], number, dim, a[3]}, {{"dtype", a[4]}});
}

Value Normalize(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  const Value dim = a[2].IsNumber() ? Value::List({a[2]}) : a[2];
  const Value norm = CallOperator("aten::linalg_vector_norm", {a[0], a[1], dim, Value::Bool(true)});
  return Value::Of(input / norm.AsTensor().clamp_min(a[3].AsScalar()).expand_as(input));
}

Value Einsum(const Arguments& a) {
  TORCH_CHECK(a[0].IsText(), "einsum without an equation");
  return Value::Of(at::einsum(a[0].AsText(), Tensors(a[1])));
}

Value Meshgrid(const Arguments& a) {
  const std::vector<at::Tensor> tensors = Tensors(a[0]);
  return ListOf(a[1].IsText() ? at::meshgrid(tensors, a[1].AsText()) : at::meshgrid(tensors));
}

Value BroadcastTensors(const Arguments& a) { return ListOf(at::broadcast_tensors(Tensors(a[0]))); }

/// x.split(3) and x.split([1, 2]).
Value Split(const Arguments& a) {
  const at::Tensor& tensor = a[0].AsTensor();
  return ListOf(a[1].IsSequence() ? tensor.split_with_sizes(a[1].AsInts(), a[2].AsInt())
                                  : tensor.split(a[1].AsInt(), a[2].AsInt()));
}

Value Tensordot(const Arguments& a) {
  const at::Tensor& left = a[0].AsTensor();
  std::vector<int64_t> left_dims;
  std::vector<int64_t> right_dims;
  if (a[2].IsSequence()) {
    const Value& first = a[2].items().at(0);
    const Value& second = a[2].items().at(1);
    left_dims = first.IsSequence() ? first.AsInts() : std::vector<int64_t>{first.AsInt()};
    right_dims = second.IsSequence() ? second.AsInts() : std::vector<int64_t>{second.AsInt()};
  } else {
    TORCH_CHECK(a[2].AsInt() <= left.dim(), "tensordot over ", a[2].AsInt(), " dims of ",
                left.dim());
    for (int64_t d = 0; d < a[2].AsInt(); ++d) {
      left_dims.push_back(d - a[2].AsInt());
      right_dims.push_back(d);
    }
  }
  return Value::Of(at::tensordot(left, a[1].AsTensor(), left_dims, right_dims));
}

Value Cdist(const Arguments& a) {
  std::optional<int64_t> mode;
  if (a[3].AsText() == "use_mm_for_euclid_dist") mode = 1;
  if (a[3].AsText() == "donot_use_mm_for_euclid_dist") mode = 2;
  return Value::Of(at::cdist(a[0].AsTensor(), a[1].AsTensor(), a[2].AsFloat(), mode));
}

Value MaskedFillWithTensor(const Arguments& a) {
  if (!a[2].IsTensor()) {
    return Value::Of(a[0].AsTensor().masked_fill(a[1].AsTensor(), a[2].AsScalar()));
  }
  return Value::Of(a[0].AsTensor().masked_fill(a[1].AsTensor(), a[2].AsTensor()));
}

/// Flattens nested lists into `elements`; `shape` is the shape of the lists.
void Flatten(const Value& value, std::vector<Value>& elements, std::vector<int64_t>& shape,
             size_t depth) {
  if (!value.IsSequence()) {
    elements.push_back(value);
    return;
  }
  if (shape.size() == depth) shape.push_back(static_cast<int64_t>(value.items().size()));
  for (const Value& item : value.items()) Flatten(item, elements, shape, depth + 1);
}

c10::ScalarType DtypeOfElements(const std::vector<Value>& elements) {
  bool has_float = false;
  bool has_only_bool = true;
  for (const Value& element : elements) {
    has_float = has_float || element.IsFloat();
    has_only_bool = has_only_bool && element.IsBool();
  }
  if (has_float || elements.empty()) return c10::get_default_dtype_as_scalartype();
  return has_only_bool ? c10::kBool : c10::kLong;
}

/// torch.tensor(data, dtype=None, device=None).
Value MakeTensor(const Arguments& a) {
  if (a[0].IsTensor()) {
    const at::Tensor copy = a[0].AsTensor().clone();
    return Value::Of(a[1].kind() == Value::Kind::kDtype ? copy.to(a[1].AsDtype()) : copy);
  }
  std::vector<Value> elements;
  std::vector<int64_t> shape;
  Flatten(a[0], elements, shape, 0);
  const auto dtype =
      a[1].kind() == Value::Kind::kDtype ? a[1].AsDtype() : DtypeOfElements(elements);
  std::vector<at::Tensor> parts;
  for (const Value& element : elements) {
    parts.push_back(element.IsTensor() ? element.AsTensor().to(dtype)
                                       : at::scalar_tensor(element.AsScalar(), dtype));
  }
  at::Tensor tensor = parts.empty() ? at::empty(shape, dtype) : at::stack(parts).view(shape);
  if (a[2].kind() == Value::Kind::kPlain && a[2].plain().isDevice()) {
    tensor = tensor.to(a[2].plain().toDevice());
  }
  return Value::Of(tensor);
}

Value Item(const Arguments& a) {
  const at::Scalar number = a[0].AsTensor().item();
  if (number.isBoolean()) return Value::Bool(number.toBool());
  return number.isIntegral(/*includeBool=*/false) ? Value::Int(number.toLong())
                                                  : Value::Float(number.toDouble());
}

Value ToList(const Arguments& a) {
  const at::Tensor& tensor = a[0].AsTensor();
  if (tensor.dim() == 0) return Item(a);
  std::vector<Value> items;
  for (const at::Tensor& row : tensor.unbind()) items.push_back(ToList({Value::Of(row)}));
  return Value::List(std::move(items));
}

Value Size(const Arguments& a) {
  const at::Tensor& tensor = a[0].AsTensor();
  if (!a[1].IsNone()) return Value::Int(tensor.size(a[1].AsInt()));
  std::vector<Value> sizes;
  for (const int64_t size : tensor.sizes()) sizes.push_back(Value::Int(size));
  return Value::Tuple(std::move(sizes));
}

Value NumElements(const Arguments& a) { return Value::Int(a[0].AsTensor().numel()); }
Value Dim(const Arguments& a) { return Value::Int(a[0].AsTensor().dim()); }
Value IsFloatingPoint(const Arguments& a) {
  return Value::Bool(a[0].AsTensor().is_floating_point());
}

Value Same(const Arguments& a) { return a[0]; }

constexpr PythonAdapter kTensors[] = {
    {".to",
     "self, target=None, second=None, non_blocking=False, copy=False, dtype=None, device=None, "
     "other=None, memory_format=None",
     To},
    {".type", "self, dtype=None, non_blocking=False", Type},
    {".cpu", "self, memory_format=None", ToHost},
    {".item", "self", Item},
    {".tolist", "self", ToList},
    {".size", "self, dim=None", Size},
    {".dim", "self", Dim},
    {".ndimension", "self", Dim},
    {".numel", "self", NumElements},
    {".nelement", "self", NumElements},
    {".is_floating_point", "self", IsFloatingPoint},
    {".split", "self, split_size, dim=0", Split},
    {".norm", "self, p='fro', dim=None, keepdim=False, dtype=None", Norm},
    {".masked_fill", "self, mask, value", MaskedFillWithTensor},
    {".requires_grad_", "self, requires_grad=True", Same},
    {"torch.norm", "input, p='fro', dim=None, keepdim=False, dtype=None", Norm},
    {"torch.nn.functional.normalize", "input, p=2.0, dim=1, eps=1e-12", Normalize},
    {"torch.einsum", "equation, *operands", Einsum},
    {"torch.meshgrid", "*tensors, indexing=None", Meshgrid},
    {"torch.broadcast_tensors", "*tensors", BroadcastTensors},
    {"torch.split", "tensor, split_size_or_sections, dim=0", Split},
    {"torch.tensordot", "a, b, dims=2", Tensordot},
    {"torch.cdist", "x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary'", Cdist},
    {"torch.tensor", "data, dtype=None, device=None, requires_grad=False, pin_memory=False",
     MakeTensor},
};

}  // namespace

std::span<const PythonAdapter> TensorAdapters() { return kTensors; }

}  // namespace shapewise::replay
