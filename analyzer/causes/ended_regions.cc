#include "causes/find_causes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "model/event.h"

namespace shapewise {
namespace {

constexpr uint64_t kMinSteps = 5;  // with compiled code, and the same number without it

/// What the profile of one process shows.
struct Profile {
  Clock clock = Clock::kUnknown;
  double first_run = 0;
  double last_run = 0;
  std::vector<StrId> regions;  // by place
  uint64_t steps_with = 0;     // from the first run to the last
  uint64_t steps_after = 0;
  double last_step_begin = 0;  // of those with runs
  int64_t last_number = -1;
  bool compiled_after = false;
};

std::map<ProcessKey, Profile> ProfilesOf(const Session& session) {
  std::map<ProcessKey, Profile> profiles;
  for (const RegionRuns& runs : session.region_runs()) {
    const auto [found, is_new] = profiles.try_emplace(ProcessOf(runs));
    Profile& profile = found->second;
    if (is_new) {
      profile.clock = runs.clock;
      profile.first_run = runs.first;
      profile.last_run = runs.last;
    }
    profile.first_run = std::min(profile.first_run, runs.first);
    profile.last_run = std::max(profile.last_run, runs.last);
    if (runs.compile_id != StrId::kNone) profile.regions.push_back(runs.compile_id);
  }
  return profiles;
}

void AddSpan(const Span& span, Profile& profile) {
  if (span.clock != profile.clock) return;
  const bool is_after = span.begin > profile.last_run;
  if (span.kind == SpanKind::kCompile) {
    profile.compiled_after |= is_after;
  } else if (span.kind == SpanKind::kStep && is_after) {
    ++profile.steps_after;
  } else if (span.kind == SpanKind::kStep && span.begin + span.seconds >= profile.first_run) {
    ++profile.steps_with;
    if (profile.steps_with == 1 || span.begin > profile.last_step_begin) {
      profile.last_step_begin = span.begin;
      profile.last_number = span.number;
    }
  }
}

Cause CauseOf(const ProcessKey& key, const Profile& profile, const Session& session) {
  Cause cause;
  cause.kind = CauseKind::kIgnoredMode;
  cause.type = kEndedRegions;
  cause.where.file = session.inputs()[key.input].name;
  cause.count = 1;
  if (key.rank != kNoRank) cause.ranks.push_back(key.rank);
  cause.distinct_values = profile.regions.size();
  for (const StrId region : profile.regions) {
    if (cause.values.size() == kMaxCauseValues) break;
    cause.values.emplace_back(session.text(region));
  }
  if (profile.last_number >= 0) {
    cause.facts.emplace_back("since", "step " + std::to_string(profile.last_number));
  }
  cause.facts.emplace_back("steps", std::to_string(profile.steps_after) + " steps");
  return cause;
}

}  // namespace

std::vector<Cause> FoldEndedRegions(const Session& session) {
  std::map<ProcessKey, Profile> profiles = ProfilesOf(session);
  if (profiles.empty()) return {};
  for (const Span& span : session.spans()) {
    const auto profile = profiles.find(ProcessOf(span));
    if (profile != profiles.end()) AddSpan(span, profile->second);
  }
  std::vector<Cause> causes;
  for (const auto& [key, profile] : profiles) {
    const bool has_ended = profile.steps_with >= kMinSteps && profile.steps_after >= kMinSteps &&
                           !profile.compiled_after;
    if (has_ended) causes.push_back(CauseOf(key, profile, session));
  }
  return causes;
}

}  // namespace shapewise
