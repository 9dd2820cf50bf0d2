// Messages that people wrapped, shortened or quoted by hand.

#include <string>
#include <vector>

#include "ingest/reader.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// A pasted log as read.
class Paste {
 public:
  explicit Paste(std::string_view text) { ReadInputFromChunks("paste.log", {text}, session_); }

  size_t size() const { return session_.events().size(); }
  int32_t rank() const { return session_.events().at(0).rank; }
  const EventDetail& detail(size_t event = 0) const {
    return session_.detail(session_.events().at(event));
  }
  std::string text(StrId id) const { return std::string(session_.text(id)); }
  std::vector<Reason> reasons() const {
    std::vector<Reason> list;
    for (const auto id : detail().reasons()) list.push_back(session_.reason(id));
    return list;
  }

 private:
  Session session_;
};

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
    const Paste log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.text(log.detail().function) == "scan");
    REQUIRE(log.reasons().size() == 1);
    CHECK(log.reasons()[0].guard_class == GuardClass::kStride);
    CHECK(log.text(log.reasons()[0].actual) == "696");
  }
}

TEST_CASE("several reasons of a limit count without a label", "[ingest]") {
  const Paste log(
      "torch._dynamo hit config.recompile_limit (8)\n   function: f, /w/t.py\n"
      "   - 0/7: L['n'] == 3\n   - 0/6: L['n'] == 2\n1/7: val loss\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().function) == "f");
  CHECK(log.reasons().size() == 2);
}

TEST_CASE("output of the program below a limit without a reason is no reason", "[ingest]") {
  const Paste log(
      "torch._dynamo hit config.recompile_limit (8)\n   function: 'f' (/w/t.py:4)\n"
      "10/100: loss 0.5\n");
  REQUIRE(log.size() == 1);
  CHECK(log.reasons().empty());
}

TEST_CASE("the message of an exception may be on the line below its class", "[ingest]") {
  const Paste guard(
      "GuardOnDataDependentSymNode:\n"
      "Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).\n");
  REQUIRE(guard.size() == 1);
  const auto* const error = guard.detail().As<CompileErrorFact>();
  REQUIRE(error != nullptr);
  CHECK(guard.text(error->type) == "GuardOnDataDependentSymNode");
  CHECK(guard.text(error->message) ==
        "Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).");

  const Paste backend(
      "BackendCompilerFailed:\nbackend='inductor' raised:\nRuntimeError: no kernel image\n");
  REQUIRE(backend.size() == 1);
  CHECK(backend.text(backend.detail().As<CompileErrorFact>()->context) ==
        "RuntimeError: no kernel image");

  CHECK(Paste("InductorError:\n    raised where lowering fails\n").size() == 0);
  CHECK(Paste("ConstraintViolationError:\n    raised when a dim is constant.\n").size() == 0);
}

TEST_CASE("a violation may follow its class at once and be wrapped", "[ingest]") {
  for (const std::string text :
       {"ConstraintViolationError: You marked L['a'][0].size()[2] as dynamic but your code\n"
        "specialized it to be a constant (1024).\n",
        "# ConstraintViolationError: You marked L['a'][0].size()[2] as dynamic but your\n"
        "# code specialized it to be a constant\n# (1024).\n"}) {
    INFO(text);
    const Paste log(text);
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
    const Paste log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.detail().As<CudagraphFact>()->count == 51);
  }
  CHECK(Paste("CUDAGraph supports dynamic shapes in part.\n").size() == 0);
}

TEST_CASE("prose quotes a whole message, or only mentions its first words", "[ingest]") {
  for (const std::string text :
       {"2. Inductor logs `skipping cudagraphs due to mutated inputs (84 instances)`, and stops.\n",
        "- It refuses: *\"skipping cudagraphs due to mutated inputs (2 instances)\"*, at lerp_\n",
        "with `skipping cudagraphs due to mutated inputs\n  (84 instances)`, and stops.\n",
        "- Warning: \"skipping cudagraphs due to mutated inputs (2 instances)\"\n"}) {
    INFO(text);
    const Paste log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.detail().why() == Why::kMutatedInputs);
  }
  for (const std::string text :
       {"It prints `torch._dynamo hit config.recompile_limit (8)` once a function.\n",
        "Look for `skipping cudagraphs due to` in the log.\n",
        "    log.warning(\"skipping cudagraphs due to mutated inputs (2 instances)\")\n",
        "Look for \"skipping cudagraphs due to mutated inputs (2 instances)\" in it.\n"}) {
    INFO(text);
    CHECK(Paste(text).size() == 0);
  }
}

