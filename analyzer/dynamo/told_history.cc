// ToldValues::Fill: what is told, attempt by attempt, becomes a call each.

#include <algorithm>
#include <iterator>
#include <utility>

#include "dynamo/history_builder.h"
#include "dynamo/told_values.h"

namespace shapewise {
namespace {

/// What one source holds, as the attempts go by.
class SourceTimeline {
 public:
  SourceTimeline(const ToldSource& source, int64_t& next_untold)
      : source_(source), next_untold_(next_untold) {
    // What is told of a later attempt only was the same before, as far as anyone knows.
    for (auto told = source.tensors.rbegin(); told != source.tensors.rend(); ++told) {
      Merge(told->second);
    }
    tensor_.is_marks_told = false;
    tensor_.marks.clear();
    if (!source.scalars.empty()) scalar_ = source.scalars.begin()->second;
    is_tensor_ = source.scalars.empty() ||
                 (!source.tensors.empty() &&
                  source.tensors.begin()->first < source.scalars.begin()->first);
    if (source.scalars.empty() && source.tensors.empty()) is_tensor_ = false;
    if (is_tensor_) FillUntold();
  }

  CallValue At(uint32_t attempt, CallHistory& history, HistoryBuilder& builder) {
    const auto scalar = source_.scalars.find(attempt);
    const auto tensor = source_.tensors.find(attempt);
    if (scalar != source_.scalars.end()) {
      is_tensor_ = false;
      scalar_ = scalar->second;
    } else if (tensor != source_.tensors.end()) {
      is_tensor_ = true;
      Merge(tensor->second);
    } else if (const auto other = source_.others.find(attempt);
               other != source_.others.end() && !is_tensor_ && IsOneOf(other->second)) {
      scalar_ = {.text = "none of those before, in compile " + std::to_string(attempt)};
    }
    if (is_tensor_) {
      FillUntold();
      return {.kind = CallValue::Kind::kTensor, .tensor = builder.Tensor(Tensor(history))};
    }
    return {.kind = scalar_.kind,
            .integer = scalar_.integer,
            .number = scalar_.number,
            .text = history.strings.Intern(scalar_.text)};
  }

 private:
  bool IsOneOf(const std::vector<ToldScalar>& values) const {
    return std::find(values.begin(), values.end(), scalar_) != values.end();
  }

  void Merge(const ToldTensor& told) {
    const bool is_whole = told.rank && !told.sizes.empty();
    if (told.rank && tensor_.rank && *told.rank != *tensor_.rank) {
      tensor_.sizes.clear();
      tensor_.strides.clear();
    }
    bool has_moved = false;
    for (const auto& [dim, size] : told.sizes) {
      const auto [known, is_new] = tensor_.sizes.insert_or_assign(dim, size);
      static_cast<void>(known);
      has_moved |= is_new;
    }
    // Strides go with sizes: those of other sizes are worth nothing.
    if (is_whole || has_moved || !told.sizes.empty()) {
      if (told.strides.empty() && has_sizes_changed(told)) tensor_.strides.clear();
    }
    for (const auto& [dim, stride] : told.strides) tensor_.strides.insert_or_assign(dim, stride);
    if (told.rank) tensor_.rank = told.rank;
    if (told.storage_offset) tensor_.storage_offset = told.storage_offset;
    if (!told.dtype.empty()) tensor_.dtype = told.dtype;
    if (!told.device.empty()) tensor_.device = told.device;
    if (!told.type.empty()) tensor_.type = told.type;
    if (told.keys) tensor_.keys = told.keys;
    if (told.requires_grad) tensor_.requires_grad = told.requires_grad;
    tensor_.marks = told.marks;
  }
};

}  // namespace
}  // namespace shapewise
