#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "pipeline/json_members.h"
#include "pipeline/replay_plan.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

// Assumed relative variation of compile times if unknown.
constexpr double kCompileNoise = 0.05;

/// Seconds for compiling and `calls` calls.
std::optional<MeasuredRange> SecondsOf(const PolicyMeasurement& measured, uint64_t calls) {
  const std::optional<MeasuredRange>& rate = measured.steps_per_second;
  if (!rate || rate->low <= 0) return std::nullopt;
  MeasuredRange cold;
  auto left = static_cast<double>(calls);
  if (measured.cold_seconds && measured.steps && *measured.steps <= calls) {
    cold = *measured.cold_seconds;
    left -= static_cast<double>(*measured.steps);
  } else if (measured.compile_seconds) {
    cold.value = cold.low = cold.high = *measured.compile_seconds;
  }
  if (cold.low == cold.high) {
    const double compiling = std::min(measured.compile_seconds.value_or(cold.value), cold.value);
    cold.low -= kCompileNoise * compiling;
    cold.high += kCompileNoise * compiling;
  }
  return MeasuredRange{.value = cold.value + left / rate->value,
                       .low = cold.low + left / rate->high,
                       .high = cold.high + left / rate->low};
}

/// The number of calls at which a policy that compiles less but has slower calls, or the reverse,
/// and the unchanged run take the same time; absent: one is better in both respects, or the rates
/// are equal within noise.
std::optional<uint64_t> CallsUntilFaster(const PolicyMeasurement& base,
                                         const PolicyMeasurement& other) {
  if (!base.steps_per_second || !other.steps_per_second) return std::nullopt;
  if (!base.compile_seconds || !other.compile_seconds) return std::nullopt;
  const MeasuredRange& mine = *other.steps_per_second;
  const MeasuredRange& theirs = *base.steps_per_second;
  const bool are_equal = mine.low <= theirs.high && theirs.low <= mine.high;
  if (are_equal || mine.value <= 0 || theirs.value <= 0) return std::nullopt;
  const double calls =
      (*base.compile_seconds - *other.compile_seconds) / (1 / mine.value - 1 / theirs.value);
  constexpr double kMost = 1e15;
  if (!(calls > 0) || calls > kMost) return std::nullopt;
  return static_cast<uint64_t>(std::ceil(calls));
}

bool Compiles(const PolicyMeasurement& less, const PolicyMeasurement& more) {
  const bool ends_limit = more.hits_limit == true && less.hits_limit == false;
  return ends_limit || (less.compiles && more.compiles && *less.compiles < *more.compiles);
}

/// The verdict on `policy`, compared with the unchanged run `base`; sets the reason.
ReplayVerdict VerdictOn(const ReplayedPolicy& base, ReplayedPolicy& policy) {
  const PolicyMeasurement& measured = policy.measured;
  const PolicyMeasurement& before = base.measured;
  if (!measured.was_run) return ReplayVerdict::kNotRun;
  if (!measured.error.empty()) {
    policy.why = "it raised: " + measured.error;
    return before.error.empty() ? ReplayVerdict::kFailed : ReplayVerdict::kNoChange;
  }
  if (measured.equal == false && before.equal != false) {
    policy.why = "its results are not those of the program";
    if (!measured.equal_why.empty()) policy.why += ": " + measured.equal_why;
    return ReplayVerdict::kDifferent;
  }
  if (!before.error.empty()) {
    policy.why = "the run as it is raises an error, and this one does not";
    return ReplayVerdict::kFaster;
  }
  if (!policy.seconds || !base.seconds) {
    policy.why = "no time was measured";
    return Compiles(measured, before) ? ReplayVerdict::kFewer : ReplayVerdict::kNoChange;
  }
  if (policy.seconds->high < base.seconds->low) return ReplayVerdict::kFaster;
  if (policy.seconds->low > base.seconds->high) return ReplayVerdict::kSlower;
  if (Compiles(measured, before)) return ReplayVerdict::kFewer;
  policy.why = "the difference is within noise, and it compiles as often";
  return ReplayVerdict::kNoChange;
}

/// Whether its time can be compared with others.
bool Counts(const ReplayedPolicy& policy) {
  return policy.seconds && policy.verdict != ReplayVerdict::kDifferent &&
         policy.verdict != ReplayVerdict::kFailed && policy.measured.error.empty();
}

using Json = nlohmann::json;

constexpr std::string_view kAnswerSchema = "shapewise.replay/1";

