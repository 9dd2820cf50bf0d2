// What-ifs as users write them: "mark_dynamic(x, 1) + limit 16". Parses them, applies them, and
// finds their caveats.

#ifndef SHAPEWISE_DYNAMO_POLICY_TEXT_H_
#define SHAPEWISE_DYNAMO_POLICY_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamo/body.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "support/error.h"

namespace shapewise {

/// Part of a text, in bytes.
struct TextPiece {
  size_t begin = 0;
  size_t size = 0;
};

/// Changes to a policy that are not yet applied to a function. Sources are named as SourceOfName
/// does: their names in guards are known only with a history.
struct PolicyChange {
  std::string text;              ///< as written, with blanks normalized
  std::vector<TextPiece> named;  ///< positions in `text` of the sources that it names, ascending
  std::vector<std::pair<std::string, std::string>> options;  ///< for SetPolicyOption
  std::vector<PolicyMark> marks;
  std::vector<PolicyBuckets> buckets;
  std::optional<PolicyShapes> shapes;
  std::optional<PolicyServing> serving;
};

/// Parses a what-if: one part, or several joined by '+' or ','. A part is one of
///
///   as-is                                      nothing changes
///   mark_dynamic(SRC, DIM[, min=N, max=N])     also mark_unbacked, which takes min and max as well
///   mark_static(SRC, DIM)                      also maybe_mark_dynamic
///   buckets(SRC, DIM, 16|32|64[, fill=N])      pads to the next of these sizes with the value N
///   buckets(SRC:DIM, SRC:DIM, 8x64|16x128)     pads two or three dims together, to the first of
///                                              these that fits both; SRC:DIM=N: padding value N
///   serve(SRC, DIM, 1..64:64|65..512:dynamic)  serves each range in its own way, with its own
///                                              functions: a size (padded to), dynamic, aligned N,
///                                              range, eager; without a last size: no upper bound
///   serve(SRC:DIM, SRC:DIM=N, 1..64:64)        several dims together, by the size of the first
///   dynamic=True                               or False, None
///   limit 16                                   recompile_limit
///   isolate                                    isolate_recompiles=True
///   OPTION=VALUE                               one of PolicyOptionNames(): also mode,
///                                              float32_matmul_precision, inductor.NAME
///
/// SRC is written as in the program (x, self.cache, xs[0]) or as in guards (L['x']); DIM is a
/// number, or several in brackets. Error: names the part, its position, and the nearest known word.
Expected<PolicyChange> ParsePolicy(std::string_view text);

/// A change, applied to one function.
struct AppliedPolicy {
  CompilePolicy policy;
  bool is_applicable = true;           ///< part of it applies to the function, or it has no parts
  std::vector<std::string> unmatched;  ///< sources that are not tensors of the history
};

/// Applies `change` to a function that has the policy `own` and was called as `history` says. Marks
/// and buckets on tensors that it does not have are ignored.
AppliedPolicy ApplyPolicy(const PolicyChange& change, const CompilePolicy& own,
                          const CallHistory& history);

/// The names of all tensors of `history` as users write them, in its order.
std::vector<std::string> TensorNames(const CallHistory& history);

/// The caveats of the marks and buckets of `policy` for a function with the calls `history` and the
/// body `body`; one sentence each, without a full stop. Rules: analyzer/docs/dynamo-rules.md.
std::vector<std::string> PolicyTraps(const CallHistory& history, const BodyFacts& body,
                                     const CompilePolicy& policy);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_POLICY_TEXT_H_
