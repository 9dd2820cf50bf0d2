#include "replay/operators_by_hand.h"

#include <ATen/TensorIndexing.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <optional>

namespace shapewise::replay {
namespace {

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

}  // namespace

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

}  // namespace shapewise::replay
