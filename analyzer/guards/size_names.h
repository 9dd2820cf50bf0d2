// Names of the values that guards compare: "x.size()[0]", "n", "len(xs)".

#ifndef SHAPEWISE_GUARDS_SIZE_NAMES_H_
#define SHAPEWISE_GUARDS_SIZE_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "result/guard_report.h"
#include "symbolic/expression.h"
#include "symbolic/interval.h"

namespace shapewise {

/// `text` with every L['x'] replaced by x, as 2.7 and later print reasons, and `.shape[` by
/// `.size()[`.
std::string WithoutFrame(std::string_view text);

/// A name, split into its parts.
struct SizeName {
  std::string source;  ///< "x", "xs", "n"
  GuardedKind kind = GuardedKind::kInt;
  int32_t dim = -1;
};
SizeName ParseSizeName(std::string_view name);

/// The name "x.size()[0]".
std::string NameOfSize(std::string_view source, size_t dim);
std::string NameOfStride(std::string_view source, size_t dim);
std::string NameOfLength(std::string_view source);
std::string NameOfNumDims(std::string_view source);

/// The possible values of a size, int or length with this name: no size is negative.
Interval DomainOf(std::string_view name);

/// `expression` with every source spelled as by WithoutFrame.
ExprId WithoutFrames(ExprPool& pool, ExprId expression);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_SIZE_NAMES_H_
