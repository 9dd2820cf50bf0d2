// Guards that text logs print under TORCH_LOGS=guards.

#include <algorithm>
#include <string>
#include <vector>

#include "ingest/reader.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// The printed guards of a log, each as one line.
std::vector<std::string> Printed(std::string_view text) {
  Session session;
  ReadInputFromChunks("train.log", {text}, session);
  std::vector<std::string> lines;
  for (const PrintedGuards& printed : session.printed_guards()) {
    const auto of = [&](StrId id) { return std::string(session.text(id)); };
    std::string line = std::to_string(printed.line) + ": [" + of(printed.compile_id) + "] " +
                       of(printed.function) + ":" + std::to_string(printed.function_line) + " " +
                       std::to_string(printed.guards.leaves) + " leaves " +
                       std::to_string(printed.guards.managers) + " managers";
    if (printed.rank != kNoRank) line += " rank " + std::to_string(printed.rank);
    if (printed.guards.latency_us) {
      line += " " + std::to_string(static_cast<int>(*printed.guards.latency_us)) + " us";
    }
    if (printed.user_line > 0) {
      line += " from " + of(printed.user_file) + ":" + std::to_string(printed.user_line);
    }
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// `message` as torch 2.13 prints it: the prefix on every line.
std::string Message(std::string_view id, std::string_view message, std::string_view rank = {},
                    std::string_view artifact = "[__guards] ") {
  std::string text;
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\n'));
    text.append(rank)
        .append("V1121 03:54:02.947000 14914 torch/_dynamo/guards.py:4483] [")
        .append(id)
        .append("] ")
        .append(artifact)
        .append(line)
        .append("\n");
    message.remove_prefix(std::min(line.size() + 1, message.size()));
  }
  return text;
}

constexpr std::string_view kPrintedTree =
    "\n"
    "TREE_GUARD_MANAGER:\n"
    "+- RootGuardManager\n"
    "| +- DEFAULT_DEVICE: utils_device.CURRENT_DEVICE == None  # _dynamo/output_graph.py:1122 in "
    "init_ambient_guards\n"
    "| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x')\n"
    "| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[3, 4])  # h = x @ w  # w/train.py:7 "
    "in scale\n"
    "\n";

constexpr std::string_view kRecompiles = "[__recompiles] ";

std::string Recompile(std::string_view id, std::string_view function) {
  return Message(id,
                 "Recompiling function " + std::string(function) + " in /w/" +
                     std::string(function) +
                     ".py:6\n    triggered by the following guard failure(s):\n    - " +
                     std::string(id.substr(0, id.find('/'))) + "/0: L['n'] == 3\n",
                 {}, kRecompiles);
}

TEST_CASE("a printed tree is counted, with what it took", "[ingest]") {
  const std::string text =
      Message("0/0_1", "GUARDS:\n") + Message("0/0_1", kPrintedTree) +
      "V1121 03:54:02.974000 14914 torch/_dynamo/guards.py:4519] [0/0_1] [__guards] Guard eval "
      "latency = 69.72 us\n";
  CHECK(Printed(text) == Lines{"3: [0/0_1] :0 2 leaves 2 managers 69 us from w/train.py:7"});
}

TEST_CASE("trees of ranks that write at once are told apart", "[ingest]") {
  const std::string first = Message("0/0", kPrintedTree, "[rank0]:");
  const std::string second = Message("0/0", kPrintedTree, "[rank1]:");
  std::string text;
  size_t a = 0;
  size_t b = 0;
  while (a < first.size()) {
    const size_t end_a = first.find('\n', a) + 1;
    const size_t end_b = second.find('\n', b) + 1;
    text += first.substr(a, end_a - a) + second.substr(b, end_b - b);
    a = end_a;
    b = end_b;
  }
  CHECK(Printed(text) == Lines{"3: [0/0] :0 2 leaves 2 managers rank 0 from w/train.py:7",
                               "4: [0/0] :0 2 leaves 2 managers rank 1 from w/train.py:7"});
}

TEST_CASE("prints of the program between the lines of a tree are no part of it", "[ingest]") {
  std::string text = Message("0/0", kPrintedTree);
  const size_t middle = text.find('\n', text.size() / 2) + 1;
  text.insert(middle, "step 3 loss 0.25\n| a table | of somebody's |\n");
  CHECK(Printed(text) == Lines{"2: [0/0] :0 2 leaves 2 managers from w/train.py:7"});
}

TEST_CASE("a tree that is cut counts as far as it goes", "[ingest]") {
  const std::string text = Message("0/0", kPrintedTree);
  CHECK(Printed(text.substr(0, text.find("| +- GuardManager"))) ==
        Lines{"2: [0/0] :0 1 leaves 1 managers"});
  // Its beginning is missing: only from the root on is it known to be a whole tree.
  CHECK(Printed(text.substr(text.rfind("V1121", text.find("+- RootGuardManager")))) ==
        Lines{"1: [0/0] :0 2 leaves 2 managers from w/train.py:7"});
  const size_t guard = text.rfind("V1121", text.find("DEFAULT_DEVICE"));
  CHECK(Printed(text.substr(guard)).empty());
}

TEST_CASE("a tree without prefixes, as documents and short formats show it", "[ingest]") {
  const std::string short_format =
      "DEBUG:torch._dynamo.guards.__guards:GUARDS:\nDEBUG:torch._dynamo.guards.__guards:" +
      std::string(kPrintedTree) +
      "DEBUG:torch._dynamo.guards.__guards:Guard eval latency = 9.00 us\n";
  CHECK(Printed(short_format) == Lines{"3: [] :0 2 leaves 2 managers 9 us from w/train.py:7"});
  std::string document = "    $ TORCH_LOGS=\"guards\" python playground.py\n    GUARDS:\n";
  std::string_view rest = kPrintedTree;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    document.append("    ").append(line).append("\n");
    rest.remove_prefix(line.size() + 1);
  }
  document += "and the text goes on\n    | +- not: a guard\n";
  CHECK(Printed(document) == Lines{"4: [] :0 2 leaves 2 managers from w/train.py:7"});
}

