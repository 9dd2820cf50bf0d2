// ToldValues::Fill: what is told, attempt by attempt, becomes a call each.

#include <algorithm>
#include <string>
#include <utility>

#include "dynamo/told_values.h"
#include "shapewise/model/call_history_builder.h"

namespace shapewise {
namespace {

template <typename Value>
void Overwrite(std::map<int32_t, Value>& values, const std::map<int32_t, Value>& told) {
  for (const auto& [dim, value] : told) values.insert_or_assign(dim, value);
}

/// What one source holds, as the attempts go by.
class SourceTimeline {
 public:
  SourceTimeline(const ToldSource& source, int64_t& next_untold)
      : source_(source), next_untold_(next_untold) {
    is_tensor_ =
        !source.tensors.empty() &&
        (source.scalars.empty() || source.tensors.begin()->first < source.scalars.begin()->first);
    if (!source.scalars.empty()) scalar_ = source.scalars.begin()->second;
    // What is told of a later attempt only was the same before, as far as anyone knows.
    for (auto told = source.tensors.rbegin(); told != source.tensors.rend(); ++told) {
      Merge(told->second);
    }
    tensor_.marks.clear();
  }

  /// To be called for each attempt, in order.
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
      // Another one for certain; nothing more is known of it.
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

  bool IsOneOf(const std::vector<ToldScalar>& values) const {
    return std::find(values.begin(), values.end(), scalar_) != values.end();
  }

  void Merge(const ToldTensor& told) {
    if (told.rank && tensor_.rank && *told.rank != *tensor_.rank) {
      tensor_.sizes.clear();
      tensor_.strides.clear();
    }
    // Strides go with sizes: those of other sizes are worth nothing.
    const bool has_other_sizes =
        std::any_of(told.sizes.begin(), told.sizes.end(), [&](const auto& dim_and_size) {
          const auto known = tensor_.sizes.find(dim_and_size.first);
          return known != tensor_.sizes.end() && known->second != dim_and_size.second;
        });
    if (has_other_sizes) tensor_.strides.clear();
    Overwrite(tensor_.sizes, told.sizes);
    Overwrite(tensor_.strides, told.strides);
    if (told.rank) tensor_.rank = told.rank;
    if (told.storage_offset) tensor_.storage_offset = told.storage_offset;
    if (!told.dtype.empty()) tensor_.dtype = told.dtype;
    if (!told.device.empty()) tensor_.device = told.device;
    if (!told.type.empty()) tensor_.type = told.type;
    if (told.keys) tensor_.keys = told.keys;
    if (told.requires_grad) tensor_.requires_grad = told.requires_grad;
    tensor_.marks = told.marks;
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
    value.is_layout_told = !tensor_.strides.empty() || tensor_.storage_offset.has_value();
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
    const auto told = tensor_.sizes.find(dim);
    if (told != tensor_.sizes.end()) return told->second;
    const auto [untold, is_new] = untold_.try_emplace(dim, next_untold_);
    if (is_new) ++next_untold_;
    return untold->second;
  }

  const ToldSource& source_;
  int64_t& next_untold_;
  bool is_tensor_ = false;
  ToldTensor tensor_;
  ToldScalar scalar_;
  std::map<int32_t, int64_t> untold_;  // by dim
};

}  // namespace

void ToldValues::Fill(CallHistory& history) const {
  int64_t next_untold = kFirstUntoldSize;
  CallHistoryBuilder builder(history);
  std::vector<std::pair<uint32_t, SourceTimeline>> timelines;
  for (const ToldSource& source : sources_) {
    timelines.emplace_back(builder.Source(CallHistoryBuilder::kNoParent, source.name),
                           SourceTimeline(source, next_untold));
  }
  const uint32_t untold = untold_.empty()
                              ? CallHistoryBuilder::kNoSource
                              : builder.Source(CallHistoryBuilder::kNoParent, kUntoldSource);
  std::string state;
  for (const uint32_t number : attempts_) {
    if (!untold_.empty()) {
      CallValue value;
      value.kind = CallValue::Kind::kOpaque;
      value.text = builder.strings().Intern(
          IsUntold(number) ? "as in compile " + std::to_string(number) : "as at first");
      builder.Set(untold, value);
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
