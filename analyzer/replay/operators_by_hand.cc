#include "replay/operators_by_hand.h"

#include <ATen/ATen.h>
#include <ATen/TensorIndexing.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <algorithm>
#include <limits>
#include <optional>

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

using at::indexing::TensorIndex;

std::optional<c10::SymInt> SliceEnd(const Value& value) {
  if (value.IsNone()) return {};
  return value.IsTensor() ? c10::SymInt(value.AsTensor().item().toLong())
                          : c10::SymInt(value.AsInt());
}

/// A list of numbers selects elements, like a tensor of them.
at::Tensor IndexTensor(const Value& list, c10::Device device) {
  const std::vector<Value>& items = list.items();
  const bool is_mask = !items.empty() && items[0].IsBool();
  std::vector<int64_t> numbers = list.AsInts();
  const at::Tensor index = at::tensor(numbers, c10::TensorOptions().dtype(c10::kLong));
  return index.to(device, is_mask ? c10::kBool : c10::kLong);
}

TensorIndex IndexOf(const Value& value, c10::Device device) {
  switch (value.kind()) {
    case Value::Kind::kEllipsis:
      return TensorIndex(at::indexing::Ellipsis);
    case Value::Kind::kSlice: {
      const std::vector<Value>& parts = value.items();
      TORCH_CHECK(parts.size() == 3, "a slice has a start, a stop and a step");
      return TensorIndex(
          at::indexing::Slice(SliceEnd(parts[0]), SliceEnd(parts[1]), SliceEnd(parts[2])));
    }
    case Value::Kind::kList:
    case Value::Kind::kTuple:
      return TensorIndex(IndexTensor(value, device));
    default:
      break;
  }
  if (value.IsNone()) return TensorIndex(at::indexing::None);
  if (value.IsBool()) return TensorIndex(value.AsBool());
  if (value.IsTensor()) return TensorIndex(value.AsTensor());
  return TensorIndex(value.AsInt());
}

/// A tuple contains one index per dim; anything else is a single index.
std::vector<TensorIndex> IndicesOf(const Value& index, c10::Device device) {
  std::vector<TensorIndex> indices;
  if (index.kind() != Value::Kind::kTuple) {
    indices.push_back(IndexOf(index, device));
    return indices;
  }
  for (const Value& part : index.items()) indices.push_back(IndexOf(part, device));
  return indices;
}

Value ItemOfSequence(const Value& sequence, const Value& index) {
  const std::vector<Value>& items = sequence.items();
  const auto size = static_cast<int64_t>(items.size());
  if (index.kind() == Value::Kind::kSlice) {
    const std::vector<Value>& parts = index.items();
    TORCH_CHECK(parts.size() == 3, "a slice has a start, a stop and a step");
    const int64_t step = parts[2].IsNone() ? 1 : parts[2].AsInt();
    TORCH_CHECK(step > 0, "a slice of a list with a step that is not positive");
    const auto end_of = [&](const Value& part, int64_t otherwise) {
      if (part.IsNone()) return otherwise;
      const int64_t at = part.AsInt() < 0 ? part.AsInt() + size : part.AsInt();
      return std::clamp<int64_t>(at, 0, size);
    };
    std::vector<Value> taken;
    // A step beyond the end is limited to the size, to avoid overflow.
    for (int64_t i = end_of(parts[0], 0); i < end_of(parts[1], size); i += std::min(step, size)) {
      taken.push_back(items[i]);
    }
    return sequence.kind() == Value::Kind::kTuple ? Value::Tuple(std::move(taken))
                                                  : Value::List(std::move(taken));
  }
  const int64_t at = index.AsInt() < 0 ? index.AsInt() + size : index.AsInt();
  TORCH_CHECK(at >= 0 && at < size, "index ", index.AsInt(), " into a list of ", size);
  return items[at];
}

/// operator.getitem(x, index).
Value GetItem(const CallArguments& arguments) {
  const Value object = arguments.Get(0);
  const Value index = arguments.Get(1);
  if (object.IsSequence()) return ItemOfSequence(object, index);
  if (object.kind() == Value::Kind::kDict) {
    for (size_t i = 0; i + 1 < object.items().size(); i += 2) {
      const Value& key = object.items()[i];
      if (key.IsText() && index.IsText() && key.AsText() == index.AsText()) {
        return object.items()[i + 1];
      }
    }
    TORCH_CHECK(false, "no such key in a dict");
  }
  const at::Tensor& tensor = object.AsTensor();
  return Value::Of(tensor.index(IndicesOf(index, tensor.device())));
}

