#include "model/call_history_builder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "llvm/ADT/Hashing.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

uint64_t HashOf(const TensorValue& tensor) {
  auto hash = llvm::hash_combine(
      tensor.dtype, tensor.device, tensor.type, tensor.keys, tensor.requires_grad,
      tensor.has_layout, tensor.storage_offset, tensor.object, tensor.sizes.size(),
      tensor.marks.size(), llvm::hash_combine_range(tensor.sizes.begin(), tensor.sizes.end()),
      llvm::hash_combine_range(tensor.strides.begin(), tensor.strides.end()));
  for (const DimMark& mark : tensor.marks) {
    hash =
        llvm::hash_combine(hash, mark.dim, mark.kind, mark.min.value_or(-1), mark.max.value_or(-1));
  }
  return hash;
}

uint64_t HashOf(const std::vector<CallValue>& values, StrId state) {
  auto hash = llvm::hash_combine(state, values.size());
  for (const CallValue& value : values) {
    hash = llvm::hash_combine(hash, value.kind, value.integer,
                              std::bit_cast<uint64_t>(value.number), value.text, value.tensor);
  }
  return hash;
}

}  // namespace

uint32_t CallHistoryBuilder::Source(uint32_t parent, std::string_view text) {
  if (parent == kNoSource) return kNoSource;
  const llvm::StringRef key(text.data(), text.size());
  if (const auto known = sources_.find(key); known != sources_.end()) return known->second;
  if (children_.size() == kMaxSources) {
    is_incomplete_ = true;
    return kNoSource;
  }
  const auto source = static_cast<uint32_t>(children_.size());
  sources_.try_emplace(key, source);
  history_.sources.push_back(history_.strings.Intern(text));
  children_.emplace_back();
  (parent == kNoParent ? arguments_ : children_[parent]).push_back(source);
  return source;
}

void CallHistoryBuilder::Set(uint32_t source, const CallValue& value) {
  if (source == kNoSource) return;
  if (values_.size() <= source) values_.resize(source + 1);
  values_[source] = value;
}

void CallHistoryBuilder::SetTensor(uint32_t source, const TensorValue& tensor) {
  CallValue value;
  value.kind = CallValue::Kind::kTensor;
  const uint64_t hash = HashOf(tensor);
  const auto [begin, end] = tensors_.equal_range(hash);
  const auto known = std::find_if(
      begin, end, [&](const auto& entry) { return history_.tensors[entry.second] == tensor; });
  if (known != end) {
    value.tensor = known->second;
  } else {
    value.tensor = static_cast<uint32_t>(history_.tensors.size());
    history_.tensors.push_back(tensor);
    tensors_.emplace(hash, value.tensor);
  }
  Set(source, value);
}

bool CallHistoryBuilder::EndCall(RecordedCall call, StrId state, uint64_t times) {
  const uint64_t hash = HashOf(values_, state);
  const auto [begin, end] = signatures_.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& entry) {
    const CallSignature& signature = history_.signatures[entry.second];
    return signature.state == state && signature.values == values_;
  });
  if (known != end) {
    call.signature = known->second;
  } else {
    if (num_values_ + values_.size() > kMaxValues) {
      is_incomplete_ = true;
      values_.clear();
      return false;
    }
    num_values_ += values_.size();
    call.signature = static_cast<uint32_t>(history_.signatures.size());
    history_.signatures.push_back({values_, state});
    signatures_.emplace(hash, call.signature);
  }
  values_.clear();
  return RepeatCall(call, times);
}

void CallHistoryBuilder::Finish() {
  std::vector<uint32_t> order;  // new number to old number
  order.reserve(children_.size());
  std::vector<uint32_t> open(arguments_.rbegin(), arguments_.rend());
  while (!open.empty()) {
    const uint32_t source = open.back();
    open.pop_back();
    order.push_back(source);
    open.insert(open.end(), children_[source].rbegin(), children_[source].rend());
  }
  if (std::ranges::is_sorted(order)) return;
  std::vector<StrId> sources;
  for (const uint32_t source : order) sources.push_back(history_.sources[source]);
  history_.sources = std::move(sources);
  for (CallSignature& signature : history_.signatures) {
    std::vector<CallValue> values;
    size_t used = 0;  // trailing absent values are dropped
    for (const uint32_t source : order) {
      values.push_back(source < signature.values.size() ? signature.values[source] : CallValue());
      if (values.back().kind != CallValue::Kind::kAbsent) used = values.size();
    }
    values.resize(used);
    signature.values = std::move(values);
  }
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t dim = sizes.size(); dim-- > 1;) {
    const int64_t size = std::max<int64_t>(sizes[dim], 1);
    if (__builtin_mul_overflow(strides[dim], size, &strides[dim - 1])) strides[dim - 1] = INT64_MAX;
  }
  return strides;
}

}  // namespace shapewise
