#include "pipeline/replay_job.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "pipeline/json_members.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "shapewise.replay/1";

/// A non-negative number.
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
std::optional<MeasuredRange> RangeOf(const Json& json, const char* value, const char* range) {
  const std::optional<double> number = NumberOf(json, value);
  if (!number) return std::nullopt;
  MeasuredRange measured{.value = *number, .low = *number, .high = *number};
  const Json* ends = FindMember(json, range);
  if (ends == nullptr || !ends->is_array() || ends->size() != 2) return measured;
  if (!(*ends)[0].is_number() || !(*ends)[1].is_number()) return measured;
  measured.low = std::clamp((*ends)[0].get<double>(), 0.0, *number);
  measured.high = std::max((*ends)[1].get<double>(), *number);
  return measured;
}

PolicyMeasurement MeasurementOf(const Json& json) {
  PolicyMeasurement measured;
  measured.was_run = true;
  measured.error = TextMember(json, "error");
  const uint64_t raised = CountOf(json, "error_calls").value_or(0);
  if (measured.error.empty() && raised > 0) {
    measured.error = std::to_string(raised) + (raised == 1 ? " call raises" : " calls raise");
  }
  measured.steps = CountOf(json, "steps");
  measured.steps_per_second = RangeOf(json, "steps_per_second", "steps_per_second_interval");
  measured.compiles = CountOf(json, "compiles");
  measured.compile_seconds = NumberOf(json, "compile_seconds");
  measured.cold_seconds = RangeOf(json, "wall_seconds", "wall_seconds_interval");
  measured.hits_limit = TruthOf(json, "recompile_limit_hit");
  measured.peak_bytes = CountOf(json, "peak_bytes");
  measured.equal = TruthOf(json, "equal");
  measured.equal_why = TextMember(json, "equal_why");
  measured.max_abs_error = NumberOf(json, "max_abs_error");
  return measured;
}

}  // namespace

Error ReadReplayAnswer(std::string_view text, ReplayReport& report) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  const Json* policies = FindMember(json, "policies");
  if (TextMember(json, "schema") != kSchema || policies == nullptr || !policies->is_array()) {
    return MakeError("what ran the policies did not answer with " + std::string(kSchema));
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
