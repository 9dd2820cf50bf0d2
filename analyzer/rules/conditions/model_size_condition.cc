#include <algorithm>
#include <array>
#include <charconv>

#include "rules/conditions/builtin_conditions.h"
#include "shapewise/model/source_ref.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Channels and numbers of heads, both in dim 1, are mostly multiples of this, and so are lengths
/// that are padded already. Of two lengths of text, both are in one case of 64.
constexpr int kStep = 8;

/// More sizes than this, even multiples, are worth padding to fewer.
constexpr size_t kMaxSizes = 4;

bool IsMultipleOfStep(const std::string& text) {
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc() && end == text.data() + text.size() && size > 0 && size % kStep == 0;
}

bool IsParameter(const SourceRef& source) {
  constexpr std::array<std::string_view, 4> kNames = {"_parameters", "_buffers", "weight", "bias"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return source.name == name ||
           std::ranges::any_of(source.path, [&](SourceStep step) { return step.name == name; });
  });
}

/// torch's flex_attention takes (batch, heads, length, width).
bool IsHeadsOrWidth(const Cause& cause) {
  const bool is_flex_attention =
      cause.where.function == "flex_attention" || HasText(cause.where.file, "flex_attention.py");
  return is_flex_attention && (cause.culprit->dim == 1 || cause.culprit->dim == 3);
}

bool IsModelSize(const Subject& subject) {
  const Cause& cause = subject.cause;
  if (!cause.culprit || cause.culprit->guard_class != GuardClass::kSize) return false;
  if (IsParameter(ParseSource(cause.culprit->source)) || IsHeadsOrWidth(cause)) return true;
  const size_t num_sizes = cause.values.size();
  return cause.culprit->dim == 1 && num_sizes >= 2 && num_sizes <= kMaxSizes &&
         std::ranges::all_of(cause.values, IsMultipleOfStep);
}

}  // namespace

/// "model_size": the model or the code probably fixes the size, as it fixes a width or a number of
/// heads; data cannot be padded there.
ConditionKind ModelSizeCondition() { return {.name = "model_size", .is_true = IsModelSize}; }

}  // namespace shapewise
