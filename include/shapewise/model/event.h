// Events: what a log reports, one object a thing, with its place.
//
// These are facts as printed. Folding them into causes is the work of analyzer/causes.

#ifndef SHAPEWISE_MODEL_EVENT_H_
#define SHAPEWISE_MODEL_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "shapewise/model/guard.h"
#include "shapewise/support/string_pool.h"

namespace shapewise {

/// The kinds of event; the names in JSON are those of EventKindName.
enum class EventKind : uint8_t {
  kRecompile,            ///< "Recompiling function", and a stance that refused to
  kRecompileLimit,       ///< "torch._dynamo hit config.recompile_limit", by any of its names
  kGraphBreak,           ///< a graph break, as a record, a warning or a fatal exception
  kSkippedFrame,         ///< a whole frame runs eager
  kCompile,              ///< a graph was compiled
  kCompileError,         ///< an exception of torch's compiler that is none of the others
  kConstraintViolation,  ///< a dim marked dynamic that the code specialises
  kPerfHint,             ///< a performance hint of Inductor
  kCudagraph,            ///< CUDA graphs skipped, recorded, partitioned
  kXlaMetric,            ///< one line of a PyTorch/XLA profile or metrics report
  kXlaCompile,           ///< a PyTorch/XLA "Compilation Analysis" block
  kXlaExecution,         ///< a PyTorch/XLA "Execution Analysis" block
  kImpliedBreak,         ///< a break seen only through a resume function's name
  kImpliedRecompile,     ///< a recompile seen only through a compile id
  kTorchscript,          ///< a TorchScript error or tracer warning
  kIgnoredMode,          ///< Dynamo stood aside for, or ignored, something active
};

/// How many kinds there are.
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

/// When a line was logged. glog-style prefixes print no year.
struct LogTime {
  int32_t year = 0;     ///< 0: not printed
  uint8_t month = 0;    ///< 1..12; 0: the line has no time
  uint8_t day = 0;      ///< 1..31
  int64_t micros = -1;  ///< microseconds since midnight; -1: not printed

  bool known() const { return micros >= 0; }
  friend bool operator==(const LogTime&, const LogTime&) = default;
};

/// "11-21 03:52:28.504000", or with the year in front; empty when unknown.
std::string FormatLogTime(const LogTime& time);

/// One earlier cache entry that did not fit, as interned text.
using Reason = GuardFailureOf<StrId>;

/// Interns the views of `failure`.
Reason InternFailure(const GuardFailure& failure, StringPool& strings);

/// Names one Reason of one Session.
enum class ReasonId : uint32_t {};

/// The closed word lists of the contract. kNone is "not stated"; the names in JSON come from
/// WhyName and its kin.
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
/// The word of it, as results have it.
std::string_view WhyName(Why why);

/// Which of the two limits was hit, by the name that torch._dynamo.config has for it since 2.7.
enum class LimitName : uint8_t { kNone, kRecompileLimit, kAccumulatedRecompileLimit };
std::string_view LimitNameText(LimitName name);

/// What TORCH_LOGS=perf_hints speaks of.
enum class PerfHint : uint8_t {
  kNone,
  kTf32,
  kOnlineSoftmax,
  kNotEnoughSms,
  kFallbackKernel,
  kAutotune,
  kOther,
};
/// The word of a hint, as results have it.
std::string_view PerfHintName(PerfHint hint);

/// What torch._inductor.cudagraph_trees tells of.
enum class CudagraphAction : uint8_t { kNone, kSkip, kRecord, kManySizes, kPartition };
std::string_view CudagraphActionName(CudagraphAction action);

/// What torch.jit tells of.
enum class TorchscriptAction : uint8_t { kNone, kError, kTracerWarning };
std::string_view TorchscriptActionName(TorchscriptAction action);

/// What a look-up in the caches of compiled graphs gave.
enum class CacheOutcome : uint8_t { kNone, kHit, kMiss, kBypass };
std::string_view CacheOutcomeName(CacheOutcome outcome);

// The facts: what one kind of event states. A field that the log does not state keeps its default.

/// "Recompiling function", and a stance that refused to.
struct RecompileFact {
  std::vector<ReasonId> reasons = {};  ///< in printed order
  bool fatal = false;                  ///< raised as an error
  bool operator==(const RecompileFact&) const = default;
};

/// "torch._dynamo hit config.recompile_limit", by any of its names.
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
  StrId message{};      ///< first line, where it is no Gb_type
  bool operator==(const GraphBreakFact&) const = default;
};

/// A whole frame runs eager.
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

