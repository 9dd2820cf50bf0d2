// Printed guards are taken apart as far as they speak of shapes.

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

}  // namespace
}  // namespace shapewise
