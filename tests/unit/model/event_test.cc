#include "model/event.h"

#include <string_view>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

// The names of all enumerators up to `last`, in their order.
template <typename Enum, typename Name>
std::vector<std::string_view> NamesUpTo(Enum last, Name name) {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.push_back(name(static_cast<Enum>(i)));
  return names;
}

using Names = std::vector<std::string_view>;

TEST_CASE("event kinds have the names of the contract") {
  CHECK(NamesUpTo(EventKind::kIgnoredMode, EventKindName) ==
        Names{"recompile", "recompile_limit", "graph_break", "skipped_frame", "compile",
              "compile_error", "constraint_violation", "perf_hint", "cudagraph", "xla_metric",
              "xla_compile", "xla_execution", "implied_break", "implied_recompile", "torchscript",
              "ignored_mode"});
}

TEST_CASE("the closed lists have the words of the contract, and none is spelled as nothing") {
  CHECK(NamesUpTo(Why::kOther, WhyName) == Names{"",
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
  CHECK(NamesUpTo(LimitName::kAccumulatedRecompileLimit, LimitNameText) ==
        Names{"", "recompile_limit", "accumulated_recompile_limit"});
  CHECK(NamesUpTo(PerfHint::kOther, PerfHintName) == Names{"", "tf32", "online-softmax",
                                                           "not-enough-sms", "fallback-kernel",
                                                           "autotune", "other"});
  CHECK(NamesUpTo(CudagraphAction::kPartition, CudagraphActionName) ==
        Names{"", "skip", "record", "many-sizes", "partition"});
  CHECK(NamesUpTo(TorchscriptAction::kTracerWarning, TorchscriptActionName) ==
        Names{"", "error", "tracer-warning"});
  CHECK(NamesUpTo(CacheOutcome::kBypass, CacheOutcomeName) == Names{"", "hit", "miss", "bypass"});
}

TEST_CASE("a time is printed as the log prints it, with the year where there is one") {
  constexpr int64_t kMicros = ((3 * 60 + 52) * 60 + 28) * int64_t{1'000'000} + 504'000;
  CHECK(FormatLogTime({.year = 0, .month = 11, .day = 21, .micros = kMicros}) ==
        "11-21 03:52:28.504000");
  CHECK(FormatLogTime({.year = 2024, .month = 11, .day = 21, .micros = kMicros}) ==
        "2024-11-21 03:52:28.504000");
  CHECK(FormatLogTime({.year = 0, .month = 1, .day = 2, .micros = 0}) == "01-02 00:00:00.000000");
}

TEST_CASE("a time without date is printed without one, an unknown time not at all") {
  CHECK(FormatLogTime({.year = 0, .month = 0, .day = 0, .micros = 1'000'001}) == "00:00:01.000001");
  CHECK(FormatLogTime({}).empty());
  CHECK(FormatLogTime({.year = 2024, .month = 11, .day = 21, .micros = -1}).empty());
}

TEST_CASE("fields that a log damaged still print, within bounds") {
  const LogTime wild = {.year = INT32_MAX, .month = 255, .day = 255, .micros = INT64_MAX};
  CHECK(FormatLogTime(wild) == "2147483647-255-255 2562047788:00:54.775807");
}

}  // namespace
}  // namespace shapewise
