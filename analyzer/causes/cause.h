// Causes: the reasons for the events of a run, each reported once.

#ifndef SHAPEWISE_CAUSES_CAUSE_H_
#define SHAPEWISE_CAUSES_CAUSE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "causes/compile_ledger.h"
#include "causes/constant_size.h"
#include "model/code_owner.h"
#include "model/session.h"
#include "result/finding.h"

namespace shapewise {

/// The kind of problem; the words that a rule's "over" may use.
enum class CauseKind : uint8_t {
  kRecompile,     ///< "recompile": one function and one culprit, with its limit if it was hit
  kGraphBreak,    ///< "graph_break": one place, one type
  kSkippedFrame,  ///< "skipped_frame": one function that runs entirely in eager mode
  kConstraintViolation,  ///< "constraint_violation": one source and dim
  kCompileError,         ///< "compile_error": one exception class and message
  kPerfHint,             ///< "perf_hint": one kind of hint
  kCudagraph,            ///< "cudagraph": one action and one reason
  kImpliedBreak,         ///< "implied_break": one function and line
  kImpliedRecompile,     ///< "implied_recompile": one frame id
  kIgnoredMode,          ///< "ignored_mode": one why
  kTorchscript,          ///< "torchscript": one place
  kXla,                  ///< "xla": one XlaTrouble, and if known, one line of user code
  kEmptyGraph,           ///< "empty_graph": one function that was compiled without any operators
  kGuardCost,            ///< "guard_cost": one function whose guards are expensive at every call
  kRankDivergence,       ///< "rank_divergence": where the ranks of a job diverge
  kSlowSteps,            ///< "slow_steps": steps that one kind of event made slow
  kStall,                ///< "stall": slow steps that no compilation explains
  kServer,               ///< "server": one ServerWhyNames() word of an inference server's log
};
/// The number of kinds.
inline constexpr size_t kNumCauseKinds = static_cast<size_t>(CauseKind::kServer) + 1;
std::string_view CauseKindName(CauseKind kind);

/// The values of `why` for causes of kind kServer, in alphabetical order.
std::span<const std::string_view> ServerWhyNames();

/// The names that Cause::facts may contain, in alphabetical order.
std::span<const std::string_view> CauseFactNames();

/// How the values of a culprit change from one compile to the next; the words of "pattern".
enum class ValuePattern : uint8_t {
  kNone,         ///< "none": no values, as for a dead weak reference
  kOnce,         ///< "once": a single change
  kCounter,      ///< "counter": increases by 1 with each compile, like a step number
  kEnumeration,  ///< "enumeration": a different value for each layer or object, like layer_idx
  kToggle,       ///< "toggle": alternates between two states, like train and eval, or grad mode
  kGrowing,      ///< "growing": sizes or lengths increase by a constant step, like those of a cache
  kNewObject,    ///< "new_object": a different object, type or function each time
  kParameterSet,  ///< "parameter_set": library code compiled once for each set of parameters
  kVarying,       ///< "varying": changes without a pattern
};
/// The word of a pattern in results.
std::string_view ValuePatternName(ValuePattern pattern);

/// How user code uses a value that changed; the words of the condition "use". Ordered by how much
/// the use needs the value to be a constant.
enum class ValueUse : uint8_t {
  kUnknown,     ///< "unknown": no line was printed, or it does not show the value
  kArithmetic,  ///< "arithmetic": an operand
  kBranch,      ///< "branch": in an `if`, `while` or `assert`
  kSize,        ///< "size": of view(), zeros() or the like, or a bound of a slice; may be a symbol
  kIndex,       ///< "index": in a subscript, or a dim as in transpose(n)
  kConstant,    ///< "constant": an argument that has to be a Python number, as of chunk()
  kRange,       ///< "range": an argument of range(), or what a loop runs over
};
/// The word of a use in rules.
std::string_view ValueUseName(ValueUse use);

/// The number of values that a cause lists.
inline constexpr size_t kMaxCauseValues = 32;

/// A cause with its evidence. Texts are copies, so a cause may outlive its Session.
struct Cause {
  CauseKind kind = CauseKind::kRecompile;
  Place where;  ///< the compiled function as printed
  Place user;   ///< the line of user code that triggered it, if the log shows it
  /// The function to name: the user's module where `where` is a wrapper.
  std::string display_function;
  std::optional<Culprit> culprit;
  std::vector<std::string> values;  ///< values of the culprit, in order; at most kMaxCauseValues
  uint64_t distinct_values = 0;     ///< number of distinct values; may exceed values.size()
  bool has_unseen_values = false;   ///< some values are unknown, so there may be more
  ValuePattern pattern = ValuePattern::kNone;
  ValueUse use = ValueUse::kUnknown;
  uint64_t count = 0;   ///< events of this cause, over all ranks
  bool is_cut = false;  ///< one of its records is incomplete
  /// recompile: what made a size a constant although it had changed.
  ConstantBy constant_by = ConstantBy::kNothing;
  /// recompile: a size was a constant in the first graph, and then left the range of a dynamic one.
  bool is_after_first_change = false;
  /// recompile by a size or stride: the tensor is an argument itself, and no other tensor of the
  /// function is known to change.
  bool is_lone_tensor = false;
  /// recompile: the size changed once and is dynamic since, as are the few others of the run.
  bool is_settled = false;
  bool is_mapping = false;        ///< recompile by a length: the container is a dict
  bool has_uneven_items = false;  ///< recompile by a length: a size of an item varied, too
  bool limit_hit = false;         ///< recompile: the function has run eagerly since then
  bool limit_raised = false;      ///< the limit raised an error instead, as with fullgraph=True
  LimitName limit_name = LimitName::kNone;
  int64_t limit = 0;  ///< the limit's value; 0: not printed
  /// What the log proposes: "mark_unbacked"; perf_hint: its slug; guard_cost: the dominant guards.
  std::string hint;
  std::string gb;       ///< graph_break: "GB0059"; empty: not printed
  std::string type;     ///< graph_break: its type; errors: exception class
  std::string context;  ///< graph_break: debug context; errors: the exception of the backend
  std::string message;  ///< first line of the message
  std::string code;     ///< graph_break: the line that breaks
  /// graph_break, compile_error in a library: "train.py:13: y = model(x)", the user's line that
  /// leads there; empty: not printed.
  std::string caller;
  bool calls_compiled = false;  ///< the caller's line calls the compiled function
  /// graph_break: the number read from a tensor is one of several subscripts, as in `x[0, n]`.
  bool is_in_subscripts = false;
  /// graph_break: the frame with the loop that ran eagerly for it only calls the code that breaks.
  bool is_below_loop = false;
  /// The contract's word: "loop-break"; graph_break: why the whole frame runs eagerly for it; xla:
  /// its XlaTrouble.
  std::string why;
  std::string action;             ///< cudagraph, torchscript: the contract's word
  bool fatal = false;             ///< graph_break, recompile: raised as an error
  std::string server;             ///< "vllm": the log of this server; empty: not a server log
  std::optional<int64_t> amount;  ///< cudagraph, xla: the largest printed count
  /// The sum over all causes is at most the run's compile seconds.
  std::optional<double> cost_seconds;
  bool is_costly = false;  ///< empty_graph, guard_cost: above the threshold
  /// More facts from an engine, by name (CauseFactNames). A rule inserts them as {name}.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<int32_t> ranks;  ///< ascending
  std::vector<size_t> events;  ///< indices into Session::events(), ascending
};

/// Who would have to change the code behind `cause`: the owner of the line that asks for it, or
/// where that is not known, of the function.
inline CodeOwner OwnerOf(const Cause& cause) {
  return OwnerOf(cause.user.file.empty() ? cause.where.file : cause.user.file);
}

/// Folds the events of a sorted session into causes. Order: by kind, then where, then culprit; a
/// pure function of the session. Linear in events, up to a logarithm.
std::vector<Cause> FoldCauses(const Session& session, const CompileHistory& history);

/// Totals of the run and its functions that run eagerly, from the same events.
RunSummary Summarize(const Session& session, const std::vector<Cause>& causes,
                     const CompileLedger& ledger);

/// Whether the culprit is an int or float that is symbolic, and no size: "(1.0 + t) == 1.5".
bool IsRelationOfNumber(const Cause& cause);

/// Whether the length is that of the iterator of a loop, which a graph break in the loop's body
/// passes on: "___tuple_iterator_len(L['___stack0']) == 160".
bool IsLoopIterator(const Cause& cause);

/// The fact `name` of `cause` (CauseFactNames); empty: the cause does not have it.
std::string_view FactOf(const Cause& cause, std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CAUSE_H_
