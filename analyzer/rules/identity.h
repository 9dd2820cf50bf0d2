// What makes a cause the same one in another run, and its fingerprint.

#ifndef SHAPEWISE_RULES_IDENTITY_H_
#define SHAPEWISE_RULES_IDENTITY_H_

#include <string>
#include <string_view>

#include "shapewise/causes/cause.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// What identifies `cause`, whatever rule speaks of it. `break_id` is the registry's id of a graph
/// break, in whatever words the log told it; empty: not known.
Identity IdentityOf(const Cause& cause, std::string_view break_id);

/// What identifies a finding about the log itself: the counter that brought it.
Identity IdentityOfStat(std::string_view stat_name);

/// 16 hex digits over all parts of `identity`. The same on every machine and with every LLVM; a
/// change of it is a change of the contract.
std::string Fingerprint(const Identity& identity);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_IDENTITY_H_
