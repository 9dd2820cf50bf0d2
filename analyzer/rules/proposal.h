// What a message of PyTorch proposes to do.

#ifndef SHAPEWISE_RULES_PROPOSAL_H_
#define SHAPEWISE_RULES_PROPOSAL_H_

#include <string>
#include <string_view>

#include "causes/cause.h"

namespace shapewise {

/// The first sentence, or part of one, of `message` that says what to do, without "please": "set
/// the input requires_grad to False or use another device". Empty: there is none, or it only asks
/// to report the error.
std::string ProposalOf(std::string_view message);

/// The proposal of an error.
std::string ProposalOf(const Cause& cause);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_PROPOSAL_H_