TEST_CASE("a backend's failure without its class is read, also where it is quoted", "[ingest]") {
  for (const std::string before : {"", "- case 2: `", "FAIL: "}) {
    INFO(before);
    const Paste log(before + "backend='inductor' raised:\nRuntimeError: no storage\n");
    REQUIRE(log.size() == 1);
    CHECK(log.text(log.detail().type()) == "BackendCompilerFailed");
    CHECK(log.text(log.detail().As<CompileErrorFact>()->context) == "RuntimeError: no storage");
  }
}

TEST_CASE("the text of a break goes on after a label and omitted lines", "[ingest]") {
  const Paste log(
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
  const Paste log(
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
  const Paste log(
      "Attempted to call function marked as skipped\n"
      "  Explanation: Dynamo does not know how to trace the builtin `a._C.op.` This function is "
      "either a Python builtin (e.g. _warnings.warn) or a third-party C/C++ Python extension.\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().As<GraphBreakFact>()->context) ==
        "Dynamo does not know how to trace the builtin `a._C.op.`");
}

TEST_CASE("a label of unknown form is taken off the lines of a string, too", "[ingest]") {
  const Paste log(
      "log = '[job 12:03:44] WARN: torch._dynamo hit config.recompile_limit (8)\\n"
      "[job 12:03:45] WARN:    function: \\'scan\\' (/w/t.py:4)\\n"
      "[job 12:03:46] WARN:    last reason: 0/7: L[\\'n\\'] == 3'\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().function) == "scan");
  CHECK(log.reasons().size() == 1);
}

TEST_CASE("the first and the last line of a string as pprint shows it are read", "[ingest]") {
  const Paste log(
      "('torch._dynamo hit config.recompile_limit (8)\\n'\n"
      " \"   function: 'scan' (/w/t.py:4)\\n\"\n"
      " \"   last reason: 0/7: L['n'] == 3\\n\")\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().function) == "scan");
  CHECK(log.reasons().size() == 1);
}

TEST_CASE("a bare message of another process comes after the one that ended before", "[ingest]") {
  const std::string text = "Constraints violated (L['ids'].size()[0])!";
  const Paste log(
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
  CHECK(log.rank() == 1);
}

TEST_CASE("a label that begins with another one states the rank", "[ingest]") {
  const std::string worker = " | (VllmWorker rank=3 pid=296) ";
  const Paste log("7" + worker + "V0618 08:07:39.524000 296 torch/x.py:2498] [0/0] create_env\n8" +
                  worker + "V0618 08:07:39.524000 296 torch/x.py:2498] [0/0] create_env\n9" +
                  worker +
                  "ERROR 06-18 08:08:25 [x.py:522] Graph break in user code at /w/t.py:4\n10" +
                  worker + "ERROR 06-18 08:08:25 [x.py:522] Graph Break Reason: Reading a file\n");
  REQUIRE(log.size() == 1);
  CHECK(log.rank() == 3);
  CHECK(log.text(log.detail().As<GraphBreakFact>()->type) == "Reading a file");
}

TEST_CASE("names in front of lines tell the messages of containers apart", "[ingest]") {
  const Paste log(
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
    const Paste log(text);
    REQUIRE(log.size() == 1);
    CHECK(log.detail().user_line == 4);
    CHECK(log.text(log.detail().type()) == "Attempted to call function marked as skipped");
  }
}

TEST_CASE("the front of a prefix may be cut from any of the lines of a message", "[ingest]") {
  const std::string name = "[1/0_2] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] ";
  const Paste log(name + "Graph break: Tensor.item from user code at:\n" + name +
                  "  File \"/w/a.py\", line 4, in f\n[2023-12-13 04:26:16,822] " + name +
                  "  File \"/w/b.py\", line 9, in g\n" + name + "    return x.item()\n");
  REQUIRE(log.size() == 1);
  CHECK(log.text(log.detail().user_file) == "/w/b.py");
}

}  // namespace
}  // namespace shapewise