/// operator.setitem(x, index, value): returns x, which dumps use as the statement's value.
Value SetItem(const CallArguments& arguments) {
  const Value object = arguments.Get(0);
  const Value value = arguments.Get(2);
  at::Tensor tensor = object.AsTensor();
  const std::vector<TensorIndex> indices = IndicesOf(arguments.Get(1), tensor.device());
  if (value.IsTensor()) {
    // As in Python, a number on the host may be written to a tensor on a device.
    const at::Tensor& source = value.AsTensor();
    tensor.index_put_(indices, source.dim() == 0 ? source.to(tensor.device()) : source);
  } else {
    tensor.index_put_(indices, value.AsScalar());
  }
  return object;
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

c10::Device DeviceOf(const Value& value, c10::Device otherwise) {
  if (value.IsNone()) return otherwise;
  if (value.IsText()) return c10::Device(value.AsText());
  return value.plain().toDevice();
}

c10::TensorOptions Options(const Value& dtype, const Value& device) {
  c10::TensorOptions options = c10::TensorOptions().device(DeviceOf(device, c10::kCPU));
  return dtype.kind() == Value::Kind::kDtype ? options.dtype(dtype.AsDtype()) : options;
}

Value ConvertElementType(const CallArguments& arguments) {
  return Value::Of(arguments.Get(0).AsTensor().to(arguments.Get(1, "dtype").AsDtype()));
}

Value Iota(const CallArguments& arguments) {
  const int64_t length = arguments.Get(0, "length").AsInt();
  const int64_t start = arguments.Get(1, "start").AsInt();
  const int64_t step = arguments.Get(2, "step").AsInt();
  const auto options = Options(arguments.Get(3, "dtype"), arguments.Get(4, "device"));
  int64_t end = 0;
  TORCH_CHECK(
      !__builtin_mul_overflow(length, step, &end) && !__builtin_add_overflow(start, end, &end),
      "the end of prims.iota overflows 64 bits");
  return Value::Of(at::arange(start, end, step, options));
}

Value Fma(const CallArguments& arguments) {
  const Value factor = arguments.Get(1);
  const at::Tensor& first = arguments.Get(0).AsTensor();
  const at::Tensor product =
      factor.IsTensor() ? first * factor.AsTensor() : first * factor.AsScalar();
  const Value term = arguments.Get(2);
  return Value::Of(term.IsTensor() ? product + term.AsTensor() : product + term.AsScalar());
}

Value Reverse(const CallArguments& arguments) {
  return Value::Of(arguments.Get(0).AsTensor().flip(arguments.Get(1, "dims").AsInts()));
}

Value BroadcastInDim(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  const std::vector<int64_t> shape = arguments.Get(1, "shape").AsInts();
  const std::vector<int64_t> dims = arguments.Get(2, "broadcast_dimensions").AsInts();
  std::vector<int64_t> sizes(shape.size(), 1);
  for (size_t i = 0; i < dims.size(); ++i) sizes.at(dims[i]) = tensor.size(i);
  return Value::Of(tensor.reshape(sizes).expand(shape));
}

Value DevicePut(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  return Value::Of(tensor.to(DeviceOf(arguments.Get(1, "device"), tensor.device())));
}

Value SumOverDims(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  const Value dims = arguments.Get(1, "dims");
  return Value::Of(dims.IsNone() ? tensor.sum() : tensor.sum(dims.AsInts()));
}

Value Var(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  const Value correction = arguments.Get(2, "correction");
  return Value::Of(at::var(tensor, arguments.Get(1, "dims").AsInts(),
                           correction.IsNone() ? c10::Scalar(1) : correction.AsScalar(),
                           /*keepdim=*/false));
}

Value Transpose(const CallArguments& arguments) {
  return Value::Of(arguments.Get(0).AsTensor().permute(arguments.Get(1).AsInts()));
}

Value ForceStrideOrder(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  return Value::Of(
      at::empty_strided(tensor.sizes(), arguments.Get(1).AsInts(), tensor.options()).copy_(tensor));
}

at::Tensor MakeSeeds(at::IntArrayRef shape, const Value& device) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return at::randint(kMax, shape, Options(Value(), device).dtype(c10::kLong));
}

