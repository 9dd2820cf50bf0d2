// Events that repeat without end: their number and their extremes are exact, their memory is not
// theirs.

#include "model/repeats.h"

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "model/session.h"
#include "support/catch.h"

namespace shapewise {
namespace {

EventDetail Skipped(std::optional<int64_t> instances) {
  return {.fact = CudagraphFact{
              .action = CudagraphAction::kSkip, .why = Why::kMutatedInputs, .count = instances}};
}

/// Adds the event of line `line`, whose message bears its line.
size_t AddAt(Session& session, uint64_t line, const EventDetail& detail, uint32_t input = 0) {
  Event event;
  event.line = line;
  event.input = input;
  return session.AddEvent(event, detail,
                          {.message = "message " + std::to_string(line), .hash = {}});
}

uint64_t Times(const Session& session) {
  uint64_t times = 0;
  for (const Event& event : session.events()) times += event.times();
  return times;
}

/// Twice, because the largest of a gap may be kept in addition to its last.
uint64_t MostKept(uint64_t num_events) {
  return kRepeatsKeptWhole + 2 * kRepeatsKeptPerDoubling * std::bit_width(num_events);
}

TEST_CASE("the number of repeats is exact, and what is kept grows with its logarithm only") {
  const uint64_t n = kRepeatsKeptWhole;
  for (const uint64_t num_events : {n - 1, n, n + 1, n + 2, 10 * n, 100 * n + 7}) {
    INFO(num_events);
    Session session;
    for (uint64_t line = 1; line <= num_events; ++line) {
      AddAt(session, line, Skipped(static_cast<int64_t>(line * 7919 % 1009)));
    }
    CHECK(session.num_events_added() == num_events);
    session.SortByPlace();
    CHECK(session.num_events_added() == num_events);
    CHECK(Times(session) == num_events);
    CHECK(session.events().size() <= std::min(num_events, MostKept(num_events)));
    for (uint64_t i = 0; i < std::min(n, num_events); ++i) {
      REQUIRE(session.events()[i].line == i + 1);
      REQUIRE(session.events()[i].folded == 0);
    }
    CHECK(session.events().back().line == num_events);
    CHECK(session.text(session.detail(session.events().back()).message()) ==
          "message " + std::to_string(num_events));
  }
}

TEST_CASE("repeats are stored at most a hundredth of the run apart") {
  Session session;
  const uint64_t num_events = 300'000;
  for (uint64_t line = 1; line <= num_events; ++line) AddAt(session, line, Skipped(std::nullopt));
  session.SortByPlace();
  uint64_t before = 0;
  for (const Event& event : session.events()) {
    CHECK(event.line - before == event.times());
    CHECK(event.folded <= event.line / 100);
    before = event.line;
  }
}

TEST_CASE("the largest printed number is retained, wherever it was") {
  const uint64_t n = 5 * kRepeatsKeptWhole;
  std::mt19937 random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const uint64_t at = 1 + random() % n;
    INFO(at);
    Session session;
    for (uint64_t line = 1; line <= n; ++line) {
      AddAt(session, line, Skipped(line == at ? 1000 : static_cast<int64_t>(random() % 1000)));
    }
    session.SortByPlace();
    CHECK(std::any_of(session.events().begin(), session.events().end(), [&](const Event& event) {
      return event.line == at && session.detail(event).As<CudagraphFact>()->count == 1000;
    }));
    CHECK(Times(session) == n);
  }
}

TEST_CASE("the number of events before a counter restarts is known") {
  const int64_t n = 3 * static_cast<int64_t>(kRepeatsKeptWhole);
  Session session;
  XlaMetricFact metric;
  for (int64_t line = 1; line <= 2 * n + 5; ++line) {
    metric.steps = metric.count = line <= n + 5 ? line : line - n - 5;
    AddAt(session, static_cast<uint64_t>(line), {.fact = metric});
  }
  session.SortByPlace();
  uint64_t times_before = 0;
  for (const Event& event : session.events()) {
    if (event.line <= static_cast<uint64_t>(n) + 5) times_before += event.times();
  }
  CHECK(times_before == static_cast<uint64_t>(n) + 5);
  CHECK(Times(session) == 2 * static_cast<uint64_t>(n) + 5);
}

TEST_CASE("a counter that restarts repeatedly takes no more memory than others") {
  Session session;
  XlaMetricFact metric;
  const uint64_t num_events = 100 * kRepeatsKeptWhole;
  for (uint64_t line = 1; line <= num_events; ++line) {
    metric.steps = metric.count = line % 2 == 0 ? 1000 : 1;
    AddAt(session, line, {.fact = metric});
  }
  session.SortByPlace();
  CHECK(session.events().size() < MostKept(num_events) + 2 * kRestartsKept);
  CHECK(Times(session) == num_events);
}

TEST_CASE("inputs, ranks and sites repeat each for itself") {
  Session session;
  const uint64_t n = kRepeatsKeptWhole;
  EventDetail other = Skipped(1);
  other.user_line = 12;
  for (uint64_t line = 1; line <= n; ++line) {
    AddAt(session, line, Skipped(1), /*input=*/0);
    AddAt(session, line, Skipped(1), /*input=*/1);
    AddAt(session, line, other, /*input=*/0);
    Event event;
    event.line = line;
    event.rank = 3;
    session.AddEvent(event, Skipped(1), {});
  }
  session.SortByPlace();
  CHECK(session.events().size() == 4 * n);
}

TEST_CASE("events with a compilation are stored individually") {
  for (const EventKind kind : {EventKind::kRecompile, EventKind::kGraphBreak, EventKind::kCompile,
                               EventKind::kSkippedFrame, EventKind::kRecompileLimit}) {
    Session session;
    const EventDetail detail{.fact = EmptyFact(kind)};
    const uint64_t n = 3 * kRepeatsKeptWhole;
    for (uint64_t line = 1; line <= n; ++line) AddAt(session, line, detail);
    CHECK(session.events().size() == n);
  }
}

TEST_CASE("an event can be amended, whether it is kept or held back") {
  for (const uint64_t num_events : {kRepeatsKeptWhole, kRepeatsKeptWhole + 5}) {
    Session session;
    size_t number = 0;
    for (uint64_t line = 1; line <= num_events; ++line) {
      number = AddAt(session, line, Skipped(std::nullopt));
    }
    session.AmendDetail(number,
                        [](EventDetail& detail) { detail.As<CudagraphFact>()->count = 77; });
    session.SortByPlace();
    CHECK(session.detail(session.events().back()).As<CudagraphFact>()->count == 77);
  }
}

TEST_CASE("a copy goes on like its original") {
  Session original;
  const uint64_t n = kRepeatsKeptWhole;
  for (uint64_t line = 1; line <= n + 20; ++line) AddAt(original, line, Skipped(5));
  Session copy;
  copy.CopyFrom(original);
  for (Session* session : {&original, &copy}) {
    for (uint64_t line = n + 21; line <= 2 * n; ++line) AddAt(*session, line, Skipped(5));
    session->SortByPlace();
  }
  REQUIRE(copy.events().size() == original.events().size());
  for (size_t i = 0; i < copy.events().size(); ++i) {
    CHECK(copy.events()[i].line == original.events()[i].line);
    CHECK(copy.events()[i].folded == original.events()[i].folded);
    CHECK(copy.events()[i].detail == original.events()[i].detail);
  }
}

}  // namespace
}  // namespace shapewise
