// Names of the things that guards compare: "x.size()[0]", "n", "len(xs)".

#ifndef SHAPEWISE_GUARDS_SIZE_NAMES_H_
#define SHAPEWISE_GUARDS_SIZE_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "shapewise/result/guard_report.h"
#include "shapewise/symbolic/expression.h"
#include "shapewise/symbolic/interval.h"

namespace shapewise {

/// `text` with every L['x'] as x, as 2.7 and later print reasons, and `.shape[` as `.size()[`.
std::string WithoutFrame(std::string_view text);

/// A name taken apart.
struct SizeName {
  std::string source;  ///< "x", "xs", "n"
  GuardedKind kind = GuardedKind::kInt;
  int32_t dim = -1;
};
SizeName ParseSizeName(std::string_view name);

/// "x.size()[0]" and so on.
std::string NameOfSize(std::string_view source, size_t dim);
std::string NameOfStride(std::string_view source, size_t dim);
std::string NameOfLength(std::string_view source);
std::string NameOfNumDims(std::string_view source);

/// The values that a thing of this name can have at all: no size is negative.
Interval DomainOf(std::string_view name);

/// `expression` with every source spelled as WithoutFrame does.
ExprId WithoutFrames(ExprPool& pool, ExprId expression);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_SIZE_NAMES_H_
