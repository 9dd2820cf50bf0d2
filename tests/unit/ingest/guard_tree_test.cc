// Printed guards are counted, and taken apart as far as they speak of shapes.

#include "ingest/guard_tree.h"

#include <string>

#include "ingest/formats/torch_log/process_guards.h"
#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kTree =
    "TREE_GUARD_MANAGER:\n"
    "+- RootGuardManager\n"
    "| +- GLOBAL_STATE: ___check_global_state() against {\"grad_mode\":true}\n"
    "| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x')\n"
    "| | +- TYPE_MATCH: ___check_type_id(L['x'], 942), type=<class 'torch.Tensor'>\n"
    "| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU, AutogradCPU), "
    "torch.float32, device=None, requires_grad=False, size=[None, 3], stride=[3, 1])  # return x * "
    "n"
    "  # srv/app/m.py:6 in f\n"
    "| | +- DIMENSION_DYNAMIC_MARKING_GUARD: hasattr(L['x'], '_dynamo_dynamic_indices') == False\n"
    "| | +- DIMENSION_DYNAMIC_MARKING_GUARD: ((getattr(L['x'], '_dynamo_weak_dynamic_indices', "
    "set()).issubset({0})) if hasattr(L['x'], '_dynamo_weak_dynamic_indices') else True)\n"
    "| +- EQUALS_MATCH: L['n'] == 3     # return x * n  # srv/app/m.py:6 in f\n"
    "| +- EQUALS_MATCH: L['mode'] == 'sum'\n"
    "| +- LENGTH_CHECK: len(L['parts']) == 2\n"
    "+- LAMBDA_GUARD: L['x'].size()[0] % 8 == 0  # if x.shape[0] % 8 == 0:  # srv/app/m.py:4 in f\n"
    "+- LAMBDA_GUARD: 2 <= L['x'].size()[0]  # x  # srv/app/m.py:4 in f (user code shown is first "
    "use of this value--the guard itself is not due user code but due to 0/1 specialization in the "
    "framework)\n";

TEST_CASE("a printed tree gives the guards on shapes, and hashes of the others", "[ingest]") {
  StringPool strings;
  const GuardTexts texts = ReadGuardTree(kTree, strings);
  CHECK(texts.is_printed);
  CHECK(texts.left_out == 0);
  REQUIRE(texts.shape.size() == 7);
  const ShapeGuard& tensor = texts.shape[0];
  CHECK(tensor.kind == ShapeGuard::Kind::kTensor);
  CHECK(strings.text(tensor.source) == "L['x']");
  CHECK(strings.text(tensor.text) == "[None, 3]");
  CHECK(strings.text(tensor.stride) == "[3, 1]");
  CHECK(strings.text(tensor.properties) ==
        "Tensor, DispatchKeySet(CPU, AutogradCPU), torch.float32, device=None, "
        "requires_grad=False");
  CHECK(strings.text(tensor.user_file) == "srv/app/m.py");
  CHECK(tensor.user_line == 6);
  CHECK(texts.shape[1].kind == ShapeGuard::Kind::kMark);
  CHECK(texts.shape[1].text == StrId::kNone);
  CHECK(strings.text(texts.shape[2].properties) == "weak_dynamic_indices");
  CHECK(strings.text(texts.shape[2].text) == "{0}");
  CHECK(texts.shape[3].kind == ShapeGuard::Kind::kValue);
  CHECK(strings.text(texts.shape[3].text) == "3");
  CHECK(texts.shape[4].kind == ShapeGuard::Kind::kLength);
  CHECK(strings.text(texts.shape[4].source) == "L['parts']");
  CHECK(strings.text(texts.shape[5].text) == "L['x'].size()[0] % 8 == 0");
  CHECK(texts.shape[5].user_line == 4);
  CHECK(texts.shape[6].is_zero_one);
  // The global state and the string; the type is part of the tensor's check.
  CHECK(texts.others.size() == 2);
  REQUIRE(texts.values.size() == 2);
  CHECK(texts.values[0].kind == ValueGuard::Kind::kType);
  CHECK(strings.text(texts.values[0].text) == "<class 'torch.Tensor'>");
  CHECK(texts.values[1].kind == ValueGuard::Kind::kConstant);
  CHECK(strings.text(texts.values[1].source) == "L['mode']");
  CHECK(strings.text(texts.values[1].text) == "'sum'");
}

TEST_CASE("guards on locals tell what they hold", "[ingest]") {
  StringPool strings;
  GuardTextReader reader(strings);
  reader.AddTreeLine("+- NONE_MATCH: L['y'] is None  # f(y)  # srv/app/m.py:6 in f");
  reader.AddTreeLine("+- EQUALS_MATCH: list(dict.keys(L['d']))[0] == 'a'");
  reader.AddTreeLine("+- DICT_CONTAINS: not ___dict_contains('forward', L['self'].__dict__)");
  reader.AddTreeLine("+- ID_MATCH: ___check_obj_id(G['torch'].relu, 140303616323760)");
  const GuardTexts texts = reader.Take();
  REQUIRE(texts.values.size() == 3);
  CHECK(strings.text(texts.values[0].source) == "L['y']");
  CHECK(strings.text(texts.values[0].text) == "None");
  CHECK(strings.text(texts.values[1].source) == "list(dict.keys(L['d']))[0]");
  CHECK(strings.text(texts.values[1].text) == "'a'");
  CHECK(texts.values[2].kind == ValueGuard::Kind::kOther);
  CHECK(strings.text(texts.values[2].source) == "L['self'].__dict__");
}

