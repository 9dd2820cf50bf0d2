// Which attempts to compile a code object the records of a run show.

#include "history/code_object_history.h"

#include <optional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

std::vector<uint32_t> NumbersOf(const CodeObjectHistory& history) {
  std::vector<uint32_t> numbers;
  for (const HistoryEvent event : history.events) numbers.push_back(event.number);
  return numbers;
}

TEST_CASE("compile ids number the attempts of a code object from 0", "[history]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "n", "1")});
  run.Recompile({.id = "0/2"}, {FailedInt("0/1", "n", "2")});
  run.Limit({.id = "0/3"}, 2, {FailedInt("0/2", "n", "3")});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 1);
  CHECK(histories[0].frame == 0);
  CHECK(histories[0].attempts.size() == 4);
  CHECK(NumbersOf(histories[0]) == std::vector<uint32_t>{1, 2, 3});
  CHECK(histories[0].HitLimit());
  CHECK(histories[0].LeftEntry(0));
  CHECK(histories[0].LeftEntry(2));
  CHECK_FALSE(histories[0].LeftEntry(3));
  CHECK_FALSE(histories[0].LeftEntry(4));
}

TEST_CASE("ids that begin again are another stretch", "[history]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "n", "1")});
  run.Recompile({.id = "0/2"}, {FailedInt("0/1", "n", "2")});
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "n", "1")});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 2);
  CHECK_FALSE(histories[0].is_fresh_stretch);
  CHECK(histories[1].is_fresh_stretch);
  CHECK(NumbersOf(histories[1]) == std::vector<uint32_t>{1});
}

TEST_CASE("a record belongs to the compilation with its id that ends next", "[history]") {
  RunBuilder run;
  run.Compile({.id = "0/0"}, {.total = 1});
  run.Other(GraphBreakFact(), {.id = "0/0"}, {.line = 12});
  run.Compile({.id = "0/0"}, {.total = 2});
  run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kBackward, .total = 3});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 2);
  // The compile records themselves, and the break.
  CHECK(NumbersOf(histories[0]).size() == 1);
  CHECK(histories[0].attempts.at(0).backward.empty());
  CHECK(NumbersOf(histories[1]) == std::vector<uint32_t>{0, 0});
  CHECK(histories[1].attempts.at(0).backward.size() == 1);
}

TEST_CASE("a record after the last compilation with its id belongs to that one", "[history]") {
  RunBuilder run;
  run.Compile({.id = "0/0"}, {.outcome = CompileOutcome::kFailed, .total = 1});
  run.Other(CompileErrorFact(), {.id = "0/0"});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 1);
  CHECK(histories[0].attempts.at(0).has_failed);
  CHECK(NumbersOf(histories[0]) == std::vector<uint32_t>{0});
}

TEST_CASE("processes have histories of their own", "[history]") {
  RunBuilder run;
  run.Recompile({.id = "0/1", .rank = 1}, {FailedInt("0/0", "n", "1")});
  run.Recompile({.id = "0/1", .rank = 0}, {FailedInt("0/0", "n", "1")});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 2);
  CHECK(histories[0].rank == 0);
  CHECK(histories[1].rank == 1);
}

TEST_CASE("a recompile without id comes after the newest entry that it names", "[history]") {
  RunBuilder run;
  run.Recompile({}, {FailedInt("0/4", "n", "4"), FailedInt("0/3", "n", "3")});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 1);
  CHECK(NumbersOf(histories[0]) == std::vector<uint32_t>{5});
  CHECK(histories[0].attempts.size() == 6);
}

TEST_CASE("a refused recompile is no attempt", "[history]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "n", "1")});
  run.Recompile({}, {FailedInt("0/1", "n", "2")});
  run.Recompile({}, {FailedInt("0/1", "n", "2")});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 1);
  CHECK(histories[0].attempts.size() == 2);
  CHECK(NumbersOf(histories[0]) == std::vector<uint32_t>{1, 2, 3});
}

TEST_CASE("under compiled autograd a frame keeps its number", "[history]") {
  RunBuilder run;
  run.Compile({.id = "!0/3/0"}, {});
  run.Recompile({.id = "!1/3/1"}, {FailedInt("!0/3/0", "n", "1")});
  const std::vector<CodeObjectHistory> histories = ReadHistories(run.session());
  REQUIRE(histories.size() == 1);
  CHECK(histories[0].frame == 3);
  CHECK(histories[0].attempts.size() == 2);
  const EventDetail& miss = run.session().detail(*histories[0].attempts.at(1).miss);
  CHECK(histories[0].EntriesOf(run.session(), miss, 1) == std::vector<std::optional<uint32_t>>{0});
}

TEST_CASE("reasons name the attempt that made their entry", "[history]") {
  using Entries = std::vector<std::optional<uint32_t>>;
  RunBuilder run;
  const auto entries_of = [&run](const std::vector<Failed>& failed) {
    run.Recompile({.id = "0/3"}, failed);
    const CodeObjectHistory history = ReadHistories(run.session()).at(0);
    return history.EntriesOf(run.session(), run.session().detail(*history.attempts.at(3).miss), 3);
  };
  const Failed unnamed = FailedInt("", "n", "1");
  SECTION("by id, those of another frame aside") {
    CHECK(entries_of({FailedInt("0/2_1", "n", "1"), FailedInt("1/1", "n", "1"),
                      FailedInt("0/0", "n", "1")}) == Entries{2, std::nullopt, 0});
  }
  SECTION("all of them without ids, newest first") {
    CHECK(entries_of({unnamed, unnamed, unnamed}) == Entries{2, 1, 0});
  }
  SECTION("a lone one without id") { CHECK(entries_of({unnamed}) == Entries{2}); }
  SECTION("some of them without ids") {
    CHECK(entries_of({unnamed, unnamed}) == Entries{std::nullopt, std::nullopt});
  }
}

TEST_CASE("huge compile ids take little memory", "[history]") {
  RunBuilder run;
  std::vector<std::string> ids;
  for (int frame = 0; frame < 1000; ++frame) {
    ids.push_back(std::to_string(frame) + "/4000000000");
    run.Recompile({.id = ids.back()}, {});
  }
  size_t attempts = 0;
  for (const CodeObjectHistory& history : ReadHistories(run.session())) {
    attempts += history.attempts.size();
  }
  CHECK(attempts < 100'000);
}

}  // namespace
}  // namespace shapewise
