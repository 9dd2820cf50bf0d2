// At every moment, a followed run gives the same result as one that is read after it ended.

#include "pipeline/followed_run.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/corpus.h"

namespace shapewise {
namespace {

std::string Record(int number, std::string_view time, std::string_view rank = "") {
  const std::string head = std::string(rank) + "V0106 " + std::string(time) +
                           ".131000 551 torch/_dynamo/guards.py:2813] [0/" +
                           std::to_string(number) + "] [__recompiles] ";
  return head + "Recompiling function attend in /w/train.py:4\n" + head +
         "    triggered by the following guard failure(s):\n" + head + "    - 0/" +
         std::to_string(number - 1) + ": tensor 'x' size mismatch at index 0. expected " +
         std::to_string(number + 6) + ", actual " + std::to_string(number + 7) + "\n";
}

Alarm AlarmOf(std::string_view text) {
  Expected<Alarm> alarm = ParseAlarm(text);
  REQUIRE(static_cast<bool>(alarm));
  return *alarm;
}

std::unique_ptr<FollowedRun> Follow(std::vector<Alarm> alarms = {}) {
  Expected<std::unique_ptr<FollowedRun>> run = FollowedRun::Make({}, std::move(alarms));
  REQUIRE(static_cast<bool>(run));
  return std::move(*run);
}

LintResult LintOf(const Session& session) {
  Expected<LintResult> result = LintSession(LintOptions(), session);
  REQUIRE(static_cast<bool>(result));
  return std::move(*result);
}

TEST_CASE("a followed log gives the same result as the log up to that point", "[follow][corpus]") {
  for (const CorpusLog& log : AllCorpusLogs()) {
    INFO(log.name);
    const std::string_view text = log.text;
    if (text.starts_with("\xff\xfe")) continue;  // UTF-16: its lines end elsewhere
    Session whole;
    ReadInputFromChunks("input.log", {text}, whole);
    // Other formats show only what is complete.
    if (whole.input(0).format != "torch-log") continue;
    Session session;
    LiveInput input("input.log", session, {});
    size_t done = 0;
    for (int part = 1; part <= 4; ++part) {
      // To the end of a line: the half of one is not read before the rest of it comes.
      size_t end = text.size() * static_cast<size_t>(part) / 4;
      const size_t newline = text.substr(0, end).rfind('\n');
      end = newline == std::string_view::npos ? 0 : newline + 1;
      if (end <= done || end == 0) continue;
      input.Append(text.substr(done, end - done));
      done = end;
      Session shown;
      shown.CopyFrom(session);
      input.ShowIn(shown, /*with_open=*/true);
      shown.SortByPlace();
      INFO(end);
      CHECK(DumpSession(shown) == ReadAndDump(text.substr(0, end), end + 1));
    }
  }
}

TEST_CASE("a cause is reported once, and again when it gets worse", "[follow]") {
  const std::unique_ptr<FollowedRun> run = Follow();
  const size_t input = run->AddInput("run.log");
  CHECK(run->Update(true).empty());
  run->Append(input, Record(1, "23:01:01"));
  // The record may go on.
  CHECK(run->Update(false).empty());
  std::vector<RunNews> news = run->Update(true);
  REQUIRE(news.size() == 1);
  CHECK(news[0].kind == RunNews::Kind::kNew);
  CHECK(news[0].input_name == "run.log");
  CHECK(news[0].line == 1);

  for (int number = 2; number < 8; ++number) run->Append(input, Record(number, "23:01:02"));
  // Now it shows that x only grows, which is more than a note.
  news = run->Update(true);
  REQUIRE(news.size() == 1);
  CHECK(news[0].kind == RunNews::Kind::kWorse);
  CHECK(news[0].finding.severity == Severity::kWarning);
  CHECK(run->Update(true).empty());
  const std::string head = "W0106 23:01:30.131000 551 torch/_dynamo/convert_frame.py:906] [0/8] ";
  run->Append(input, head + "torch._dynamo hit config.recompile_limit (8)\n" + head +
                         "   function: 'attend' (/w/train.py:4)\n" + head +
                         "   last reason: 0/7: tensor 'x' size mismatch at index 0. expected 13, "
                         "actual 14\n");
  news = run->Update(true);
  REQUIRE(news.size() == 1);
  CHECK(news[0].kind == RunNews::Kind::kWorse);
  CHECK(news[0].finding.runs_eager);

  const LintResult result = run->Finish();
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].count == 8);
}

TEST_CASE("what both a followed log and a followed trace show counts once", "[follow][corpus]") {
  const std::unique_ptr<FollowedRun> run = Follow();
  size_t inputs = 0;
  uint64_t of_trace = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    if (!log.name.starts_with("captured/2.13.0/247-trace-symbols/")) continue;
    run->Append(run->AddInput(log.name), log.text);
    Session session;
    ReadInputFromChunks(log.name, {log.text}, session);
    if (session.input(0).format != "torch-log") of_trace = LintOf(session).summary.recompiles;
    ++inputs;
  }
  REQUIRE(inputs == 2);
  uint64_t reported = 0;
  for (const RunNews& news : run->Update(true)) reported += news.finding.count;
  CHECK(of_trace > 0);
  CHECK(reported <= of_trace);
  CHECK(run->Finish().summary.recompiles == of_trace);
}

