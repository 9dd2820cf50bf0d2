#include "ingest/guard_tree.h"

#include <string>

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kSampleTree =
    "\n"
    "TREE_GUARD_MANAGER:\n"
    "+- RootGuardManager\n"
    "| +- LAMBDA_GUARD: torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == None  "
    "# _dynamo/output_graph.py:1135 in init_ambient_guards\n"
    "| +- GLOBAL_STATE: ___check_global_state() against {\"allow_tf32\":false}\n"
    "| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x', "
    "framelocals_idx=0), type=<class 'torch.Tensor'>, tag_safe=(False, False)\n"
    "| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[None, 6], stride=[6, 1])  # x + 1\n"
    "| +- GuardManager: source=L['self']._modules['layers']._modules['0'], accessed_by=a\n"
    "| | +- TYPE_MATCH: ___check_type_id(L['self']._modules['layers']._modules['0'], 94459735)\n"
    "| | +- DICT_CONTAINS: not ___dict_contains('forward', ...)\n"
    "| +- GuardManager: source=L['self']._modules['layers']._modules['1'], accessed_by=a\n"
    "| | +- TYPE_MATCH: ___check_type_id(L['self']._modules['layers']._modules['1'], 94459735)\n"
    "+- LAMBDA_GUARD: L['x'].size()[0] <= 4096  # train.py:3 in f\n"
    "+- LAMBDA_GUARD: L['x'].size()[0] <= 8192  # train.py:3 in f\n"
    "\n"
    "Guard latency = 17.50 us\n";

TEST_CASE("a guard tree is counted by kind, with what grows by the layer", "[ingest]") {
  StringPool strings;
  const GuardTally tally = CountGuardTree(kSampleTree, strings);
  CHECK(tally.leaves == 8);
  CHECK(tally.managers == 4);
  CHECK(tally.latency_us == 17.5);

  // Most frequent first; equal ones by name.
  REQUIRE(tally.kinds.size() == 5);
  CHECK(strings.text(tally.kinds[0].first) == "LAMBDA_GUARD");
  CHECK(tally.kinds[0].second == 3);
  CHECK(strings.text(tally.kinds[1].first) == "TYPE_MATCH");
  CHECK(tally.kinds[1].second == 2);
  CHECK(strings.text(tally.kinds[2].first) == "DICT_CONTAINS");

  // Lambdas at the root run in Python at every call; those that differ in numbers are one.
  REQUIRE(tally.root_lambdas.size() == 2);
  CHECK(strings.text(tally.root_lambdas[0].first) == "L['x'].size()[*] <= *");
  CHECK(tally.root_lambdas[0].second == 2);

  // One source a layer: two layers, three guards on them.
  REQUIRE(tally.families.size() == 1);
  CHECK(strings.text(tally.families[0].source) == "L['self']._modules['layers']._modules[*]");
  CHECK(tally.families[0].guards == 3);
  CHECK(tally.families[0].members == 2);
}

TEST_CASE("the values of a dict are one family, whatever their managers print", "[ingest]") {
  StringPool strings;
  const GuardTally tally = CountGuardTree(
      "| +- KeyValueManager pair at index=0\n"
      "| | +- ValueManager: GuardManager: source=L['m']._modules['0'], type=<class 'A'>, "
      "tag_safe=(False, False)\n"
      "| | | +- TYPE_MATCH: ___check_type_id(L['m']._modules['0'], 94)\n"
      "| +- KeyValueManager pair at index=1\n"
      "| | +- ValueManager: GuardManager: source=L['m']._modules['1'], type=<class 'B'>, "
      "tag_safe=(False, False)\n"
      "| | | +- TYPE_MATCH: ___check_type_id(L['m']._modules['1'], 95)\n",
      strings);
  REQUIRE(tally.families.size() == 1);
  CHECK(strings.text(tally.families[0].source) == "L['m']._modules[*]");
  CHECK(tally.families[0].members == 2);
}

TEST_CASE("a text that is no guard tree counts for nothing", "[ingest]") {
  StringPool strings;
  for (const std::string_view text : {"", "no tree", "+-", "| | | | +- ", "Guard latency = fast"}) {
    INFO(text);
    const GuardTally tally = CountGuardTree(text, strings);
    CHECK(tally.leaves == 0);
    CHECK(tally.families.empty());
    CHECK_FALSE(tally.latency_us);
  }
}

TEST_CASE("a tree of any depth is counted in bounded memory", "[ingest]") {
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "| ";
  StringPool strings;
  const GuardTally tally = CountGuardTree(deep + "+- GuardManager: source=L['x'], accessed_by=a\n" +
                                              deep + "| +- TENSOR_MATCH: check_tensor(L['x'])\n",
                                          strings);
  CHECK(tally.managers == 1);
  CHECK(tally.leaves == 1);
}

TEST_CASE("only an index that stands alone in brackets is folded", "[ingest]") {
  const auto fold = [](std::string_view text) {
    std::string indices;
    const std::string folded = FoldIndices(text, indices);
    return folded + " " + indices;
  };
  CHECK(fold("L['self'].layers[12].w") == "L['self'].layers[*].w 12,");
  CHECK(fold("L['self']._modules['3']._modules['0']") == "L['self']._modules[*]._modules[*] 3,0,");
  CHECK(fold("L['x1'][a0]['2b'][") == "L['x1'][a0]['2b'][ ");
  CHECK(fold("L['7]") == "L['7] ");
}

}  // namespace
}  // namespace shapewise
