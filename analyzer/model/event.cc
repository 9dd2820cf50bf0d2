#include "model/event.h"

#include <array>
#include <cinttypes>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <variant>

#include "model/span.h"
#include "support/enum_name.h"

namespace shapewise {
namespace {

// The members that facts of several kinds have. None can be called with a fact that lacks it.
constexpr auto kType = [](auto& fact) -> decltype((fact.type)) { return fact.type; };
constexpr auto kMessage = [](auto& fact) -> decltype((fact.message)) { return fact.message; };
constexpr auto kWhy = [](auto& fact) -> decltype((fact.why)) { return fact.why; };
constexpr auto kReasons = [](auto& fact) -> decltype((fact.reasons)) { return fact.reasons; };
constexpr auto kGraph = [](auto& fact) -> decltype((fact.graph)) { return fact.graph; };
constexpr auto kTrigger = [](auto& fact) -> decltype((fact.trigger)) { return fact.trigger; };

/// The member of the fact; null if it lacks it.
template <typename Field, typename Fact, typename Member>
Field* FindField(Fact& fact, Member member) {
  return std::visit(
      [member](auto& own) -> Field* {
        if constexpr (std::invocable<Member, decltype(own)>) {
          return &member(own);
        } else {
          return nullptr;
        }
      },
      fact);
}

/// The member of the fact; the default if it lacks it.
template <typename Value, typename Member>
Value ValueOf(const EventFact& fact, Member member) {
  const Value* const found = FindField<const Value>(fact, member);
  return found != nullptr ? *found : Value{};
}

}  // namespace

Reason InternFailure(const GuardFailure& failure, StringPool& strings) {
  const auto id = [&strings](std::string_view text) { return strings.Intern(text); };
  return {.entry = id(failure.entry),
          .guard = id(failure.guard),
          .guard_class = failure.guard_class,
          .value_type = failure.value_type,
          .source = id(failure.source),
          .dim = failure.dim,
          .expected = id(failure.expected),
          .actual = id(failure.actual),
          .user_file = id(failure.user_file),
          .user_line = failure.user_line,
          .user_function = id(failure.user_function),
          .code = id(failure.code),
          .outer_code = id(failure.outer_code),
          .hint = id(failure.hint)};
}

EventFact EmptyFact(EventKind kind) {
  EventFact fact;
  ForEachFact([&]<typename Fact>() {
    if (kKindOf<Fact> == kind) fact.emplace<Fact>();
  });
  return fact;
}

StrId EventDetail::type() const { return ValueOf<StrId>(fact, kType); }
StrId EventDetail::message() const { return ValueOf<StrId>(fact, kMessage); }
Why EventDetail::why() const { return ValueOf<Why>(fact, kWhy); }

void EventDetail::set_message(StrId message) {
  if (StrId* const own = FindField<StrId>(fact, kMessage)) *own = message;
}

const std::vector<ReasonId>& EventDetail::reasons() const {
  static const std::vector<ReasonId> none;
  const auto* const own = FindField<const std::vector<ReasonId>>(fact, kReasons);
  return own != nullptr ? *own : none;
}

std::vector<ReasonId>* EventDetail::mutable_reasons() {
  return FindField<std::vector<ReasonId>>(fact, kReasons);
}

const XlaGraph* EventDetail::xla_graph() const { return FindField<const XlaGraph>(fact, kGraph); }
XlaGraph* EventDetail::mutable_xla_graph() { return FindField<XlaGraph>(fact, kGraph); }

bool EventDetail::is_fatal_break() const {
  const auto* const graph_break = As<GraphBreakFact>();
  return graph_break != nullptr && graph_break->fatal;
}

const TriggerPlace* EventDetail::trigger() const {
  return FindField<const TriggerPlace>(fact, kTrigger);
}

std::string FormatLogTime(const LogTime& time) {
  if (!time.known()) return {};
  constexpr int64_t kMicrosPerSecond = 1'000'000;
  const int64_t seconds = time.micros / kMicrosPerSecond;
  // Fits "2147483647-255-255 " and a time with all digits of 64 bits.
  std::array<char, 64> buffer{};
  size_t size = 0;
  const auto append = [&buffer, &size](const char* format, auto... values) {
    const int printed =
        std::snprintf(buffer.data() + size, buffer.size() - size, format, values...);
    if (printed > 0) size += static_cast<size_t>(printed);
  };
  if (time.year != 0) append("%04d-", static_cast<int>(time.year));
  if (time.month != 0) append("%02d-%02d ", int{time.month}, int{time.day});
  append("%02" PRId64 ":%02d:%02d.%06d", seconds / 3600, static_cast<int>(seconds / 60 % 60),
         static_cast<int>(seconds % 60), static_cast<int>(time.micros % kMicrosPerSecond));
  return {buffer.data(), size};
}

std::string_view WhyName(Why why) {
  return EnumName<Why::kOther>(why, {"",
                                     "cannot-resume",
                                     "loop-break",
                                     "compile-error",
                                     "no-tensors",
                                     "empty",
                                     "disabled",
                                     "mutated-inputs",
                                     "cpu-device",
                                     "multiple-devices",
                                     "non-gpu-ops",
                                     "incompatible-op",
                                     "control-flow",
                                     "dynamic-shapes",
                                     "non-tensor-inputs",
                                     "index-put",
                                     "cpp-wrapper",
                                     "aliasing",
                                     "rerecord-limit",
                                     "dispatch-mode",
                                     "function-mode",
                                     "profiler",
                                     "hooks",
                                     "lru-cache",
                                     "other"});
}

std::string_view LimitNameText(LimitName name) {
  return EnumName<LimitName::kAccumulatedRecompileLimit>(
      name, {"", "recompile_limit", "accumulated_recompile_limit"});
}

std::string_view PerfHintName(PerfHint hint) {
  return EnumName<PerfHint::kOther>(hint, {"", "tf32", "online-softmax", "not-enough-sms",
                                           "fallback-kernel", "autotune", "other"});
}

std::string_view CudagraphActionName(CudagraphAction action) {
  return EnumName<CudagraphAction::kPartition>(action,
                                               {"", "skip", "record", "many-sizes", "partition"});
}

std::string_view TorchscriptActionName(TorchscriptAction action) {
  return EnumName<TorchscriptAction::kTracerWarning>(action, {"", "error", "tracer-warning"});
}

std::string_view CacheOutcomeName(CacheOutcome outcome) {
  return EnumName<CacheOutcome::kBypass>(outcome, {"", "hit", "miss", "bypass"});
}

std::optional<double> LocalSeconds(const LogTime& time) {
  constexpr int kDaysBefore[] = {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335};
  if (!time.known() || time.month < 1 || time.month > 12 || time.day < 1) return std::nullopt;
  const int days = kDaysBefore[time.month - 1] + time.day - 1;
  return days * 86400.0 + static_cast<double>(time.micros) * 1e-6;
}

}  // namespace shapewise
