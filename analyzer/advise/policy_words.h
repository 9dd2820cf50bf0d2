// Changes as a policy that a run can be given from outside, in the words of `predict --policy`.

#ifndef SHAPEWISE_ADVISE_POLICY_WORDS_H_
#define SHAPEWISE_ADVISE_POLICY_WORDS_H_

#include <string>

#include "advise/candidate.h"

namespace shapewise {

/// What `candidate` changes, as ParsePolicy reads it: "mark_dynamic(x, 1)". Empty: a person has to
/// change the program, or it sets what policies do not know.
std::string PolicyWords(const Candidate& candidate);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_POLICY_WORDS_H_
