// LoggedValues::Fill: turns each attempt in the log into a call.

#include <algorithm>
#include <string>
#include <utility>

#include "dynamo/logged_values.h"
#include "model/call_history_builder.h"

namespace shapewise {
namespace {

template <typename Value>
void Overwrite(std::map<int32_t, Value>& values, const std::map<int32_t, Value>& known) {
  for (const auto& [dim, value] : known) values.insert_or_assign(dim, value);
}

/// The value of one source over the attempts.
class SourceTimeline {
 public:
  SourceTimeline(const LoggedSource& source, int64_t& next_unknown)
      : source_(source), next_unknown_(next_unknown) {
    is_tensor_ =
        !source.tensors.empty() &&
        (source.scalars.empty() || source.tensors.begin()->first < source.scalars.begin()->first);
    if (!source.scalars.empty()) scalar_ = source.scalars.begin()->second;
    // A value that only a later attempt shows is assumed to have been the same before.
    for (auto logged = source.tensors.rbegin(); logged != source.tensors.rend(); ++logged) {
      Merge(logged->second);
    }
    tensor_.marks.clear();
  }

  /// Call it for each attempt, in order.
  void Set(uint32_t attempt, uint32_t source, CallHistoryBuilder& builder) {
    const auto scalar = source_.scalars.find(attempt);
    const auto tensor = source_.tensors.find(attempt);
    if (scalar != source_.scalars.end()) {
      is_tensor_ = false;
      scalar_ = scalar->second;
    } else if (tensor != source_.tensors.end()) {
      is_tensor_ = true;
      tensor_.marks.clear();
      Merge(tensor->second);
    } else if (const auto other = source_.others.find(attempt);
               other != source_.others.end() && !is_tensor_ && IsOneOf(other->second)) {
      // Certainly a different one; nothing more is known about it.
      scalar_ = {.text = "other than before, in compile " + std::to_string(attempt)};
    }
    if (is_tensor_) {
      builder.SetTensor(source, Tensor(builder.strings()));
    } else {
      builder.Set(source, {.kind = scalar_.kind,
                           .integer = scalar_.integer,
                           .number = scalar_.number,
                           .text = builder.strings().Intern(scalar_.text)});
    }
  }

 private:
  static constexpr int32_t kMaxRank = 64;

  bool IsOneOf(const std::vector<LoggedScalar>& values) const {
    return std::ranges::find(values, scalar_) != values.end();
  }

  void Merge(const LoggedTensor& logged) {
    if (logged.rank && tensor_.rank && *logged.rank != *tensor_.rank) {
      tensor_.sizes.clear();
      tensor_.strides.clear();
    }
    // Strides depend on sizes: those of other sizes are useless.
    const bool has_other_sizes = std::ranges::any_of(logged.sizes, [&](const auto& dim_and_size) {
      const auto known = tensor_.sizes.find(dim_and_size.first);
      return known != tensor_.sizes.end() && known->second != dim_and_size.second;
    });
    if (has_other_sizes) tensor_.strides.clear();
    Overwrite(tensor_.sizes, logged.sizes);
    Overwrite(tensor_.strides, logged.strides);
    if (logged.rank) tensor_.rank = logged.rank;
    if (logged.storage_offset) tensor_.storage_offset = logged.storage_offset;
    if (!logged.dtype.empty()) tensor_.dtype = logged.dtype;
    if (!logged.device.empty()) tensor_.device = logged.device;
    if (!logged.type.empty()) tensor_.type = logged.type;
    if (logged.keys) tensor_.keys = logged.keys;
    if (logged.requires_grad) tensor_.requires_grad = logged.requires_grad;
    tensor_.marks = logged.marks;
  }

  TensorValue Tensor(StringPool& strings) {
    TensorValue value;
    value.dtype = strings.Intern(tensor_.dtype);
    value.device = strings.Intern(tensor_.device);
    value.type = strings.Intern(tensor_.type);
    value.keys = strings.Intern(tensor_.keys.value_or(""));
    value.requires_grad = tensor_.requires_grad.value_or(false);
    value.storage_offset = tensor_.storage_offset.value_or(0);
    value.marks = tensor_.marks;
    const int32_t last = std::max(LastDim(tensor_.sizes), LastDim(tensor_.strides));
    const int32_t rank = std::clamp(tensor_.rank.value_or(last + 1), 0, kMaxRank);
    for (int32_t dim = 0; dim < rank; ++dim) value.sizes.push_back(SizeOf(dim));
    value.has_layout = !tensor_.strides.empty() || tensor_.storage_offset.has_value();
    value.strides = ContiguousStrides(value.sizes);
    for (const auto& [dim, stride] : tensor_.strides) {
      if (dim < rank) value.strides[dim] = stride;
    }
    return value;
  }

  static int32_t LastDim(const std::map<int32_t, int64_t>& values) {
    return values.empty() ? -1 : values.rbegin()->first;
  }

  int64_t SizeOf(int32_t dim) {
    const auto known = tensor_.sizes.find(dim);
    if (known != tensor_.sizes.end()) return known->second;
    const auto [unknown, is_new] = unknown_.try_emplace(dim, next_unknown_);
    if (is_new) ++next_unknown_;
    return unknown->second;
  }

  const LoggedSource& source_;
  int64_t& next_unknown_;
  bool is_tensor_ = false;
  LoggedTensor tensor_;
  LoggedScalar scalar_;
  std::map<int32_t, int64_t> unknown_;  // by dim
};

}  // namespace

void LoggedValues::Fill(CallHistory& history) const {
  int64_t next_unknown = kFirstUnknownSize;
  CallHistoryBuilder builder(history);
  std::vector<std::pair<uint32_t, SourceTimeline>> timelines;
  for (const LoggedSource& source : sources_) {
    timelines.emplace_back(builder.Source(CallHistoryBuilder::kNoParent, source.name),
                           SourceTimeline(source, next_unknown));
  }
  const uint32_t unknown = unexplained_.empty()
                               ? CallHistoryBuilder::kNoSource
                               : builder.Source(CallHistoryBuilder::kNoParent, kUnexplainedSource);
  std::string state;
  for (const uint32_t number : attempts_) {
    if (!unexplained_.empty()) {
      CallValue value;
      value.kind = CallValue::Kind::kOpaque;
      value.text = builder.strings().Intern(
          IsUnexplained(number) ? "as in compile " + std::to_string(number) : "as at first");
      builder.Set(unknown, value);
    }
    for (auto& [source, timeline] : timelines) timeline.Set(number, source, builder);
    const auto changed = states_.find(number);
    if (changed != states_.end()) state = changed->second;
    if (!builder.EndCall(RecordedCall(), builder.strings().Intern(state))) break;
  }
  builder.Finish();
  history.is_lower_bound = true;
}

}  // namespace shapewise