/// An exception of torch's compiler that is none of the others.
struct CompileErrorFact {
  StrId type{};     ///< class of the exception
  StrId message{};  ///< first line
  StrId context{};  ///< the line below one that names the backend only
  bool operator==(const CompileErrorFact&) const = default;
};

/// A dim marked dynamic that the code specialises.
struct ConstraintFact {
  StrId source{};
  int32_t dim = -1;  ///< -1: none
  StrId message{};   ///< the line that names it
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
  std::vector<StrId> ops = {};         ///< of `not_lowered`
  std::optional<double> seconds = {};  ///< accumulated, or without a count of the longest instance
  bool operator==(const XlaMetricFact&) const = default;
};

/// The graph that a block of PyTorch/XLA is about.
struct XlaGraph {
  StrId cause{};
  StrId hash{};
  std::optional<int64_t> graph_inputs = {};
  std::optional<int64_t> graph_outputs = {};
  bool operator==(const XlaGraph&) const = default;
};

/// A place in the user's code that stands behind an event at another place.
struct TriggerPlace {
  StrId file{};
  uint32_t line = 0;  ///< 0: not stated
  StrId function{};
  bool operator==(const TriggerPlace&) const = default;
};

/// A PyTorch/XLA "Compilation Analysis" block.
struct XlaCompileFact {
  XlaGraph graph = {};
  std::optional<double> graph_input_gb = {};  ///< as its post-compilation block tells
  TriggerPlace trigger = {};                  ///< innermost frame that is no library's
  bool operator==(const XlaCompileFact&) const = default;
};

/// A PyTorch/XLA "Execution Analysis" block.
struct XlaExecutionFact {
  XlaGraph graph = {};
  TriggerPlace trigger = {};  ///< innermost frame that is no library's
  bool fatal = false;         ///< raised as an error
  bool operator==(const XlaExecutionFact&) const = default;
};

/// A break seen only through a resume function's name.
struct ImpliedBreakFact {
  TriggerPlace trigger = {};  ///< of the printed break in whose stack it is
  bool operator==(const ImpliedBreakFact&) const = default;
};

/// A recompile seen only through a compile id.
struct ImpliedRecompileFact {
  std::vector<ReasonId> reasons = {};  ///< what differs between printed guards
  bool operator==(const ImpliedRecompileFact&) const = default;
};

/// A TorchScript error or tracer warning.
struct TorchscriptFact {
  StrId message{};  ///< first line
  TorchscriptAction action = TorchscriptAction::kNone;
  StrId type{};  ///< class of the exception
  bool operator==(const TorchscriptFact&) const = default;
};

/// Dynamo stood aside for, or ignored, something active.
struct IgnoredModeFact {
  Why why = Why::kNone;
  StrId message{};  ///< first line
  bool operator==(const IgnoredModeFact&) const = default;
};

/// What one event states. The alternatives stand in the order of EventKind, which follows from
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

/// The kind of the events that state a `Fact`; kNumEventKinds for any other type.
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

/// A fact of `kind` that states nothing.
EventFact EmptyFact(EventKind kind);

/// What an event says, apart from where and when: repeated records share one of these.
struct EventDetail {
  // The compiled frame.
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;  ///< 0: not stated

  // The innermost frame of the stack that is printed as the user's.
  StrId user_file{};
  uint32_t user_line = 0;  ///< 0: not stated
  StrId user_function{};

  bool cut = false;  ///< the record stops before it is complete
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

  // What facts of several kinds have; empty, or null, if this one has no such field.
  StrId type() const;
  StrId message() const;
  Why why() const;
  const std::vector<ReasonId>& reasons() const;
  const XlaGraph* xla_graph() const;
  const TriggerPlace* trigger() const;
  bool is_fatal_break() const;

  // The same, to change it.
  void set_message(StrId message);
  std::vector<ReasonId>* mutable_reasons();
  XlaGraph* mutable_xla_graph();

  bool operator==(const EventDetail&) const = default;
};

/// Names one EventDetail of one Session.
enum class DetailId : uint32_t {};

/// No rank is known.
inline constexpr int32_t kNoRank = -1;

/// One thing that a log reports. Small, because a run can have a million of them.
struct Event {
  uint64_t line = 0;       ///< 1-based line of the input where it begins
  LogTime time;            ///< of that line, where printed
  uint32_t input = 0;      ///< index into Session::inputs()
  int32_t rank = kNoRank;  ///< distributed rank
  StrId compile_id{};      ///< "0/1", "0/1_1", "!0/3/0"; kNone: not printed
  DetailId detail{};
  /// Events like it, between the one kept before and this, that were counted and not kept. See
  /// repeats.h.
  uint64_t folded = 0;

  /// For how many events it stands: itself and those that it folds.
  uint64_t times() const { return 1 + folded; }
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_EVENT_H_
