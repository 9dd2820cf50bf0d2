// Events: what a log reports, each with its place.
//
// Events are facts as printed. analyzer/causes groups them into causes.

#ifndef SHAPEWISE_MODEL_EVENT_H_
#define SHAPEWISE_MODEL_EVENT_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/guard.h"
#include "support/string_pool.h"

namespace shapewise {

/// The kinds of event; the names in JSON are those of EventKindName.
enum class EventKind : uint8_t {
  kRecompile,            ///< "Recompiling function", and a stance that refused to
  kRecompileLimit,       ///< "torch._dynamo hit config.recompile_limit", in any spelling
  kGraphBreak,           ///< a graph break, as a record, a warning or a fatal exception
  kSkippedFrame,         ///< a whole frame runs eagerly
  kCompile,              ///< a graph was compiled
  kCompileError,         ///< any other exception of torch's compiler
  kConstraintViolation,  ///< a dim marked dynamic that the code specializes
  kPerfHint,             ///< a performance hint of Inductor
  kCudagraph,            ///< CUDA graphs skipped, recorded, partitioned
  kXlaMetric,            ///< one line of a PyTorch/XLA profile or metrics report
  kXlaCompile,           ///< a PyTorch/XLA "Compilation Analysis" block
  kXlaExecution,         ///< a PyTorch/XLA "Execution Analysis" block
  kImpliedBreak,         ///< a break seen only through a resume function's name
  kImpliedRecompile,     ///< a recompile seen only through a compile id
  kTorchscript,          ///< a TorchScript error or tracer warning
  kIgnoredMode,          ///< Dynamo skipped or ignored an active mode
};

/// The number of kinds.
inline constexpr size_t kNumEventKinds = static_cast<size_t>(EventKind::kIgnoredMode) + 1;

/// The contract's name of `kind`, such as "graph_break".
constexpr std::string_view EventKindName(EventKind kind) {
  constexpr std::string_view kNames[kNumEventKinds] = {
      "recompile",     "recompile_limit",   "graph_break",          "skipped_frame",
      "compile",       "compile_error",     "constraint_violation", "perf_hint",
      "cudagraph",     "xla_metric",        "xla_compile",          "xla_execution",
      "implied_break", "implied_recompile", "torchscript",          "ignored_mode",
  };
  return kNames[static_cast<size_t>(kind)];
}

/// The time of a log line. glog-style prefixes print no year.
struct LogTime {
  int32_t year = 0;     ///< 0: not printed
  uint8_t month = 0;    ///< 1..12; 0: the line has no time
  uint8_t day = 0;      ///< 1..31
  int64_t micros = -1;  ///< microseconds since midnight; -1: not printed

