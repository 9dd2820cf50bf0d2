// A run that was both logged and traced: both give the same result.

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/reader.h"
#include "ingest/reconcile/reconciler.h"
#include "support/catch.h"
#include "support/memory_files.h"
#include "support/source_dir.h"
#include "support/trace_text.h"

namespace shapewise {
namespace {

/// The events of the kinds that both record, each in full but for its place, in one order.
std::vector<std::string> DescribeRun(const std::string& path) {
  Session session;
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  REQUIRE(ReadInputs({path}, *files, session).empty());
  std::vector<std::string> reported;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    const auto text = [&](StrId id) { return std::string(session.text(id)); };
    std::string line(EventKindName(detail.kind()));
    line += " rank " + std::to_string(event.rank) + " [" + text(event.compile_id) + "] ";
    switch (detail.kind()) {
      case EventKind::kRecompile:
      case EventKind::kRecompileLimit:
        line += text(detail.function) + " " + text(detail.file) + ":" +
                std::to_string(detail.function_line);
        for (const ReasonId id : detail.reasons()) {
          const Reason& reason = session.reason(id);
          line += "\n  " + text(reason.entry) + " " + text(reason.guard) + " " +
                  text(reason.source) + " " + text(reason.actual) + " " + text(reason.user_file) +
                  ":" + std::to_string(reason.user_line);
        }
        break;
      case EventKind::kGraphBreak: {
        const auto& graph_break = std::get<GraphBreakFact>(detail.fact);
        // An exception caught by the program is in its trace but not in its log; for a break that
        // was logged before, a log omits the stack.
        if (graph_break.fatal) continue;
        line += text(graph_break.type) + " " + text(graph_break.gb) + " " + text(detail.user_file) +
                ":" + std::to_string(detail.user_line);
        break;
      }
      case EventKind::kConstraintViolation: {
        const auto& violation = std::get<ConstraintFact>(detail.fact);
        line += text(violation.source) + " " + std::to_string(violation.dim);
        break;
      }
      default:
        continue;
    }
    reported.push_back(line);
  }
  std::sort(reported.begin(), reported.end());
  return reported;
}

TEST_CASE("a log and a trace of the same run tell the same", "[ingest][trace][corpus]") {
  const std::filesystem::path root = std::filesystem::path(SourceDir()) / "corpora/captured/2.13.0";
  size_t num_events = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::filesystem::path trace = entry.path() / "trace";
    const std::filesystem::path log = entry.path() / "log.txt";
    if (!std::filesystem::exists(trace) || !std::filesystem::exists(log)) continue;
    INFO(entry.path().filename().string());
    std::vector<std::string> logged = DescribeRun(log.string());
    std::vector<std::string> traced = DescribeRun(trace.string());
    // A log holds what TORCH_LOGS asked for.
    const auto has_breaks = [](const std::vector<std::string>& reported) {
      return std::any_of(reported.begin(), reported.end(),
                         [](const std::string& line) { return line.starts_with("graph_break"); });
    };
    if (!has_breaks(logged)) {
      std::erase_if(traced,
                    [](const std::string& line) { return line.starts_with("graph_break"); });
    }
    CHECK(logged == traced);
    num_events += logged.size();
  }
  CHECK(num_events > 40);
}

/// What is counted of guards, one compilation a line, in one order.
template <typename Compiled>
void AddGuards(const Compiled& compiled, const Session& session,
               std::vector<std::string>& reported) {
  const auto text = [&](StrId id) { return std::string(session.text(id)); };
  const GuardTally& guards = compiled.guards;
  std::string line = text(compiled.compile_id) + " " + text(compiled.function) + " " +
                     text(compiled.file) + ":" + std::to_string(compiled.function_line) + " " +
                     std::to_string(guards.leaves) + "+" + std::to_string(guards.managers) + " " +
                     std::to_string(guards.latency_us.value_or(-1));
  for (const auto& [kind, count] : guards.kinds) line += " " + text(kind) + std::to_string(count);
  for (const auto& [lambda, count] : guards.root_lambdas) {
    line += "\n  " + text(lambda) + " " + std::to_string(count);
  }
  for (const GuardTally::Family& family : guards.families) {
    line += "\n  " + text(family.source) + " " + std::to_string(family.guards) + " " +
            std::to_string(family.members);
  }
  reported.push_back(line);
}

