// Records that are longer than any message of torch's: they keep their start, are counted, and take
// time in proportion to their length.

#include <ctime>
#include <string>
#include <vector>

#include "ingest/messages/record.h"
#include "ingest/reader.h"
#include "ingest/reconcile/reconciler.h"
#include "model/resume_name.h"
#include "support/catch.h"
#include "support/trace_text.h"

namespace shapewise {
namespace {

constexpr std::string_view kRecordPrefix =
    "V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [0/1] ";

std::string Repeated(std::string_view text, size_t times) {
  std::string repeated;
  repeated.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

/// So much of `text` that it has `size` bytes.
std::string Filled(std::string_view text, size_t size) {
  return Repeated(text, size / text.size() + 1);
}

/// What one input gives.
struct ReadText : Session {
  explicit ReadText(std::string_view text, const std::string& name = "train.log") {
    ReadInputFromChunks(name, {text}, *this);
  }
};

uint64_t CountOf(const Session& session, Stat stat) { return session.stats().count(stat).times; }

/// The processor time that `read` takes. What is linear takes some milliseconds in these tests,
/// what is quadratic some ten seconds or more.
template <typename Reading>
double SecondsOf(const Reading& read) {
  const std::clock_t begin = std::clock();
  read();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}
constexpr double kMostSeconds = 2;

TEST_CASE("a first line that is too long keeps its start and is counted once", "[ingest]") {
  const ReadText session("torch._dynamo.exc.Unsupported: " + std::string(300'000, 'a') +
                         "\nfoo\nbar\n\nbaz\n");
  REQUIRE(session.events().size() == 1);
  const EventDetail& detail = session.detail(session.events()[0]);
  CHECK(detail.kind() == EventKind::kGraphBreak);
  CHECK(session.text(detail.type()).size() == Record::kMaxBytes - 31);
  CHECK(CountOf(session, Stat::record_too_long) == 1);
  CHECK(session.stats().count(Stat::record_too_long).first_line == 1);
}

TEST_CASE("a later line that is too long keeps its start", "[ingest]") {
  const ReadText session("Graph break in user code at /w/x.py:3\nReason: Unsupported: " +
                         std::string(300'000, 'b') + "\nUser code traceback:\n");
  REQUIRE(session.events().size() == 1);
  CHECK(session.text(session.detail(session.events()[0]).type()).starts_with("bbbb"));
  CHECK(CountOf(session, Stat::record_too_long) == 1);
}

TEST_CASE("a wrapped line that grows too long is counted", "[ingest]") {
  Stats stats;
  Record record;
  record.AddLine("first", /*bare=*/true, stats);
  for (int i = 0; i < 300; ++i) record.ExtendLastLine(std::string(1000, 'x'), stats);
  record.AddLine("second", /*bare=*/true, stats);
  CHECK(record.bytes() == Record::kMaxBytes);
  CHECK(record.num_lines() == 1);
  CHECK(record.line(0).starts_with("firstxxx"));
  CHECK(record.last_text() == "second");
  CHECK(stats.count(Stat::record_too_long).times == 1);
}

TEST_CASE("a record that is cut has whole characters", "[ingest]") {
  for (const size_t shift : {0, 1, 2}) {
    Stats stats;
    Record record;
    record.AddLine(std::string(shift, 'a') + Repeated("\xE2\x82\xAC", 100'000), /*bare=*/true,
                   stats);
    const std::string_view line = record.line(0);
    CHECK(line.ends_with("\xE2\x82\xAC"));
    CHECK(line.size() + 3 > Record::kMaxBytes);
  }
}

TEST_CASE("a record has so many lines at most", "[ingest]") {
  Stats stats;
  Record record;
  for (int i = 0; i < 100'000; ++i) record.AddLine("x", /*bare=*/true, stats);
  CHECK(record.num_lines() == Record::kMaxLines);
  CHECK(record.num_lines_seen() == 100'000);
  CHECK(stats.count(Stat::record_too_long).times == 1);
}

TEST_CASE("blank lines after a blank line take neither time nor space", "[ingest]") {
  Stats stats;
  Record record;
  record.AddLine("x", /*bare=*/true, stats);
  for (int i = 0; i < 100'000; ++i) record.AddLine("", /*bare=*/true, stats);
  record.AddLine("y", /*bare=*/true, stats);
  CHECK(record.num_lines() == 3);
  CHECK(stats.count(Stat::record_too_long).times == 0);

  const std::string text = "torch._dynamo.exc.Unsupported: x" + std::string(200'000, '\n');
  CHECK(SecondsOf([&] {
          const ReadText session(text);
          CHECK(session.events().size() == 1);
          CHECK(CountOf(session, Stat::record_too_long) == 0);
        }) < kMostSeconds);
}

TEST_CASE("what is asked of the last lines follows lines that are added, joined and dropped",
          "[ingest]") {
  Stats stats;
  Record record;
  record.AddLine("  Graph break", /*bare=*/true, stats);
  CHECK(record.head() == "Graph break");
  CHECK_FALSE(record.ends_with_frame());
  record.AddLine("File \"/w/x.py\", line 3, in f", /*bare=*/true, stats);
  CHECK(record.ends_with_frame());
  record.AddLine("    x = 1", /*bare=*/true, stats);
  CHECK(record.ends_with_frame());
  record.AddLine("", /*bare=*/true, stats);
  CHECK_FALSE(record.ends_with_frame());
  CHECK(record.ends_with_blank_line());
  CHECK(record.has_blank_line());
  CHECK(record.last_text() == "x = 1");
  record.ExtendLastLine("Traceback (most recent call last):", stats);
  CHECK_FALSE(record.ends_with_blank_line());
  CHECK_FALSE(record.has_blank_line());
  CHECK(record.has_traceback());
  record.AddLine(std::string(300'000, 'y'), /*bare=*/true, stats);
  record.AddLine("AUTOTUNE mm(8x8)", /*bare=*/true, stats);
  CHECK(record.is_cut());
  CHECK(record.has_autotune_table());
  CHECK(record.last_text() == "AUTOTUNE mm(8x8)");
}

TEST_CASE("a limit message with many parts on one line takes linear time", "[ingest]") {
  const std::string prefix(kRecordPrefix);
  const std::string text = prefix + "torch._dynamo hit config.recompile_limit (8)\n" + prefix +
                           "   function: 'f' (/w/train.py:4)\n" + prefix + "   " +
                           Repeated("reasons: ", 27'000) + "\n";
  CHECK(SecondsOf([&] {
          const ReadText session(text);
          REQUIRE(session.events().size() == 1);
          const EventDetail& detail = session.detail(session.events()[0]);
          CHECK(detail.kind() == EventKind::kRecompileLimit);
          CHECK(session.text(detail.function) == "f");
        }) < kMostSeconds);
}

TEST_CASE("parts of a limit message that were flattened onto one line are told apart", "[ingest]") {
  const ReadText session(
      "torch._dynamo hit config.recompile_limit (8) function: 'f' (/w/t.py:4) last reason: 0/7: "
      "my_reasons: == 3 To log all recompilation reasons, use TORCH_LOGS=\"recompiles\".\n");
  REQUIRE(session.events().size() == 1);
  const EventDetail& detail = session.detail(session.events()[0]);
  CHECK(session.text(detail.function) == "f");
  CHECK(detail.function_line == 4);
  REQUIRE(detail.reasons().size() == 1);
  CHECK(session.text(session.reason(detail.reasons()[0]).guard) == "my_reasons: == 3");
}

TEST_CASE("many names of resume functions on one line take linear time", "[ingest]") {
  for (const std::string name :
       {"torch_dynamo_resume_in_a ", "<graph break in a> ", "resume_in_a (x ",
        "# File: x in torch_dynamo_resume_in_a_at_2 ", "'torch_dynamo_resume_in_b_at_3' (/w/x.py:",
        "Recompiling function torch_dynamo_resume_in_c in "}) {
    INFO(name);
    const std::string text = std::string(kRecordPrefix) + Filled(name, 1'000'000) + "\n";
    CHECK(SecondsOf([&] { ReadText{text}; }) < kMostSeconds);
  }
}

TEST_CASE("names of resume functions are found in every spelling, each with its file", "[ingest]") {
  const std::string_view text =
      "<graph break in a> torch_dynamo_resume_in_b_at_3 my_resume_in_c resume_in_d <graph break in "
      "torch_dynamo_resume_in_e> torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_4_at_5";
  ResumeNameScanner names(text);
  std::vector<std::string> found;
  for (PrintedResumeName name; names.Next(name);) {
    found.push_back(std::string(name.function) + ":" + std::to_string(name.line));
  }
  CHECK(found ==
        std::vector<std::string>{"a:0", "b:3", "d:0", "torch_dynamo_resume_in_e:0", "f:5"});

  Session session;
  Reconciler reconciler(session, 0);
  reconciler.NoteResumeNames(
      "# File: /w/x.py:9 in torch_dynamo_resume_in_f_at_8, code: g # File: /w/y.py:2 in "
      "torch_dynamo_resume_in_g_at_1, code: h 'torch_dynamo_resume_in_h_at_7' (/w/z.py:6)",
      {0, 1, kNoRank, {}});
  reconciler.Finish(/*is_of_torch=*/true);
  REQUIRE(session.events().size() == 3);
  const auto file = [&](size_t index) {
    return session.text(session.detail(session.events()[index]).user_file);
  };
  CHECK(file(0) == "/w/x.py");
  CHECK(file(1) == "/w/y.py");
  CHECK(file(2) == "/w/z.py");
}

TEST_CASE("stacks of breaks through many files take linear time", "[ingest]") {
  const std::string prefix(kRecordPrefix);
  std::string text;
  for (int i = 0; i < 80'000; ++i) {
    if (i % 4000 == 0) {
      text +=
          prefix + "Graph break in user code at /w/x.py:3\n" + prefix + "User code traceback:\n";
    }
    text += prefix + "  File \"/w/m" + std::to_string(i) + ".py\", line 3, in f\n";
  }
  CHECK(SecondsOf([&] { ReadText{text}; }) < kMostSeconds);
}

/// A record by its first line and what follows it again and again.
struct LongRecord {
  std::string first;
  std::string repeated;
};

TEST_CASE("records of many equal lines take linear time", "[ingest]") {
  const std::string prefix(kRecordPrefix);
  const std::string long_frame = "  File \"" + std::string(250'000, 'a') + "\", line 1, in f\n";
  const LongRecord records[] = {
      {"torch._dynamo.exc.Unsupported: x\n", "  File \"/w/x.py\", line 1, in f\n"},
      {"torch._dynamo.exc.Unsupported: x\n" + long_frame, "  x\n"},
      {"Graph break in user code at /w/x.py:3\n" + long_frame, "  x\n"},
      {"Graph break in user code at /w/x.py:3\n", "a.b.SomeError: x\n"},
      {"Graph break in user code at /w/x.py:3\nTraceback (most recent call last):\n",
       "a.b.SomeError: x\n"},
      {"Graph break in user code at /w/x.py:3\n", "Reason:\n\n"},
      {"Break Reason 1:\n", "Reason: \n\n"},
      {std::string(200'000, ' ') + "Graph break from `Tensor.item()`, consider setting:\n",
       "File \"x\"\n"},
      {prefix + std::string(200'000, ' ') + "Compilation Analysis: ====\n",
       "Compilation Analysis: x\n"},
      {"skipping cudagraphs due to " + std::string(130'000, 'x') + ". Found from :\n",
       "File \"x\"\n"},
      {"SingleProcess AUTOTUNE x\n" + Repeated("a ms \n", 20'000), "AUTOTUNE x\n"},
      {"SingleProcess AUTOTUNE x\n", "SubProcess AUTOTUNE x\n"},
      {"Recompiling function f in /w/x.py:3\n", "    - 0/0: x == 3\n"},
      {"torch._dynamo hit config.recompile_limit (8)\n", "   last reason: 0/0: x == 3\n"},
      {"torch._dynamo hit config.recompile_limit (8)\n", "User stack trace:\n"},
      {"WON'T CONVERT f /w/x.py line 3\n", "a.b.SomeError: x\n"},
      {"WON'T CONVERT f /w/x.py line 3\n", "a.b.SomeError: raised:\n"},
      {"Error while creating guard:\n", "  - You marked L['x'].size()[0] as dynamic\n"},
      {"pt-xla-profiler: FRAME (count=3):\n", "pt-xla-profiler:   f (/w/x.py:3)\n"},
      {"Metric: CompileTime\n", "TotalSamples: 3\n"},
      {"torch.jit.frontend.NotSupportedError: x\n", "  File \"x\", line 3\n"},
      {"x.py:3: UserWarning:\n", "x.py:3: UserWarning:\n"},
      {prefix + "Graph break in user code at /w/x.py:3\n", prefix + "x\n"},
      {prefix + "torch._dynamo.exc.Unsupported: x\n", prefix + "\n"},
  };
  for (const LongRecord& record : records) {
    INFO(record.first.substr(0, 100) << record.repeated);
    const std::string text = record.first + Filled(record.repeated, 1'000'000);
    CHECK(SecondsOf([&] { ReadText{text}; }) < kMostSeconds);
  }
}

TEST_CASE("lines of many equal pieces take linear time", "[ingest]") {
  const std::string prefix(kRecordPrefix);
  const LongRecord lines[] = {
      {"torch._dynamo ", "x.py:1]"},
      {"", "torch/x.py:1] "},
      {"", "[2023-10-04 16:26:53,379] torch._dynamo"},
      {"", "Warning:"},
      {prefix, prefix},
      {prefix + "Recompiling function f in ", "x:"},
      {prefix + "Recompiling function f in x.py:3 triggered by the following guard failure(s): ",
       "- 0/0: x == 3 "},
      {prefix + "torch._dynamo hit config.recompile_limit (8) reasons: ['", "x', '"},
      {"ConstraintViolationError: Constraints violated (", "L['x'].size()[0], "},
      {"pt-xla-profiler: Op(s) not lowered: ", "aten::x, "},
      {"", "torch._dynamo.exc.Unsupported: "},
      {"", "\r"},
      {"", "Skipping frame "},
  };
  for (const LongRecord& line : lines) {
    INFO(line.first << line.repeated);
    const std::string text = line.first + Filled(line.repeated, 1'000'000) + "\n";
    CHECK(SecondsOf([&] { ReadText{text}; }) < kMostSeconds);
  }
}

TEST_CASE("names and metrics on one line, all different, take linear time and space", "[ingest]") {
  std::string names = "ConstraintViolationError: Constraints violated (";
  std::string bullets = "Constraints violated (x)!\n";
  std::string metrics = "pt-xla-profiler: Following metrics too frequent: ";
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(i);
    names += "a" + number + ", ";
    bullets += "- You marked a" + number + "\n";
    metrics += "a" + number + " (1 counts), ";
  }
  names += "b)!\n";
  CHECK(SecondsOf([&] {
          const ReadText session(names);
          REQUIRE(session.events().size() == 20'001);
          CHECK(session.text(session.detail(session.events()[0]).message()).size() == 1024);
        }) < kMostSeconds);
  CHECK(SecondsOf([&] { ReadText{bullets}; }) < kMostSeconds);
  CHECK(SecondsOf([&] { ReadText(metrics + " during 10 steps\n"); }) < kMostSeconds);
}

TEST_CASE("many records without ids and ids without records take linear time", "[ingest]") {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "Recompiling function f in /w/x.py:3\n";
  for (int i = 1; i <= 60'000; ++i) {
    text +=
        "V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [0/" + std::to_string(i) + "] x\n";
  }
  CHECK(SecondsOf([&] { CHECK(ReadText(text).events().size() == 60'000); }) < 3 * kMostSeconds);
}

TEST_CASE("an error of a trace whose first line is too long is told and counted",
          "[ingest][trace]") {
  TraceText trace;
  trace
      .Artifact("dynamo_error", 0, 0,
                "Traceback (most recent call last):\ntorch._dynamo.exc.TorchRuntimeError: " +
                    std::string(300'000, 'a') + "\n")
      .Metrics("step", 0, 0, "\"fail_type\": \"TorchRuntimeError\", \"fail_reason\": \"aaa\"");
  const ReadText session(trace.text(), "trace.log");
  REQUIRE(session.events().size() == 1);
  const EventDetail& detail = session.detail(session.events()[0]);
  CHECK(detail.kind() == EventKind::kCompileError);
  CHECK(session.text(detail.type()) == "TorchRuntimeError");
  CHECK(session.text(detail.function) == "step");
  CHECK(CountOf(session, Stat::record_too_long) == 1);
}

TEST_CASE("a break of a trace whose first line is too long is told and counted",
          "[ingest][trace]") {
  TraceText trace;
  trace
      .Artifact("dynamo_graph_break_reason", 0, 0,
                "Graph break: " + std::string(300'000, 'a') + "\n")
      .Metrics("step", 0, 0);
  const ReadText session(trace.text(), "trace.log");
  REQUIRE(session.events().size() == 2);
  CHECK(session.detail(session.events()[0]).kind() == EventKind::kGraphBreak);
  CHECK(CountOf(session, Stat::record_too_long) == 1);
}

TEST_CASE("restarts and recorded breaks of one compilation are compared in linear time",
          "[ingest][trace]") {
  TraceText trace;
  std::string reasons;
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(i);
    trace.Artifact("dynamo_graph_break_reason", 0, 0, "Graph break: a" + number);
    reasons += (i == 0 ? "\"b" : ", \"b") + number + "\"";
  }
  // One more than there are records, so that all are looked for.
  trace.Metrics("step", 0, 0,
                "\"graph_op_count\": 1, \"restart_reasons\": [" + reasons + ", \"a0\"]");
  CHECK(SecondsOf([&] { ReadText(trace.text(), "trace.log"); }) < 2 * kMostSeconds);
}

TEST_CASE("numbers that do not fit are left out and counted", "[ingest]") {
  const auto only_detail = [](const Session& session) {
    REQUIRE(session.events().size() == 1);
    return session.detail(session.events()[0]);
  };
  {
    const ReadText session(
        "Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: '/w/t.py', "
        "function name: 'g', line number: 4294967302\n");
    CHECK(only_detail(session).function_line == 0);
    CHECK(CountOf(session, Stat::number_too_large) == 1);
  }
  {
    const ReadText session("WON'T CONVERT f /w/x.py line 4294967302\n");
    CHECK(only_detail(session).function_line == 0);
    CHECK(CountOf(session, Stat::number_too_large) == 1);
  }
  {
    const ReadText session("torch._dynamo hit config.recompile_limit (18446744073709551615)\n");
    CHECK_FALSE(only_detail(session).As<LimitFact>()->limit);
    CHECK(CountOf(session, Stat::number_too_large) == 1);
  }
  {
    const ReadText session("Counter: aten::x\n  Value: 18446744073709551615\n");
    CHECK(session.events().empty());
    CHECK(CountOf(session, Stat::number_too_large) == 1);
  }
  {
    const ReadText session(
        "skipping cudagraphs due to mutated inputs (9223372036854775808 instances)\n");
    CHECK_FALSE(only_detail(session).As<CudagraphFact>()->count);
    CHECK(CountOf(session, Stat::number_too_large) == 1);
  }
}

}  // namespace
}  // namespace shapewise
