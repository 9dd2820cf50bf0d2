// Steps and compilations: what is slow, what coincides, and what does not.

#include "timeline/step_parts.h"

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "ingest/reader.h"
#include "support/catch.h"
#include "support/source_dir.h"
#include "timeline/timeline.h"

namespace shapewise {
namespace {

/// A run whose steps and incidents are put in one by one.
class Run {
 public:
  explicit Run(Clock clock = Clock::kEpoch, std::string_view format = "chrome-trace")
      : clock_(clock) {
    session_->AddInput("run");
    session_->input(0).format = format;
  }

  Run& Step(double seconds) {
    Span span = NewSpan(SpanKind::kStep, clock_ == Clock::kUnknown ? 0 : now_, seconds);
    span.number = number_++;
    session_->AddSpan(span);
    now_ += seconds;
    return *this;
  }
  Run& Steps(int count, double seconds) {
    for (int i = 0; i < count; ++i) Step(seconds);
    return *this;
  }
  Run& Incident(SpanKind kind, double after, double seconds, std::string_view id = {}) {
    Span span = NewSpan(kind, now_ + after, seconds);
    span.compile_id = session_->strings().Intern(id);
    session_->AddSpan(span);
    return *this;
  }
  Run& Other(std::string_view process, std::string_view function, double begin, double seconds) {
    Span span = NewSpan(SpanKind::kOtherProcess, begin, seconds);
    span.name = session_->strings().Intern(function);
    span.process = session_->strings().Intern(process);
    session_->AddSpan(span);
    return *this;
  }
  Run& Recompile(std::string_view id, std::string_view function) {
    Event event;
    event.line = ++line_;
    event.compile_id = session_->strings().Intern(id);
    event.detail = session_->InternDetail(
        {.function = session_->strings().Intern(function), .fact = RecompileFact()});
    session_->AddEvent(event);
    return *this;
  }

  double now() const { return now_; }
  StepTrack Track() const {
    const StepReport report = CompareSteps(*session_);
    REQUIRE(report.tracks.size() == 1);
    return report.tracks[0];
  }
  std::vector<Cause> Causes() const { return StepCauses(CompareSteps(*session_), *session_); }