TEST_CASE("a log prints the guards that a trace holds", "[ingest][trace][corpus]") {
  const std::string root = SourceDir() + "/corpora/captured/2.13.0/257-guards-printed/";
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  Session log;
  REQUIRE(ReadInputs({root + "log.txt"}, *files, log).empty());
  Session trace;
  REQUIRE(ReadInputs({root + "trace"}, *files, trace).empty());
  std::vector<std::string> logged;
  std::vector<std::string> traced;
  for (const PrintedGuards& printed : log.printed_guards()) AddGuards(printed, log, logged);
  for (const Compilation& compiled : trace.compilations()) AddGuards(compiled, trace, traced);
  std::sort(logged.begin(), logged.end());
  std::sort(traced.begin(), traced.end());
  CHECK(logged.size() == 8);
  CHECK(logged == traced);
  // Read together, each is reported once.
  Session both;
  REQUIRE(ReadInputs({root + "log.txt", root + "trace"}, *files, both).empty());
  CHECK(both.printed_guards().empty());
  CHECK(both.compilations().size() == traced.size());
}

TEST_CASE("a run that is both logged and traced counts once", "[ingest][trace][corpus]") {
  const std::string root = SourceDir() + "/corpora/captured/2.13.0/";
  for (const std::string name : {"232-trace-small", "240-trace-limits", "241-trace-breaks",
                                 "242-trace-errors", "243-trace-ranks"}) {
    INFO(name);
    const std::unique_ptr<FileSource> files = NewDiskFileSource();
    Session both;
    REQUIRE(ReadInputs({root + name + "/log.txt", root + name + "/trace"}, *files, both).empty());
    Session traced;
    REQUIRE(ReadInputs({root + name + "/trace"}, *files, traced).empty());
    CHECK(both.events().size() == traced.events().size());
    // Another run's trace explains nothing of a log.
    Session logged;
    REQUIRE(ReadInputs({root + name + "/log.txt"}, *files, logged).empty());
    Session other;
    REQUIRE(ReadInputs({root + name + "/log.txt", root + "247-trace-symbols/trace"}, *files, other)
                .empty());
    Session symbols;
    REQUIRE(ReadInputs({root + "247-trace-symbols/trace"}, *files, symbols).empty());
    CHECK(other.events().size() == logged.events().size() + symbols.events().size());
  }
}

/// A session with a log and a trace, to which events are added one by one.
class TwoInputs {
 public:
  TwoInputs() {
    session_.input(session_.AddInput("run.log")).format = "torch-log";
    session_.input(session_.AddInput("trace.log")).format = "torch-trace";
  }

  void AddError(uint32_t input, const LogTime& time) {
    const CompileErrorFact error{.type = session_.strings().Intern("InductorError")};
    Event event;
    event.input = input;
    event.line = ++line_;
    event.time = time;
    session_.AddEvent(event, {.fact = error}, {});
  }

  /// How many events are left once those that are in both inputs count once.
  size_t NumLeft() {
    session_.SortByPlace();
    ReconcileLogsAndTraces(session_);
    return session_.events().size();
  }

 private:
  Session session_;
  uint64_t line_ = 0;
};

constexpr uint32_t kLogInput = 0;
constexpr uint32_t kTraceInput = 1;
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