Value Seed(const CallArguments& arguments) { return Value::Of(MakeSeeds({}, arguments.Get(0))); }

Value Seeds(const CallArguments& arguments) {
  return Value::Of(MakeSeeds({arguments.Get(0).AsInt()}, arguments.Get(1)));
}

Value LookupSeed(const CallArguments& arguments) {
  return Value::Of(arguments.Get(0).AsTensor().select(0, arguments.Get(1).AsInt()).clone());
}

Value Random(const CallArguments& arguments) {
  const std::vector<int64_t> size = arguments.Get(0).AsInts();
  const auto options = arguments.Get(1).AsTensor().options().dtype(c10::kFloat);
  return Value::Of(arguments.Get(2).AsText() == "randn" ? at::randn(size, options)
                                                        : at::rand(size, options));
}

Value RandomIntegers(const CallArguments& arguments) {
  return Value::Of(at::randint(arguments.Get(0).AsInt(), arguments.Get(1).AsInt(),
                               arguments.Get(2).AsInts(),
                               arguments.Get(3).AsTensor().options().dtype(c10::kLong)));
}

Value PrepareSoftmax(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  const int64_t dim = arguments.Get(1).AsInt();
  const at::Tensor largest = tensor.amax(dim, /*keepdim=*/true);
  const at::Tensor sum = (tensor - largest).exp().sum(dim, /*keepdim=*/true);
  return Value::Tuple({Value::Of(largest), Value::Of(sum)});
}

/// Splits positions that count over `dim` dims into one position per dim, by `sizes`.
std::vector<at::Tensor> TakeApart(at::Tensor flat, at::IntArrayRef sizes) {
  std::vector<at::Tensor> positions;
  for (size_t d = 0; d + 1 < sizes.size(); ++d) {
    int64_t inner = 1;
    for (size_t i = d + 1; i < sizes.size(); ++i) {
      TORCH_CHECK(!__builtin_mul_overflow(inner, sizes[i], &inner), "sizes overflow 64 bits");
    }
    positions.push_back(at::floor_divide(flat, inner));
    flat = flat - positions.back() * inner;
  }
  positions.push_back(flat);
  return positions;
}

at::Tensor PutTogether(const std::vector<at::Tensor>& positions, at::IntArrayRef sizes) {
  TORCH_CHECK(positions.size() == sizes.size(), positions.size(), " positions in ", sizes.size(),
              " dims");
  at::Tensor flat = positions[0];
  for (size_t d = 1; d < positions.size(); ++d) flat = flat * sizes[d] + positions[d];
  return flat;
}

/// The starts of a pool's windows along dim `d` of `dim`, broadcastable over `indices`.
at::Tensor WindowStarts(const at::Tensor& indices, size_t d, size_t dim, int64_t stride,
                        int64_t padding) {
  std::vector<int64_t> shape(indices.dim(), 1);
  TORCH_CHECK(dim <= shape.size(), "a pool over ", dim, " dims of a tensor that has ",
              shape.size());
  const size_t axis = shape.size() - dim + d;
  shape[axis] = -1;
  const auto options = indices.options().dtype(c10::kLong);
  return at::arange(indices.size(axis), options).view(shape) * stride - padding;
}

