// Changes as a policy that can be applied to a run from outside, in the syntax of `predict
// --policy`.

#ifndef SHAPEWISE_ADVISE_POLICY_WORDS_H_
#define SHAPEWISE_ADVISE_POLICY_WORDS_H_

#include <string>

#include "advise/candidate.h"

namespace shapewise {

/// The changes of `candidate` in the syntax of ParsePolicy: "mark_dynamic(x, 1)". Empty if they
/// require an edit of the program, or a setting that policies do not support.
std::string PolicyWords(const Candidate& candidate);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_POLICY_WORDS_H_
