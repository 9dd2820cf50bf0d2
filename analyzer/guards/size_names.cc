#include "guards/size_names.h"

#include <optional>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// The name in "L['name']" at the front of `text`; empty: there is none.
std::string_view FrameLocal(std::string_view text, size_t& length) {
  if (!text.starts_with("L['") && !text.starts_with("L[\"")) return {};
  const size_t end = text.find(text[2], 3);
  if (end == kNotFound || end + 1 >= text.size() || text[end + 1] != ']') return {};
  const std::string_view name = text.substr(3, end - 3);
  for (const char c : name) {
    if (!IsWordChar(c)) return {};
  }
  length = end + 2;
  return name;
}

/// Splits "x.size()[0]" at `property`, here ".size()["; false: it is no such name.
bool SplitIndexed(std::string_view name, std::string_view property, SizeName& split) {
  const size_t at = name.rfind(property);
  if (at == kNotFound || !name.ends_with(']')) return false;
  std::string_view digits = name.substr(at + property.size());
  digits.remove_suffix(1);
  const std::optional<int32_t> dim = ConsumeUint<int32_t>(digits);
  if (!dim || !digits.empty() || *dim > 1000) return false;
  split.source = name.substr(0, at);
  split.dim = *dim;
  return true;
}

std::string NameOfIndexed(std::string_view source, std::string_view property, size_t index) {
  return std::string(source) + std::string(property) + std::to_string(index) + "]";
}

}  // namespace

std::string WithoutFrame(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size();) {
    size_t length = 0;
    const bool may_begin = i == 0 || !IsWordChar(text[i - 1]);
    const std::string_view local =
        may_begin ? FrameLocal(text.substr(i), length) : std::string_view();
    if (!local.empty()) {
      name += local;
      i += length;
    } else if (text.substr(i).starts_with(".shape[")) {
      name += ".size()[";
      i += std::string_view(".shape[").size();
    } else {
      name += text[i++];
    }
  }
  return name;
}

SizeName ParseSizeName(std::string_view name) {
  SizeName split;
  if (SplitIndexed(name, ".size()[", split)) {
    split.kind = GuardedKind::kSize;
  } else if (SplitIndexed(name, ".stride()[", split)) {
    split.kind = GuardedKind::kStride;
  } else if (name.starts_with("len(") && name.ends_with(')')) {
    split.kind = GuardedKind::kLength;
    split.source = name.substr(4, name.size() - 5);
  } else if (name.ends_with(".storage_offset()") || name.ends_with(".dim()")) {
    split.kind = GuardedKind::kOther;
    split.source = name.substr(0, name.rfind('.'));
  } else {
    split.source = name;
  }
  return split;
}

std::string NameOfSize(std::string_view source, size_t dim) {
  return NameOfIndexed(source, ".size()[", dim);
}
std::string NameOfStride(std::string_view source, size_t dim) {
  return NameOfIndexed(source, ".stride()[", dim);
}
std::string NameOfLength(std::string_view source) { return "len(" + std::string(source) + ")"; }
std::string NameOfNumDims(std::string_view source) { return std::string(source) + ".dim()"; }

Interval DomainOf(std::string_view name) {
  if (ParseSizeName(name).kind == GuardedKind::kInt) return {};
  return {.lower = 0, .upper = std::nullopt};
}

ExprId WithoutFrames(ExprPool& pool, ExprId expression) {
  return pool.Substitute(expression, [&pool](ExprId symbol) {
    return pool.Symbol(WithoutFrame(std::string(pool.name(symbol))));
  });
}

}  // namespace shapewise
