// A name for a finding that survives edits of the code above it.

#ifndef SHAPEWISE_RULES_FINGERPRINT_H_
#define SHAPEWISE_RULES_FINGERPRINT_H_

#include <string>
#include <string_view>

#include "shapewise/causes/cause.h"

namespace shapewise {

/// 16 hex digits over the rule and what identifies the cause: functions, base names of files,
/// culprit, registry id, type, words of the contract. Lines, folders, addresses and object ids do
/// not count, so two causes of one kind in one function share a fingerprint. The same on every
/// machine and with every LLVM; a change of it is a change of the contract.
std::string Fingerprint(std::string_view rule_code, const Cause& cause);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_FINGERPRINT_H_
