#include "guards/size_names.h"

#include "model/source_ref.h"

namespace shapewise {
namespace {

GuardedKind KindOf(SourceRef::Property property) {
  switch (property) {
    case SourceRef::Property::kValue:
      return GuardedKind::kInt;
    case SourceRef::Property::kSize:
      return GuardedKind::kSize;
    case SourceRef::Property::kStride:
      return GuardedKind::kStride;
    case SourceRef::Property::kLength:
      return GuardedKind::kLength;
    default:
      return GuardedKind::kOther;
  }
}

}  // namespace

std::string WithoutFrame(std::string_view text) {
  return SpellSources(text, SourceSpelling::kReason);
}

SizeName ParseSizeName(std::string_view name) {
  const SourceRef source = ParseSource(name);
  return {.source = std::string(source.object), .kind = KindOf(source.property), .dim = source.dim};
}

std::string NameOfSize(std::string_view source, size_t dim) {
  return PropertyText(source, SourceRef::Property::kSize, dim);
}
std::string NameOfStride(std::string_view source, size_t dim) {
  return PropertyText(source, SourceRef::Property::kStride, dim);
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
