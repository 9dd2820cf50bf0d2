// Who else ran while steps stalled: the counts are those of a plain search through all steps.

#include "timeline/step_parts.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "timeline/stall_period.h"

namespace shapewise {
namespace {

/// Steps of 0.1 s, every tenth of which takes 0.4 s.
StepSeries Stalled(size_t steps) {
  StepSeries series;
  series.clock = Clock::kEpoch;
  series.median = 0.1;
  double begin = 0;
  for (size_t i = 0; i < steps; ++i) {
    const double seconds = i % 10 == 9 ? 0.4 : 0.1;
    TimedStep& step = series.steps.emplace_back();
    step.begin = begin;
    step.seconds = seconds;
    begin += seconds;
  }
  return series;
}

StepTrack TrackOf(const StepSeries& series) {
  StepTrack track;
  for (size_t i = 9; i < series.steps.size(); i += 10) {
    SlowStep& slow = track.slow.emplace_back();
    slow.index = i;
    slow.begin = series.steps[i].begin;
    slow.seconds = series.steps[i].seconds;
  }
  return track;
}

Span OtherProcess(Session& session, const std::string& function, double begin, double seconds) {
  Span span;
  span.kind = SpanKind::kOtherProcess;
  span.clock = Clock::kEpoch;
  span.begin = begin;
  span.seconds = seconds;
  span.process = session.strings().Intern("agent");
  span.name = session.strings().Intern(function);
  return span;
}

TEST_CASE("Company is counted as by a look at every step", "[timeline]") {
  const StepSeries series = Stalled(1000);
  const StepTrack track = TrackOf(series);
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    Session session;
    session.AddInput("profile.json");
    std::vector<std::pair<double, double>> stretches;
    const auto add = [&](double begin, double seconds) {
      session.AddSpan(OtherProcess(session, "gather", begin, seconds));
      stretches.emplace_back(begin, begin + seconds);
    };
    for (const SlowStep& slow : track.slow) {
      if (share(random) < 0.9) add(slow.begin + share(random) * 0.39, share(random) * 0.3);
    }
    for (int i = 0; i < 20; ++i) add(share(random) * 130, share(random) * share(random));
    std::set<size_t> stalls;
    uint64_t others = 0;
    for (size_t i = 0; i < series.steps.size(); ++i) {
      const TimedStep& step = series.steps[i];
      const bool is_touched = std::ranges::any_of(stretches, [&](const auto& stretch) {
        return stretch.first < step.begin + step.seconds && stretch.second >= step.begin;
      });
      if (!is_touched) continue;
      if (i % 10 == 9) {
        stalls.insert(i);
      } else {
        ++others;
      }
    }
    Stall stall;
    FindCompany(series, track, std::nullopt, session, stall);
    INFO("seed " << seed);
    REQUIRE(stall.company);
    CHECK(stall.company->stalls_with == stalls.size());
    CHECK(stall.company->others_with == others);
  }
}

TEST_CASE("The tail of a binomial distribution is the sum of its terms", "[timeline]") {
  for (const double chance : {0.01, 0.3, 0.5, 0.93}) {
    for (const uint64_t hits : {0, 1, 7, 20, 33, 50}) {
      double sum = 0;
      for (uint64_t i = hits; i <= 50; ++i) {
        const auto k = static_cast<double>(i);
        sum += std::exp(std::lgamma(51) - std::lgamma(k + 1) - std::lgamma(51 - k) +
                        k * std::log(chance) + (50 - k) * std::log1p(-chance));
      }
      CAPTURE(chance, hits);
      const double tail = BinomialTail(hits, 50, chance);
      CHECK(tail == Approx(sum).epsilon(1e-9).margin(1e-12));
      if (sum < 1e-6) CHECK(tail == Approx(sum).epsilon(1e-9));
    }
  }
  CHECK(BinomialTail(600'000, 1'000'000, 0.5) < 1e-300);
  CHECK(BinomialTail(501'000, 1'000'000, 0.5) == Approx(0.0228).epsilon(0.01));
  CHECK(BinomialTail(499'000, 1'000'000, 0.5) == Approx(0.9773).epsilon(0.01));
}

}  // namespace
}  // namespace shapewise