std::optional<double> NumberOf(const Json& json, const char* key) {
  const std::optional<double> number = NumberMember(json, key);
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<uint64_t> CountOf(const Json& json, const char* key) {
  constexpr double kMost = 9e15;
  const std::optional<double> number = NumberOf(json, key);
  if (!number || *number > kMost || *number != std::floor(*number)) return std::nullopt;
  return static_cast<uint64_t>(*number);
}

std::optional<bool> TruthOf(const Json& json, const char* key) {
  const Json* found = FindMember(json, key);
  if (found == nullptr || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

/// `value` with the interval [low, high] called `range`; without it, as if measured exactly.
std::optional<MeasuredRange> IntervalOf(const Json& json, const char* value, const char* range) {
  const std::optional<double> number = NumberOf(json, value);
  if (!number) return std::nullopt;
  MeasuredRange measured{.value = *number, .low = *number, .high = *number};
  const Json& ends = ListMember(json, range);
  if (ends.size() != 2 || !ends[0].is_number() || !ends[1].is_number()) return measured;
  measured.low = std::clamp(ends[0].get<double>(), 0.0, *number);
  measured.high = std::max(ends[1].get<double>(), *number);
  return measured;
}

PolicyMeasurement MeasurementOf(const Json& json) {
  PolicyMeasurement measured;
  measured.was_run = true;
  measured.error = TextMember(json, "error");
  const uint64_t raised = CountOf(json, "error_calls").value_or(0);
  if (measured.error.empty() && raised > 0) {
    measured.error = Counted(raised, "call raises", "calls raise");
  }
  measured.steps = CountOf(json, "steps");
  measured.steps_per_second = IntervalOf(json, "steps_per_second", "steps_per_second_interval");
  measured.compiles = CountOf(json, "compiles");
  measured.compile_seconds = NumberOf(json, "compile_seconds");
  measured.cold_seconds = IntervalOf(json, "wall_seconds", "wall_seconds_interval");
  measured.hits_limit = TruthOf(json, "recompile_limit_hit");
  measured.peak_bytes = CountOf(json, "peak_bytes");
  measured.equal = TruthOf(json, "equal");
  measured.equal_why = TextMember(json, "equal_why");
  measured.max_abs_error = NumberOf(json, "max_abs_error");
  return measured;
}

}  // namespace

void JudgePolicies(uint64_t calls, ReplayReport& report) {
  if (report.policies.empty()) return;
  report.judged_calls = calls;
  for (ReplayedPolicy& policy : report.policies) policy.seconds = SecondsOf(policy.measured, calls);
  ReplayedPolicy& base = report.policies.front();
  if (base.measured.was_run) base.verdict = ReplayVerdict::kBaseline;
  for (size_t i = 1; i < report.policies.size(); ++i) {
    ReplayedPolicy& policy = report.policies[i];
    policy.verdict = base.measured.was_run ? VerdictOn(base, policy) : ReplayVerdict::kNotRun;
    policy.break_even_calls = CallsUntilFaster(base.measured, policy.measured);
  }
  for (size_t i = 0; i < report.policies.size(); ++i) {
    if (!Counts(report.policies[i])) continue;
    const bool is_better = !report.best || report.policies[i].seconds->value <
                                               report.policies[*report.best].seconds->value;
    if (is_better) report.best = i;
  }
  if (!report.best) return;
  const MeasuredRange& best = *report.policies[*report.best].seconds;
  for (size_t i = 0; i < report.policies.size(); ++i) {
    if (i == *report.best || !Counts(report.policies[i])) continue;
    if (report.policies[i].seconds->low <= best.high) report.as_good.push_back(i);
  }
}

Error ReadReplayAnswer(std::string_view text, ReplayReport& report) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  const Json* policies = FindMember(json, "policies");
  if (TextMember(json, "schema") != kAnswerSchema || policies == nullptr || !policies->is_array()) {
    return MakeError("what ran the policies did not answer with " + std::string(kAnswerSchema));
  }
  report.device = TextMember(json, "device");
  report.torch = TextMember(json, "torch");
  report.script = TextMember(json, "script");
  for (const Json& entry : *policies) {
    const std::string name = TextMember(entry, "name");
    const auto found = std::ranges::find(report.policies, name, &ReplayedPolicy::policy);
    if (found != report.policies.end()) found->measured = MeasurementOf(entry);
  }
  for (const char* list : {"gaps", "notes"}) {
    llvm::append_range(report.gaps, TextsMember(json, list));
  }
  return Error::success();
}

}  // namespace shapewise
