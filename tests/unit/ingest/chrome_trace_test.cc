// Profiles: steps, compilations, CUDA graphs, collections and other processes, however they come.

#include <cmath>
#include <memory>

#include "ingest/reader.h"
#include "support/catch.h"
#include "support/corpus.h"

namespace shapewise {
namespace {

// The shape of what torch.profiler 2.13 exports: a compilation is several nested spans, its id a
// note among them.
constexpr std::string_view kKineto = R"json({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "H100"}],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
  {"ph": "M", "name": "process_name", "ts": 4397977472646.144, "pid": 77, "tid": 0,
    "args": {"name": "python3"}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#8", "pid": 77, "tid": 77,
    "ts": 4397977000000.5, "dur": 100000.25, "args": {"External id": 1}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 77, "tid": 77,
    "ts": 4397976000000.5, "dur": 900000.0},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#7", "pid": 0, "tid": 7,
    "ts": 4397976000000.5, "dur": 900000.0},
  {"ph": "X", "cat": "cpu_op", "name": "dynamo", "pid": 77, "tid": 77,
    "ts": 4397976100000, "dur": 700000},
  {"ph": "X", "cat": "user_annotation", "name": "dynamo_data: compile_id=0/1", "pid": 77, "tid": 77,
    "ts": 4397976100010, "dur": 12},
  {"ph": "X", "cat": "cpu_op", "name": "entire_frame_compile", "pid": 77, "tid": 77,
    "ts": 4397976100100, "dur": 600000},
  {"ph": "X", "cat": "cpu_op", "name": "_compile.compile_inner (dynamo_timed)",
                           "pid" : 77, "tid" : 77, "ts" : 4397976100200, "dur" : 500000
},
  {"ph": "X", "cat": "cpu_op", "name": "gc (dynamo_timed)", "pid": 77, "tid": 77,
    "ts": 4397976600200, "dur": 500},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamBeginCapture", "pid": 77, "tid": 77,
    "ts": 4397977050000, "dur": 5},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamEndCapture", "pid": 77, "tid": 77,
    "ts": 4397977060000, "dur": 15},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm \"}]{[", "pid": 77, "tid": 77,
    "ts": 4397977061000, "dur": 15, "args": {"Input Dims": [[1, 2], [{"a": "]}"}]]}},
  {"ph": "X", "cat": "python_function", "name": "<built-in function collect>", "pid": 77, "tid": 77,
    "ts": 4397977070000, "dur": 20000}
  ], "traceName": "trace.json"
}
)json";

std::unique_ptr<Session> Read(std::string_view text, const ReadOptions& options = {}) {
  auto session = std::make_unique<Session>();
  ReadInputFromChunks("trace.json", {text}, *session, options);
  return session;
}

std::vector<Span> SpansOf(const Session& session, SpanKind kind) {
  std::vector<Span> spans;
  for (const Span& span : session.spans()) {
    if (span.kind == kind) spans.push_back(span);
  }
  return spans;
}

/// `events` between the brackets of a trace.
std::string TraceOf(std::string_view events) {
  return "{\"schemaVersion\": 1, \"traceEvents\": [" + std::string(events) + "]}";
}

TEST_CASE("a profile of torch tells steps, compilations and pauses", "[ingest][chrome_trace]") {
  const auto session = Read(kKineto);
  CHECK(session->input(0).format == "chrome-trace");

  const std::vector<Span> steps = SpansOf(*session, SpanKind::kStep);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].number == 8);
  CHECK(steps[0].line == 9);
  CHECK(steps[0].rank == 3);
  CHECK(steps[0].clock == Clock::kEpoch);
  CHECK(std::abs(steps[0].begin - (1790857026.0 + 4397977.0)) < 1e-5);
  CHECK(std::abs(steps[0].seconds - 0.10000025) < 1e-6);

  const std::vector<Span> compiles = SpansOf(*session, SpanKind::kCompile);
  REQUIRE(compiles.size() == 1);
  CHECK(std::abs(compiles[0].seconds - 0.7) < 1e-6);
  CHECK(session->text(compiles[0].compile_id) == "0/1");
  CHECK(SpansOf(*session, SpanKind::kCompilePhase).empty());

  const std::vector<Span> records = SpansOf(*session, SpanKind::kCudagraphRecord);
  REQUIRE(records.size() == 1);
  CHECK(std::abs(records[0].seconds - 0.010015) < 1e-6);

  const std::vector<Span> collections = SpansOf(*session, SpanKind::kGarbageCollection);
  REQUIRE(collections.size() == 1);
  CHECK(std::abs(collections[0].seconds - 0.02) < 1e-6);
  CHECK(session->stats().count(Stat::profile_event_unreadable).times == 0);
}