TEST_CASE("lists of the releases before trees are counted", "[ingest]") {
  const std::string_view old_prefix =
      "[2024-01-30 21:21:21,212] [0/0] torch._dynamo.guards.__guards: [DEBUG] ";
  std::string text;
  for (const std::string_view line :
       {"GUARDS:",
        "hasattr(L['x'], '_dynamo_dynamic_indices') == False           # return x + n  # "
        "w/train.py:4 in f",
        "L['n'] == 3                                                   # return x + n  # "
        "w/train.py:4 in f"}) {
    text.append(old_prefix).append(line).append("\n");
  }
  CHECK(Printed(text) == Lines{"1: [0/0] :0 2 leaves 0 managers from w/train.py:4"});
  // Since 2.5 the parts of guards behind the word stand in the tree as well.
  CHECK(Printed(Message("0/2", "GUARDS:\ncheck_overlapping(overlapping=[], non_overlapping=[])\n") +
                Message("0/2", kPrintedTree)) ==
        Lines{"4: [0/2] :0 2 leaves 2 managers from w/train.py:7"});
}

TEST_CASE("the function is the one that other records of the frame name", "[ingest]") {
  SECTION("the start of its compilation") {
    const std::string text =
        Message("0/0",
                "torchdynamo start compiling scale /w/train.py:6, stack (elided 5 frames):\n", {},
                {}) +
        Message("0/0_1", kPrintedTree);
    CHECK(Printed(text) == Lines{"3: [0/0_1] scale:6 2 leaves 2 managers from w/train.py:7"});
  }
  SECTION("a later recompile") {
    const std::string text = Message("0/0", kPrintedTree) + Message("1/0", kPrintedTree) +
                             Recompile("0/1", "f") + Message("0/1", kPrintedTree);
    CHECK(Printed(text) == Lines{"2: [0/0] f:6 2 leaves 2 managers from w/train.py:7",
                                 "9: [1/0] :0 2 leaves 2 managers from w/train.py:7",
                                 "19: [0/1] f:6 2 leaves 2 managers from w/train.py:7"});
  }
  SECTION("not one that was given the number anew") {
    // Between the two trees torch._dynamo.reset() was called.
    const std::string text =
        Message("0/0", kPrintedTree) + Message("0/0", kPrintedTree) + Recompile("0/1", "g");
    CHECK(Printed(text) == Lines{"2: [0/0] :0 2 leaves 2 managers from w/train.py:7",
                                 "9: [0/0] g:6 2 leaves 2 managers from w/train.py:7"});
  }
  SECTION("not one of before the numbers began anew") {
    const std::string text = Message("0/0", kPrintedTree) + Recompile("0/1", "f") +
                             Message("0/1", kPrintedTree) + Message("0/0", kPrintedTree);
    CHECK(Printed(text).back() == "19: [0/0] :0 2 leaves 2 managers from w/train.py:7");
  }
}

