// The value of a number that a guard computes with: 0.5 for "(1.0 + t) == 1.5".

#ifndef SHAPEWISE_CAUSES_RELATION_VALUE_H_
#define SHAPEWISE_CAUSES_RELATION_VALUE_H_

#include <string>
#include <string_view>

namespace shapewise {

/// Solves the equation `guard`, which is linear in `source`. Rounded to six digits, as the guard
/// contains rounded products and sums. Empty: not such an equation.
///
///   (0.0001 + sigma) == 6.9187        (0.1 + ((-0.1)*G['crit'].progress)) == 0.09
std::string ValueInRelation(std::string_view guard, std::string_view source);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_RELATION_VALUE_H_
