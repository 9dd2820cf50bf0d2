// The value of a number that a guard computes with: 0.5 for "(1.0 + t) == 1.5".

#ifndef SHAPEWISE_CAUSES_RELATION_VALUE_H_
#define SHAPEWISE_CAUSES_RELATION_VALUE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace shapewise {

/// Solves the equation `guard`, which is linear in `source`. Rounded to six digits, as the guard
/// contains rounded products and sums. Empty: not such an equation.
///
///   (0.0001 + sigma) == 6.9187        (0.1 + ((-0.1)*G['crit'].progress)) == 0.09
std::string ValueInRelation(std::string_view guard, std::string_view source);

/// The number of sizes after which the answer of `guard` repeats, where it asks for a remainder of
/// one size, which padding to a multiple fixes. 0: the guard asks something else.
///
///   8*(x.size()[0] // 8) == x.size()[0]   is 8
///   ((-2)*(x.size()[2] // 4) + (x.size()[2] // 2)) == 0   is 4, as each quotient is x / 4 or x / 2
int64_t PeriodOfAnswer(std::string_view guard);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_RELATION_VALUE_H_