  bool known() const { return micros >= 0; }
  friend bool operator==(const LogTime&, const LogTime&) = default;
};

/// "11-21 03:52:28.504000", preceded by the year if known; empty: unknown.
std::string FormatLogTime(const LogTime& time);

/// A cache entry that did not match, as interned text.
using Reason = GuardFailureOf<StrId>;

/// Interns the views of `failure`.
Reason InternFailure(const GuardFailure& failure, StringPool& strings);

/// Identifies a Reason within a Session.
enum class ReasonId : uint32_t {};

/// The closed word lists of the contract. kNone means "not stated"; WhyName and similar functions
/// give the names in JSON.
enum class Why : uint8_t {
  kNone,
  // skipped_frame
  kCannotResume,
  kLoopBreak,
  kCompileError,
  kNoTensors,
  kEmpty,
  kDisabled,
  // cudagraph
  kMutatedInputs,
  kCpuDevice,
  kMultipleDevices,
  kNonGpuOps,
  kIncompatibleOp,
  kControlFlow,
  kDynamicShapes,
  kNonTensorInputs,
  kIndexPut,
  kCppWrapper,
  kAliasing,
  kRerecordLimit,
  // ignored_mode
  kDispatchMode,
  kFunctionMode,
  kProfiler,
  kHooks,
  kLruCache,
  kOther,
};
/// The word of it in results.
std::string_view WhyName(Why why);

/// Which of the two limits was hit, by its name in torch._dynamo.config since 2.7.
enum class LimitName : uint8_t { kNone, kRecompileLimit, kAccumulatedRecompileLimit };
std::string_view LimitNameText(LimitName name);

/// The hints of TORCH_LOGS=perf_hints.
enum class PerfHint : uint8_t {
  kNone,
  kTf32,
  kOnlineSoftmax,
  kNotEnoughSms,
  kFallbackKernel,
  kAutotune,
  kOther,
};
/// The word of a hint in results.
std::string_view PerfHintName(PerfHint hint);

/// The messages of torch._inductor.cudagraph_trees.
enum class CudagraphAction : uint8_t { kNone, kSkip, kRecord, kManySizes, kPartition };
std::string_view CudagraphActionName(CudagraphAction action);

/// The messages of torch.jit.
enum class TorchscriptAction : uint8_t { kNone, kError, kTracerWarning };
std::string_view TorchscriptActionName(TorchscriptAction action);

/// The result of a look-up in a cache of compiled graphs.
enum class CacheOutcome : uint8_t { kNone, kHit, kMiss, kBypass };
std::string_view CacheOutcomeName(CacheOutcome outcome);

// Facts: what each kind of event states. A field that the log does not state keeps its default.

/// "Recompiling function", or a stance that refused to recompile.
struct RecompileFact {
  std::vector<ReasonId> reasons = {};  ///< in printed order
  bool fatal = false;                  ///< raised as an error
  bool operator==(const RecompileFact&) const = default;
};

/// "torch._dynamo hit config.recompile_limit", in any spelling.
struct LimitFact {
  std::optional<int64_t> limit = {};
  LimitName limit_name = LimitName::kNone;
  std::vector<ReasonId> reasons = {};  ///< in printed order
  bool operator==(const LimitFact&) const = default;
};

/// A graph break, as a record, a warning or a fatal exception.
struct GraphBreakFact {
  StrId gb{};           ///< registry id, "GB0059"
  StrId type{};         ///< Gb_type
  bool repeat = false;  ///< duplicate, stack suppressed
  bool fatal = false;   ///< raised as an error
  StrId context{};      ///< "Developer debug context", first line
  StrId message{};      ///< first line, if it is not a Gb_type
  StrId code{};         ///< the line that breaks
  /// The user's line that leads to a break in a library: "/srv/app/train.py:13: y = model(x)".
  StrId called_from{};
  bool calls_compiled = false;  ///< that line calls the compiled function, so it is not part of it
  bool operator==(const GraphBreakFact&) const = default;
};

/// A whole frame runs eagerly.
struct SkippedFrameFact {
  Why why = Why::kNone;
  StrId type{};     ///< class of the exception
  StrId message{};  ///< first line
  bool operator==(const SkippedFrameFact&) const = default;
};

/// A graph was compiled.
struct CompileFact {
  std::optional<double> seconds = {};  ///< wall clock
  std::optional<int64_t> num_ops = {};
  std::optional<int64_t> graph_inputs = {};
  CacheOutcome cache = CacheOutcome::kNone;
  bool operator==(const CompileFact&) const = default;
};

/// Any other exception of torch's compiler.
struct CompileErrorFact {
  StrId type{};     ///< class of the exception
  StrId message{};  ///< first line
  StrId context{};  ///< the line after one that only names the backend
  /// The user's line that leads to an error in a library.
  StrId called_from{};
  bool operator==(const CompileErrorFact&) const = default;
};

/// A dim marked dynamic that the code specializes.
struct ConstraintFact {
  StrId source{};
  int32_t dim = -1;    ///< -1: none
  StrId message{};     ///< the line that names it
  StrId suggestion{};  ///< the declarations that torch.export suggests, as one line of Python
  bool operator==(const ConstraintFact&) const = default;
};

/// A performance hint of Inductor.
struct PerfHintFact {
  PerfHint hint = PerfHint::kNone;
  StrId message{};  ///< first line
  bool operator==(const PerfHintFact&) const = default;
};

/// CUDA graphs skipped, recorded, partitioned.
struct CudagraphFact {
  CudagraphAction action = CudagraphAction::kNone;
  Why why = Why::kNone;
  std::optional<int64_t> count = {};
  StrId message{};  ///< first line
  bool operator==(const CudagraphFact&) const = default;
};

/// One line of a PyTorch/XLA profile or metrics report.
struct XlaMetricFact {
  StrId metric{};
  std::optional<int64_t> count = {};
  std::optional<int64_t> steps = {};
  std::vector<StrId> ops = {};  ///< of `not_lowered`
  /// Accumulated, or of the longest instance if there is no count.
  std::optional<double> seconds = {};
  bool operator==(const XlaMetricFact&) const = default;
};

/// The graph that a PyTorch/XLA block describes.
struct XlaGraph {
  StrId cause{};
  StrId hash{};
  std::optional<int64_t> graph_inputs = {};
  std::optional<int64_t> graph_outputs = {};
  bool operator==(const XlaGraph&) const = default;
};

/// The place in user code that triggered an event elsewhere.
struct TriggerPlace {
  StrId file{};
  uint32_t line = 0;  ///< 0: not stated
  StrId function{};
  bool operator==(const TriggerPlace&) const = default;
};

/// A PyTorch/XLA "Compilation Analysis" block.
struct XlaCompileFact {
  XlaGraph graph = {};
  std::optional<double> graph_input_gb = {};  ///< from its post-compilation block
  TriggerPlace trigger = {};                  ///< innermost frame outside of libraries
  bool operator==(const XlaCompileFact&) const = default;
};

/// A PyTorch/XLA "Execution Analysis" block.
struct XlaExecutionFact {
  XlaGraph graph = {};
  TriggerPlace trigger = {};  ///< innermost frame outside of libraries
  bool fatal = false;         ///< raised as an error
  bool operator==(const XlaExecutionFact&) const = default;
};

/// A graph break known only from the name of a resume function.
struct ImpliedBreakFact {
  TriggerPlace trigger = {};  ///< of the printed break whose stack contains it
  bool operator==(const ImpliedBreakFact&) const = default;
};

/// A recompile known only from a compile id.
struct ImpliedRecompileFact {
  std::vector<ReasonId> reasons = {};  ///< differences between printed guards
  bool operator==(const ImpliedRecompileFact&) const = default;
};

/// A TorchScript error or tracer warning.
struct TorchscriptFact {
  StrId message{};  ///< first line
  TorchscriptAction action = TorchscriptAction::kNone;
  StrId type{};  ///< class of the exception
  bool operator==(const TorchscriptFact&) const = default;
};

/// Dynamo skipped or ignored an active mode.
struct IgnoredModeFact {
  Why why = Why::kNone;
  StrId message{};  ///< first line
  bool operator==(const IgnoredModeFact&) const = default;
};

/// The fact of an event. The alternatives are in the order of EventKind, which is derived from
/// them.
using EventFact =
    std::variant<RecompileFact, LimitFact, GraphBreakFact, SkippedFrameFact, CompileFact,
                 CompileErrorFact, ConstraintFact, PerfHintFact, CudagraphFact, XlaMetricFact,
                 XlaCompileFact, XlaExecutionFact, ImpliedBreakFact, ImpliedRecompileFact,
                 TorchscriptFact, IgnoredModeFact>;
static_assert(std::variant_size_v<EventFact> == kNumEventKinds);

/// Calls visit.template operator()<Fact>() for every kind of fact, in the order of EventKind.
template <typename Visitor>
constexpr void ForEachFact(Visitor&& visit) {
  [&visit]<typename... Each>(std::type_identity<std::variant<Each...>>) {
    (visit.template operator()<Each>(), ...);
  }(std::type_identity<EventFact>());
}

/// The kind of events with a `Fact`; kNumEventKinds for any other type.
template <typename Fact>
inline constexpr EventKind kKindOf = [] {
  size_t index = 0;
  bool is_before = true;
  ForEachFact([&]<typename Each>() {
    is_before = is_before && !std::is_same_v<Each, Fact>;
    index += is_before ? 1 : 0;
  });
  return static_cast<EventKind>(index);
}();

/// A fact of `kind` with default fields.
EventFact EmptyFact(EventKind kind);

/// The content of an event, without its place and time: repeated records share one.
struct EventDetail {
  // The compiled frame.
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;  ///< 0: not stated

