// Messages that people wrapped, shortened or quoted by hand, or that servers raise again.

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/read_log.h"

namespace shapewise {
namespace {

TEST_CASE("a limit's reason counts without its label, also over two lines", "[ingest]") {
  for (const std::string text :
       {"torch._dynamo hit config.recompile_limit (8)\nfunction: scan\n"
        "tensor 'q' stride mismatch at index 0.\nexpected 256, actual 696\n",
        "torch._dynamo hit config.recompile_limit (8)\n   function: 'scan'\n"
        "   0/7: tensor 'q' stride mismatch at index 0. expected 256, actual 696\n",
        "torch._dynamo hit config.recompile_limit (8)\n   function: 'scan' (/w/t.py:4)\n"
        "   reasons:\n     - 0/7: tensor 'q' stride mismatch at index 0. expected 256, actual "
        "696\n",
        "torch._dynamo hit config.recompile_limit (8)\n   function: 'scan' (/w/t.py:4)\n"
        "   last reason: 0/7: tensor 'q' stride mismatch at index 0. expected 256, actual 696\n"
        "tensor 'q' is printed\n"}) {
    INFO(text);
    const ReadLog log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.text(log.detail().function) == "scan");
    REQUIRE(log.detail().reasons().size() == 1);
    CHECK(log.reason(0, 0).guard_class == GuardClass::kStride);
    CHECK(log.text(log.reason(0, 0).actual) == "696");
  }
}

TEST_CASE("several reasons of a limit count without a label", "[ingest]") {
  const ReadLog log(
      "torch._dynamo hit config.recompile_limit (8)\n   function: f, /w/t.py\n"
      "   - 0/7: L['n'] == 3\n   - 0/6: L['n'] == 2\n1/7: val loss\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().function) == "f");
  CHECK(log.detail().reasons().size() == 2);
}

TEST_CASE("output of the program below a limit without a reason is no reason", "[ingest]") {
  const ReadLog log(
      "torch._dynamo hit config.recompile_limit (8)\n   function: 'f' (/w/t.py:4)\n"
      "10/100: loss 0.5\n");
  REQUIRE(log.size() == 1);
  CHECK(log.detail().reasons().empty());
}

TEST_CASE("the message of an exception may be on the line below its class", "[ingest]") {
  const ReadLog guard(
      "GuardOnDataDependentSymNode:\n"
      "Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).\n");
  REQUIRE(guard.size() == 1);
  const auto* const error = guard.detail().As<CompileErrorFact>();
  REQUIRE(error != nullptr);
  CHECK(guard.text(error->type) == "GuardOnDataDependentSymNode");
  CHECK(guard.text(error->message) ==
        "Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).");

  const ReadLog backend(
      "BackendCompilerFailed:\nbackend='inductor' raised:\nRuntimeError: no kernel image\n");
  REQUIRE(backend.size() == 1);
  CHECK(backend.text(backend.detail().As<CompileErrorFact>()->context) ==
        "RuntimeError: no kernel image");

  CHECK(ReadLog("InductorError:\n    raised where lowering fails\n").size() == 0);
  CHECK(ReadLog("ConstraintViolationError:\n    raised when a dim is constant.\n").size() == 0);
}

TEST_CASE("a violation may follow its class at once and be wrapped", "[ingest]") {
  for (const std::string text :
       {"ConstraintViolationError: You marked L['a'][0].size()[2] as dynamic but your code\n"
        "specialized it to be a constant (1024).\n",
        "# ConstraintViolationError: You marked L['a'][0].size()[2] as dynamic but your\n"
        "# code specialized it to be a constant\n# (1024).\n"}) {
    INFO(text);
    const ReadLog log(text);
    REQUIRE(log.size() == 1);
    const auto* const fact = log.detail().As<ConstraintFact>();
    REQUIRE(fact != nullptr);
    CHECK(log.text(fact->source) == "L['a'][0]");
    CHECK(fact->dim == 2);
    CHECK(log.text(fact->message).ends_with("specialized it to be a constant (1024)."));
  }
}

TEST_CASE("the hint about many sizes may be wrapped anywhere, and commented out", "[ingest]") {
  for (const std::string text :
       {"CUDAGraph supports dynamic\nshapes by recording a new graph for each distinct input size."
        " We have observed 51\ndistinct sizes. Please consider\n",
        "  #  [__cudagraphs] CUDAGraph supports dynamic shapes by\n"
        "  #  recording a new graph for each distinct input size.\n"
        "  #  We have observed 51 distinct sizes.\n  #  [] ended\n"}) {
    INFO(text);
    const ReadLog log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.detail().As<CudagraphFact>()->count == 51);
  }
  CHECK(ReadLog("CUDAGraph supports dynamic shapes in part.\n").size() == 0);
}

TEST_CASE("prose quotes a whole message, or only mentions its first words", "[ingest]") {
  for (const std::string text :
       {"2. Inductor logs `skipping cudagraphs due to mutated inputs (84 instances)`, and stops.\n",
        "- It refuses: *\"skipping cudagraphs due to mutated inputs (2 instances)\"*, at lerp_\n",
        "with `skipping cudagraphs due to mutated inputs\n  (84 instances)`, and stops.\n",
        "- Warning: \"skipping cudagraphs due to mutated inputs (2 instances)\"\n"}) {
    INFO(text);
    const ReadLog log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.detail().why() == Why::kMutatedInputs);
  }
  for (const std::string text :
       {"It prints `torch._dynamo hit config.recompile_limit (8)` once a function.\n",
        "Look for `skipping cudagraphs due to` in the log.\n",
        "    log.warning(\"skipping cudagraphs due to mutated inputs (2 instances)\")\n",
        "Look for \"skipping cudagraphs due to mutated inputs (2 instances)\" in it.\n"}) {
    INFO(text);
    CHECK(ReadLog(text).size() == 0);
  }
}