/// The guards that differ from those of the entry before, of each implied recompile.
std::vector<std::string> Changed(std::string_view text) {
  Session session;
  ReadInputFromChunks("train.log", {text}, session);
  std::vector<std::string> lines;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    if (detail.kind() != EventKind::kImpliedRecompile) continue;
    std::string line = "[" + std::string(session.text(event.compile_id)) + "]";
    for (const ReasonId id : detail.reasons()) {
      const Reason& reason = session.reason(id);
      line += " " + std::string(session.text(reason.entry)) + ": ";
      line += session.text(reason.guard);
    }
    lines.push_back(line);
  }
  return lines;
}

std::string Tree(std::string_view id, std::string_view leaves) {
  return Message(id, "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n" + std::string(leaves));
}

TEST_CASE("where no reason is logged, it is the printed guard that differs between entries",
          "[ingest]") {
  const auto leaves = [](std::string_view layer) {
    return "| +- GuardManager: source=L['layer']\n"
           "| | +- ID_MATCH: ___check_obj_id(L['layer'], " +
           std::string(layer) +
           ")  # h = layer(x)  # train.py:10 in step\n"
           "| +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[8, 4], stride=[4, 1])\n";
  };
  CHECK(Changed(Tree("0/0", leaves("1")) + Tree("0/1", leaves("2")) + Tree("0/2", leaves("3"))) ==
        Lines{"[0/1] 0/0: ___check_obj_id(L['layer'], 1)",
              "[0/2] 0/1: ___check_obj_id(L['layer'], 2)"});
}

TEST_CASE("equal guards, and guards that only one entry has, are no reason", "[ingest]") {
  constexpr std::string_view kX =
      "| +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[8, 4], stride=[4, 1])\n";
  constexpr std::string_view kN = "| +- EQUALS_MATCH: L['n'] == 3\n";
  CHECK(Changed(Tree("0/0", kX) + Tree("0/1", kX)) == Lines{"[0/1]"});
  // The second tree may be cut.
  CHECK(Changed(Tree("0/0", std::string(kX) + std::string(kN)) + Tree("0/1", kX)) ==
        Lines{"[0/1]"});
  // Another code object, and not the entry right before.
  CHECK(Changed(Tree("1/0", kN) + Tree("0/2", "| +- EQUALS_MATCH: L['n'] == 4\n")) ==
        Lines{"[0/2]"});
}

TEST_CASE("a guard whose text has many lines does not end its tree", "[ingest]") {
  std::string tree(kPrintedTree);
  tree.insert(tree.find("| | +- TENSOR"),
              "| | +- ID_MATCH: ___check_obj_id(L['m'], 12), type=Net(\n  (a): Linear()\n)\n");
  CHECK(Printed(Message("0/0", tree)) ==
        Lines{"2: [0/0] :0 3 leaves 2 managers from w/train.py:7"});
}

TEST_CASE("a tree of any length is counted in bounded memory", "[ingest]") {
  std::string tree = "TREE_GUARD_MANAGER:\n+- RootGuardManager\n";
  for (int i = 0; i < 20000; ++i) {
    tree += "| +- GuardManager: source=L['" + std::string(40, 'x') + std::to_string(i) +
            "'], accessed_by=a\n| | +- TYPE_MATCH: ___check_type_id(x, 9)\n";
  }
  CHECK(Printed(Message("0/0", tree)) == Lines{"1: [0/0] :0 20000 leaves 20001 managers"});
}

}  // namespace
}  // namespace shapewise
