// Identifies causes across runs, and computes fingerprints.

#ifndef SHAPEWISE_RULES_IDENTITY_H_
#define SHAPEWISE_RULES_IDENTITY_H_

#include <string>
#include <string_view>

#include "causes/cause.h"
#include "result/finding.h"

namespace shapewise {

/// The identity of `cause`, independent of rules. `break_id`: the registry's id of a graph break,
/// for any wording; empty: unknown.
Identity IdentityOf(const Cause& cause, std::string_view break_id);

/// The identity of a finding about the log itself: its counter.
Identity IdentityOfStat(std::string_view stat_name);

/// 16 hex digits over all parts of `identity`. The same on every machine and with every LLVM;
/// changing it changes the contract.
std::string Fingerprint(const Identity& identity);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_IDENTITY_H_
