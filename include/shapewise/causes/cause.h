// Causes: what lies behind the events of a run, each told once.

#ifndef SHAPEWISE_CAUSES_CAUSE_H_
#define SHAPEWISE_CAUSES_CAUSE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shapewise/model/code_owner.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// What sort of trouble a cause makes; the words a rule's "over" may use.
enum class CauseKind : uint8_t {
  kRecompile,            ///< "recompile": one function, one culprit, with its limit if it hit one
  kGraphBreak,           ///< "graph_break": one place, one type
  kSkippedFrame,         ///< "skipped_frame": one function runs eager as a whole
  kConstraintViolation,  ///< "constraint_violation": one source and dim
  kCompileError,         ///< "compile_error": one exception class and message
  kPerfHint,             ///< "perf_hint": one kind of hint
  kCudagraph,            ///< "cudagraph": one action and why
  kImpliedBreak,         ///< "implied_break": one function and line
  kImpliedRecompile,     ///< "implied_recompile": one frame id
  kIgnoredMode,          ///< "ignored_mode": one why
  kTorchscript,          ///< "torchscript": one place
  kXla,                  ///< "xla": one XlaTrouble, and where it has one, one line of user code
  kEmptyGraph,           ///< "empty_graph": one function that was compiled for nothing
  kGuardCost,            ///< "guard_cost": one function whose guards cost at every call
  kRankDivergence,       ///< "rank_divergence": where the ranks of one job part ways
  kSlowSteps,            ///< "slow_steps": steps that one sort of event made slow
  kStall,                ///< "stall": slow steps that no compilation explains
  kServer,               ///< "server": one ServerWhyNames() word of an inference server's log
};
/// How many kinds there are.
inline constexpr size_t kNumCauseKinds = static_cast<size_t>(CauseKind::kServer) + 1;
std::string_view CauseKindName(CauseKind kind);

/// What a cause of the kind kServer may say in `why`; in alphabetic order.
std::span<const std::string_view> ServerWhyNames();

/// Every name that Cause::facts may hold, in alphabetic order.
std::span<const std::string_view> CauseFactNames();

/// How the values of a culprit move from one compile to the next; the words of "pattern".
enum class ValuePattern : uint8_t {
  kNone,          ///< "none": nothing to tell, such as a dead weak reference
  kOnce,          ///< "once": one change only
  kCounter,       ///< "counter": +1 a compile: a step number
  kEnumeration,   ///< "enumeration": one value a layer or object: layer_idx
  kToggle,        ///< "toggle": two states alternate: train and eval, grad mode
  kGrowing,       ///< "growing": sizes or lengths rise by one step each time: a cache
  kNewObject,     ///< "new_object": another object, type or function each time
  kParameterSet,  ///< "parameter_set": library code compiled once a set of parameters
  kVarying,       ///< "varying": values come and go without a pattern
};
/// The word of a pattern, as results have it.
std::string_view ValuePatternName(ValuePattern pattern);

/// What user code does with a value that varied; the words of the condition "use". In ascending
/// order of how much it needs the value as a constant.
enum class ValueUse : uint8_t {
  kUnknown,     ///< "unknown": no line was printed, or it does not show the value
  kArithmetic,  ///< "arithmetic": an operand
  kBranch,      ///< "branch": in an `if`, `while` or `assert`
  kIndex,       ///< "index": in a subscript, or a dim or offset as in roll(n)
  kShape,       ///< "shape": an argument of view(), zeros() or the like
  kRange,       ///< "range": an argument of range()
};
/// The word of a use, as rules have it.
std::string_view ValueUseName(ValueUse use);

/// How many values a cause tells.
inline constexpr size_t kMaxCauseValues = 32;

/// One cause with its evidence. Texts are copies, so a cause outlives its Session.
struct Cause {
  CauseKind kind = CauseKind::kRecompile;
  Place where;                   ///< the compiled function as printed
  Place user;                    ///< the line of user code behind it, where the log tells
  std::string display_function;  ///< whom to name: the user's module where `where` is a wrapper
  std::optional<Culprit> culprit;
  std::vector<std::string> values;  ///< what the culprit took, in order: kMaxCauseValues at most
  uint64_t distinct_values = 0;     ///< how many different ones; may exceed values.size()
  bool has_unseen_values = false;   ///< of some events the value is not known: there may be more
  ValuePattern pattern = ValuePattern::kNone;
  ValueUse use = ValueUse::kUnknown;
  uint64_t count = 0;   ///< events of this cause, all ranks together
  bool is_cut = false;  ///< some record of it stops before it is complete
  /// recompile: a size had varied, and was made a constant all the same, as with dynamic=False.
  bool stays_constant = false;
  bool limit_hit = false;     ///< recompile: the function has run eagerly since
  bool limit_raised = false;  ///< ... or an error was raised instead, as under fullgraph=True
  LimitName limit_name = LimitName::kNone;
  int64_t limit = 0;  ///< the limit's value; 0: not printed
  /// What the log proposes: "mark_unbacked"; perf_hint: its slug; guard_cost: what stands out.
  std::string hint;
  std::string gb;                 ///< graph_break: "GB0059"; empty: not printed
  std::string type;               ///< graph_break: its type; errors: exception class
  std::string context;            ///< graph_break: debug context; errors: what a backend raised
  std::string message;            ///< first line of the message
  std::string why;                ///< the contract's word: "loop-break"; xla: its XlaTrouble
  std::string action;             ///< cudagraph, torchscript: the contract's word
  bool fatal = false;             ///< graph_break, recompile: it was raised as an error
  std::string server;             ///< "vllm": the log is of this server; empty: of none
  std::optional<int64_t> amount;  ///< cudagraph, xla: the largest printed count
  std::optional<double> cost_seconds;  ///< over all causes no more than the run's compile seconds
  bool is_costly = false;              ///< empty_graph, guard_cost: beyond what its engine forgives
  /// What else an engine has to tell, by name (CauseFactNames): a rule puts it in as
  /// {name}.
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
std::vector<Cause> FoldCauses(const Session& session);

/// Totals of the run and the functions that run eager, from the same events.
RunSummary Summarize(const Session& session, const std::vector<Cause>& causes);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CAUSE_H_
