// The cost of guards is computed from their counts.

#include "guards/guard_cost.h"

#include "support/catch.h"
#include "support/string_pool.h"

namespace shapewise {
namespace {

TEST_CASE("without guards there is nothing to estimate", "[guards]") {
  StringPool strings;
  CHECK_FALSE(EstimateGuards(Compilation(), strings));
}

TEST_CASE("the estimate grows with leaves and inner nodes", "[guards]") {
  StringPool strings;
  Compilation compilation;
  compilation.guards.leaves = 707;  // 100 tensors in a list, all sizes static
  compilation.guards.managers = 102;
  const auto estimate = EstimateGuards(compilation, strings);
  REQUIRE(estimate);
  CHECK(estimate->has_tree);
  CHECK_FALSE(estimate->has_symbols);
  CHECK(estimate->guards_us == Approx(7.07 + 2.04));  // 7.4 us when measured
  CHECK(estimate->total_us() == Approx(estimate->guards_us + 9));
}

TEST_CASE("guards on symbolic sizes cost twice as much", "[guards]") {
  StringPool strings;
  Compilation compilation;
  compilation.guards.leaves = 1000;
  const double with_constants = EstimateGuards(compilation, strings)->guards_us;
  SECTION("seen in the tree") {
    compilation.guards.root_lambdas = {{strings.Intern("* <= L['x'].size()[*]"), 1}};
  }
  SECTION("seen in the symbols") {
    compilation.symbols.push_back({.kind = SymbolFact::Kind::kCreated});
  }
  CHECK(EstimateGuards(compilation, strings)->guards_us == Approx(2 * with_constants));
}

TEST_CASE("where no tree is printed the number of guards has to do", "[guards]") {
  StringPool strings;
  Compilation compilation;
  compilation.num_guards = 400;
  const auto estimate = EstimateGuards(compilation, strings);
  REQUIRE(estimate);
  CHECK_FALSE(estimate->has_tree);
  CHECK(estimate->guards_us == Approx(4));
}

TEST_CASE("guards that a text log prints are estimated alike", "[guards]") {
  StringPool strings;
  Compilation compilation;
  compilation.guards.leaves = 1000;
  compilation.guards.managers = 50;
  compilation.guards.root_lambdas = {{strings.Intern("* <= L['x'].size()[*]"), 1}};
  const auto estimate = EstimateGuards(compilation.guards, strings);
  REQUIRE(estimate);
  CHECK(estimate->total_us() == EstimateGuards(compilation, strings)->total_us());
  CHECK_FALSE(EstimateGuards(GuardTally(), strings));
}

TEST_CASE("times measured on an idle machine are plausible; a hundred times as much is not",
          "[guards]") {
  struct Row {
    uint32_t leaves;
    uint32_t managers;
    double latency_us;
  };
  StringPool strings;
  // The table of analyzer/docs/guard-cost.md.
  for (const Row& row : {Row{806, 102, 215}, Row{1221, 1217, 520}, Row{4424, 2420, 1000},
                         Row{244, 140, 180}, Row{312, 103, 109}, Row{21, 10, 68}}) {
    INFO(row.leaves);
    GuardTally guards;
    guards.leaves = row.leaves;
    guards.managers = row.managers;
    const GuardEstimate estimate = *EstimateGuards(guards, strings);
    CHECK(IsLikelyLatency(row.latency_us, estimate));
    CHECK_FALSE(IsLikelyLatency(100 * row.latency_us, estimate));
  }
}

TEST_CASE("entries in front add up", "[guards]") {
  CHECK(CacheDepthUs(0) == 0);
  CHECK(CacheDepthUs(31) == Approx(13.95));  // 26.2 - 11.5 us when measured
}

TEST_CASE("half of the guards of a function are notable", "[guards]") {
  StringPool strings;
  GuardTally guards;
  guards.leaves = 100;
  CHECK(FindOffender(guards) == GuardOffender::kMany);
  guards.root_lambdas = {{strings.Intern("L['a'] > *"), 50}};
  CHECK(FindOffender(guards) == GuardOffender::kPython);
  guards.families = {{.source = strings.Intern("L['self'].layers[*]"), .guards = 49, .members = 7}};
  CHECK(FindOffender(guards) == GuardOffender::kPython);
  guards.families.push_back({.source = strings.Intern("L['xs'][*]"), .guards = 2, .members = 2});
  CHECK(FindOffender(guards) == GuardOffender::kLayers);
  guards.families.pop_back();
  guards.root_lambdas[0].second = 49;
  CHECK(FindOffender(guards) == GuardOffender::kMany);
}

TEST_CASE("a condition in Python is sorted by what it is about", "[guards]") {
  const auto name = [](std::string_view text) { return LambdaKindName(KindOfLambda(text)); };
  CHECK(name("* <= L['x'].size()[*] <= *  # return F.linear(") == "sizes");
  CHECK(name("L['logits'].stride()[*] == *L['logits'].size()[*]") == "sizes");
  CHECK(name("L['fs'][*] > *  # for v in fs: x = x if v is None else y") ==
        "comparisons of numbers");
  CHECK(name("__math_isnan(L['f'])") == "NaN checks");
  CHECK(name("G['nn'].functional is G['__import_torch_dot_nn_dot_functional']") ==
        "identities of objects");
  CHECK(name("torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == None") ==
        "other conditions");
}

}  // namespace
}  // namespace shapewise
