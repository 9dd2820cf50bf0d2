#include "report/run_clocks.h"

#include <algorithm>

namespace shapewise {

RunClocks::RunClocks(const LintResult& result, const Session& session)
    : session_(session), epoch_minus_local_(result.steps.epoch_minus_local) {
  for (const Compilation& compilation : session.compilations()) Note(At(compilation));
  for (const Span& span : session.spans()) {
    Note(At(span));
    // Steps with known durations only are placed one after the other on a clock of their own.
    if (span.kind == SpanKind::kStep && span.clock == Clock::kUnknown) {
      Note(At(Clock::kRelative, span.input, 0));
    }
  }
  for (const Event& event : session.events()) Note(At(event));
}

std::optional<Moment> RunClocks::At(Clock clock, uint32_t input, double seconds) const {
  switch (clock) {
    case Clock::kUnknown:
      return std::nullopt;
    case Clock::kRelative:
      return Moment{{clock, input}, seconds};
    case Clock::kLocal:
      if (epoch_minus_local_) return Moment{{Clock::kEpoch, 0}, seconds + *epoch_minus_local_};
      return Moment{{clock, 0}, seconds};
    case Clock::kEpoch:
      return Moment{{clock, 0}, seconds};
  }
  return std::nullopt;
}

std::optional<Moment> RunClocks::At(const Event& event) const {
  const std::optional<double> local = LocalSeconds(event.time);
  return local ? At(Clock::kLocal, event.input, *local) : std::nullopt;
}

std::optional<Moment> RunClocks::At(const Compilation& compilation) const {
  if (compilation.start > 0) return At(Clock::kEpoch, compilation.input, compilation.start);
  const std::optional<double> local = LocalSeconds(compilation.time);
  if (!local) return std::nullopt;
  return At(Clock::kLocal, compilation.input, *local - compilation.seconds.total.value_or(0));
}

Clock RunClocks::ClockOf(const StepTrack& track) const {
  for (const Span& span : session_.spans()) {
    if (span.kind != SpanKind::kStep || span.input != track.input) continue;
    return span.clock == Clock::kUnknown ? Clock::kRelative : span.clock;
  }
  return Clock::kUnknown;
}

double RunClocks::Micros(const Moment& moment) const {
  return std::max(0.0, moment.seconds - first_.at(moment.group)) * 1e6;
}

std::string RunClocks::NameOf(const ClockGroup& group) const {
  if (first_.size() < 2) return {};
  if (group.first == Clock::kRelative) {
    return ", by the clock of " + session_.inputs()[group.second].name;
  }
  return group.first == Clock::kLocal ? ", by local time" : "";
}

void RunClocks::Note(const std::optional<Moment>& moment) {
  if (!moment) return;
  const auto [first, is_new] = first_.try_emplace(moment->group, moment->seconds);
  if (!is_new) first->second = std::min(first->second, moment->seconds);
}

}  // namespace shapewise