TEST_CASE("phases are kept when they are asked for", "[ingest][chrome_trace]") {
  ReadOptions options;
  options.keep_phases = true;
  const auto session = Read(kKineto, options);
  REQUIRE(SpansOf(*session, SpanKind::kCompilePhase).size() == 1);
  CHECK(session->text(SpansOf(*session, SpanKind::kCompilePhase)[0].name) == "gc (dynamo_timed)");
}

TEST_CASE("chromium events of PyTorch are an array of begins and ends", "[ingest][chrome_trace]") {
  const auto session = Read(R"([
{"name": "dynamo", "ts": 1733500695010000.0, "args": {"compile_id": "0/0"}, "ph": "B", "cat": "dynamo_timed", "tid": 0, "pid": 0},
{"name": "entire_frame_compile", "ts": 1733500695020000.0, "args": {"compile_id": "0/0"}, "ph": "B", "cat": "dynamo_timed", "tid": 0, "pid": 0},
{"name": "entire_frame_compile", "ts": 1733500695520000.0, "args": {"compile_id": "0/0"}, "ph": "E", "cat": "dynamo_timed", "tid": 0, "pid": 0},
{"name": "dynamo", "ts": 1733500695530000.0, "args": {"compile_id": "0/0"}, "ph": "E", "cat": "dynamo_timed", "tid": 0, "pid": 0}
]
)");
  REQUIRE(session->spans().size() == 1);
  const Span& span = session->spans()[0];
  CHECK(span.kind == SpanKind::kCompile);
  CHECK(span.clock == Clock::kEpoch);
  CHECK(std::abs(span.begin - 1733500695.01) < 1e-5);
  CHECK(std::abs(span.seconds - 0.52) < 1e-5);
  CHECK(session->text(span.compile_id) == "0/0");
}

TEST_CASE("samples of one function become stretches of another process", "[ingest][chrome_trace]") {
  std::string events =
      R"({"ph": "M", "name": "process_name", "pid": 9, "args": {"name": "node-agent"}})";
  for (int burst = 0; burst < 2; ++burst) {
    for (int sample = 0; sample < 100; ++sample) {
      events += R"(, {"ph": "X", "name": "smap_gather_stats", "pid": 9, "tid": 9, "ts": )" +
                std::to_string(burst * 2'500'000 + sample * 4000) + R"(, "dur": 4000})";
    }
  }
  const auto session = Read(TraceOf(events));
  const std::vector<Span> spans = SpansOf(*session, SpanKind::kOtherProcess);
  REQUIRE(spans.size() == 2);
  CHECK(session->text(spans[0].process) == "node-agent");
  CHECK(session->text(spans[0].name) == "smap_gather_stats");
  CHECK(spans[0].clock == Clock::kRelative);
  CHECK(std::abs(spans[0].seconds - 0.4) < 1e-9);
  CHECK(std::abs(spans[1].begin - 2.5) < 1e-9);
}

TEST_CASE("a profile reads the same cut in two at any byte", "[ingest][chrome_trace]") {
  const auto whole = Read(kKineto);
  const std::string expected = DumpSession(*whole);
  REQUIRE(expected.find("0/1") != std::string::npos);
  for (size_t cut = 1; cut < kKineto.size(); ++cut) {
    Session session;
    ReadInputFromChunks("trace.json", {kKineto.substr(0, cut), kKineto.substr(cut)}, session);
    if (DumpSession(session) == expected) continue;
    INFO(cut);
    FAIL("the answer depends on where the profile was cut");
  }
}