TEST_CASE("an alarm is raised when its window contains enough events, once per window",
          "[follow]") {
  const std::unique_ptr<FollowedRun> run = Follow({AlarmOf("3 recompiles in 10s")});
  const size_t input = run->AddInput("run.log");
  const auto alarms_after = [&](int number, std::string_view time) {
    run->Append(input, Record(number, time));
    const std::vector<RunNews> news = run->Update(true);
    return std::count_if(news.begin(), news.end(),
                         [](const RunNews& item) { return item.kind == RunNews::Kind::kAlarm; });
  };
  CHECK(alarms_after(1, "23:01:00") == 0);
  CHECK(alarms_after(2, "23:01:05") == 0);
  CHECK(alarms_after(3, "23:01:10") == 0);  // the first is ten seconds ago
  CHECK(alarms_after(4, "23:01:11") == 1);
  CHECK(alarms_after(5, "23:01:12") == 0);  // still the same trouble
  CHECK(alarms_after(6, "23:02:00") == 0);  // it was over
  CHECK(alarms_after(7, "23:02:01") == 0);
  CHECK(alarms_after(8, "23:02:02") == 1);
}

TEST_CASE("an alarm counts each rank for itself", "[follow]") {
  Session session;
  std::string log;
  for (const std::string_view rank : {"[rank0]:", "[rank1]:"}) {
    for (int number = 1; number <= 2; ++number) log += Record(number, "23:01:01", rank);
  }
  ReadInputFromChunks("run.log", {log}, session);
  CHECK(FindAlarms(session, AlarmOf("2 recompiles in 1m")).moments.size() == 2);
  CHECK(FindAlarms(session, AlarmOf("3 recompiles in 1m")).moments.empty());
}

TEST_CASE("steps are those that the log prints, with their numbers if present", "[follow]") {
  Session session;
  const uint32_t input = session.AddInput("run.log");
  const DetailId detail = session.InternDetail({.fact = RecompileFact()});
  const auto add_event = [&](uint64_t line) {
    Event event;
    event.input = input;
    event.line = line;
    event.detail = detail;
    session.AddEvent(event);
  };
  const auto add_step = [&](uint64_t line, int64_t number) {
    Span step;
    step.input = input;
    step.line = line;
    step.number = number;
    session.AddSpan(step);
  };
  add_step(1, 10);
  add_event(2);
  add_step(3, 20);
  add_event(4);
  session.SortByPlace();
  CHECK(FindAlarms(session, AlarmOf("2 recompiles in 11 steps")).moments.size() == 1);
  CHECK(FindAlarms(session, AlarmOf("2 recompiles in 10 steps")).moments.empty());
  CHECK_FALSE(FindAlarms(session, AlarmOf("2 recompiles in 10 steps")).is_blind);
  CHECK(FindAlarms(session, AlarmOf("2 recompiles in 10m")).is_blind);
}

TEST_CASE("after the last step that is kept, an alarm in steps counts nothing", "[follow]") {
  for (const size_t num_missing : {size_t{1}, size_t{0}}) {
    Session session;
    const uint32_t input = session.AddInput("run.log");
    const int64_t num_steps = static_cast<int64_t>(kMaxStepsOfInput - num_missing);
    Span step;
    step.input = input;
    for (step.number = 1; step.number <= num_steps; ++step.number) {
      step.line = static_cast<uint64_t>(step.number);
      session.AddSpan(step);
    }
    Event event;
    event.input = input;
    event.detail = session.InternDetail(EventDetail());
    for (event.line = kMaxStepsOfInput; event.line < kMaxStepsOfInput + 3; ++event.line) {
      session.AddEvent(event);
    }
    session.SortByPlace();
    const AlarmResult result = FindAlarms(session, AlarmOf("3 recompiles in 5 steps"));
    CHECK(result.is_cut == (num_missing == 0));
    CHECK(result.moments.size() == num_missing);
  }
}

TEST_CASE("an alarm consists of three words and a window", "[follow]") {
  CHECK(AlarmOf("3 recompiles in 100 steps").in_steps);
  CHECK(AlarmOf("3 recompiles in 100 steps").window == 100);
  CHECK(AlarmOf("1 limits in 10m").window == 600);
  CHECK(AlarmOf("20 breaks in 2 h").window == 7200);
  for (const std::string_view text :
       {"", "3", "3 recompiles", "0 recompiles in 3s", "3 recompiles in 0 steps", "in 3s",
        "3 recompiles in 3", "3 recompiles in 3 days", "3 apples in 3s", "x recompiles in 3s"}) {
    INFO(text);
    Expected<Alarm> alarm = ParseAlarm(text);
    CHECK_FALSE(static_cast<bool>(alarm));
    if (!alarm) llvm::consumeError(alarm.takeError());
  }
}

}  // namespace
}  // namespace shapewise
