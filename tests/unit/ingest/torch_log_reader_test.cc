#include <string>
#include <vector>

#include "support/catch.h"
#include "support/read_log.h"

namespace shapewise {
namespace {

constexpr std::string_view kRecompile =
    "V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [0/1] [__recompiles] Recompiling "
    "function f in /w/train.py:4\n"
    "V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [0/1] [__recompiles]     triggered by "
    "the following guard failure(s):\n"
    "V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [0/1] [__recompiles]     - 0/0: "
    "tensor "
    "'x' size mismatch at index 0. expected 4, actual 5\n";

TEST_CASE("a recompile record gives its frame, its id and one reason an entry", "[ingest]") {
  const ReadLog log(kRecompile);
  REQUIRE(log.size() == 1);
  CHECK(log.kind(0) == "recompile");
  CHECK(log.event(0).line == 1);
  CHECK(log.text(log.event(0).compile_id) == "0/1");
  CHECK(log.text(log.detail(0).function) == "f");
  CHECK(log.text(log.detail(0).file) == "/w/train.py");
  CHECK(log.detail(0).function_line == 4);
  REQUIRE(log.detail(0).reasons().size() == 1);
  CHECK(log.reason(0, 0).guard_class == GuardClass::kSize);
}

TEST_CASE("a guard whose value is missing is no reason", "[ingest]") {
  // The fence belongs to whoever quoted the line.
  const ReadLog log(
      "```\n"
      "Recompiling function f in /w/train.py:4\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/0: self.width == ```\n"
      "and more\n");
  REQUIRE(log.size() == 1);
  CHECK(log.detail(0).cut);
  REQUIRE(log.detail(0).reasons().size() == 1);
  CHECK(log.reason(0, 0).guard_class == GuardClass::kEmpty);
}

TEST_CASE("lines of a user stack are no reasons", "[ingest]") {
  const ReadLog log(
      "Recompiling function f in /w/train.py:4\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/1: self.width == 3    # return x * self.width  # w/train.py:6 in f\n"
      "    - User stack trace:\n"
      "    -   File \"/w/train.py\", line 6, in f\n"
      "    -     return x * self.width\n"
      "    - 0/0: self.width == 2    # return x * self.width  # w/train.py:6 in f\n");
  REQUIRE(log.size() == 1);
  REQUIRE(log.detail(0).reasons().size() == 2);
  CHECK(log.text(log.reason(0, 1).entry) == "0/0");
}

TEST_CASE("a suppressed failure of the backend has the backend's exception as message",
          "[ingest]") {
  const ReadLog log(
      "W0103 10:00:00.100000 7 torch/_dynamo/convert_frame.py:900] [0/0] WON'T CONVERT <resume in "
      "pool> /w/my net.py line 120\n"
      "W0103 10:00:00.100000 7 torch/_dynamo/convert_frame.py:900] [0/0] due to:\n"
      "W0103 10:00:00.100000 7 torch/_dynamo/convert_frame.py:900] [0/0] Traceback (most recent "
      "call last):\n"
      "W0103 10:00:00.100000 7 torch/_dynamo/convert_frame.py:900] [0/0] "
      "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"
      "W0103 10:00:00.100000 7 torch/_dynamo/convert_frame.py:900] [0/0] FileNotFoundError: [Errno "
      "2] No such file or directory: 'gcc'\n");
  REQUIRE(log.size() == 2);
  CHECK(log.detail(1).kind() == EventKind::kImpliedBreak);
  CHECK(log.text(log.detail(1).function) == "pool");
  CHECK(log.text(log.detail(0).function) == "<resume in pool>");
  CHECK(log.text(log.detail(0).file) == "/w/my net.py");
  CHECK(log.detail(0).function_line == 120);
  const auto* const skip = log.detail(0).As<SkippedFrameFact>();
  REQUIRE(skip != nullptr);
  CHECK(log.text(skip->type) == "BackendCompilerFailed");
  CHECK(log.text(skip->message) == "FileNotFoundError: [Errno 2] No such file or directory: 'gcc'");
}

TEST_CASE("without entry ids every bullet is a reason", "[ingest]") {
  const ReadLog log(
      "[2024-02-01 10:00:00,000] torch._dynamo.guards.__recompiles: [DEBUG] Recompiling function f "
      "in /w/train.py:4\n"
      "[2024-02-01 10:00:00,000] torch._dynamo.guards.__recompiles: [DEBUG]     triggered by the "
      "following guard failure(s):\n"
      "[2024-02-01 10:00:00,000] torch._dynamo.guards.__recompiles: [DEBUG]     - L['n'] == 3\n"
      "[2024-02-01 10:00:00,000] torch._dynamo.guards.__recompiles: [DEBUG]     - L['n'] == 2\n");
  REQUIRE(log.size() == 1);
  CHECK(log.detail(0).reasons().size() == 2);
}

TEST_CASE("prints of the program between the lines of a message do no harm", "[ingest]") {
  std::string text(kRecompile);
  const size_t second = text.find('\n') + 1;
  text.insert(second, "step 10 loss=2.31\n");
  const ReadLog log(text);
  REQUIRE(log.size() == 1);
  CHECK(log.detail(0).reasons().size() == 1);
}

TEST_CASE("a limit warning is read under all its names", "[ingest]") {
  for (const std::string name : {"cache_size_limit", "recompile_limit"}) {
    const ReadLog log(
        "torch._dynamo hit config." + name +
        " (8)\n   function: 'f' (/w/train.py:4)\n"
        "   last reason: 0/7: tensor 'x' size mismatch at index 0. expected 1, actual 2\n");
    REQUIRE(log.size() == 1);
    CHECK(log.detail(0).As<LimitFact>()->limit_name == LimitName::kRecompileLimit);
    CHECK(log.detail(0).As<LimitFact>()->limit == 8);
    CHECK(log.text(log.detail(0).function) == "f");
    CHECK(log.detail(0).reasons().size() == 1);
  }
  const ReadLog log("torch._dynamo hit config.accumulated_cache_size_limit (64)\n");
  REQUIRE(log.size() == 1);
  CHECK(log.detail(0).As<LimitFact>()->limit_name == LimitName::kAccumulatedRecompileLimit);
}

TEST_CASE("a limit warning of 2.0 has its prefix on the first line only", "[ingest]") {
  const ReadLog log(
      "[2023-03-31 10:12:12,345] torch._dynamo.convert_frame: [WARNING] torch._dynamo hit "
      "config.cache_size_limit (64)\n"
      "   function: 'forward' (/w/model.py:123)\n"
      "   reasons:  [\"tensor 'x' size mismatch at index 0. expected 3, actual 4\"]\n"
      "to diagnose recompilation issues, see https://pytorch.org/docs/master/dynamo.html.\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail(0).function) == "forward");
  REQUIRE(log.detail(0).reasons().size() == 1);
  CHECK(log.reason(0, 0).guard_class == GuardClass::kSize);
}

TEST_CASE("a limit warning of 2022 is read", "[ingest]") {
  const ReadLog log(
      "torchdynamo.convert_frame: [WARNING] torchdynamo hit recompilation cache limit (64)\n"
      "   function: 'forward' (/w/train.py:12)\n"
      "   reasons:  ['x == 3']\n"
      "to diagnose recompilation issues, see https://github.com/pytorch/torchdynamo.\n");
  REQUIRE(log.size() == 1);
  CHECK(log.kind(0) == "recompile_limit");
  CHECK(log.event(0).line == 1);
  CHECK(log.detail(0).As<LimitFact>()->limit == 64);
  CHECK(log.text(log.detail(0).function) == "forward");
  CHECK_FALSE(log.detail(0).cut);
}

TEST_CASE("a limit whose first line and next prefix are missing is one limit", "[ingest]") {
  const ReadLog log(
      "   function: 'attend' (/w/train.py:12)\n"
      "W0106 23:01:14.131000 551 torch/_dynamo/convert_frame.py:906] [3/8]    last reason: 3/7: "
      "tensor 'L['x']' size mismatch at index 0. expected 4, actual 5\n"
      "W0106 23:01:14.131000 551 torch/_dynamo/convert_frame.py:906] [3/8] To log all "
      "recompilation "
      "reasons, use TORCH_LOGS=\"recompiles\".\n");
  REQUIRE(log.size() == 1);
  CHECK(log.kind(0) == "recompile_limit");
  CHECK(log.event(0).line == 1);
  CHECK(log.text(log.event(0).compile_id) == "3/8");
  CHECK(log.text(log.detail(0).function) == "attend");
  REQUIRE(log.detail(0).reasons().size() == 1);
  CHECK(log.reason(0, 0).guard_class == GuardClass::kSize);
}

TEST_CASE("a recompile whose first line is missing is read", "[ingest]") {
  const std::string_view lines =
      "triggered by the following guard failure(s):\n"
      "    - 0/0: tensor 'L['x']' size mismatch at index 0. expected 4, actual 5\n";
  for (const std::string_view prefix : {"    ", "[0/1]     ", "> "}) {
    INFO(prefix);
    const ReadLog log(std::string(prefix) + std::string(lines));
    REQUIRE(log.size() == 1);
    CHECK(log.kind(0) == "recompile");
    CHECK(log.detail(0).cut);
    REQUIRE(log.detail(0).reasons().size() == 1);
    CHECK(log.reason(0, 0).guard_class == GuardClass::kSize);
  }
}

TEST_CASE("the type of a break stands below a sentence that only says what was traced",
          "[ingest]") {
  const ReadLog log(
      "Graph break in user code at /w/train.py:11\n"
      "Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, "
      "e.g. f(x, y):\n"
      "\n"
      "Failed to trace builtin operator\n"
      "  Explanation: Dynamo does not know the builtin.\n"
      "\n"
      "  Developer debug context: builtin print [] False\n"
      "\n"
      " For more details about this graph break, please visit: "
      "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html\n"
      "\n"
      "User code traceback:\n"
      "  File \"/w/main.py\", line 3, in <module>\n"
      "    net(x)\n"
      "  File \"/w/train.py\", line 11, in forward\n"
      "    print(h)\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail(0).type()) == "Failed to trace builtin operator");
  CHECK(log.text(log.detail(0).As<GraphBreakFact>()->gb) == "GB0059");
  CHECK(log.text(log.detail(0).user_function) == "forward");
  CHECK(log.detail(0).user_line == 11);
  CHECK(log.text(log.detail(0).As<GraphBreakFact>()->context) == "builtin print [] False");
}

TEST_CASE("two bare breaks in a row are two", "[ingest]") {
  const ReadLog log(
      "Graph break in user code at /w/a.py:6\nReason: Data-dependent jump\n\n"
      "Graph break in user code at /w/a.py:9\nReason: Unsupported: Tensor.item\n");
  REQUIRE(log.size() == 2);
  CHECK(log.text(log.detail(0).type()) == "Data-dependent jump");
  CHECK(log.text(log.detail(1).type()) == "Tensor.item");
}

TEST_CASE("the item warning and its record are one break", "[ingest]") {
  const std::string_view warning =
      "W1121 10:00:00.000000 7 torch/_dynamo/variables/tensor.py:9] [1/0] Graph break from "
      "`Tensor.item()`, consider setting:\n"
      "W1121 10:00:00.000000 7 torch/_dynamo/variables/tensor.py:9] [1/0] Graph break: from user "
      "code at:\n"
      "W1121 10:00:00.000000 7 torch/_dynamo/variables/tensor.py:9] [1/0]   File \"/w/a.py\", line "
      "13, in f\n";
  const std::string_view record =
      "V1121 10:00:00.000000 7 torch/_dynamo/symbolic_convert.py:5] [1/0] [__graph_breaks] Graph "
      "break in user code at /w/a.py:13\n"
      "V1121 10:00:00.000000 7 torch/_dynamo/symbolic_convert.py:5] [1/0] [__graph_breaks] Graph "
      "Break Reason: Unsupported Tensor.item() call\n";
  const ReadLog alone(warning);
  REQUIRE(alone.size() == 1);
  CHECK(alone.text(alone.detail(0).type()) == "Tensor.item()");
  const ReadLog both(std::string(warning) + std::string(record));
  REQUIRE(both.size() == 1);
  CHECK(both.event(0).line == 1);
  CHECK(both.text(both.detail(0).type()) == "Unsupported Tensor.item() call");
}

TEST_CASE("a break of 2.3 tells its reason below the traceback", "[ingest]") {
  const ReadLog log(
      "Graph break: from user code at:\n"
      "  File \"/w/a.py\", line 7, in fn\n"
      "    y = copy.deepcopy(x)\n"
      "Traceback (most recent call last):\n"
      "  File \"/w/torch/_dynamo/symbolic_convert.py\", line 570, in wrapper\n"
      "    return inner_fn(self, inst)\n"
      "torch._dynamo.exc.Unsupported: copy.deepcopy TensorVariable()\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail(0).type()) == "copy.deepcopy TensorVariable()");
  CHECK(log.text(log.detail(0).user_file) == "/w/a.py");
  CHECK(log.detail(0).user_line == 7);
}

TEST_CASE("a break that skips its frame is a break and a skip", "[ingest]") {
  const ReadLog log(
      "Graph break in user code at /w/a.py:11\n"
      "Graph Break Reason: Failed to handle graph break gracefully. Skipping the function and "
      "falling back to eager. Graph break encountered:\n"
      "\n"
      "Failed to trace builtin operator\n"
      "  Explanation: no\n"
      "\n"
      "*** While handling this graph break, another graph break occurred: ***\n"
      "\n"
      "graph break in loop\n"
      "  Explanation: torch.compile detected a graph break in a for/while loop.\n"
      "\n"
      "  Developer debug context: frame skipped: loop (/w/a.py line 8)\n");
  REQUIRE(log.size() == 2);
  CHECK(log.kind(0) == "graph_break");
  CHECK(log.text(log.detail(0).type()) == "Failed to trace builtin operator");
  CHECK(log.kind(1) == "skipped_frame");
  CHECK(log.detail(1).why() == Why::kLoopBreak);
  CHECK(log.text(log.detail(1).function) == "loop");
  CHECK(log.detail(1).function_line == 8);
}

TEST_CASE("an exception with a break's text is a fatal break, told once", "[ingest]") {
  const std::string exception =
      "torch._dynamo.exc.Unsupported: Dynamic shape operator\n"
      "  Explanation: the shape depends on data\n"
      "\n"
      "from user code:\n"
      "   File \"/w/a.py\", line 14, in loss_fn\n"
      "    idx = torch.nonzero(x)\n\n";
  const ReadLog log(exception + "E   " + exception.substr(0, exception.find('\n')) + "\n" +
                    exception);
  size_t fatal = 0;
  for (size_t i = 0; i < log.size(); ++i) {
    fatal += log.detail(i).is_fatal_break() && log.detail(i).user_line == 14;
  }
  CHECK(fatal == 1);
}

TEST_CASE("other exceptions of the compiler are compile errors", "[ingest]") {
  const ReadLog log(
      "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"
      "CppCompileError: C++ compile error\n");
  REQUIRE(log.size() == 1);
  CHECK(log.kind(0) == "compile_error");
  CHECK(log.text(log.detail(0).type()) == "BackendCompilerFailed");
  CHECK(ReadLog("ValueError: Unsupported: codec h265\nUnsupported: codec h265\n").size() == 0);
}

TEST_CASE("a constraint violation names its source and dim, once a compile", "[ingest]") {
  const ReadLog log(
      "E1121 03:53:26.646000 14 torch/_guards.py:375] [0/0] Error while creating guard:\n"
      "E1121 03:53:26.646000 14 torch/_guards.py:375] [0/0] ...ConstraintViolationError: "
      "Constraints "
      "violated (L['x'].size()[0])! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
      "E1121 03:53:26.646000 14 torch/_guards.py:375] [0/0]   - You marked L['x'].size()[0] as "
      "dynamic but your code specialized it to be a constant (6).\n"
      "torch.fx.experimental.symbolic_shapes.ConstraintViolationError: Constraints violated "
      "(L['x'].size()[0])! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
      "  - You marked L['x'].size()[0] as dynamic but your code specialized it to be a constant "
      "(6).\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail(0).As<ConstraintFact>()->source) == "L['x']");
  CHECK(log.detail(0).As<ConstraintFact>()->dim == 0);
}

TEST_CASE("an explanation lists its breaks, also with a comma", "[ingest]") {
  for (const std::string graphs : {"3 graphswith ", "3 graphs with ", "3 graphs, with "}) {
    const ReadLog log("Dynamo produced " + graphs +
                      "2 graph break and 6 ops. \n Break reasons: \n\n"
                      "1. call_function BuiltinVariable(print) [ConstantVariable(str)] {} \n"
                      "   File \"t2.py\", line 16, in toy_example\n    print(\"woo\")\n \n"
                      "2. generic_jump \n   File \"t2.py\", line 17, in toy_example\n"
                      "    if b.sum() < 0:\n \"\"\"\n");
    REQUIRE(log.size() == 2);
    CHECK(log.kind(0) == "graph_break");
    CHECK(log.detail(0).user_line == 16);
    CHECK(log.text(log.detail(1).type()) == "generic_jump");
    CHECK(log.detail(1).user_line == 17);
  }
  CHECK(ReadLog("Dynamo produced 3 graphs, with 2 graph breaks in the encoder\n").size() == 0);
}

TEST_CASE("a resume function implies a break, unless one is told at its line", "[ingest]") {
  const std::string step =
      "I1121 03:54:02.993000 7 torch/_dynamo/symbolic_convert.py:5] [1/0] Step 1: torchdynamo "
      "start "
      "tracing torch_dynamo_resume_in_scale_at_8 /w/a.py:8\n";
  const ReadLog alone(step);
  REQUIRE(alone.size() == 1);
  CHECK(alone.kind(0) == "implied_break");
  CHECK(alone.text(alone.detail(0).function) == "scale");
  CHECK(alone.detail(0).user_line == 8);
  const ReadLog reported("Graph break in user code at /w/a.py:8\nReason: Data-dependent jump\n" +
                         step);
  REQUIRE(reported.size() == 1);
  CHECK(reported.kind(0) == "graph_break");
}

TEST_CASE("an id N/1 implies a recompile, unless a record has it", "[ingest]") {
  const std::string line =
      "I1121 04:02:55.889000 7 torch/_inductor/graph.py:1002] [0/1] [__perf_hints] Using "
      "FallbackKernel: aten.histc\n";
  const ReadLog alone(line);
  REQUIRE(alone.size() == 2);
  CHECK(alone.kind(1) == "implied_recompile");
  const ReadLog reported(std::string(kRecompile) + line);
  REQUIRE(reported.size() == 2);
  CHECK(reported.kind(0) == "recompile");
  CHECK(reported.kind(1) == "perf_hint");
}

TEST_CASE("progress counters are no compile ids", "[ingest]") {
  CHECK(ReadLog("[3/10] step done\n[4/10] step done\n").size() == 0);
}

TEST_CASE("messages that are quoted in code are not messages", "[ingest]") {
  CHECK(ReadLog("    log.debug(\"Recompiling function %s in %s\", name, file)\n"
                "    msg = 'torch._dynamo hit config.recompile_limit (8)'\n"
                "see `skipping cudagraphs due to mutated inputs` in the docs\n")
            .size() == 0);
}

TEST_CASE("lines that a terminal wrapped are joined", "[ingest]") {
  // 80 columns.
  const ReadLog log(
      "W0928 15:54:35.390000 30374 torch/_dynamo/convert_frame.py:906] [0/9] torch._dyn\n"
      "amo hit config.cache_size_limit (8)\n"
      "W0928 15:54:35.390000 30374 torch/_dynamo/convert_frame.py:906] [0/9]    functio\n"
      "n: 'forward' (/opt/env/site-packages/models/gemma3/modeling_gemma3.py:1275)\n"
      "W0928 15:54:35.390000 30374 torch/_dynamo/convert_frame.py:906] [0/9]    last re\n"
      "ason: 0/7: L['i'] == 3\n");
  REQUIRE(log.size() == 1);
  CHECK(log.detail(0).As<LimitFact>()->limit == 8);
  CHECK(log.text(log.detail(0).function) == "forward");
  CHECK(log.detail(0).function_line == 1275);
  REQUIRE(log.detail(0).reasons().size() == 1);
  CHECK(log.text(log.reason(0, 0).source) == "L['i']");
}

TEST_CASE("the rank is taken from the file's name if no line has one", "[ingest]") {
  CHECK(ReadLog(kRecompile, "logs/run_rank3.log").event(0).rank == 3);
  CHECK(ReadLog(kRecompile, "logs/rank_12/stderr.log").event(0).rank == kNoRank);
  CHECK(ReadLog("[rank1]:" + std::string(kRecompile), "rank3.log").event(0).rank == 1);
}

TEST_CASE("a file with nothing of torch's keeps no format", "[ingest]") {
  const ReadLog log("step 1 loss 2\nx.py:3: FutureWarning: old\n  f()\n");
  CHECK(log.session().inputs()[0].format.empty());
  CHECK(log.session().inputs()[0].first_line == "step 1 loss 2");
  CHECK(log.size() == 0);
}

constexpr std::string_view kUnknownBreak =
    "V1121 03:51:44.680000 11963 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] "
    "The graph was left at /w/train.py:14\n";

TEST_CASE("lines of torch.compile that no record contains are counted, and the first is kept",
          "[ingest]") {
  for (const std::string_view line :
       {kUnknownBreak, std::string_view("[0/0] [__recompiles] f was made anew\n"),
        std::string_view("[__recompiles_verbose] f was made anew\n"),
        std::string_view("DEBUG:torch._dynamo.guards.__recompiles:f was made anew\n"),
        std::string_view("somewhere [__graph_breaks] the graph was left\n"),
        std::string_view("f hit config.recompile_limit (8)\n"),
        std::string_view("   To log all recompilation reasons, use TORCH_LOGS=\"recompiles\".\n"),
        std::string_view("torch._dynamo.exc.Unsupported while tracing f\n")}) {
    CAPTURE(line);
    const ReadLog log("step 1\n" + std::string(line) + "step 2\n");
    const Input& input = log.session().inputs()[0];
    CHECK(log.size() == 0);
    CHECK(input.format == "torch-log");
    CHECK(input.unknown_lines == 1);
    CHECK(input.first_unknown_line == 2);
    CHECK(input.first_unknown == line.substr(0, line.size() - 1).substr(0, kMaxShownLine));
  }
}

TEST_CASE("lines that records contain, housekeeping and quotations are no unknown lines",
          "[ingest]") {
  for (const std::string_view text :
       {kRecompile,
        std::string_view("V1121 03:51:44.680000 11963 torch/_dynamo/guards.py:4483] [0/0] "
                         "[__guards] TREE_GUARD_MANAGER:\n"),
        std::string_view("V1121 03:51:44.680000 11963 torch/_dynamo/output_graph.py:1] [0/0] "
                         "[__graph_code] raise ValueError(\"hit config.recompile_limit\")\n"),
        std::string_view("V1121 03:51:44.680000 11963 torch/_dynamo/symbolic_convert.py:1] [0/0] "
                         "TRACE LOAD_CONST 'hit config.recompile_limit' []\n"),
        std::string_view("V1121 03:51:44.680000 11963 torch/_dynamo/symbolic_convert.py:1] [0/0] "
                         "[__graph_breaks] \n"),
        std::string_view("    except torch._dynamo.exc.Unsupported as error:\n"),
        std::string_view("see '[__graph_breaks]' and \"hit config.recompile_limit\"\n"),
        std::string_view("**Example**: `torch._dynamo hit config.recompile_limit (8)`\n"),
        std::string_view("hit config.yaml\n")}) {
    CAPTURE(text);
    const ReadLog log(text);
    CHECK(log.session().inputs()[0].unknown_lines == 0);
  }
}

TEST_CASE("every unknown line counts once, however long it is", "[ingest]") {
  std::string text;
  for (int i = 0; i < 12; ++i) text += kUnknownBreak;
  text += "f hit config.recompile_limit " + std::string(size_t{3} << 20, 'x') + "\n";
  const ReadLog log(text);
  const Input& input = log.session().inputs()[0];
  CHECK(input.unknown_lines == 13);
  CHECK(input.first_unknown_line == 1);
}

TEST_CASE("a trace or UTF-16 behind a log counts as not understood", "[ingest]") {
  const ReadLog trace(std::string(kRecompile) +
                      "V1121 10:07:07.722000 18355 torch/_dynamo/utils.py:2350] {\"artifact\": {}, "
                      "\"rank\": 0, \"has_payload\": \"293a54c2\"}\n\t{}\n");
  CHECK(trace.size() == 1);
  CHECK(trace.session().inputs()[0].unknown_lines == 1);
  CHECK(trace.session().inputs()[0].first_unknown_line == 4);
  std::string wide = "\xff\xfe";
  for (const char c : kRecompile) wide += {c, '\0'};
  const ReadLog utf16(std::string(kRecompile) + wide);
  CHECK(utf16.size() == 1);
  CHECK(utf16.session().inputs()[0].unknown_lines == 3);
}

TEST_CASE("a bare Unsupported is torch's only where something else is", "[ingest]") {
  const ReadLog alone("Unsupported: codec\n");
  CHECK(alone.session().inputs()[0].unknown_lines == 0);
  const ReadLog with_others("Unsupported: codec\n\nloss 2.3\n" + std::string(kRecompile));
  CHECK(with_others.size() == 1);
  CHECK(with_others.session().inputs()[0].unknown_lines == 1);
  CHECK(with_others.session().inputs()[0].first_unknown == "Unsupported: codec");
}

TEST_CASE("an implied break in the stack of a printed break bears its place", "[ingest]") {
  const std::string_view text =
      "V1121 03:51:44.940000 11963 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] "
      "Graph break in user code at /w/layer.py:7\n"
      "V1121 03:51:44.940000 11963 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] "
      "Graph Break Reason: Call to `torch._dynamo.graph_break()`\n"
      "V1121 03:51:44.940000 11963 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] "
      "User code traceback:\n"
      "V1121 03:51:44.940000 11963 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]  "
      " File \"/w/train.py\", line 11, in forward\n"
      "V1121 03:51:44.940000 11963 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks]  "
      " File \"/w/layer.py\", line 7, in attend\n"
      "V1121 03:51:45.940000 11963 torch/_dynamo/guards.py:1] [2/1] [__recompiles] Recompiling "
      "function torch_dynamo_resume_in_forward_at_11 in /w/train.py:11\n"
      "V1121 03:51:46.940000 11963 torch/_dynamo/guards.py:1] [3/1] [__recompiles] Recompiling "
      "function torch_dynamo_resume_in_forward_at_12 in /w/train.py:12\n";
  const ReadLog log(text);
  REQUIRE(log.size() == 5);
  CHECK(log.kind(0) == "graph_break");
  size_t num_implied = 0;
  for (size_t i = 0; i < log.size(); ++i) {
    if (log.kind(i) != "implied_break") continue;
    ++num_implied;
    const bool is_explained = log.detail(i).user_line == 11;
    CHECK(log.text(log.detail(i).trigger()->file) == (is_explained ? "/w/layer.py" : ""));
    CHECK(log.detail(i).trigger()->line == (is_explained ? 7 : 0));
  }
  CHECK(num_implied == 2);
}

TEST_CASE("colours and carriage returns are read past", "[ingest]") {
  const ReadLog log(
      "\x1b[33m 10%|#   | 1/10\r 20%|##  | 2/10\r\x1b[0mskipping cudagraphs due to mutated inputs "
      "(3 "
      "instances)\r\n");
  REQUIRE(log.size() == 1);
  CHECK(log.kind(0) == "cudagraph");
  CHECK(log.detail(0).why() == Why::kMutatedInputs);
  CHECK(log.detail(0).As<CudagraphFact>()->count == 3);
}

TEST_CASE("a line of many megabytes gives the records that were flattened onto it", "[ingest]") {
  std::string line;
  size_t records = 0;
  while (line.size() < (size_t{5} << 20)) {
    line +=
        "W0106 23:01:14.131000 7 torch/_dynamo/c.py:1] [1/8] torch._dynamo hit "
        "config.recompile_limit (8) ";
    line += std::string(1000 + records % 7, '.');
    line += ' ';
    ++records;
  }
  const ReadLog log(line);
  CHECK(log.size() == records);
}

}  // namespace
}  // namespace shapewise
