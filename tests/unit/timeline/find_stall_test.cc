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

// Periods: found where one was put in, and none where chance was at work.

constexpr double kStep = 0.1;  // seconds

/// Moments as a run of steps shows them: known to the step they fall into.
std::vector<double> AsSteps(std::vector<double> moments) {
  std::ranges::sort(moments);
  for (double& moment : moments) moment = (std::floor(moment / kStep) + 0.5) * kStep;
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  return moments;
}

/// An agent that sleeps for `period` between two looks, of which a part, `lost`, is not seen.
std::vector<double> Agent(size_t count, double period, double jitter, double lost, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> deviation;  // of 1, so that a jitter of 0 is one
  std::bernoulli_distribution is_lost(lost);
  std::vector<double> moments;
  double now = 7;
  for (size_t i = 0; i < count; ++i) {
    if (!is_lost(random)) moments.push_back(now);
    now += period + jitter * deviation(random);
  }
  return AsSteps(moments);
}

TEST_CASE("the period of a regular stall is found", "[timeline][period]") {
  for (const double period : {1.0, 2.5, 7.3, 60.0}) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
      const auto found = FindStallPeriod(Agent(20, period, 0.01 * period, 0, seed), kStep);
      INFO(period << " seed " << seed);
      REQUIRE(found.has_value());
      CHECK(std::abs(found->period - period) < 0.03 * period);
      CHECK(found->jitter < 0.05 * period + kStep);
      CHECK(found->regular >= 17);
      CHECK(found->chance <= kMaxChanceOfPeriod);
    }
  }
}

TEST_CASE("stalls that are not seen do not hide the period", "[timeline][period]") {
  size_t num_found = 0;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const auto found = FindStallPeriod(Agent(40, 2.5, 0.02, 0.2, seed), kStep);
    if (!found) continue;
    ++num_found;
    CHECK(std::abs(found->period - 2.5) < 0.05);
  }
  CHECK(num_found >= 49);
}

TEST_CASE("a period that drifts is still one", "[timeline][period]") {
  // The phase of the last look has nothing to do with that of the first: 300 distances of 3 % each
  // add up to half a period.
  const auto found = FindStallPeriod(Agent(300, 2.5, 0.075, 0, 3), kStep);
  REQUIRE(found.has_value());
  CHECK(std::abs(found->period - 2.5) < 0.05);
}

TEST_CASE("few stalls make no period", "[timeline][period]") {
  CHECK_FALSE(FindStallPeriod(Agent(4, 2.5, 0, 0, 1), kStep).has_value());
  CHECK_FALSE(FindStallPeriod({}, kStep).has_value());
  const std::vector<double> same(20, 1.0);
  CHECK_FALSE(FindStallPeriod(same, kStep).has_value());
}

TEST_CASE("random stalls have no period", "[timeline][period]") {
  // The bound is one in a hundred for each run, and so wide that 2 of 30,000 were found.
  size_t num_found = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    for (const size_t count : {6, 12, 30, 100}) {
      std::mt19937 random(seed);
      std::uniform_real_distribution<double> moment(0, static_cast<double>(count) * 2.5);
      std::vector<double> moments;
      for (size_t i = 0; i < count; ++i) moments.push_back(moment(random));
      if (FindStallPeriod(AsSteps(moments), kStep)) ++num_found;
    }
  }
  CHECK(num_found <= 2);
}

TEST_CASE("steps that are slow at random have no period, however frequent", "[timeline][period]") {
  size_t num_found = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    for (const double probability : {0.02, 0.1, 0.3}) {
      std::mt19937 random(seed);
      std::bernoulli_distribution is_slow(probability);
      std::vector<double> moments;
      std::vector<uint64_t> indices;
      for (uint64_t step = 0; step < 600; ++step) {
        if (!is_slow(random)) continue;
        moments.push_back(static_cast<double>(step) * kStep);
        indices.push_back(step);
      }
      if (FindStallPeriod(moments, kStep)) ++num_found;
      if (FindStepPeriod(indices)) ++num_found;
    }
  }
  CHECK(num_found <= 2);
}

TEST_CASE("stalls in bursts have no period", "[timeline][period]") {
  size_t num_found = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    std::exponential_distribution<double> pause(1.0 / 30);
    std::exponential_distribution<double> within(1.0 / 0.5);
    std::vector<double> moments;
    double now = 0;
    for (int burst = 0; burst < 8; ++burst) {
      now += pause(random);
      for (int i = 0; i < 5; ++i) moments.push_back(now += within(random));
    }
    if (FindStallPeriod(AsSteps(moments), kStep)) ++num_found;
  }
  CHECK(num_found <= 2);
}

TEST_CASE("the period agrees with a search over all periods", "[timeline][period]") {
  // The period that the most distances agree with, tried one by one on a fine grid.
  for (uint32_t seed = 0; seed < 30; ++seed) {
    const std::vector<double> moments = Agent(25, 3.1, 0.05, 0.1, seed);
    double best_period = 0;
    size_t most = 0;
    for (double period = 0.5; period < 10; period += 0.005) {
      size_t fitting = 0;
      for (size_t i = 1; i < moments.size(); ++i) {
        fitting += std::abs(moments[i] - moments[i - 1] - period) <= 0.2 ? 1 : 0;
      }
      if (fitting > most) {
        most = fitting;
        best_period = period;
      }
    }
    const auto found = FindStallPeriod(moments, kStep);
    INFO(seed);
    REQUIRE(found.has_value());
    CHECK(std::abs(found->period - best_period) < 0.25);
  }
}

TEST_CASE("a pause every few steps is reported in steps", "[timeline][period]") {
  std::vector<uint64_t> indices;
  for (uint64_t step = 19; step < 400; step += 20) indices.push_back(step);
  CHECK(FindStepPeriod(indices) == 20);
  SECTION("where one is missing there are two of them") {
    indices.erase(indices.begin() + 7);
    CHECK(FindStepPeriod(indices) == 20);
  }
  SECTION("a clock that is none of the program's is not") {
    std::vector<uint64_t> others;
    for (double time = 3; time < 100; time += 2.53) {
      others.push_back(static_cast<uint64_t>(time / kStep));
    }
    CHECK_FALSE(FindStepPeriod(others).has_value());
  }
  SECTION("few distances of few steps may be chance") {
    const std::vector<uint64_t> few = {3, 5, 7, 11, 13};
    CHECK_FALSE(FindStepPeriod(few).has_value());
  }
}

}  // namespace
}  // namespace shapewise
