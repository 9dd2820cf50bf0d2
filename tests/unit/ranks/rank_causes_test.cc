// What rules get to see of a difference.

#include <algorithm>

#include "support/catch.h"
#include "unit/ranks/rank_run.h"

namespace shapewise {
namespace {

std::string Fact(const Cause& cause, std::string_view name) {
  const auto fact =
      std::ranges::find(cause.facts, name, &std::pair<std::string, std::string>::first);
  return fact == cause.facts.end() ? std::string() : fact->second;
}

TEST_CASE("a cause names function, guard, ranks and what the others did", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (int32_t rank = 0; rank < 6; ++rank) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank == 4) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 8});
    if (rank != 4) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 12}, "7");
  }
  const std::vector<Cause> causes = RankCauses(*run.Compare());
  REQUIRE(causes.size() == 1);
  const Cause& cause = causes[0];
  CHECK(cause.kind == CauseKind::kRankDivergence);
  CHECK(cause.why == "recompile");
  CHECK(cause.where.function == "f");
  CHECK(cause.culprit == Culprit{GuardClass::kSize, "x", 0});
  CHECK(cause.message == "size of x was 8, is 6");
  CHECK(cause.values == std::vector<std::string>{"6"});
  CHECK(cause.ranks == std::vector<int32_t>{4});
  CHECK(Fact(cause, "actors") == "rank 4");
  CHECK(Fact(cause, "others") == "ranks 0-3, 5");
  CHECK(Fact(cause, "compile_id") == "0/1");
  CHECK(Fact(cause, "instead") == "went on to compile g (1/0) and came to it 7.00 s later");
}

TEST_CASE("differences of one kind are one cause, with the first as its example", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (int32_t rank = 0; rank < 6; ++rank) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
    if (rank == 4) run.Recompile(rank, {.id = "0/1", .function = "f", .begin = 5}, "6");
    run.Compile(rank, {.id = "1/0", .function = "g", .begin = 8});
    if (rank == 1) run.Recompile(rank, {.id = "1/1", .function = "g", .begin = 10}, "6");
    run.Compile(rank, {.id = "2/0", .function = "h", .begin = 20});
  }
  const std::vector<Cause> causes = RankCauses(*run.Compare());
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].where.function == "f");
  CHECK(causes[0].count == 2);
  CHECK(causes[0].ranks == std::vector<int32_t>{1, 4});
}

TEST_CASE("every fact of a cause is one that rules may use", "[ranks]") {
  RankRun run = RankRun::Traces();
  for (const int32_t rank : {0, 1}) {
    run.Compile(rank, {.id = "0/0", .function = "f", .begin = 1});
  }
  run.Compile(0, {.id = "1/0", .function = "g", .begin = 3});
  for (const Cause& cause : RankCauses(*run.Compare())) {
    for (const auto& [name, text] : cause.facts) {
      CHECK(std::ranges::find(CauseFactNames(), name) != CauseFactNames().end());
      CHECK_FALSE(text.empty());
    }
  }
}

}  // namespace
}  // namespace shapewise
