// Calls that a loop evaluates again and again, although nothing in them changes.

#ifndef SHAPEWISE_CHECK_REPEATED_CALL_H_
#define SHAPEWISE_CHECK_REPEATED_CALL_H_

#include "source/fact.h"
#include "source/project.h"

namespace shapewise {

/// Whether a loop evaluates the call of `fact` in every iteration, directly or in a function that
/// it calls, with the same arguments, and drops the result: `torch.compile(f)(x)`. False if the
/// call is under a condition, or if the loop resets something.
bool IsRepeated(Project& project, const Fact& fact);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REPEATED_CALL_H_