TEST_CASE("a profile on one long line reads as one with many", "[ingest][chrome_trace]") {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  for (int step = 0; step < 20'000; ++step) {
    text += (step == 0 ? "" : ",");
    text += R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" +
            std::to_string(step) + R"(", "pid": 1, "tid": 1, "ts": )" +
            std::to_string(step * 1000) + R"(, "dur": 900, "args": {"note": "a \" } ] brace"}})";
  }
  text += "]}";
  REQUIRE(text.size() > 2 * kMaxLineBytes);
  const auto session = Read(text);
  REQUIRE(session->spans().size() == 20'000);
  CHECK(session->spans()[19'999].number == 19'999);
  CHECK(session->stats().count(Stat::profile_event_unreadable).times == 0);
}

TEST_CASE("a damaged event costs that event", "[ingest][chrome_trace]") {
  const std::string good =
      R"({"ph": "X", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 10, "dur": 5})";
  const auto damaged =
      GENERATE(as<std::string>(),
               // A quote that is missing: the newline ends the text.
               "{\"ph\": \"X\", \"name\": \"oops, \"pid\": 1, \"ts\": 1\n}",
               R"({"ph": "X", "name": "ProfilerStep#2", "pid": 1, "ts": NaN, "dur": 5})",
               R"({"ph": "X", "name": "ProfilerStep#2", "pid": 1, "ts": 1e400, "dur": 5})",
               R"({"ph": "X", "name": "ProfilerStep#2", "pid": 1, "ts": 1e300, "dur": 5})",
               R"({"ph": "X", "name": "ProfilerStep#2", "pid": 1, "ts": 1, "dur": -5})",
               R"({"ph": "X", "name": "ProfilerStep#2 \ud800", "pid": 1, "ts": 1, "dur": 5})",
               R"({"ph": "X", "name": [1, 2], "pid": 1, "ts": 1, "dur": 5})");
  INFO(damaged);
  const auto session = Read(TraceOf(good + ",\n" + damaged + ",\n" + good));
  CHECK(SpansOf(*session, SpanKind::kStep).size() == 2);
  CHECK(session->stats().count(Stat::profile_event_unreadable).times == 1);
}

TEST_CASE("hostile profiles end", "[ingest][chrome_trace]") {
  const std::string step =
      R"({"ph": "X", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 10, "dur": 5})";
  SECTION("deep nesting in the arguments") {
    const std::string deep(200'000, '[');
    const auto session = Read(TraceOf(R"({"ph": "X", "name": "a", "args": )" + deep +
                                      std::string(200'000, ']') + "}," + step));
    CHECK(SpansOf(*session, SpanKind::kStep).size() == 1);
  }
  SECTION("brackets that are never opened") {
    const auto session = Read("{\"schemaVersion\": 1}]]}}}}" + TraceOf(step));
    CHECK(session->spans().size() <= 1);
  }
  SECTION("an event of many megabytes") {
    const auto session = Read(TraceOf(R"({"ph": "X", "name": "a", "args": ")" +
                                      std::string(5'000'000, 'x') + "\"}," + step));
    CHECK(SpansOf(*session, SpanKind::kStep).size() == 1);
    CHECK(session->stats().count(Stat::profile_event_unreadable).times == 1);
  }
  SECTION("a file that ends anywhere") {
    for (size_t end = 0; end < kKineto.size(); end += 7) {
      const auto session = Read(kKineto.substr(0, end));
      CHECK(session->spans().size() <= 6);
    }
  }
  SECTION("ends without begins, begins without ends") {
    std::string events = step;
    for (int i = 0; i < 3000; ++i) {
      events += R"(, {"ph": "B", "name": "x", "pid": 1, "tid": 1, "ts": 1})";
      events += R"(, {"ph": "E", "pid": 1, "tid": 2, "ts": 1})";
    }
    CHECK(SpansOf(*Read(TraceOf(events)), SpanKind::kStep).size() == 1);
  }
}

TEST_CASE("a log that begins with a dictionary is no profile", "[ingest][chrome_trace]") {
  const auto session = Read(
      "{\n  \"model\": \"gpt2\",\n  \"layers\": 12\n}\n"
      "V1121 03:50:55.230000 11963 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] Recompiling "
      "function f in /app/t.py:6\n");
  CHECK(session->input(0).format == "torch-log");
  CHECK(session->events().size() == 1);
}

TEST_CASE("the runs of a compiled region are one, however they are written", "[ingest]") {
  const auto session = Read(R"json({"traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "Torch-Compiled Region: 0/1", "pid": 7, "tid": 7, "ts": 3000000, "dur": 500000},
  {"ph": "X", "cat": "cpu_op", "name": "Torch-Compiled Region: 0/1", "pid": 7, "tid": 7, "ts": 1000000, "dur": 500000},
  {"ph": "B", "cat": "cpu_op", "name": "Torch-Compiled Region: 1/0", "pid": 7, "tid": 7, "ts": 4000000},
  {"ph": "E", "cat": "cpu_op", "name": "Torch-Compiled Region: 1/0", "pid": 7, "tid": 7, "ts": 4500000},
  {"ph": "X", "cat": "cpu_op", "name": "Torch-Compiled Region", "pid": 7, "tid": 7, "ts": 5000000, "dur": 1}
  ]})json");
  const auto& runs = session->region_runs();
  REQUIRE(runs.size() == 3);
  CHECK(session->text(runs[0].compile_id) == "0/1");
  CHECK(runs[0].runs == 2);
  CHECK(runs[0].first == Approx(1.0));
  CHECK(runs[0].last == Approx(3.5));
  CHECK(session->text(runs[1].compile_id) == "1/0");
  CHECK(runs[1].last == Approx(4.5));
  CHECK(runs[2].compile_id == StrId::kNone);
  CHECK(session->spans().empty());
}

}  // namespace
}  // namespace shapewise
