// The tree of guards that Dynamo prints for a compilation, counted.

#ifndef SHAPEWISE_INGEST_GUARD_TREE_H_
#define SHAPEWISE_INGEST_GUARD_TREE_H_

#include <string>
#include <string_view>

#include "shapewise/model/compilation.h"
#include "shapewise/support/string_pool.h"

namespace shapewise {

/// Counts the guards in `text`, the lines of
///
///   TREE_GUARD_MANAGER:
///   +- RootGuardManager
///   | +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x', ...), ...
///   | | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, ...)  # h = lin(x)  # train.py:10 in step
///   | +- LAMBDA_GUARD: L['x'].size()[0] <= 4096
///   Guard latency = 17.00 us
///
/// and interns the names into `strings`. A guard that is printed in several parts counts once a
/// part. Lines of any other form are passed over. Linear in `text`.
///
/// Source: torch/_dynamo/guards.py, GuardManagerWrapper.__str__, 2.5 to 2.13.
GuardTally CountGuardTree(std::string_view text, StringPool& strings);

/// `text` with each run of digits that stands alone between brackets, quoted or not, as "*":
/// "L['self']._modules['3'].w" becomes "L['self']._modules[*].w". The indices, in order, are
/// appended to `indices`, a comma behind each.
std::string FoldIndices(std::string_view text, std::string& indices);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GUARD_TREE_H_
