// Comparisons of cache entries, checked against enumeration.

#include "guards/compare_entries.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr int64_t kLargest = 10;
constexpr uint64_t kSteps = 100'000;
using Point = std::pair<int64_t, int64_t>;

GuardedEntry EntryOf(ExprPool& pool, uint64_t number, const std::vector<std::string>& guards) {
  GuardedEntry entry;
  entry.id = "0/" + std::to_string(number);
  entry.number = number;
  entry.is_printed = true;
  for (const std::string& text : guards) {
    EntryGuard guard;
    guard.predicate = pool.Parse(text);
    REQUIRE(guard.predicate != ExprId::kNone);
    guard.line.guard = text;
    entry.guards.push_back(guard);
  }
  return entry;
}

/// The calls that an entry takes, by trying all of them.
std::set<Point> Takes(const GuardedEntry& entry, ExprPool& pool, ExprId x, ExprId y) {
  std::set<Point> points;
  for (int64_t a = 0; a <= kLargest; ++a) {
    for (int64_t b = 0; b <= kLargest; ++b) {
      const bool fits = std::ranges::all_of(entry.guards, [&](const EntryGuard& guard) {
        return pool.Evaluate(guard.predicate, [&](ExprId symbol) -> std::optional<int64_t> {
          return symbol == x ? a : b;
        }) == 1;
      });
      if (fits) points.emplace(a, b);
    }
  }
  static_cast<void>(y);
  return points;
}

std::string RandomGuard(std::mt19937& random) {
  const auto pick = [&](int bound) {
    return std::to_string(random() % static_cast<unsigned>(bound));
  };
  const std::string x = random() % 2 == 0 ? "x.size()[0]" : "y.size()[0]";
  const std::string divisor = std::to_string(2 + random() % 3);
  switch (random() % 7) {
    case 0:
      return x + " % " + divisor + " == 0";
    case 1:
      return x + " % " + divisor + " != 0";
    case 2:
      return x + " <= " + pick(kLargest);
    case 3:
      return pick(kLargest) + " <= " + x;
    case 4:
      return "x.size()[0] == y.size()[0]";
    case 5:
      return "x.size()[0] + y.size()[0] == " + pick(2 * kLargest);
    default:
      return x + " != " + pick(kLargest);
  }
}

GuardedFunction RandomFunction(std::mt19937& random, ExprPool& pool) {
  GuardedFunction function;
  const size_t entries = 2 + random() % 3;
  for (size_t i = 0; i < entries; ++i) {
    std::vector<std::string> guards = {"x.size()[0] <= 10", "y.size()[0] <= 10"};
    for (size_t k = random() % 4; k > 0; --k) guards.push_back(RandomGuard(random));
    function.entries.push_back(EntryOf(pool, i, guards));
  }
  return function;
}

bool IsWithin(const std::set<Point>& inner, const std::vector<std::set<Point>>& outers,
              size_t from) {
  return std::ranges::all_of(inner, [&](const Point& point) {
    for (size_t i = from; i < outers.size(); ++i) {
      if (outers[i].contains(point)) return true;
    }
    return false;
  });
}

TEST_CASE("entries that are never reached and entries that overlap are those of an enumeration",
          "[guards]") {
  std::mt19937 random(20);
  size_t shadowed = 0;
  size_t overlapping = 0;
  for (int round = 0; round < 2000; ++round) {
    ExprPool pool;
    const ExprId x = pool.Symbol("x.size()[0]");
    const ExprId y = pool.Symbol("y.size()[0]");
    const GuardedFunction function = RandomFunction(random, pool);
    std::vector<std::set<Point>> takes;
    for (const GuardedEntry& entry : function.entries) takes.push_back(Takes(entry, pool, x, y));
    std::vector<GuardedEntryReport> reports(function.entries.size());
    CompareEntries(function, pool, kSteps, reports);
    for (size_t i = 0; i < reports.size(); ++i) {
      INFO("round " << round << ", entry " << i);
      CHECK(reports[i].is_contradictory == takes[i].empty());
      if (takes[i].empty()) continue;
      CHECK(!reports[i].shadowed_by.empty() == IsWithin(takes[i], takes, i + 1));
      shadowed += reports[i].shadowed_by.empty() ? 0 : 1;
      for (size_t j = i + 1; j < reports.size(); ++j) {
        if (!reports[i].shadowed_by.empty() || !reports[j].shadowed_by.empty()) continue;
        const bool meet = std::ranges::any_of(
            takes[i], [&](const Point& point) { return takes[j].contains(point); });
        CHECK((std::ranges::count(reports[i].overlaps, j) == 1) == meet);
        overlapping += meet ? 1 : 0;
      }
    }
  }
  CHECK(shadowed > 100);  // The comparison met both outcomes.
  CHECK(overlapping > 100);
}

