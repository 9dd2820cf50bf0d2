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

/// `text` without addresses, object ids, line numbers, counters of generated code and folders of
/// paths, and as UTF-8:
///
///   <f at 0x7f12ab>                            <f at 0x>
///   ___check_obj_id(x, 139904215237456)        ___check_obj_id(x, )
///   File "/home/a/t.py", line 7                File "t.py", line
///   <eval_with_key>.12                         <eval_with_key>.
///
/// Numbers in names stay: layer_2. Linear.
std::string StableText(std::string_view text);

/// A name of `file` that is the same for everybody: its base name; "<notebook>" for a cell, whose
/// file name differs in each session.
std::string StableFile(std::string_view file);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_IDENTITY_H_