TEST_CASE("a backend's failure without its class is read, also where it is quoted", "[ingest]") {
  for (const std::string before : {"", "- case 2: `", "FAIL: "}) {
    INFO(before);
    const ReadLog log(before + "backend='inductor' raised:\nRuntimeError: no storage\n");
    REQUIRE(log.size() == 1);
    CHECK(log.text(log.detail().type()) == "BackendCompilerFailed");
    CHECK(log.text(log.detail().As<CompileErrorFact>()->context) == "RuntimeError: no storage");
  }
}

TEST_CASE("the text of a break goes on after a label and omitted lines", "[ingest]") {
  const ReadLog log(
      "[2026-04-15 08:10:01 TP0] Capture failed with error: Attempted to call function marked as "
      "skipped\n"
      "  Explanation: Dynamo does not know how to trace the builtin `a._C.op.`\n"
      "  ...\n"
      "  Developer debug context: module: a._C, qualname: op\n"
      "\n"
      "from user code:\n"
      "   File \"/w/m.py\", line 62, in forward\n"
      "     op(x)\n"
      "\n"
      "torch._dynamo.exc.Unsupported: Attempted to call function marked as skipped\n");
  REQUIRE(log.size() == 1);
  const auto* const fact = log.detail().As<GraphBreakFact>();
  REQUIRE(fact != nullptr);
  CHECK(log.text(fact->type) == "Attempted to call function marked as skipped");
  CHECK(log.text(fact->context) == "module: a._C, qualname: op");
  CHECK(log.detail().user_line == 62);
}

TEST_CASE("a reason of a compiled graph is read with its text and its stack", "[ingest]") {
  const ReadLog log(
      "> ERROR:root:[GraphCompileReason(reason='Attempted to call function marked as skipped\\n"
      "  Explanation: Dynamo does not know how to trace the builtin `a._C.op.` This function is "
      "either a Python builtin (e.g. _warnings.warn) or a third-party C/C++ Python extension.\\n\\n"
      "  Developer debug context: module: a._C, qualname: op\\n', "
      "user_stack=[<FrameSummary file /w/m.py, line 62 in forward>], graph_break=True)]\n");
  REQUIRE(log.size() == 1);
  const auto* const fact = log.detail().As<GraphBreakFact>();
  REQUIRE(fact != nullptr);
  CHECK(log.text(fact->type) == "Attempted to call function marked as skipped");
  CHECK(log.text(fact->context) == "module: a._C, qualname: op");
  CHECK(log.detail().user_line == 62);
}