TEST_CASE("the graphs that calls need are those of an enumeration", "[guards]") {
  std::mt19937 random(21);
  for (int round = 0; round < 2000; ++round) {
    ExprPool pool;
    const ExprId x = pool.Symbol("x.size()[0]");
    const ExprId y = pool.Symbol("y.size()[0]");
    const GuardedFunction function = RandomFunction(random, pool);
    std::vector<SizedCall> calls;
    std::vector<unsigned> takers;  // a bit an entry
    for (int k = 0; k < 6; ++k) {
      const Point point{static_cast<int64_t>(random() % 11), static_cast<int64_t>(random() % 11)};
      calls.push_back({{x, point.first}, {y, point.second}});
      unsigned bits = 0;
      for (size_t i = 0; i < function.entries.size(); ++i) {
        if (Takes(function.entries[i], pool, x, y).contains(point)) bits |= 1U << i;
      }
      takers.push_back(bits);
    }
    size_t least = function.entries.size();
    for (unsigned chosen = 0; chosen < 1U << function.entries.size(); ++chosen) {
      const bool serves = std::ranges::all_of(
          takers, [&](unsigned bits) { return bits == 0 || (bits & chosen) != 0; });
      if (serves) least = std::min<size_t>(least, static_cast<size_t>(std::popcount(chosen)));
    }
    const auto uncovered = static_cast<size_t>(std::ranges::count(takers, 0U));
    const GraphNeed need = FindNeed(function, calls, pool, kSteps);
    INFO("round " << round);
    CHECK(need.least == least);
    CHECK(need.is_least_exact);
    CHECK(need.uncovered == uncovered);
    CHECK(need.served + need.uncovered == calls.size());
    CHECK(need.limit_at_most == function.entries.size() + uncovered);
  }
}

TEST_CASE("an entry with other guards than those on sizes hides none", "[guards]") {
  ExprPool pool;
  GuardedFunction function;
  function.entries.push_back(EntryOf(pool, 0, {"x.size()[0] == 4"}));
  function.entries.push_back(EntryOf(pool, 1, {"2 <= x.size()[0]"}));
  std::vector<GuardedEntryReport> reports(2);
  SECTION("none: the dynamic entry takes what the static one took") {
    CompareEntries(function, pool, kSteps, reports);
    CHECK(reports[0].shadowed_by == std::vector<size_t>{1});
    CHECK_FALSE(reports[0].is_shadow_certain);
  }
  SECTION("the log shows that one wrapper asked both") {
    function.asked.emplace(1, 0);
    CompareEntries(function, pool, kSteps, reports);
    CHECK(reports[0].is_shadow_certain);
  }
  SECTION("grad mode is another") {
    function.entries[1].others = {7};
    CompareEntries(function, pool, kSteps, reports);
    CHECK(reports[0].shadowed_by.empty());
  }
  SECTION("the dtype is another") {
    function.entries[0].properties["x"] = "Tensor, torch.float32";
    function.entries[1].properties["x"] = "Tensor, torch.float16";
    CompareEntries(function, pool, kSteps, reports);
    CHECK(reports[0].shadowed_by.empty());
  }
  SECTION("the older takes marked tensors, the newer none") {
    function.entries[0].marks[{"x", "dynamic_indices"}] = {0};
    function.entries[1].marks[{"x", "dynamic_indices"}] = {};
    CompareEntries(function, pool, kSteps, reports);
    CHECK(reports[0].shadowed_by.empty());
  }
  SECTION("not all guards of the newer are known") {
    function.entries[1].is_printed = false;
    CompareEntries(function, pool, kSteps, reports);
    CHECK(reports[0].shadowed_by.empty());
  }
  SECTION("a guard of the newer is not understood") {
    function.entries[1].unread = {"f(x.size()[0])"};
    CompareEntries(function, pool, kSteps, reports);
    CHECK(reports[0].shadowed_by.empty());
  }
}

TEST_CASE("two newer entries together can hide an older one", "[guards]") {
  ExprPool pool;
  GuardedFunction function;
  function.entries.push_back(EntryOf(pool, 0, {"2 <= x.size()[0]"}));
  function.entries.push_back(EntryOf(pool, 1, {"x.size()[0] % 2 == 0"}));
  function.entries.push_back(EntryOf(pool, 2, {"x.size()[0] % 2 != 0"}));
  std::vector<GuardedEntryReport> reports(3);
  CompareEntries(function, pool, kSteps, reports);
  CHECK(reports[0].shadowed_by == std::vector<size_t>{1, 2});
  CHECK(reports[1].shadowed_by.empty());
  CHECK(reports[1].overlaps.empty());
}

TEST_CASE("the fewest sets are found where the greedy choice fails", "[guards]") {
  // Sets 0 and 1 split the elements; set 2 takes four of the six first.
  const std::vector<std::vector<size_t>> members = {{0, 2}, {0, 2}, {0}, {1, 2}, {1, 2}, {1}};
  bool is_exact = false;
  CHECK(FewestSets(3, members, is_exact) == 2);
  CHECK(is_exact);
}

}  // namespace
}  // namespace shapewise