 private:
  Span NewSpan(SpanKind kind, double begin, double seconds) {
    Span span;
    span.kind = kind;
    span.clock = clock_;
    span.line = ++line_;
    span.begin = begin;
    span.seconds = seconds;
    return span;
  }

  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  const Clock clock_;
  uint64_t line_ = 0;
  int64_t number_ = 0;
  double now_ = 1.8e9;
};

std::string Fact(const Cause& cause, std::string_view name) {
  for (const auto& [key, text] : cause.facts) {
    if (key == name) return text;
  }
  return {};
}

TEST_CASE("a step is slow beside the others", "[timeline]") {
  Run run;
  run.Steps(20, 0.1).Step(0.3).Steps(20, 0.1);
  const StepTrack track = run.Track();
  CHECK(track.steps == 41);
  CHECK(std::abs(track.median - 0.1) < 1e-12);
  CHECK(track.deviation < 1e-12);
  REQUIRE(track.slow.size() == 1);
  CHECK(track.slow[0].index == 20);
  CHECK(track.slow[0].number == 20);
}

TEST_CASE("steps of many lengths are not slow for being long", "[timeline]") {
  Run run;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> length(0.1, 0.3);
  for (int i = 0; i < 200; ++i) run.Step(length(random));
  CHECK(run.Track().slow.empty());
}

TEST_CASE("too few steps have no slow ones", "[timeline]") {
  Run run;
  run.Steps(6, 0.1).Step(3);
  CHECK(run.Track().slow.empty());
  CHECK(run.Track().slow_from == 0);
}

struct Example {
  SpanKind kind;
  std::string_view id;
  SlowCause cause;
};

TEST_CASE("an incident explains a step when it covers half of what is too long", "[timeline]") {
  const Example examples[] = {
      {SpanKind::kCompile, "0/0", SlowCause::kCompile},
      {SpanKind::kCompile, "3/12_1", SlowCause::kRecompile},
      {SpanKind::kCudagraphRecord, "", SlowCause::kCudagraph},
      {SpanKind::kGarbageCollection, "", SlowCause::kGarbageCollection},
  };
  for (const Example& example : examples) {
    INFO(SlowCauseName(example.cause));
    Run enough;
    enough.Steps(10, 0.1).Incident(example.kind, 0.05, 0.6, example.id).Step(1.1).Steps(9, 0.1);
    REQUIRE(enough.Track().slow.size() == 1);
    CHECK(enough.Track().slow[0].cause == example.cause);

    Run too_short;
    too_short.Steps(10, 0.1).Incident(example.kind, 0.05, 0.4, example.id).Step(1.1).Steps(9, 0.1);
    REQUIRE(too_short.Track().slow.size() == 1);
    CHECK(too_short.Track().slow[0].cause == SlowCause::kUnexplained);

    Run elsewhere;
    elsewhere.Steps(5, 0.1).Incident(example.kind, 0.05, 0.04, example.id).Steps(5, 0.1).Step(1.1);
    REQUIRE(elsewhere.Track().slow.size() == 1);
    CHECK(elsewhere.Track().slow[0].cause == SlowCause::kUnexplained);
  }
}

TEST_CASE("a collection inside of a compilation is the compilation's", "[timeline]") {
  Run run;
  run.Steps(10, 0.1)
      .Incident(SpanKind::kCompile, 0.0, 0.9, "0/1")
      .Incident(SpanKind::kGarbageCollection, 0.1, 0.7)
      .Step(1.0)
      .Steps(9, 0.1);
  CHECK(run.Track().slow[0].cause == SlowCause::kRecompile);
}

TEST_CASE("the first step is slow in every program", "[timeline]") {
  Run run;
  run.Step(5).Steps(20, 0.1);
  REQUIRE(run.Track().slow.size() == 1);
  CHECK(run.Track().slow[0].cause == SlowCause::kFirstStep);
  CHECK(run.Causes().empty());
}

TEST_CASE("without clocks, the order of lines decides", "[timeline]") {
  Run run(Clock::kUnknown, "torch-log");
  run.Steps(10, 0.1).Recompile("0/1", "forward").Step(2).Steps(10, 0.1).Step(2).Steps(3, 0.1);
  const StepTrack track = run.Track();
  CHECK(track.comparison == StepComparison::kLines);
  REQUIRE(track.slow.size() == 2);
  CHECK(track.slow[0].cause == SlowCause::kRecompile);
  CHECK(track.slow[0].function.function == "forward");
  CHECK(track.slow[0].events == std::vector<size_t>{0});
  CHECK(track.slow[1].cause == SlowCause::kUnexplained);
}

TEST_CASE("steps without a common clock have no cause", "[timeline]") {
  Run run(Clock::kUnknown, "step-times");
  run.Recompile("0/1", "forward").Steps(10, 0.1).Step(2).Steps(10, 0.1).Step(2).Step(0.1).Step(2);
  const StepTrack track = run.Track();
  CHECK(track.slow.size() == 3);
  for (const SlowStep& slow : track.slow) CHECK(slow.cause == SlowCause::kUnexplained);
  CHECK(track.comparison == StepComparison::kNoClock);
  REQUIRE(run.Causes().size() == 1);
  CHECK(run.Causes()[0].why == "not-compared");
}

/// Steps of 0.1 s with `count` pauses of 0.4 s every 2.53 s; their moments go to `on_pause`.
void AddStalls(Run& run, int count, const std::function<void(double)>& on_pause) {
  double next = run.now() + 1;
  while (count > 0) {
    if (run.now() + 0.1 < next) {
      run.Step(0.1);
      continue;
    }
    on_pause(next);
    run.Step(0.5);
    next += 2.53;
    --count;
  }
}

TEST_CASE("a periodic stall is reported with its period", "[timeline]") {
  Run run;
  AddStalls(run, 20, [](double) {});
  const StepTrack track = run.Track();
  REQUIRE(track.stall.has_value());
  CHECK_FALSE(track.stall->is_by_steps);
  CHECK(std::abs(track.stall->period - 2.53) < 0.03);
  CHECK(std::abs(track.stall->seconds - 0.4) < 1e-6);
  CHECK(track.stall->count == 20);
  CHECK_FALSE(track.stall->company.has_value());
  REQUIRE(run.Causes().size() == 1);
  const Cause cause = run.Causes()[0];
  CHECK(cause.kind == CauseKind::kStall);
  CHECK(cause.why == "period");
  CHECK(Fact(cause, "pause") == "0.40 s");
  CHECK(Fact(cause, "beside") == "no compilation coincides with them");
}

TEST_CASE("recompiles among stalls are distinguished from them", "[timeline]") {
  Run run;
  AddStalls(run, 12, [](double) {});
  run.Incident(SpanKind::kCompile, 0.0, 0.9, "0/1").Step(1.0);
  REQUIRE(run.Track().stall.has_value());
  CHECK(run.Track().stall->count == 12);
  REQUIRE(run.Causes().size() == 2);
  CHECK(run.Causes()[0].why == "recompile");
  CHECK(run.Causes()[1].kind == CauseKind::kStall);
}

TEST_CASE("a function that ran in the stalls and rarely elsewhere is named", "[timeline]") {
  Run run;
  const double begin = run.now();
  AddStalls(run, 20, [&](double pause) {
    run.Other("node-agent", "do_syscall_64", pause, 0.39);
    run.Other("node-agent", "smap_gather_stats", pause + 0.01, 0.37);
  });
  // Something that runs all the time is in every stall, too, and means nothing.
  run.Other("python3", "_PyEval_EvalFrameDefault", begin, run.now() - begin);
  const StepTrack track = run.Track();
  REQUIRE(track.stall.has_value());
  REQUIRE(track.stall->company.has_value());
  CHECK(track.stall->company->process == "node-agent");
  CHECK(track.stall->company->function == "smap_gather_stats");
  CHECK(track.stall->company->stalls_with == 20);
  CHECK(track.stall->company->others_with == 0);
  CHECK(run.Causes()[0].why == "memory-maps");
}

TEST_CASE("a process that runs at moments of its own is not named", "[timeline]") {
  Run run;
  AddStalls(run, 20, [](double) {});
  std::mt19937 random(4);
  std::uniform_real_distribution<double> moment(1.8e9, run.now());
  for (int i = 0; i < 60; ++i) run.Other("cron", "smap_gather_stats", moment(random), 0.05);
  const StepTrack track = run.Track();
  REQUIRE(track.stall.has_value());
  CHECK_FALSE(track.stall->company.has_value());
}

TEST_CASE("very many incidents at once end", "[timeline]") {
  Run run;
  for (int i = 0; i < 50'000; ++i) run.Incident(SpanKind::kGarbageCollection, 0, 1e6);
  for (int i = 0; i < 20'000; ++i) run.Step(i % 3 == 0 ? 1.0 : 0.1);
  CHECK(run.Track().slow.size() == 6667);
}

TEST_CASE("a profile of a real run shows its recompiles", "[timeline][corpus]") {
  // The program recompiles in the steps 6 and 9, collects garbage in step 11 where the profile does
  // not show it, and changes nothing else: corpora/captured/profiles/train/program.py.
  const std::string path = SourceDir() + "/corpora/captured/profiles/train/trace.json.gz";
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  Session session;
  REQUIRE(ReadInputs({path}, *files, session).empty());
  const StepReport report = CompareSteps(session);
  REQUIRE(report.tracks.size() == 1);
  const StepTrack& track = report.tracks[0];
  CHECK(track.steps == 15);
  CHECK(track.comparison == StepComparison::kClock);
  REQUIRE(track.slow.size() == 3);
  CHECK(track.slow[0].number == 6);
  CHECK(track.slow[0].cause == SlowCause::kRecompile);
  CHECK(track.slow[0].compile_id == "0/1");
  CHECK(track.slow[1].number == 9);
  CHECK(track.slow[1].compile_id == "0/2");
  CHECK(track.slow[2].number == 11);
  CHECK(track.slow[2].cause == SlowCause::kUnexplained);
  CHECK_FALSE(track.stall.has_value());
}

// Clocks: brought together where something is known by two of them, and not otherwise.

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
