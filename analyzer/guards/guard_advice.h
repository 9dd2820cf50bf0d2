// Advice for a size that is pinned.

#ifndef SHAPEWISE_GUARDS_GUARD_ADVICE_H_
#define SHAPEWISE_GUARDS_GUARD_ADVICE_H_

#include <vector>

#include "result/guard_report.h"

namespace shapewise {

/// The actions that match the verdict on `variable`, the best first; none if nothing is wrong.
std::vector<Action> AdviseOn(const GuardedVariable& variable);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_GUARD_ADVICE_H_
