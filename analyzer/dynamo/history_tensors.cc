#include "dynamo/history_tensors.h"

#include <algorithm>
#include <utility>

#include "dynamo/strides.h"

namespace shapewise {

TensorMarks MarksOf(std::vector<DimMark> marks) {
  TensorMarks result;
  for (const DimMark& mark : marks) {
    result.dims[static_cast<size_t>(mark.kind)].push_back(mark.dim);
    if (mark.kind != MarkKind::kUnbacked || !(mark.min || mark.max)) continue;
    std::erase_if(result.bounds, [&](const DimMark& other) { return other.dim == mark.dim; });
    result.bounds.push_back(mark);
  }
  for (std::vector<int32_t>& dims : result.dims) {
    std::ranges::sort(dims);
    dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  }
  std::ranges::sort(result.bounds,
                    [](const DimMark& a, const DimMark& b) { return a.dim < b.dim; });
  result.marks = std::move(marks);
  return result;
}

bool TensorMarks::Has(MarkKind kind, size_t dim) const {
  const std::vector<int32_t>& of_kind = dims[static_cast<size_t>(kind)];
  return std::ranges::binary_search(of_kind, static_cast<int32_t>(dim));
}

const DimMark* TensorMarks::Find(MarkKind kind, size_t dim) const {
  const auto found = std::find_if(marks.rbegin(), marks.rend(), [&](const DimMark& mark) {
    return mark.kind == kind && mark.dim == static_cast<int32_t>(dim);
  });
  return found == marks.rend() ? nullptr : &*found;
}

HistoryTensors::HistoryTensors(const CallHistory& history) {
  size_t num_dims = 0;
  for (const TensorValue& value : history.tensors) num_dims += 2 * value.sizes.size();
  // The vector must not reallocate: tensors point into it.
  dims_.resize(num_dims);
  tensors_.reserve(history.tensors.size());
  int64_t* next = dims_.data();
  for (const TensorValue& value : history.tensors) {
    InputTensor& tensor = tensors_.emplace_back();
    const Properties& properties = PropertiesOf(history, value);
    tensor.properties = properties.number;
    tensor.is_parameter = properties.is_parameter;
    tensor.object = value.object;

    const size_t rank = value.sizes.size();
    tensor.sizes = llvm::ArrayRef<int64_t>(next, rank);
    next = std::copy(value.sizes.begin(), value.sizes.end(), next);
    tensor.strides = llvm::ArrayRef<int64_t>(next, rank);
    if (value.has_layout && value.strides.size() == rank) {
      next = std::copy(value.strides.begin(), value.strides.end(), next);
      tensor.storage_offset = value.storage_offset;
    } else {
      const llvm::SmallVector<int64_t, 8> strides = WrappedContiguousStrides(value.sizes);
      next = std::copy(strides.begin(), strides.end(), next);
    }
    if (value.marks.empty()) continue;
    marks_.push_back(std::make_unique<TensorMarks>(MarksOf(value.marks)));
    tensor.marks = marks_.back().get();
  }
}

const HistoryTensors::Properties& HistoryTensors::PropertiesOf(const CallHistory& history,
                                                               const TensorValue& tensor) {
  const PropertyKey key(tensor.dtype, tensor.device, tensor.type, tensor.keys,
                        tensor.requires_grad);
  if (last_properties_ != nullptr && key == last_key_) return *last_properties_;
  const auto number = static_cast<uint32_t>(properties_.size());
  const auto [entry, is_new] = properties_.try_emplace(key, Properties{.number = number});
  if (is_new) entry->second.is_parameter = history.strings.text(tensor.type) == "Parameter";
  last_key_ = key;
  last_properties_ = &entry->second;
  return entry->second;
}

}  // namespace shapewise
