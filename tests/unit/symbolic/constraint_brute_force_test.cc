// Random systems of guards, solved and enumerated.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "constraint_reference.h"
#include "support/catch.h"
#include "symbolic/constraint_system.h"

namespace shapewise {
namespace {

constexpr int kCases = 12'000;
// Every so many cases three symbols have all values from 0 to 64: 274,625 points.
constexpr int kFullCaseEvery = 40;

GuardCase DrawCase(GuardDrawer& drawer, int number) {
  GuardCase drawn;
  const bool is_full = number % kFullCaseEvery == 0;
  const auto num_symbols = static_cast<int>(is_full ? 3 : drawer.Number(1, 3));
  for (int i = 0; i < num_symbols; ++i) {
    drawn.greatest.push_back(is_full || num_symbols == 1 ? 64
                             : num_symbols == 2          ? drawer.Number(8, 64)
                                                         : drawer.Number(4, 16));
  }
  const auto num_guards = static_cast<size_t>(drawer.Number(1, 5));
  const int64_t greatest = *std::max_element(drawn.greatest.begin(), drawn.greatest.end());
  while (drawn.guards.size() < num_guards)
    drawn.guards.push_back(drawer.Draw(num_symbols, greatest));
  return drawn;
}

TEST_CASE("the solver finds the same values of each variable as enumeration", "[symbolic]") {
  GuardDrawer drawer(20'26);
  int num_unknown = 0;
  int by_freedom[7] = {};
  for (int i = 0; i < kCases; ++i) {
    const GuardCase drawn = DrawCase(drawer, i);
    ExprPool pool;
    std::vector<ExprId> guards;
    for (const std::string& guard : drawn.guards) guards.push_back(pool.Parse(guard));
    const PointTable table(pool, guards, drawn.greatest);
    ConstraintSystem system(pool);
    for (size_t symbol = 0; symbol < drawn.greatest.size(); ++symbol) {
      system.AddVariable(pool.Symbol("s" + std::to_string(symbol)), {0, drawn.greatest[symbol]});
    }
    for (const ExprId guard : guards) system.AddConstraint(guard);
    INFO("case " << i << "\n" << drawn.ToText());

    const bool is_satisfiable = table.IsSatisfiable();
    REQUIRE(system.IsSatisfiable() == (is_satisfiable ? Truth::kTrue : Truth::kFalse));
    for (size_t symbol = 0; symbol < drawn.greatest.size(); ++symbol) {
      INFO("s" << symbol);
      const VariableAnalysis expected = table.Analyze(symbol);
      const VariableAnalysis found = system.Analyze(pool.Symbol("s" + std::to_string(symbol)));
      ++by_freedom[static_cast<size_t>(found.freedom)];
      num_unknown += found.freedom == Freedom::kUnknown ? 1 : 0;
      REQUIRE(found.freedom == expected.freedom);
      REQUIRE(found.value == expected.value);
      if (expected.freedom != Freedom::kImpossible) {
        REQUIRE(found.range == expected.range);
        REQUIRE(found.congruence == expected.congruence);
      }
      REQUIRE(found.culprits_are_minimal);
      REQUIRE(found.culprits == expected.culprits);
    }
  }
  CHECK(num_unknown == 0);
  // The cases are of all kinds.
  for (const Freedom freedom : {Freedom::kFree, Freedom::kBounded, Freedom::kDivisible,
                                Freedom::kRestricted, Freedom::kPinned, Freedom::kImpossible}) {
    CHECK(by_freedom[static_cast<size_t>(freedom)] > kCases / 40);
  }
}

}  // namespace
}  // namespace shapewise
