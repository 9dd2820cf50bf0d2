// Infers the policy of a run from its log.

#ifndef SHAPEWISE_DYNAMO_OWN_POLICY_H_
#define SHAPEWISE_DYNAMO_OWN_POLICY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dynamo/logged_values.h"
#include "history/code_object_history.h"
#include "model/compile_policy.h"

namespace shapewise {

/// How one code object was compiled, according to its misses.
struct OwnPolicy {
  CompilePolicy policy;
  /// Sources whose ints are constants in every entry although they change: attributes of modules,
  /// ints used as indices.
  std::vector<std::string> constants;
  /// Which torch.compile of the function each attempt belongs to, if isolate_recompiles separates
  /// them; empty: all to one.
  std::map<uint32_t, uint16_t> wrappers;
};

/// Infers, in this order:
///
/// - limits, from the warning that names them;
/// - fullgraph=True, from a graph break that was raised;
/// - isolate_recompiles, from misses that do not check all earlier entries;
/// - a kept profile (PGO), from sizes that are symbols in the first entry of a process or stretch
///   after another one: treated as dynamic_sources;
/// - dynamic=True, from sizes that are symbols in the first entry, without a mark on them;
/// - dynamic=False, from sizes and floats that had changed before an entry was made that is static
///   in them, if the function has no symbols at all.
OwnPolicy PolicyOfAttempts(const Session& session, const CodeObjectHistory& function,
                           const LoggedValues& log_values);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_OWN_POLICY_H_
