// Events: what a log reports, one object a thing, with its place.
//
// These are facts as printed. Folding them into causes is the work of analyzer/causes.

#ifndef SHAPEWISE_MODEL_EVENT_H_
#define SHAPEWISE_MODEL_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
std::string_view EventKindName(EventKind kind);

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

/// One earlier cache entry that did not fit, as interned text. Fields as in GuardFailure.
struct Reason {
  StrId entry{};
  StrId guard{};
  GuardClass guard_class = GuardClass::kOther;
  StrId source{};
  int32_t dim = -1;
  StrId expected{};
  StrId actual{};
  StrId user_file{};
  uint32_t user_line = 0;
  StrId user_function{};
  StrId code{};
  StrId hint{};

  friend bool operator==(const Reason&, const Reason&) = default;
};

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

/// What an event says, apart from where and when: repeated records share one of these.
/// A field that the kind does not have, or the log does not state, keeps its default.
struct EventDetail {
  EventKind kind = EventKind::kRecompile;

  // The compiled frame.
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;  ///< 0: not stated

  // The innermost frame of the stack that is printed as the user's.
  StrId user_file{};
  uint32_t user_line = 0;  ///< 0: not stated
  StrId user_function{};

  std::vector<ReasonId> reasons;  ///< recompile, recompile_limit: in printed order

  std::optional<int64_t> limit;             ///< recompile_limit
  LimitName limit_name = LimitName::kNone;  ///< recompile_limit
  StrId gb{};                               ///< graph_break: registry id, "GB0059"
  StrId type{};                             ///< graph_break: Gb_type; else an exception's class
  bool repeat = false;                      ///< graph_break: duplicate, stack suppressed
  bool fatal = false;                       ///< graph_break, xla_execution: raised as an error
  bool cut = false;                         ///< the record stops before it is complete
  StrId context{};                          ///< graph_break: "Developer debug context", 1st line
  StrId message{};                          ///< first line of a message
  Why why = Why::kNone;                     ///< skipped_frame, cudagraph, ignored_mode
  StrId source{};                           ///< constraint_violation
  int32_t dim = -1;                         ///< constraint_violation; -1: none
  PerfHint hint = PerfHint::kNone;          ///< perf_hint
  CudagraphAction action = CudagraphAction::kNone;                  ///< cudagraph
  TorchscriptAction torchscript_action = TorchscriptAction::kNone;  ///< torchscript
  std::optional<int64_t> count;                                     ///< cudagraph, xla_metric
  std::optional<int64_t> steps;                                     ///< xla_metric
  StrId metric{};                                                   ///< xla_metric
  std::vector<StrId> ops;                ///< xla_metric `not_lowered`: operators
  StrId cause{};                         ///< xla_compile, xla_execution
  StrId hash{};                          ///< xla_compile, xla_execution
  std::optional<int64_t> graph_inputs;   ///< xla_*, compile
  std::optional<int64_t> graph_outputs;  ///< xla_*
  std::optional<double> graph_input_gb;  ///< xla_compile: as its post-compilation block tells
  /// xla_compile, xla_execution: innermost frame that is no library's; implied_break: place of the
  /// printed break in whose stack it is
  StrId trigger_file{};
  uint32_t trigger_line = 0;  ///< 0: not stated
  StrId trigger_function{};
  /// compile: wall clock; xla_metric: the accumulated time, or without a count the longest instance
  std::optional<double> seconds;
  std::optional<int64_t> num_ops;            ///< compile
  CacheOutcome cache = CacheOutcome::kNone;  ///< compile

  friend bool operator==(const EventDetail&, const EventDetail&) = default;
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