TEST_CASE("a relation tells whether an operator asks for it", "[ingest]") {
  StringPool strings;
  GuardTextReader reader(strings);
  reader.AddTreeLine(
      "+- LAMBDA_GUARD: (L['x'].size()[2] % 4) == 0  # return x.view(4, -1)  # app/m.py:5 in f "
      "(_refs/__init__.py:3971 in _reshape_view_helper_core_alg)");
  reader.AddTreeLine(
      "+- LAMBDA_GUARD: 17 <= L['x'].size()[0]  # if x.shape[0] > 16:  # app/m.py:5 in f "
      "(_dynamo/variables/tensor.py:2606 in evaluate_expr)");
  reader.AddTreeLine("+- LAMBDA_GUARD: L['y'].size()[0] == L['x'].size()[0]  # (unknown var s17)");
  const GuardTexts texts = reader.Take();
  REQUIRE(texts.shape.size() == 3);
  CHECK(texts.shape[0].is_operators);
  CHECK_FALSE(texts.shape[1].is_operators);
  CHECK_FALSE(texts.shape[2].is_operators);
}

TEST_CASE("a cut tree gives what is whole of it", "[ingest]") {
  for (size_t size = 0; size < kTree.size(); ++size) {
    StringPool strings;
    const GuardTexts texts = ReadGuardTree(kTree.substr(0, size), strings);
    CHECK(texts.shape.size() <= 7);
  }
}

TEST_CASE("guards beyond the bound are counted", "[ingest]") {
  StringPool strings;
  GuardTextReader reader(strings);
  for (size_t i = 0; i < 2 * GuardTexts::kMaxGuards; ++i) {
    reader.AddGuard("L['n" + std::to_string(i) + "'] == 3");
  }
  const GuardTexts texts = reader.Take();
  CHECK(texts.shape.size() == GuardTexts::kMaxGuards);
  CHECK(texts.left_out == GuardTexts::kMaxGuards);
}

TEST_CASE("lines of symbols are read in the spellings of all releases", "[ingest]") {
  StringPool strings;
  SymbolFact fact;
  REQUIRE(
      ParseSymbolLine("create_symbol s77 = 5 for L['x'].size()[0] [2, int_oo] return x + 1  # "
                      "srv/m.py:6 in f (_dynamo/variables/builder.py:4960 in <lambda>), for "
                      "more info run with TORCHDYNAMO_EXTENDED_DEBUG_CREATE_SYMBOL=\"s77\"",
                      strings, fact));
  CHECK(fact.kind == SymbolFact::Kind::kCreated);
  CHECK(strings.text(fact.symbol) == "s77");
  CHECK(strings.text(fact.value) == "5");
  CHECK(strings.text(fact.source) == "L['x'].size()[0]");
  CHECK(strings.text(fact.range) == "[2, int_oo]");
  CHECK(strings.text(fact.user_file) == "srv/m.py");
  CHECK(fact.user_line == 6);
  fact = {};
  REQUIRE(ParseSymbolLine("create_symbol s0 = 4 for L['x'].size()[0] [2, 9223372036854775806]",
                          strings, fact));
  CHECK(strings.text(fact.range) == "[2, 9223372036854775806]");
  fact = {};
  REQUIRE(
      ParseSymbolLine("eval Eq(s77, 6) [guard added] if x.shape[0] == 6:  # srv/m.py:10 in f "
                      "(_dynamo/variables/tensor.py:2606 in evaluate_expr), for more info run "
                      "with TORCHDYNAMO_EXTENDED_DEBUG_GUARD_ADDED=\"Eq(s77, 6)\"",
                      strings, fact));
  CHECK(fact.kind == SymbolFact::Kind::kGuardAdded);
  CHECK(strings.text(fact.expr) == "Eq(s77, 6)");
  CHECK(fact.user_line == 10);
  CHECK(strings.text(fact.user_function) == "f");
  fact = {};
  REQUIRE(ParseSymbolLine("set_replacement s77 = 6 (range_refined_to_singleton) VR[6, 6]", strings,
                          fact));
  CHECK(fact.kind == SymbolFact::Kind::kSpecialized);
  CHECK(strings.text(fact.value) == "6");
  fact = {};
  // Says what a guard that was added says already.
  CHECK_FALSE(ParseSymbolLine("set_replacement s77 = s17 (solve) VR[2, int_oo]", strings, fact));
  CHECK_FALSE(
      ParseSymbolLine("eval [guard suppressed] Ne((s77//4), 0) [guard added] x", strings, fact));
  CHECK_FALSE(ParseSymbolLine("create_symbol s77 duck sized L['y'].size()[0]", strings, fact));
}

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
