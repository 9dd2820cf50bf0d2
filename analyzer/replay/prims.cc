// Sources: torch/_prims/__init__.py, torch/_inductor/inductor_prims.py, release 2.13.

#include "replay/operators_by_hand.h"

#include <ATen/ATen.h>

#include <limits>

namespace shapewise::replay {
namespace {

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

Value Seed(const CallArguments& arguments) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const auto options = Options(Value(), arguments.Get(0)).dtype(c10::kLong);
  return Value::Of(at::randint(kMax, {}, options));
}

Value Seeds(const CallArguments& arguments) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const auto options = Options(Value(), arguments.Get(1)).dtype(c10::kLong);
  return Value::Of(at::randint(kMax, {arguments.Get(0).AsInt()}, options));
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

HandFunction FindPrim(std::string_view target) {
  for (const NamedFunction& row : kPrims) {
    if (row.target == target) return row.function;
  }
  return nullptr;
}

}  // namespace shapewise::replay
