// What-ifs as people write them: "mark_dynamic(x, 1) + limit 16".

#ifndef SHAPEWISE_DYNAMO_POLICY_TEXT_H_
#define SHAPEWISE_DYNAMO_POLICY_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// A piece of a text, in bytes.
struct TextPiece {
  size_t begin = 0;
  size_t size = 0;
};

/// Changes to a policy, read but not yet applied to a function. Sources are as SourceOfName makes
/// them: what they are called in guards is known only beside a history.
struct PolicyChange {
  std::string text;              ///< as it was written, blanks evened out
  std::vector<TextPiece> named;  ///< of `text`: the sources that it names, ascending
  std::vector<std::pair<std::string, std::string>> options;  ///< for SetPolicyOption
  std::vector<PolicyMark> marks;
  std::vector<PolicyBuckets> buckets;
  std::optional<PolicyShapes> shapes;
  std::optional<PolicyServing> serving;
};

/// Reads a what-if: one part, or several joined by '+' or ','. A part is one of
///
///   as-is                                      nothing changes
///   mark_dynamic(SRC, DIM[, min=N, max=N])     also mark_unbacked, which takes min and max as well
///   mark_static(SRC, DIM)                      also maybe_mark_dynamic
///   buckets(SRC, DIM, 16|32|64[, fill=N])      pads up to the next of these; padding holds N
///   buckets(SRC:DIM, SRC:DIM, 8x64|16x128)     pads two or three dims together, to the first of
///                                              these that holds both; SRC:DIM=N: padding holds N
///   serve(SRC, DIM, 1..64:64|65..512:dynamic)  each stretch in its own way, by its own functions:
///                                              a size (padded to), dynamic, aligned N, range,
///                                              eager; without a last size: however large
///   serve(SRC:DIM, SRC:DIM=N, 1..64:64)        several dims together, by the size of the first
///   dynamic=True                               or False, None
///   limit 16                                   recompile_limit
///   isolate                                    isolate_recompiles=True
///   OPTION=VALUE                               one of PolicyOptionNames(): also mode,
///                                              float32_matmul_precision, inductor.NAME
///
/// SRC is written as in the program (x, self.cache, xs[0]) or as in guards (L['x']); DIM is a
/// number, or several in brackets. Error: names the part, where it stands, and the nearest word
/// that is known.
Expected<PolicyChange> ParsePolicy(std::string_view text);

/// A change, applied to one function.
struct AppliedPolicy {
  CompilePolicy policy;
  bool is_applicable = true;           ///< some part of it fits the function, or it has no part
  std::vector<std::string> unmatched;  ///< names of sources that are no tensors of the history
};

/// Applies `change` to a function that has the policy `own` and was called as `history` tells.
/// Marks and buckets on tensors that it does not have are left out.
AppliedPolicy ApplyPolicy(const PolicyChange& change, const CompilePolicy& own,
                          const CallHistory& history);

/// The names of all tensors of `history`, as people write them, in its order.
std::vector<std::string> TensorNames(const CallHistory& history);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_POLICY_TEXT_H_
