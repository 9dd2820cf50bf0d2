// Clocks: brought together where something is known by two of them, and not otherwise.

#include "timeline/step_parts.h"

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr double kEpoch = 1795219200;  // 2026-11-21 00:00 in Greenwich: `date -ud @1795219200`

LogTime At(double seconds) {
  LogTime time;
  time.month = 11;
  time.day = 21;
  time.micros = static_cast<int64_t>(seconds * 1e6);
  return time;
}

void AddPrint(Session& session, std::string_view id, const LogTime& time) {
  Event event;
  event.time = time;
  event.compile_id = session.strings().Intern(id);
  event.detail = session.InternDetail(EventDetail());
  session.AddEvent(event);
}

void AddProfiled(Session& session, std::string_view id, double begin, double seconds) {
  Span span;
  span.kind = SpanKind::kCompile;
  span.clock = Clock::kEpoch;
  span.begin = begin;
  span.seconds = seconds;
  span.compile_id = session.strings().Intern(id);
  session.AddSpan(span);
}

TEST_CASE("a structured trace has both clocks", "[timeline][clock]") {
  Session session;
  session.AddInput("trace.log");
  Compilation compilation;
  compilation.time = At(7 * 3600 + 12.5);  // two hours east of Greenwich, when it was over
  compilation.start = kEpoch + 5 * 3600 + 10;
  compilation.seconds.total = 2.4;
  compilation.is_finished = true;
  session.AddCompilation(compilation);
  const std::optional<double> offset = FindEpochMinusLocal(session);
  REQUIRE(offset.has_value());
  CHECK(*offset + *LocalSeconds(compilation.time) == kEpoch + 5 * 3600 + 12.5);
}

TEST_CASE("compile ids of a log and of a profile meet", "[timeline][clock]") {
  Session session;
  AddPrint(session, "0/1", At(3600));
  AddPrint(session, "0/2_1", At(3700));
  AddProfiled(session, "0/1", kEpoch + 3599.2, 4);
  AddProfiled(session, "0/2", kEpoch + 3699.9, 3);
  const std::optional<double> offset = FindEpochMinusLocal(session);
  REQUIRE(offset.has_value());
  CHECK(*offset + *LocalSeconds(At(3600)) == kEpoch + 3600);
}

TEST_CASE("two runs that have nothing to do with each other do not meet", "[timeline][clock]") {
  Session session;
  AddPrint(session, "0/1", At(3600));
  AddPrint(session, "0/2", At(3700));
  AddProfiled(session, "0/1", kEpoch + 3600 + 217, 4);  // no zone is 217 s away
  AddProfiled(session, "0/2", kEpoch + 3700 + 350, 3);
  CHECK_FALSE(FindEpochMinusLocal(session).has_value());
}

TEST_CASE("nothing that is known twice, no common clock", "[timeline][clock]") {
  Session session;
  CHECK_FALSE(FindEpochMinusLocal(session).has_value());
  AddPrint(session, "0/1", At(3600));
  AddProfiled(session, "1/0", kEpoch, 4);
  AddProfiled(session, "", kEpoch, 4);
  CHECK_FALSE(FindEpochMinusLocal(session).has_value());
}

TEST_CASE("a clock of an input's own goes with that input", "[timeline][clock]") {
  CHECK(ByClock(5, Clock::kRelative, 1, Clock::kRelative, 1, std::nullopt) == 5.0);
  CHECK_FALSE(ByClock(5, Clock::kRelative, 1, Clock::kRelative, 2, 100.0).has_value());
  CHECK_FALSE(ByClock(5, Clock::kRelative, 1, Clock::kEpoch, 1, 100.0).has_value());
  CHECK_FALSE(ByClock(5, Clock::kUnknown, 1, Clock::kUnknown, 1, 100.0).has_value());
  CHECK(ByClock(5, Clock::kLocal, 1, Clock::kEpoch, 2, 100.0) == 105.0);
  CHECK(ByClock(105, Clock::kEpoch, 1, Clock::kLocal, 2, 100.0) == 5.0);
  CHECK_FALSE(ByClock(5, Clock::kLocal, 1, Clock::kEpoch, 2, std::nullopt).has_value());
}

}  // namespace
}  // namespace shapewise