  // The innermost user frame of the printed stack.
  StrId user_file{};
  uint32_t user_line = 0;  ///< 0: not stated
  StrId user_function{};

  bool cut = false;  ///< the record is truncated
  EventFact fact = {};

  EventKind kind() const { return static_cast<EventKind>(fact.index()); }

  /// The fact, if it is a `Fact`; else null.
  template <typename Fact>
  const Fact* As() const {
    return std::get_if<Fact>(&fact);
  }
  template <typename Fact>
  Fact* As() {
    return std::get_if<Fact>(&fact);
  }

  // Fields that several kinds of facts have; empty, or null, if this one does not.
  StrId type() const;
  StrId message() const;
  Why why() const;
  const std::vector<ReasonId>& reasons() const;
  const XlaGraph* xla_graph() const;
  const TriggerPlace* trigger() const;
  bool is_fatal_break() const;

  // Sets the field if the fact has it.
  void set_message(StrId message);
  std::vector<ReasonId>* mutable_reasons();
  XlaGraph* mutable_xla_graph();

  bool operator==(const EventDetail&) const = default;
};

/// Identifies an EventDetail in a Session.
enum class DetailId : uint32_t {};

/// The rank is unknown.
inline constexpr int32_t kNoRank = -1;

/// A logged event. Small, because a run can have a million of them.
struct Event {
  uint64_t line = 0;       ///< 1-based first line in the input
  LogTime time;            ///< of that line, if printed
  uint32_t input = 0;      ///< index into Session::inputs()
  int32_t rank = kNoRank;  ///< distributed rank
  StrId compile_id{};      ///< "0/1", "0/1_1", "!0/3/0"; kNone: not printed
  DetailId detail{};
  /// Similar events after the previous stored one that were counted but not stored; see repeats.h.
  uint64_t folded = 0;

  /// The number of events it represents, including folded ones.
  uint64_t times() const { return 1 + folded; }
};

/// A process as logs show it: one rank in one input.
struct ProcessKey {
  int32_t rank = kNoRank;
  uint32_t input = 0;

  friend auto operator<=>(const ProcessKey&, const ProcessKey&) = default;
};

/// The process of an event, compilation, span or what else has `rank` and `input`.
template <typename Record>
ProcessKey ProcessOf(const Record& record) {
  return {record.rank, record.input};
}

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_EVENT_H_