TEST_CASE("the example in an explanation is no context of the break", "[ingest]") {
  const ReadLog log(
      "Attempted to call function marked as skipped\n"
      "  Explanation: Dynamo does not know how to trace the builtin `a._C.op.` This function is "
      "either a Python builtin (e.g. _warnings.warn) or a third-party C/C++ Python extension.\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().As<GraphBreakFact>()->context) ==
        "Dynamo does not know how to trace the builtin `a._C.op.`");
}

TEST_CASE("a label of unknown form is taken off the lines of a string, too", "[ingest]") {
  const ReadLog log(
      "log = '[job 12:03:44] WARN: torch._dynamo hit config.recompile_limit (8)\\n"
      "[job 12:03:45] WARN:    function: \\'scan\\' (/w/t.py:4)\\n"
      "[job 12:03:46] WARN:    last reason: 0/7: L[\\'n\\'] == 3'\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().function) == "scan");
  CHECK(log.detail().reasons().size() == 1);
}

TEST_CASE("the first and the last line of a string as pprint shows it are read", "[ingest]") {
  const ReadLog log(
      "('torch._dynamo hit config.recompile_limit (8)\\n'\n"
      " \"   function: 'scan' (/w/t.py:4)\\n\"\n"
      " \"   last reason: 0/7: L['n'] == 3\\n\")\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().function) == "scan");
  CHECK(log.detail().reasons().size() == 1);
}

TEST_CASE("a bare message of another process comes after the one that ended before", "[ingest]") {
  const std::string text = "Constraints violated (L['ids'].size()[0])!";
  const ReadLog log(
      "(Worker rank=1 pid=295) ERROR 06-18 08:08:25 [a.py:522] "
      "torch.fx.experimental.symbolic_shapes.ConstraintViolationError: " +
      text + "\n" +
      "(Worker rank=1 pid=295) ERROR 06-18 08:08:25 [a.py:522]   - Not all values of " +
      "RelaxedUnspecConstraint(L['ids'].size()[0]) are valid because it is a constant (2048).\n" +
      "ERROR 06-18 08:08:26 [core.py:515] RuntimeError: Worker failed with error '" + text + "\n" +
      "ERROR 06-18 08:08:26 [core.py:515]   - Not all values of RelaxedUnspecConstraint(" +
      "L['ids'].size()[0]) are valid because it is a constant (2048).', see the root cause\n" +
      "RuntimeError: Engine core initialization failed.\n");
  REQUIRE(log.size() == 1);
  CHECK(log.event().rank == 1);
}

TEST_CASE("a label that begins with another one states the rank", "[ingest]") {
  const std::string worker = " | (VllmWorker rank=3 pid=296) ";
  const ReadLog log(
      "7" + worker + "V0618 08:07:39.524000 296 torch/x.py:2498] [0/0] create_env\n8" + worker +
      "V0618 08:07:39.524000 296 torch/x.py:2498] [0/0] create_env\n9" + worker +
      "ERROR 06-18 08:08:25 [x.py:522] Graph break in user code at /w/t.py:4\n10" + worker +
      "ERROR 06-18 08:08:25 [x.py:522] Graph Break Reason: Reading a file\n");
  REQUIRE(log.size() == 1);
  CHECK(log.event().rank == 3);
  CHECK(log.text(log.detail().As<GraphBreakFact>()->type) == "Reading a file");
}

TEST_CASE("names in front of lines tell the messages of containers apart", "[ingest]") {
  const ReadLog log(
      "web-1  | torch._dynamo hit config.recompile_limit (8)\n"
      "web-2  | torch._dynamo hit config.recompile_limit (8)\n"
      "web-1  |    function: 'scan' (/w/t.py:4)\n"
      "web-2  |    function: 'join' (/w/u.py:9)\n"
      "web-1  |    last reason: 0/7: L['n'] == 3\n"
      "web-2  |    last reason: 0/7: L['m'] == 3\n");
  REQUIRE(log.size() == 2);
  CHECK(log.text(log.detail(0).function) == "scan");
  CHECK(log.text(log.detail(1).function) == "join");
}

TEST_CASE("a warning before a break is the reason of its record, also of a cut one", "[ingest]") {
  const std::string prefix = "V1121 03:52:45.992000 1 torch/x.py:5] [6/0] [__graph_breaks] ";
  const std::string head =
      "/x/torch/y.py:9: UserWarning: Dynamo does not know how to trace the builtin `a.b.` Why\n" +
      prefix + "Graph break in user code at /w/t.py:4\n";
  for (const std::string& text :
       {head, head + prefix +
                  "Graph Break Reason: Encountered graph break when attempting to trace CALL:\n"}) {
    const ReadLog log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.detail().user_line == 4);
    CHECK(log.text(log.detail().type()) == "Attempted to call function marked as skipped");
  }
}

TEST_CASE("the front of a prefix may be cut from any of the lines of a message", "[ingest]") {
  const std::string name = "[1/0_2] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] ";
  const ReadLog log(name + "Graph break: Tensor.item from user code at:\n" + name +
                    "  File \"/w/a.py\", line 4, in f\n[2023-12-13 04:26:16,822] " + name +
                    "  File \"/w/b.py\", line 9, in g\n" + name + "    return x.item()\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().user_file) == "/w/b.py");
}

TEST_CASE("a server's error contains the violation of its worker", "[ingest]") {
  const std::string violation =
      "Constraints violated (L['x'].size()[0])! For more information, run with "
      "TORCH_LOGS=\"+dynamic\".\n"
      "  - Not all values of RelaxedUnspecConstraint(L['x'].size()[0]) are valid because "
      "L['x'].size()[0] was inferred to be a constant (2048).";
  const std::string engine = "RuntimeError: Worker failed with error '" + violation +
                             "', please check the stack trace above for the root cause\n";
  for (const std::string& text :
       {engine, engine + engine,
        "[rank1]: torch.fx.experimental.symbolic_shapes.ConstraintViolationError: " + violation +
            "\n" + engine}) {
    INFO(text);
    const ReadLog log(text);
    REQUIRE(log.size() == 1);
    REQUIRE(log.detail(0).kind() == EventKind::kConstraintViolation);
    CHECK(log.text(log.detail(0).As<ConstraintFact>()->source) == "L['x']");
    CHECK(log.detail(0).As<ConstraintFact>()->dim == 0);
  }
  CHECK(ReadLog("RuntimeError: Worker failed with error 'Constraints violated'\n").size() == 0);
}

TEST_CASE("other programs have constraints, too", "[ingest]") {
  for (const std::string text :
       {"INFO solver: Constraints violated (DISABLED)\n",
        "torch.compile says constraints violated (L['x'].size()[0])! if a dim is marked\n",
        "export fails with 'Constraints violated (batch)!', which names no row\n",
        "a Worker failed with error 'Constraints unknown (L['x'].size()[0])!'\n"}) {
    INFO(text);
    CHECK(ReadLog(text).size() == 0);
  }
  CHECK(ReadLog("Constraints violated (batch)!\n").size() == 1);
  CHECK(ReadLog("Constraints violated (L['x'].size()[0])\n").size() == 1);
}

TEST_CASE("the names of a constraint violation may be on the line below", "[ingest]") {
  for (const std::string text :
       {"torch.fx.experimental.symbolic_shapes.ConstraintViolationError: Constraints violated\n"
        "  (L['x'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n",
        "torch.fx.experimental.symbolic_shapes.ConstraintViolationError: Constraints violated\n"
        "(L['x'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n",
        "torch._dynamo.exc.UserError: Constraints violated (\n"
        "L['x'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n",
        "RuntimeError: Worker failed with error 'Constraints violated\n"
        "(L['x'].size()[1])'\nRuntimeError: Engine core initialization failed.\n"}) {
    INFO(text);
    const ReadLog log(text);
    REQUIRE(log.size() == 1);
    const auto* const violation = log.detail(0).As<ConstraintFact>();
    REQUIRE(violation != nullptr);
    CHECK(log.text(violation->source) == "L['x']");
    CHECK(violation->dim == 1);
    CHECK(log.text(violation->message).starts_with("Constraints violated (L['x'].size()[1])"));
  }
}

TEST_CASE("the names of a constraint violation may go on below", "[ingest]") {
  const ReadLog log(
      "ConstraintViolationError: Constraints violated (L['x'].size()[0],\n"
      "  L['y'].size()[1])! For more information, run with TORCH_LOGS=\"+dynamic\".\n");
  CHECK(log.size() == 2);
  CHECK(log.text(log.detail(0).message()) ==
        "Constraints violated (L['x'].size()[0], L['y'].size()[1])! For more information, run with "
        "TORCH_LOGS=\"+dynamic\".");
}

}  // namespace
}  // namespace shapewise