TEST_CASE("what was logged before midnight and traced after it counts once", "[ingest][trace]") {
  struct Pair {
    LogTime logged;
    LogTime traced;
    size_t num_left;
  };
  const Pair pairs[] = {
      {{0, 11, 21, kDay - kSecond}, {0, 11, 22, kSecond}, 1},
      {{0, 11, 22, kSecond}, {0, 11, 21, kDay - kSecond}, 1},
      {{0, 4, 30, kDay - kSecond}, {0, 5, 1, kSecond}, 1},
      {{2023, 12, 31, kDay - kSecond}, {0, 1, 1, kSecond}, 1},
      {{0, 1, 1, kSecond}, {0, 12, 31, kDay - kSecond}, 1},
      {{0, 2, 28, kDay - kSecond}, {0, 3, 1, kSecond}, 1},
      {{0, 2, 29, kDay - kSecond}, {0, 3, 1, kSecond}, 1},
      {{0, 11, 21, 0}, {0, 11, 21, 60 * kSecond}, 1},
      {{0, 11, 21, 0}, {0, 11, 21, 60 * kSecond + 1}, 2},
      {{0, 11, 21, kSecond}, {0, 11, 22, kSecond}, 2},
      {{0, 11, 21, kDay - kSecond}, {0, 11, 23, kSecond}, 2},
      {{}, {0, 11, 22, kSecond}, 1},
      {{0, 11, 22, kSecond}, {}, 1},
  };
  for (const Pair& pair : pairs) {
    INFO(FormatLogTime(pair.logged) << " and " << FormatLogTime(pair.traced));
    TwoInputs inputs;
    inputs.AddError(kLogInput, pair.logged);
    inputs.AddError(kTraceInput, pair.traced);
    CHECK(inputs.NumLeft() == pair.num_left);
  }
}

TEST_CASE("each traced event accounts for one logged event", "[ingest][trace]") {
  TwoInputs inputs;
  for (int64_t i = 0; i < 3; ++i) inputs.AddError(kLogInput, {0, 11, 21, i * 10 * kSecond});
  for (int64_t i = 0; i < 2; ++i) inputs.AddError(kTraceInput, {0, 11, 21, i * 10 * kSecond});
  CHECK(inputs.NumLeft() == 3);
}

TEST_CASE("equal errors more than a minute apart are compared in linear time", "[ingest][trace]") {
  TwoInputs inputs;
  constexpr int kNumErrors = 60'000;
  for (int i = 0; i < kNumErrors; ++i) {
    const LogTime logged{0, static_cast<uint8_t>(1 + i / 5000), static_cast<uint8_t>(1 + i % 20),
                         i % 5000 / 20 * 300 * kSecond};
    LogTime traced = logged;
    traced.micros += 150 * kSecond;
    inputs.AddError(kLogInput, logged);
    inputs.AddError(kTraceInput, traced);
  }
  const std::clock_t begin = std::clock();
  CHECK(inputs.NumLeft() == 2 * kNumErrors);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 2);
}

TEST_CASE("a log says what became of a frame whose error is traced", "[ingest][trace]") {
  constexpr std::string_view kError =
      "torch._dynamo.exc.BackendCompilerFailed: backend='b' raised:\nValueError: no\n";
  TraceText trace;
  trace.Artifact("dynamo_error", 0, 0, "Traceback (most recent call last):\n" + std::string(kError))
      .Metrics("step", 0, 0,
               "\"fail_type\": \"BackendCompilerFailed\", \"config_suppress_errors\": true");
  MemoryFiles files;
  files.files["trace.log"] = trace.text();
  files.files["run.log"] =
      "W1121 04:07:24.700000 551 torch/_dynamo/convert_frame.py:1] [0/0] WON'T CONVERT step "
      "/w/train.py line 4\ndue to:\nTraceback (most recent call last):\n" +
      std::string(kError);
  Session session;
  REQUIRE(ReadInputs({"run.log", "trace.log"}, files, session).empty());
  REQUIRE(session.events().size() == 1);
  CHECK(session.detail(session.events()[0]).kind() == EventKind::kSkippedFrame);
}

}  // namespace
}  // namespace shapewise