Value MaxPoolWithOffsets(const CallArguments& arguments) {
  const at::Tensor& tensor = arguments.Get(0).AsTensor();
  const std::vector<int64_t> kernel = arguments.Get(1, "kernel_size").AsInts();
  const std::vector<int64_t> stride = arguments.Get(2, "stride").AsInts();
  const std::vector<int64_t> padding = arguments.Get(3, "padding").AsInts();
  const std::vector<int64_t> dilation = arguments.Get(4, "dilation").AsInts();
  const bool ceil_mode = arguments.Get(5, "ceil_mode").AsBool();
  TORCH_CHECK(kernel.size() == 2 || kernel.size() == 3, "a pool over ", kernel.size(), " dims");
  const auto [values, indices] =
      kernel.size() == 2
          ? at::max_pool2d_with_indices(tensor, kernel, stride, padding, dilation, ceil_mode)
          : at::max_pool3d_with_indices(tensor, kernel, stride, padding, dilation, ceil_mode);
  const size_t dim = kernel.size();
  std::vector<at::Tensor> positions = TakeApart(indices, tensor.sizes().slice(tensor.dim() - dim));
  for (size_t d = 0; d < dim; ++d) {
    const at::Tensor starts = WindowStarts(indices, d, dim, stride.at(d), padding.at(d));
    positions[d] = at::floor_divide(positions[d] - starts, dilation.at(d));
  }
  return Value::Tuple(
      {Value::Of(values), Value::Of(PutTogether(positions, kernel).to(c10::kChar))});
}

Value MaxPoolOffsetsToIndices(const CallArguments& arguments) {
  const at::Tensor offsets = arguments.Get(0).AsTensor().to(c10::kLong);
  const std::vector<int64_t> kernel = arguments.Get(1, "kernel_size").AsInts();
  const std::vector<int64_t> input = arguments.Get(2, "input_size").AsInts();
  const std::vector<int64_t> stride = arguments.Get(3, "stride").AsInts();
  const std::vector<int64_t> padding = arguments.Get(4, "padding").AsInts();
  const std::vector<int64_t> dilation = arguments.Get(5, "dilation").AsInts();
  TORCH_CHECK(!kernel.empty(), "a pool over no dims");
  std::vector<at::Tensor> positions = TakeApart(offsets, kernel);
  for (size_t d = 0; d < positions.size(); ++d) {
    positions[d] = WindowStarts(offsets, d, kernel.size(), stride.at(d), padding.at(d)) +
                   positions[d] * dilation.at(d);
  }
  return Value::Of(PutTogether(positions, input));
}

Value UnsafeIndexPut(const CallArguments& arguments) {
  c10::List<std::optional<at::Tensor>> indices;
  for (const Value& index : arguments.Get(1).AsSequence()) {
    indices.push_back(index.IsNone() ? std::optional<at::Tensor>() : index.AsTensor());
  }
  at::Tensor tensor = arguments.Get(0).AsTensor();
  return Value::Of(tensor.index_put_(indices, arguments.Get(2).AsTensor(),
                                     arguments.Get(3, "accumulate").AsBool()));
}

// Sources: torch/_prims/__init__.py, torch/_inductor/inductor_prims.py, release 2.13. Prims that
// ATen has under the same name, such as prims.sin, are not here.
constexpr NamedFunction kPrims[] = {
    {"prims.convert_element_type.default", ConvertElementType},
    {"prims.iota.default", Iota},
    {"prims.fma.default", Fma},
    {"prims.rev.default", Reverse},
    {"prims.broadcast_in_dim.default", BroadcastInDim},
    {"prims.device_put.default", DevicePut},
    {"prims.sum.default", SumOverDims},
    {"prims.var.default", Var},
    {"prims.transpose.default", Transpose},
    {"prims.inductor_force_stride_order.default", ForceStrideOrder},
    {"prims.inductor_seed.default", Seed},
    {"prims.inductor_seeds.default", Seeds},
    {"prims.inductor_lookup_seed.default", LookupSeed},
    {"prims.inductor_random.default", Random},
    {"prims.inductor_randint.default", RandomIntegers},
    {"prims.prepare_softmax_online.default", PrepareSoftmax},
    {"prims._low_memory_max_pool_with_offsets.default", MaxPoolWithOffsets},
    {"prims._low_memory_max_pool_offsets_to_indices.default", MaxPoolOffsetsToIndices},
    {"prims._unsafe_index_put_.default", UnsafeIndexPut},
};

}  // namespace

HandFunction FindOperatorByHand(std::string_view target) {
  const HandFunction function = FindFunction(kByHand, target);
  return function != nullptr ? function : FindFunction(kPrims, target);
}

HandFunction FindPrim(std::string_view target) { return FindFunction(kPrims, target); }

}  // namespace shapewise::replay
