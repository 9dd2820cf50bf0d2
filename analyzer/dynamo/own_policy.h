// The policy that a run had, as far as its log lets one conclude.

#ifndef SHAPEWISE_DYNAMO_OWN_POLICY_H_
#define SHAPEWISE_DYNAMO_OWN_POLICY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dynamo/told_values.h"
#include "history/code_object_history.h"
#include "shapewise/model/compile_policy.h"

namespace shapewise {

/// What the misses of one code object tell of how it was compiled.
struct OwnPolicy {
  CompilePolicy policy;
  /// Sources whose ints are constants of every entry although they vary: attributes of modules,
  /// ints that index.
  std::vector<std::string> constants;
  /// Which torch.compile of the function each attempt belongs to, where isolate_recompiles keeps
  /// them apart; empty: all to one.
  std::map<uint32_t, uint16_t> wrappers;
};

/// Concludes, in this order:
///
/// - limits, from the warning that names them;
/// - fullgraph=True, from a graph break that was raised;
/// - isolate_recompiles, from misses that do not ask all earlier entries;
/// - a profile that was kept (PGO), from sizes that are symbols in the first entry of a process or
///   stretch behind another one: as if dynamic_sources named them;
/// - dynamic=True, from sizes that are symbols in the first entry, without a mark on them;
/// - dynamic=False, from sizes and floats that had varied before an entry was made that is static
///   in them, if nothing at all is symbolic in the function.
OwnPolicy PolicyOfAttempts(const Session& session, const CodeObjectHistory& function,
                           const ToldValues& told);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_OWN_POLICY_H_
