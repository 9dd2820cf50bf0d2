#include <string>
#include <vector>

#include "support/catch.h"
#include "support/read_log.h"
#include "support/trace_text.h"

namespace shapewise {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kReason =
    "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 7";

TEST_CASE("a recompile is named by the metrics that end its compilation", "[ingest][trace]") {
  TraceText trace;
  trace.Artifact("recompile_reasons", 0, 1, kReason).Metrics("step", 0, 1);
  const ReadLog read(trace.text());
  CHECK(read.session().inputs()[0].format == "torch-trace");
  REQUIRE(read.Events() == Texts{"recompile step 0/1", "compile step 0/1"});
  CHECK(read.text(read.detail(0).file) == "/w/train.py");
  CHECK(read.detail(0).function_line == 4);
  CHECK(read.session().events()[0].line == 1);
  CHECK(read.text(read.reason(0, 0).entry) == "0/0");
  CHECK(read.text(read.reason(0, 0).actual) == "7");
  CHECK(read.detail(1).As<CompileFact>()->seconds == 1.5);
  CHECK(read.detail(1).As<CompileFact>()->num_ops == 2);
}

TEST_CASE("reasons come as a list, as a JSON string or as they are", "[ingest][trace]") {
  const std::string quoted = "\"" + std::string(kReason) + "\"";
  for (const std::string& payload : {std::string(kReason), quoted, "[\n" + quoted + "\n]"}) {
    INFO(payload);
    TraceText trace;
    trace.Artifact("recompile_reasons", 0, 1, payload).Metrics("f", 0, 1);
    const ReadLog read(trace.text());
    REQUIRE(read.Events() == Texts{"recompile f 0/1", "compile f 0/1"});
    REQUIRE(read.detail(0).reasons().size() == 1);
    CHECK(read.text(read.reason(0, 0).expected) == "4");
  }
}

TEST_CASE("the stack that a reason prints is no further reason", "[ingest][trace]") {
  TraceText trace;
  trace.Artifact("recompile_reasons", 0, 2,
                 "[\"0/1: n == 3  # return x * n\\nUser stack trace:\\n  File \\\"/w/t.py\\\", "
                 "line 12, in f\",\n\"0/0: n == 2\"]");
  const ReadLog read(trace.text());
  REQUIRE(read.detail(0).reasons().size() == 2);
  CHECK(read.text(read.reason(0, 1).entry) == "0/0");
}

TEST_CASE("a compilation that never ends is kept, named by how it began", "[ingest][trace]") {
  TraceText trace;
  trace.Event("\"str\": [\"/w/train.py\", 3]")
      .Artifact("recompile_reasons", 1, 1, kReason)
      .Event(
          "\"dynamo_start\": {\"stack\": [{\"line\": 30, \"name\": \"main\", \"filename\": 3}, "
          "{\"line\": 9, \"name\": \"step\", \"filename\": 3}]}, " +
          TraceText::Id(1, 1));
  const ReadLog read(trace.text());
  REQUIRE(read.Events() == Texts{"recompile step 1/1"});
  REQUIRE(read.session().compilations().size() == 1);
  const Compilation& compilation = read.compilation(0);
  CHECK_FALSE(compilation.is_finished);
  CHECK(compilation.outcome == CompileOutcome::kUnknown);
  CHECK(read.text(compilation.function) == "step");
  CHECK(read.text(compilation.file) == "/w/train.py");
  CHECK(compilation.function_line == 9);
  CHECK(read.text(compilation.user_function) == "main");
  CHECK(compilation.user_line == 30);
}

TEST_CASE("reasons to recompile alone are no compilation", "[ingest][trace]") {
  // As under a stance that forbids to recompile.
  TraceText trace;
  trace.Metrics("f", 0, 0).Artifact("recompile_reasons", 0, 1, kReason);
  const ReadLog read(trace.text());
  CHECK(read.Events() == Texts{"compile f 0/0", "recompile f 0/1"});
  CHECK(read.session().compilations().size() == 1);
}

TEST_CASE("nightlies before 2.6 tell sums of microseconds only", "[ingest][trace]") {
  TraceText trace;
  trace.Event(
      "\"compilation_metrics\": {\"co_name\": \"f\", \"graph_op_count\": 2, "
      "\"dynamo_cumulative_compile_time_us\": 2000000, "
      "\"aot_autograd_cumulative_compile_time_us\": 1500000}, " +
      TraceText::Id(0, 0));
  const ReadLog read(trace.text());
  REQUIRE(read.Events() == Texts{"compile f 0/0"});
  CHECK(read.detail(0).As<CompileFact>()->seconds == 2.0);
  CHECK(read.compilation(0).seconds.backend == 1.5);
  CHECK_FALSE(read.compilation(0).seconds.inductor);
}

TEST_CASE("metrics tell what a compilation took", "[ingest][trace]") {
  TraceText trace;
  trace.Artifact("fx_graph_cache_miss", 0, 0, "{}")
      .Metrics("f", 0, 0,
               "\"graph_op_count\": 3, \"graph_input_count\": 2, \"guard_count\": 29, "
               "\"backend_compile_time_s\": 1.2, \"inductor_compile_time_s\": 1, "
               "\"code_gen_time_s\": 0.5, \"dynamo_time_before_restart_s\": 0.25, "
               "\"start_time_us\": 1795233994998085, \"guard_latency_us\": 17, "
               "\"restart_reasons\": []")
      .Event(
          "\"bwd_compilation_metrics\": {\"inductor_compile_time_s\": 0.25, \"duration_us\": "
          "500000, \"fail_type\": null}, " +
          TraceText::Id(0, 0))
      .Event("\"compilation_metrics_runtime\": {\"runtime_triton_autotune_time_us\": 2000000}, " +
             TraceText::Id(0, 0));
  const ReadLog read(trace.text());
  REQUIRE(read.session().compilations().size() == 2);
  const Compilation& forward = read.compilation(0);
  CHECK(forward.is_finished);
  CHECK(forward.outcome == CompileOutcome::kGraph);
  CHECK(forward.cache == CacheOutcome::kMiss);
  CHECK(forward.seconds.total == 1.5);
  CHECK(forward.seconds.backend == 1.2);
  CHECK(forward.seconds.inductor == 1.0);
  CHECK(forward.seconds.code_gen == 0.5);
  CHECK(forward.seconds.before_restart == 0.25);
  CHECK_FALSE(forward.seconds.cache_saved);
  CHECK(forward.num_guards == 29);
  CHECK(forward.guards.latency_us == 17.0);
  CHECK(forward.start == 1795233994.998085);
  const Compilation& backward = read.compilation(1);
  CHECK(backward.outcome == CompileOutcome::kBackward);
  CHECK(read.text(backward.function) == "f");
  CHECK(backward.seconds.total == 0.5);
  CHECK(backward.seconds.inductor == 0.25);
  CHECK(backward.seconds.at_run_time == 2.0);
}

TEST_CASE("the parameters of a module are no inputs of a call", "[ingest][trace]") {
  const std::string id = TraceText::Id(0, 0);
  TraceText trace;
  trace
      .Event(
          "\"describe_tensor\": {\"id\": 0, \"describer_id\": 1, \"dtype\": \"torch.float32\", "
          "\"size\": [3, 6], \"stride\": [6, 1], \"is_parameter\": true}, " +
          id)
      .Event(
          "\"describe_source\": {\"describer_id\": 1, \"id\": 0, \"source\": "
          "\"L['self']._parameters['w']\"}, " +
          id)
      .Event(
          "\"describe_tensor\": {\"id\": 4, \"describer_id\": 1, \"dtype\": \"torch.int64\", "
          "\"size\": [4, \"s0\"], \"stride\": [16, 1]}, " +
          id)
      .Event("\"describe_source\": {\"describer_id\": 1, \"id\": 4, \"source\": \"L['x']\"}, " + id)
      .Metrics("f", 0, 0);
  const ReadLog read(trace.text());
  REQUIRE(read.compilation(0).shapes.size() == 1);
  const InputShape& shape = read.compilation(0).shapes[0];
  CHECK(read.text(shape.source) == "L['x']");
  CHECK(read.text(shape.shape) == "[4, s0]");
  CHECK(read.text(shape.dtype) == "torch.int64");
  CHECK(read.text(shape.stride) == "[16, 1]");
}

TEST_CASE("symbols are kept with the line of the user's code", "[ingest][trace]") {
  const std::string user =
      "\"user_stack\": [{\"line\": 10, \"name\": \"step\", \"filename\": 1}], \"stack\": []}, " +
      TraceText::Id(0, 1);
  TraceText trace;
  trace.Event("\"str\": [\"/w/train.py\", 1]")
      .Event(
          "\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"7\", \"vr\": \"[2, int_oo]\", "
          "\"source\": \"L['x'].size()[0]\", " +
          user)
      .Event(
          "\"symbolic_shape_specialization\": {\"symbol\": \"s77\", \"sources\": "
          "[\"L['x'].size()[0]\"], \"value\": \"6\", \"reason\": \"range\", " +
          user)
      .Event("\"guard_added_fast\": {\"expr\": \"s77 <= 4096\", \"user_stack\": []}, " +
             TraceText::Id(0, 1));
  const ReadLog read(trace.text());
  const std::vector<SymbolFact>& symbols = read.compilation(0).symbols;
  REQUIRE(symbols.size() == 3);
  CHECK(symbols[0].kind == SymbolFact::Kind::kCreated);
  CHECK(read.text(symbols[0].source) == "L['x'].size()[0]");
  CHECK(read.text(symbols[0].user_file) == "/w/train.py");
  CHECK(symbols[0].user_line == 10);
  CHECK(symbols[1].kind == SymbolFact::Kind::kSpecialized);
  CHECK(read.text(symbols[1].value) == "6");
  CHECK(read.text(symbols[2].expr) == "s77 <= 4096");
}

TEST_CASE("of a hit and a miss in one compilation the miss counts", "[ingest][trace]") {
  const auto outcome = [](const std::vector<std::string>& artifacts) {
    TraceText trace;
    for (const std::string& name : artifacts) {
      trace.Artifact(name, 0, 0, "{\"time_saved_ms\": 8288.0}");
    }
    const ReadLog read(trace.Metrics("f", 0, 0).text());
    return std::string(CacheOutcomeName(read.compilation(0).cache));
  };
  CHECK(outcome({}).empty());
  CHECK(outcome({"aotautograd_cache_hit"}) == "hit");
  CHECK(outcome({"aotautograd_cache_miss", "fx_graph_cache_hit"}) == "hit");
  CHECK(outcome({"fx_graph_cache_hit", "fx_graph_cache_miss"}) == "miss");
  CHECK(outcome({"aotautograd_cache_bypass"}) == "bypass");
}

TEST_CASE("a frame that is given up is the function it was before", "[ingest][trace]") {
  TraceText trace;
  trace.Metrics("scale", 0, 7)
      .Artifact("recompile_reasons", 0, 8,
                "0/7: tensor 'x' size mismatch at index 0. expected 9, "
                "actual 10")
      .Event(
          "\"compilation_metrics\": {\"co_name\": null, \"fail_type\": \"Unsupported\", "
          "\"fail_reason\": \"Dynamo recompile limit exceeded\\n  Explanation: ... (currently "
          "set to 8). ...\\n  Developer debug context: Limit type: recompile_limit\", "
          "\"recompile_reason\": \"0/7: tensor 'x' size mismatch at index 0. expected 9, actual "
          "10\"}, " +
          TraceText::Id(0, 8));
  const ReadLog read(trace.text());
  REQUIRE(read.Events() ==
          Texts{"compile scale 0/7", "recompile scale 0/8", "recompile_limit scale 0/8"});
  CHECK(read.detail(2).As<LimitFact>()->limit == 8);
  CHECK(read.detail(2).As<LimitFact>()->limit_name == LimitName::kRecompileLimit);
  REQUIRE(read.detail(2).reasons().size() == 1);
  CHECK(read.text(read.reason(2, 0).actual) == "10");
}

constexpr std::string_view kBreak =
    "Graph break in user code at /w/train.py:11\n"
    "Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, "
    "e.g. f(x, y):\n"
    "\n"
    "Failed to trace builtin operator\n"
    "  Explanation: Dynamo does not know how to trace builtin operator `print`\n"
    "\n"
    " For more details about this graph break, please visit: https://x/gb/gb0059.html\n"
    "\n"
    "User code traceback:\n"
    "  File \"/w/train.py\", line 11, in step\n"
    "    print(x)\n"
    "\n"
    "Traceback (most recent call last):\n"
    "torch._dynamo.exc.Unsupported: Failed to trace builtin operator\n";

constexpr std::string_view kError =
    "Traceback (most recent call last):\n"
    "  File \"/t/torch/_dynamo/convert_frame.py\", line 2102, in _compile\n"
    "torch._dynamo.exc.Unsupported: Failed to trace builtin operator\n"
    "  Explanation: Dynamo does not know how to trace builtin operator `print`\n"
    "\n"
    "from user code:\n"
    "   File \"/w/train.py\", line 11, in step\n"
    "    print(x)\n";

constexpr std::string_view kFailed =
    "\"fail_type\": \"Unsupported\", \"fail_reason\": \"Failed to trace builtin operator\", "
    "\"num_graph_breaks\": 0";

TEST_CASE("a break's payload is read as the record that logs print", "[ingest][trace]") {
  TraceText trace;
  trace.Artifact("dynamo_graph_break_reason", 0, 0, kBreak)
      .Metrics("step", 0, 0,
               "\"graph_op_count\": 1, \"restart_reasons\": [\"Failed to trace builtin operator\\n "
               "Explanation\"]");
  const ReadLog read(trace.text());
  REQUIRE(read.Events() == Texts{"graph_break 0/0", "compile step 0/0"});
  CHECK(read.text(read.detail(0).As<GraphBreakFact>()->gb) == "GB0059");
  CHECK(read.text(read.detail(0).type()) == "Failed to trace builtin operator");
  CHECK(read.detail(0).user_line == 11);
  CHECK_FALSE(read.detail(0).is_fatal_break());
  CHECK(read.compilation(0).restarts == 1);
}

TEST_CASE("an error that no break's record tells was raised", "[ingest][trace]") {
  TraceText trace;
  trace.Artifact("dynamo_error", 0, 0, kError).Metrics("step", 0, 0, kFailed);
  const ReadLog read(trace.text());
  REQUIRE(read.Events() == Texts{"graph_break step 0/0"});
  CHECK(read.detail(0).is_fatal_break());
  CHECK(read.detail(0).user_line == 11);
  CHECK(read.compilation(0).outcome == CompileOutcome::kFailed);
}

TEST_CASE("an error that a break's record tells, before or behind it, adds nothing",
          "[ingest][trace]") {
  TraceText before;
  before.Artifact("dynamo_graph_break_reason", 0, 0, kBreak)
      .Artifact("dynamo_error", 0, 0, kError)
      .Metrics("step", 0, 0, kFailed);
  TraceText behind;
  behind.Artifact("dynamo_error", 0, 0, kError)
      .Metrics("step", 0, 0, kFailed)
      .Artifact("dynamo_graph_break_reason", 0, 0, kBreak);
  for (const TraceText& trace : {before, behind}) {
    const ReadLog read(trace.text());
    REQUIRE(read.Events() == Texts{"graph_break 0/0"});
    CHECK_FALSE(read.detail(0).is_fatal_break());
  }
}

// config.suppress_errors leaves the frame eager, but not under fullgraph=True: a trace holds the
// same in both cases.
TEST_CASE("that a compilation failed is all a trace says of an error that may be suppressed",
          "[ingest][trace]") {
  TraceText trace;
  trace
      .Artifact("dynamo_error", 0, 0,
                "Traceback (most recent call last):\n"
                "torch._dynamo.exc.BackendCompilerFailed: backend='b' raised:\nValueError: no\n")
      .Metrics("step", 0, 0,
               "\"fail_type\": \"BackendCompilerFailed\", \"fail_reason\": \"backend='b' "
               "raised:\\nValueError: no\", \"config_suppress_errors\": true");
  const ReadLog read(trace.text());
  REQUIRE(read.Events() == Texts{"compile_error step 0/0"});
  CHECK(read.text(read.detail(0).type()) == "BackendCompilerFailed");
  CHECK(read.text(read.detail(0).message()) == "backend='b' raised:");
}

TEST_CASE("equal errors of two compilations are two", "[ingest][trace]") {
  constexpr std::string_view kFailure =
      "Traceback (most recent call last):\n"
      "torch._dynamo.exc.BackendCompilerFailed: backend='b' raised:\nValueError: no\n";
  constexpr std::string_view kType = "\"fail_type\": \"BackendCompilerFailed\"";
  TraceText trace;
  trace.Artifact("dynamo_error", 0, 0, kFailure)
      .Metrics("step", 0, 0, kType)
      .Artifact("dynamo_error", 1, 0, kFailure)
      .Metrics("helper", 1, 0, kType);
  CHECK(ReadLog(trace.text()).Events() ==
        Texts{"compile_error step 0/0", "compile_error helper 1/0"});
}

TEST_CASE("a restart that no record explains is a break of its frame", "[ingest][trace]") {
  TraceText trace;
  trace.Metrics("step", 0, 0,
                "\"graph_op_count\": 1, \"restart_reasons\": [\"Unsupported: call to print\", "
                "\"<class 'torch._dynamo.exc.TensorifyScalarRestartAnalysis'>\"]");
  const ReadLog read(trace.text());
  REQUIRE(read.Events() == Texts{"graph_break step 0/0", "compile step 0/0"});
  CHECK(read.text(read.detail(0).type()) == "call to print");
}

TEST_CASE("ids are spelled as in logs", "[ingest][trace]") {
  TraceText trace;
  trace.Event(
      "\"compilation_metrics\": {\"co_name\": \"f\", \"graph_op_count\": 1}, "
      "\"compiled_autograd_id\": 0, \"frame_id\": 3, \"frame_compile_id\": 0, "
      "\"attempt\": 2");
  CHECK(ReadLog(trace.text()).Events() == Texts{"compile f !0/3/0_2"});
}

TEST_CASE("the rank of the envelope goes before that of the file's name", "[ingest][trace]") {
  TraceText trace;
  trace.Event(
      "\"compilation_metrics\": {\"co_name\": \"f\", \"graph_op_count\": 1}, \"rank\": 5, " +
      TraceText::Id(0, 0));
  trace.Metrics("g", 1, 0);
  const ReadLog read(trace.text(), "dedicated_log_torch_trace_rank_2_ab.log");
  REQUIRE(read.session().events().size() == 2);
  CHECK(read.session().events()[0].rank == 5);
  CHECK(read.session().events()[1].rank == 2);
}

TEST_CASE("two processes in one file keep their numbers and ids apart", "[ingest][trace]") {
  const std::string start =
      "\"dynamo_start\": {\"stack\": [{\"line\": 1, \"name\": \"f\", \"filename\": 0}]}, " +
      TraceText::Id(0, 0);
  TraceText one("551");
  TraceText two("552");
  const std::string text = one.Event("\"str\": [\"/w/a.py\", 0]").text() +
                           two.Event("\"str\": [\"/w/b.py\", 0]").text() +
                           TraceText("551").Event(start).text() +
                           TraceText("552").Event(start).text();
  const ReadLog read(text);
  REQUIRE(read.session().compilations().size() == 2);
  CHECK(read.text(read.compilation(0).file) == "/w/a.py");
  CHECK(read.text(read.compilation(1).file) == "/w/b.py");
}

TEST_CASE("the threads of 2.4 are one process", "[ingest][trace]") {
  const std::string text =
      TraceText("139812345678912").Event("\"str\": [\"/w/a.py\", 0]").text() +
      TraceText("139812345678999")
          .Event(
              "\"dynamo_start\": {\"stack\": [{\"line\": 1, \"name\": \"f\", \"filename\": 0}]}, " +
              TraceText::Id(0, 0))
          .text();
  CHECK(ReadLog(text).text(ReadLog(text).compilation(0).file) == "/w/a.py");
}

TEST_CASE("phases are kept when asked for, wherever their JSON stands", "[ingest][trace]") {
  const auto phase = [](std::string_view name, std::string_view kind, std::string_view micros) {
    return "{\"name\": \"" + std::string(name) + "\", \"ts\": " + std::string(micros) +
           ", \"args\": {\"compile_id\": \"0/0\"}, \"ph\": \"" + std::string(kind) +
           "\", \"cat\": \"dynamo_timed\", \"tid\": 0, \"pid\": 0}";
  };
  TraceText trace;
  trace.Event("\"chromium_event\": {}, " + TraceText::Id(0, 0), phase("dynamo", "B", "1000000.5"))
      .Event("\"chromium_event\": " + phase("backend", "B", "2000000") + ", " + TraceText::Id(0, 0))
      .Event("\"chromium_event\": " + phase("backend", "E", "5000000") + ", " + TraceText::Id(0, 0))
      .Event("\"chromium_event\": {}, " + TraceText::Id(0, 0), phase("dynamo", "E", "7000000.5"));
  CHECK(ReadLog(trace.text()).session().spans().empty());
  ReadOptions options;
  options.keep_phases = true;
  const ReadLog read(trace.text(), "trace.log", options);
  REQUIRE(read.session().spans().size() == 2);
  const Span& inner = read.session().spans()[0];
  CHECK(read.text(inner.name) == "backend");
  CHECK(inner.begin == 2.0);
  CHECK(inner.seconds == 3.0);
  CHECK(inner.clock == Clock::kEpoch);
  CHECK(read.text(inner.compile_id) == "0/0");
  CHECK(read.session().spans()[1].seconds == 6.0);
}

TEST_CASE("a trace names its release", "[ingest][trace]") {
  TraceText trace;
  trace.Event("\"artifact\": {\"name\": \"torch_version\", \"encoding\": \"json\"}",
              "{\n\"pytorch_version\": \"2.13.0+cpu\"\n}");
  const ReadLog read(trace.text());
  REQUIRE(read.session().version_marks().size() == 1);
  CHECK(read.session().version_marks()[0].from == 213);
  CHECK(read.session().version_marks()[0].until == 213);
}

TEST_CASE("the guard tree of a compilation is counted", "[ingest][trace]") {
  TraceText trace;
  trace
      .Event("\"dynamo_cpp_guards_str\": {}, " + TraceText::Id(0, 0),
             "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- GLOBAL_STATE: "
             "___check_global_state()\n\nGuard latency = 3.00 us")
      .Event("\"dynamo_output_graph\": {\"sizes\": {}}, " + TraceText::Id(0, 0), "class G: pass");
  const ReadLog read(trace.text());
  CHECK(read.compilation(0).guards.leaves == 1);
  CHECK(read.compilation(0).guards.latency_us == 3.0);
  REQUIRE(read.compilation(0).payloads.size() == 1);
  CHECK(read.text(read.compilation(0).payloads[0].name) == "dynamo_output_graph");
  CHECK(read.compilation(0).payloads[0].line == 8);
}

// Damage: each counts, at its place, and costs nothing but itself.

TEST_CASE("a payload that does not fit its checksum is counted and told", "[ingest][trace]") {
  TraceText trace;
  trace.Metrics("f", 0, 0).Artifact("recompile_reasons", 0, 1, kReason).Metrics("f", 0, 1);
  std::string text = trace.text();
  const size_t at = text.find("expected 4");
  text.replace(at, 10, "expected 5");
  const ReadLog read(text);
  CHECK(read.Events() == Texts{"compile f 0/0", "recompile f 0/1", "compile f 0/1"});
  CHECK(read.count(Stat::trace_payload_damaged) == 1);
  CHECK(read.session().stats().count(Stat::trace_payload_damaged).first_line == 2);
  CHECK(read.text(read.reason(1, 0).expected) == "5");
}

TEST_CASE("of a list of reasons that was cut the readable ones are told", "[ingest][trace]") {
  TraceText trace;
  trace.Artifact("recompile_reasons", 0, 2, "[\n\"0/1: n == 3\",\n\"0/0: n == 2\"\n]");
  const std::string text = trace.text().substr(0, trace.text().find("== 2") + 4);
  const ReadLog read(text);
  REQUIRE(read.Events() == Texts{"recompile 0/2"});
  REQUIRE(read.detail(0).reasons().size() == 2);
  CHECK(read.text(read.reason(0, 0).expected) == "3");
  CHECK(read.text(read.reason(0, 1).expected) == "2");
  CHECK(read.count(Stat::trace_json_damaged) == 1);
  CHECK(read.count(Stat::trace_payload_damaged) == 1);
  CHECK(read.count(Stat::line_cut_at_end) == 1);
}

TEST_CASE("an event whose payload is missing is counted and told", "[ingest][trace]") {
  TraceText trace;
  trace
      .Event("\"artifact\": {\"name\": \"recompile_reasons\"}, " + TraceText::Id(0, 1) +
             ", \"has_payload\": \"cf11f0db7d330ca3a8efe21a9ac4dd11\"")
      .Metrics("f", 0, 1)
      .Event("\"chromium_event\": {}, " + TraceText::Id(0, 1) +
             ", \"has_payload\": \"cf11f0db7d330ca3a8efe21a9ac4dd11\"");
  const ReadLog read(trace.text());
  CHECK(read.Events() == Texts{"recompile f 0/1", "compile f 0/1"});
  CHECK(read.count(Stat::trace_payload_missing) == 2);
  CHECK(read.session().stats().count(Stat::trace_payload_missing).first_line == 1);
}

TEST_CASE("a foreign line inside a payload does not end it", "[ingest][trace]") {
  TraceText trace;
  trace.Artifact("recompile_reasons", 0, 2, "[\n\"0/1: n == 3\",\n\"0/0: n == 2\"\n]");
  std::string text = trace.text();
  text.insert(text.find("\t\"0/0"), "step 12 loss 0.3\n");
  const ReadLog read(text);
  REQUIRE(read.Events() == Texts{"recompile 0/2"});
  CHECK(read.detail(0).reasons().size() == 2);
  CHECK(read.count(Stat::trace_line_damaged) == 1);
  CHECK(read.session().stats().count(Stat::trace_line_damaged).first_line == 4);
  CHECK(read.count(Stat::trace_payload_damaged) == 0);
}

TEST_CASE("an envelope that is no JSON loses only itself", "[ingest][trace]") {
  TraceText trace;
  trace.Event("\"compilation_metrics\": {\"co_name\": \"f\", ").Metrics("g", 1, 0);
  const ReadLog read(trace.text());
  CHECK(read.Events() == Texts{"compile g 1/0"});
  CHECK(read.count(Stat::trace_json_damaged) == 1);
  CHECK(read.session().stats().count(Stat::trace_json_damaged).first_line == 1);
}

TEST_CASE("a payload line that belongs to nothing is counted once", "[ingest][trace]") {
  TraceText trace;
  trace.Metrics("f", 0, 0).Line("\tlost").Line("\tlost").Metrics("g", 1, 0);
  const ReadLog read(trace.text());
  CHECK(read.Events() == Texts{"compile f 0/0", "compile g 1/0"});
  CHECK(read.count(Stat::trace_line_damaged) == 1);
}

TEST_CASE("an event that stands there twice is told once", "[ingest][trace]") {
  TraceText once;
  once.Artifact("recompile_reasons", 0, 1, kReason);
  const std::string line = once.text().substr(0, once.text().find('\n') + 1);
  // The line alone, and the line with its payload.
  for (const std::string& text : {line + once.text(), once.text() + once.text()}) {
    const ReadLog read(text);
    CHECK(read.Events() == Texts{"recompile 0/1"});
    CHECK(read.count(Stat::trace_line_doubled) == 1);
    CHECK(read.count(Stat::trace_payload_damaged) == 0);
    CHECK(read.count(Stat::trace_payload_missing) == 0);
  }
}

TEST_CASE("a kind of event that is not known is counted and passed over", "[ingest][trace]") {
  TraceText trace;
  trace.Event("\"quantum_state\": {}, " + TraceText::Id(0, 0), "some payload")
      .Event(
          "\"severity\": \"V\", \"timestamp\": \"x\", \"compilation_metrics\": {\"co_name\": "
          "\"f\", \"graph_op_count\": 1}, " +
          TraceText::Id(0, 0));
  const ReadLog read(trace.text());
  // A field of the envelope may stand before the event.
  CHECK(read.Events() == Texts{"compile f 0/0"});
  CHECK(read.count(Stat::trace_event_unknown) == 1);
  CHECK(read.count(Stat::trace_line_damaged) == 0);
}

TEST_CASE("what a later release adds may stand before the event", "[ingest][trace]") {
  TraceText trace;
  trace.Event("\"moon\": {\"phase\": 3}, \"describe_storage\": {}, " + TraceText::Id(0, 0), "text")
      .Event(
          "\"moon\": 3, \"rank\": 0, \"sun\": null, \"compilation_metrics\": {\"co_name\": \"f\", "
          "\"graph_op_count\": 1}, " +
          TraceText::Id(0, 0));
  const ReadLog read(trace.text());
  CHECK(read.Events() == Texts{"compile f 0/0"});
  CHECK(read.count(Stat::trace_event_unknown) == 0);
  CHECK(read.count(Stat::trace_payload_missing) == 0);
}

TEST_CASE("a number that was not given out is counted and stands for nothing", "[ingest][trace]") {
  TraceText trace;
  trace.Event(
      "\"dynamo_start\": {\"stack\": [{\"line\": 1, \"name\": \"g\", \"filename\": -1}, "
      "{\"line\": 2, \"name\": \"f\", \"filename\": 7}]}, " +
      TraceText::Id(0, 0));
  const ReadLog read(trace.text());
  CHECK(read.text(read.compilation(0).function) == "f");
  CHECK(read.compilation(0).file == StrId::kNone);
  CHECK(read.count(Stat::trace_text_unknown) == 1);  // -1 is None, not damage
}

TEST_CASE("a trace without its front is known as one, and its recompiles by the metrics",
          "[ingest][trace]") {
  TraceText trace;
  trace.Line("rd(self, x):").Line("\t    return x").Line("\t");
  trace.Metrics("f", 0, 1, "\"graph_op_count\": 1, \"recompile_reason\": \"0/0: n == 2\"");
  const ReadLog read(trace.text());
  CHECK(read.session().inputs()[0].format == "torch-trace");
  REQUIRE(read.Events() == Texts{"recompile f 0/1", "compile f 0/1"});
  CHECK(read.text(read.reason(0, 0).expected) == "2");
}

TEST_CASE("a payload larger than any line may be is passed over in pieces", "[ingest][trace]") {
  TraceText trace;
  trace.Event("\"inductor_output_code\": {}, " + TraceText::Id(0, 0),
              std::string(size_t{3} << 20, 'x'));
  trace.Event("\"dynamo_cpp_guards_str\": {}, " + TraceText::Id(0, 0),
              "+- " + std::string(size_t{3} << 20, 'y') + "\n+- RootGuardManager");
  trace.Metrics("f", 0, 0);
  const ReadLog read(trace.text());
  CHECK(read.Events() == Texts{"compile f 0/0"});
  CHECK(read.compilation(0).guards.managers == 2);
  CHECK(read.count(Stat::trace_payload_damaged) == 0);
}

TEST_CASE("an envelope larger than any line may be is still read", "[ingest][trace]") {
  TraceText trace;
  trace.Metrics("f", 0, 0,
                "\"graph_node_shapes\": \"" + std::string(size_t{3} << 20, 'x') +
                    "\", \"graph_op_count\": 5");
  const ReadLog read(trace.text());
  REQUIRE(read.Events() == Texts{"compile f 0/0"});
  CHECK(read.detail(0).As<CompileFact>()->num_ops == 5);
}

}  // namespace
}  // namespace shapewise
