// Recompiles and limits become one cause for each function and culprit.

#include <algorithm>
#include <random>

#include "causes/culprit_key.h"
#include "model/compile_number.h"
#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

using Values = std::vector<std::string>;

const Cause* FindCause(const std::vector<Cause>& causes, GuardClass guard_class,
                       std::string_view source) {
  for (const Cause& cause : causes) {
    if (cause.culprit && cause.culprit->guard_class == guard_class &&
        cause.culprit->source == source) {
      return &cause;
    }
  }
  return nullptr;
}

std::string EntryId(int entry) { return "0/" + std::to_string(entry); }

// A cache that is concatenated: entry k was compiled for size k + 3.
void GrowCache(RunBuilder& run, int num_recompiles, int32_t rank = kNoRank) {
  for (int compile = 1; compile <= num_recompiles; ++compile) {
    const std::string actual = std::to_string(compile + 3);
    std::vector<std::string> entries;
    std::vector<std::string> sizes;
    for (int entry = compile - 1; entry >= 0; --entry) {
      entries.push_back(EntryId(entry));
      sizes.push_back(std::to_string(entry + 3));
    }
    std::vector<Failed> failed;
    for (size_t i = 0; i < entries.size(); ++i) {
      failed.push_back(FailedSize(entries[i], "k", 2, sizes[i], actual));
    }
    run.Recompile({.id = EntryId(compile), .rank = rank}, failed);
  }
}

TEST_CASE("a limit that names no function has its reasons, too", "[causes]") {
  for (const size_t num_reasons : {size_t{1}, size_t{3}}) {
    RunBuilder run;
    run.Limit({.function = "", .file = "", .line = 0}, 8,
              std::vector<Failed>(num_reasons, FailedInt("", "n", "1")));
    const Cause cause = run.FoldToOne();
    CHECK(cause.limit_hit);
    CHECK(cause.culprit->source == "n");
  }
}

TEST_CASE("compile ids are read with attempt and compiled autograd", "[causes]") {
  CHECK(ParseCompileNumber("0/1") == CompileNumber{0, 1});
  CHECK(ParseCompileNumber("12/34_5") == CompileNumber{12, 34});
  CHECK(ParseCompileNumber("!0/3/2") == CompileNumber{3, 2});
  CHECK_FALSE(ParseCompileNumber("!1"));
  CHECK_FALSE(ParseCompileNumber(""));
  CHECK_FALSE(ParseCompileNumber("0/"));
  CHECK_FALSE(ParseCompileNumber("99999999999/0"));
}

TEST_CASE("a chain of recompiles with one culprit is one cause", "[causes]") {
  RunBuilder run;
  GrowCache(run, 8);
  const Cause cause = run.FoldToOne();
  CHECK(cause.kind == CauseKind::kRecompile);
  CHECK(cause.where == Place{"forward", "/app/model.py", 10});
  CHECK(cause.culprit == Culprit{GuardClass::kSize, "k", 2});
  CHECK(cause.count == 8);
  CHECK(cause.events == std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(cause.values == Values{"3", "4", "5", "6", "7", "8", "9", "10", "11"});
  CHECK(cause.distinct_values == 9);
  CHECK(cause.pattern == ValuePattern::kGrowing);
  CHECK_FALSE(cause.limit_hit);
}

TEST_CASE("the culprit is what the newest entry failed on, in whatever order it is printed",
          "[causes]") {
  const Failed newest = FailedSize("2/1", "h", 0, "3", "5");
  const Failed older = {
      .entry = "2/0", .guard_class = GuardClass::kFloat, .source = "___stack0", .expected = "0.46"};
  for (const bool newest_first : {true, false}) {
    RunBuilder run;
    run.Recompile({.id = "2/1"}, {older});
    run.Recompile({.id = "2/2"}, newest_first ? std::vector<Failed>{newest, older}
                                              : std::vector<Failed>{older, newest});
    const std::vector<Cause> causes = run.Fold();
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].culprit == Culprit{GuardClass::kFloat, "___stack0", -1});
    CHECK(causes[0].count == 1);
    CHECK(causes[1].culprit == Culprit{GuardClass::kSize, "h", 0});
    CHECK(causes[1].events == std::vector<size_t>{1});
  }
}

TEST_CASE("without entry ids the first printed reason is the newest", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("", "L['x']", 0, "3", "4")});
  run.Recompile({.id = "0/2"},
                {FailedSize("", "L['y']", 1, "8", "9"), FailedSize("", "L['x']", 0, "3", "5")});
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].culprit == Culprit{GuardClass::kSize, "L['x']", 0});
  CHECK(causes[0].count == 1);
  CHECK(causes[1].culprit == Culprit{GuardClass::kSize, "L['y']", 1});
}

TEST_CASE("entries of isolated regions fail against their own region only", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/2"}, {FailedSize("0/0", "y", 0, "2", "3")});
  run.Recompile({.id = "0/3"}, {FailedSize("0/1", "y", 0, "2", "3")});
  run.Recompile({.id = "0/4"},
                {FailedSize("0/2", "y", 0, "3", "4"), FailedSize("0/0", "y", 0, "2", "4")});
  run.Limit({.id = "0/4"}, 2, {FailedSize("0/2", "y", 0, "3", "4")});
  run.Recompile({.id = "0/5"},
                {FailedSize("0/3", "y", 0, "3", "4"), FailedSize("0/1", "y", 0, "2", "4")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.values == Values{"2", "3", "4"});
  CHECK(cause.count == 4);
  CHECK(cause.limit_hit);
}

TEST_CASE("a value that came back leads to what its own entry failed on", "[causes]") {
  // 0/2 fails on the dtype of 0/1, but 0/0 has the right one and fails on the size, which decides.
  const auto dtype = [](std::string_view entry, std::string_view expected,
                        std::string_view actual) {
    return Failed{.entry = entry,
                  .guard_class = GuardClass::kDtype,
                  .source = "x",
                  .expected = expected,
                  .actual = actual};
  };
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {dtype("0/0", "Float", "Half")});
  run.Recompile({.id = "0/2"},
                {dtype("0/1", "Half", "Float"), FailedSize("0/0", "x", 0, "2", "5")});
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  const Cause* by_dtype = FindCause(causes, GuardClass::kDtype, "x");
  const Cause* by_size = FindCause(causes, GuardClass::kSize, "x");
  REQUIRE(by_dtype != nullptr);
  REQUIRE(by_size != nullptr);
  CHECK(by_dtype->events == std::vector<size_t>{0});
  CHECK(by_dtype->pattern == ValuePattern::kOnce);
  CHECK(by_size->events == std::vector<size_t>{1});
  CHECK(by_size->values == Values{"2", "5"});
}

TEST_CASE("an older entry that repeats an old cause makes none of its own", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "cfg['scale']", "3")});
  run.Recompile(
      {.id = "0/2"},
      {{.entry = "0/1", .guard_class = GuardClass::kLength, .source = "extras", .expected = "1"},
       FailedSize("0/0", "x", 0, "4", "5")});
  const std::vector<Cause> causes = run.Fold();
  CHECK(causes.size() == 2);
  CHECK(FindCause(causes, GuardClass::kSize, "x") == nullptr);
}

TEST_CASE("size, range and the bound for 0 and 1 of one dim are one chain", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {{.entry = "0/0",
                                 .guard_class = GuardClass::kZeroOne,
                                 .source = "L['x']",
                                 .dim = 0,
                                 .expected = "2",
                                 .guard = "2 <= L['x'].size()[0]"}});
  CHECK(run.FoldToOne().culprit->guard_class == GuardClass::kZeroOne);
  run.Recompile({.id = "0/2"},
                {{.entry = "0/1", .guard_class = GuardClass::kSymbolic, .source = "x", .dim = 0}});
  CHECK(run.FoldToOne().culprit->guard_class == GuardClass::kSymbolic);
  run.Recompile({.id = "0/3"}, {FailedSize("0/2", "x", 0, "4", "6")});
  run.Recompile({.id = "0/4"},
                {{.entry = "0/3", .guard_class = GuardClass::kSymbolic, .source = "x", .dim = 0}});
  const Cause cause = run.FoldToOne();
  // The size was a constant once; after that, ranges ended.
  CHECK(cause.culprit == Culprit{GuardClass::kSymbolic, "L['x']", 0});
  CHECK(cause.count == 4);
  CHECK(cause.values == Values{"4", "6"});  // The bound 2 is no size that came.

  run.Recompile({.id = "0/5"}, {FailedSize("0/4", "x", 1, "4", "6")});
  CHECK(run.Fold().size() == 2);
}

TEST_CASE("an int that was a constant and its range later are one chain of class int", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"},
                {{.entry = "0/0", .guard_class = GuardClass::kSymbolic, .source = "n"}});
  run.Recompile({.id = "0/2"}, {FailedInt("0/1", "L['n']", "4")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.culprit == Culprit{GuardClass::kInt, "n", -1});
  CHECK(cause.count == 2);
}

TEST_CASE("a number that left a range after its first change is a relation", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "t", "75")});
  run.Recompile(
      {.id = "0/2"},
      {{.entry = "0/1", .guard_class = GuardClass::kSymbolic, .source = "t", .guard = "25 <= t"}});
  const Cause cause = run.FoldToOne();
  CHECK(cause.culprit == Culprit{GuardClass::kSymbolic, "t", -1});
  CHECK(cause.message == "25 <= t");
  CHECK(cause.use == ValueUse::kBranch);
  CHECK(cause.count == 2);
}

TEST_CASE("relations without one source are one chain", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {{.entry = "0/0",
                                 .guard_class = GuardClass::kSymbolic,
                                 .hint = "use_duck_shape",
                                 .guard = "b.size()[0] == a.size()[0]"}});
  const Cause cause = run.FoldToOne();
  CHECK(cause.culprit == Culprit{GuardClass::kSymbolic, "", -1});
  CHECK(cause.hint == "use_duck_shape");
  CHECK(cause.message == "b.size()[0] == a.size()[0]");
}

TEST_CASE("global state is one culprit without source", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"},
                {{.entry = "0/0", .guard_class = GuardClass::kGlobalState, .actual = "grad_mode"}});
  run.Recompile({.id = "0/2"}, {{.entry = "0/1",
                                 .guard_class = GuardClass::kGlobalState,
                                 .source = "___check_torch_function_mode_stack()"}});
  const Cause cause = run.FoldToOne();
  CHECK(cause.culprit == Culprit{GuardClass::kGlobalState, "", -1});
  CHECK(cause.values == Values{"grad_mode"});
  CHECK(cause.count == 2);
}

TEST_CASE("recompiles without a printed reason are one chain", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {});
  run.Recompile({.id = "0/2"}, {{.entry = "0/1", .guard_class = GuardClass::kEmpty}});
  const Cause cause = run.FoldToOne();
  CHECK(cause.culprit == Culprit{GuardClass::kEmpty, "", -1});
  CHECK(cause.count == 2);
  CHECK(cause.pattern == ValuePattern::kNone);
}

TEST_CASE("a recompile whose function was cut off is a cause without place", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1", .function = "", .file = "", .line = 0},
                {FailedSize("0/0", "x", 0, "4", "5")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.where == Place{});
  CHECK(cause.culprit == Culprit{GuardClass::kSize, "x", 0});
}

TEST_CASE("functions of one name at other lines have causes of their own", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "1/1", .line = 30}, {FailedSize("1/0", "x", 0, "4", "5")});
  run.Recompile({.id = "0/1", .line = 10}, {FailedSize("0/0", "x", 0, "4", "5")});
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].where.line == 10);
  CHECK(causes[1].where.line == 30);
}

TEST_CASE("value guards are inverted by entry, since only what was expected is printed",
          "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "self.width", "2")});
  run.Recompile({.id = "0/2"},
                {FailedInt("0/1", "self.width", "6"), FailedInt("0/0", "self.width", "2")});
  run.Recompile({.id = "0/3"},
                {FailedInt("0/0", "self.width", "2"), FailedInt("0/2", "self.width", "4"),
                 FailedInt("0/1", "self.width", "6")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.values == Values{"2", "6", "4"});
  CHECK(cause.pattern == ValuePattern::kVarying);
}

TEST_CASE("at most 32 values are kept and all are counted", "[causes]") {
  RunBuilder run;
  GrowCache(run, 60);
  const Cause cause = run.FoldToOne();
  CHECK(cause.values.size() == 32);
  CHECK(cause.values.front() == "3");
  CHECK(cause.distinct_values == 61);
  CHECK(cause.pattern == ValuePattern::kGrowing);
}

TEST_CASE("after a reset ids start again, and values from before and after are reported",
          "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "4", "5")});
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "9", "7")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.values == Values{"4", "5", "9", "7"});
  CHECK(cause.count == 2);
}

TEST_CASE("a refused recompile without id contributes its value", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "3", "6")});
  run.Recompile({}, {FailedSize("0/0", "x", 0, "3", "5")});
  CHECK(run.FoldToOne().values == Values{"3", "6", "5"});
}

TEST_CASE("a limit right after its recompile record is no further strike", "[causes]") {
  RunBuilder run;
  GrowCache(run, 8);
  run.Limit({.id = "0/8"}, 8, {FailedSize("0/7", "k", 2, "10", "11")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.count == 8);
  CHECK(cause.events.size() == 9);
  CHECK(cause.limit_hit);
  CHECK(cause.limit == 8);
  CHECK(cause.limit_name == LimitName::kRecompileLimit);
  CHECK(cause.values.back() == "11");
}

TEST_CASE("a limit without recompiles has the values of its last reason", "[causes]") {
  RunBuilder run;
  run.Limit({.id = "0/8"}, 8, {FailedInt("0/7", "fn.__defaults__[0]", "7")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.culprit == Culprit{GuardClass::kInt, "fn.__defaults__[0]", -1});
  CHECK(cause.values == Values{"7"});
  CHECK(cause.count == 1);
  CHECK(cause.limit_hit);
  // One value is no counter, though it is the number of its entry.
  CHECK(cause.pattern == ValuePattern::kVarying);
}

TEST_CASE("a limit belongs to the chain that forced most compiles", "[causes]") {
  for (const int num_others : {1, 3}) {
    RunBuilder run;
    GrowCache(run, 3);
    for (int i = 0; i < num_others; ++i) {
      const std::string entry = "0/" + std::to_string(3 + i);
      run.Recompile({.id = "0/" + std::to_string(4 + i)},
                    {FailedInt(entry, "n", std::to_string(1 + i))});
    }
    run.Limit({.id = "0/9"}, 9, {FailedInt("0/8", "L['n']", "8")});
    const std::vector<Cause> causes = run.Fold();
    REQUIRE(causes.size() == 2);
    CHECK(FindCause(causes, GuardClass::kSize, "k")->limit_hit == (num_others == 1));
    CHECK(FindCause(causes, GuardClass::kInt, "n")->limit_hit == (num_others == 3));
  }
}

TEST_CASE("two states fill no cache", "[causes]") {
  RunBuilder run;
  run.Limit({.id = "0/8"}, 8,
            {{.entry = "0/7", .guard_class = GuardClass::kGlobalState, .actual = "grad_mode"}});
  const Cause cause = run.FoldToOne();
  const std::vector<std::pair<std::string, std::string>> facts = {{"states", "2"}};
  CHECK(cause.facts == facts);

  GrowCache(run, 2);
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 1);
  CHECK(FindCause(causes, GuardClass::kSize, "k")->limit_hit);
}

TEST_CASE("a limit without reason, or with one of no chain, goes to the largest chain",
          "[causes]") {
  for (const bool has_reason : {false, true}) {
    RunBuilder run;
    run.Recompile({.id = "0/1"}, {FailedInt("0/0", "n", "1")});
    run.Recompile({.id = "0/2"}, {FailedSize("0/1", "x", 0, "4", "5")});
    run.Recompile({.id = "0/3"}, {FailedSize("0/2", "x", 0, "5", "6")});
    run.Limit({.id = "0/4"}, 4,
              has_reason ? std::vector<Failed>{FailedInt("0/3", "m", "1")} : std::vector<Failed>{});
    const std::vector<Cause> causes = run.Fold();
    REQUIRE(causes.size() == 2);
    CHECK(FindCause(causes, GuardClass::kSize, "x")->limit_hit);
    CHECK(FindCause(causes, GuardClass::kSize, "x")->count == 3);
    CHECK_FALSE(FindCause(causes, GuardClass::kInt, "n")->limit_hit);
  }
}

TEST_CASE("a limit without any chain and reason is a cause of class empty", "[causes]") {
  RunBuilder run;
  run.Limit({.id = "0/8"}, 8, {});
  const Cause cause = run.FoldToOne();
  CHECK(cause.culprit == Culprit{GuardClass::kEmpty, "", -1});
  CHECK(cause.limit_hit);
  CHECK(cause.where.function == "forward");
}

TEST_CASE("seconds of the compiles that a cause forced are its cost", "[causes]") {
  RunBuilder run;
  run.Other(CompileFact{.seconds = 8.0}, {.id = "0/0"});
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "4", "5")});
  run.Other(CompileFact{.seconds = 2.0}, {.id = "0/1_1"});
  run.Recompile({.id = "0/2"}, {FailedSize("0/1", "x", 0, "5", "6")});
  run.Other(CompileFact{.seconds = 1.5}, {.id = "0/2"});
  CHECK(run.FoldToOne().cost_seconds == Approx(3.5));
}

TEST_CASE("a log without seconds gives no cost", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "4", "5")});
  run.Other(CompileFact(), {.id = "0/1"});
  CHECK_FALSE(run.FoldToOne().cost_seconds);
}

TEST_CASE("the seconds of another compile are no cost of a recompile that failed", "[causes]") {
  const Compiled next = {.id = "0/2"};
  const Compiled same_id_of_another_rank = {.id = "0/1", .rank = 1};
  for (const Compiled& other : {next, same_id_of_another_rank}) {
    RunBuilder run;
    run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "4", "5")});
    run.Other(CompileFact{.seconds = 2}, other);
    CHECK_FALSE(run.FoldToOne().cost_seconds);
  }
}

TEST_CASE("ranks are folded into one cause, each by its own ids", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1", .rank = 1}, {FailedSize("0/0", "x", 0, "8", "6")});
  run.Recompile({.id = "0/1", .rank = 0}, {FailedSize("0/0", "x", 0, "8", "5")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.ranks == std::vector<int32_t>{0, 1});
  CHECK(cause.count == 2);
  CHECK(cause.values == Values{"8", "5", "6"});
  CHECK(cause.pattern == ValuePattern::kOnce);  // Once in each process.
  CHECK(cause.events == std::vector<size_t>{0, 1});
}

TEST_CASE("how the lines of ranks are interleaved does not change the causes", "[causes]") {
  struct Step {
    Compiled compiled;
    std::vector<Failed> failed;
    bool is_limit = false;
  };
  const std::vector<Step> steps = {
      {{.id = "0/1"}, {FailedSize("0/0", "x", 0, "8", "6")}},
      {{.id = "0/2"}, {FailedInt("0/1", "n", "1"), FailedSize("0/0", "x", 0, "8", "6")}},
      {{.id = "0/3"}, {FailedSize("0/2", "x", 0, "6", "8"), FailedInt("0/0", "n", "1")}},
      {{.id = "0/4"}, {FailedSize("0/3", "L['x']", 0, "8", "9")}},
      {{.id = "0/4"}, {FailedSize("0/3", "x", 0, "8", "9")}, true},
      {{.id = "1/1", .function = "loss"}, {}},
  };
  constexpr int32_t kNumRanks = 3;
  std::mt19937 random(7);
  std::vector<std::string> first;
  for (int round = 0; round < 50; ++round) {
    std::vector<int32_t> turns;
    for (size_t step = 0; step < steps.size(); ++step) {
      for (int32_t rank = 0; rank < kNumRanks; ++rank) turns.push_back(rank);
    }
    std::shuffle(turns.begin(), turns.end(), random);
    RunBuilder run;
    std::vector<size_t> next(kNumRanks, 0);
    for (const int32_t rank : turns) {
      const Step& step = steps[next[static_cast<size_t>(rank)]++];
      Compiled compiled = step.compiled;
      compiled.rank = rank;
      // Sizes, and so the texts of guards, differ from rank to rank.
      const std::string guard = "as rank " + std::to_string(rank) + " words it";
      std::vector<Failed> failed = step.failed;
      for (Failed& entry : failed) entry.guard = guard;
      if (step.is_limit) {
        run.Limit(compiled, 4, failed);
      } else {
        run.Recompile(compiled, failed);
      }
      const StrId type = run.Id(rank == 0 ? "Tensor.item()" : "generic_jump");
      run.Other(GraphBreakFact{.type = type}, compiled, {.file = "/app/model.py", .line = 12});
    }
    const std::vector<Cause> causes = run.Fold();
    for (const Cause& cause : causes) {
      CHECK(std::is_sorted(cause.events.begin(), cause.events.end()));
    }
    if (round == 0) first = Describe(causes);
    CHECK(Describe(causes) == first);
  }
}

TEST_CASE("folding twice gives the same causes and the same events", "[causes]") {
  RunBuilder run;
  GrowCache(run, 5, /*rank=*/0);
  GrowCache(run, 6, /*rank=*/1);
  const std::vector<Cause> once = run.Fold();
  const std::vector<Cause> twice = run.Fold();
  CHECK(Describe(once) == Describe(twice));
  REQUIRE(once.size() == twice.size());
  for (size_t i = 0; i < once.size(); ++i) CHECK(once[i].events == twice[i].events);
}

TEST_CASE("values that came after the last compile a culprit forced are none of its", "[causes]") {
  // x went dynamic at 0/1; entry 0/0 goes on failing on it while y forces the compiles.
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 0, "3", "5")});
  run.Recompile({.id = "0/2"},
                {FailedSize("0/1", "y", 1, "4", "1"), FailedSize("0/0", "x", 0, "3", "6")});
  const std::vector<Cause> causes = run.Fold();
  const Cause* by_x = FindCause(causes, GuardClass::kSize, "x");
  REQUIRE(by_x != nullptr);
  CHECK(by_x->values == Values{"3", "5"});
  CHECK(by_x->pattern == ValuePattern::kOnce);
}

TEST_CASE("a limit that is raised as an error does not leave its function eager", "[causes]") {
  RunBuilder run;
  run.Limit({.id = "0/8"}, 8, {FailedSize("0/7", "x", 0, "3", "5")});
  run.Placeless(CompileErrorFact{.type = run.Id("FailOnRecompileLimitHit")});
  const std::vector<Cause> causes = run.Fold();
  const Cause* by_x = FindCause(causes, GuardClass::kSize, "x");
  REQUIRE(by_x != nullptr);
  CHECK(by_x->limit_raised);
  CHECK(Summarize(run.session(), causes, run.History().ledger).eager_functions.empty());
}

TEST_CASE("a raised limit is one cause: warning, break and exception", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/8", .rank = 2}, {FailedSize("0/7", "x", 0, "3", "5")});
  run.Limit({.id = "0/8", .rank = 2}, 8, {FailedSize("0/7", "x", 0, "3", "5")});
  // A traceback has no prefix, so no rank.
  run.Placeless(GraphBreakFact{.type = run.Id("Dynamo recompile limit exceeded"), .fatal = true});
  run.Placeless(CompileErrorFact{.type = run.Id("FailOnRecompileLimitHit")});
  const Cause cause = run.FoldToOne();
  CHECK(cause.kind == CauseKind::kRecompile);
  CHECK(cause.limit_raised);
  CHECK(cause.count == 1);
  CHECK(cause.events == std::vector<size_t>{0, 1, 2, 3});
}

TEST_CASE("an error goes to the last limit before it, of its own rank", "[causes]") {
  RunBuilder run;
  const auto raise = [&](int32_t rank) {
    run.Other(CompileErrorFact{.type = run.Id("FailOnRecompileLimitHit")}, {.rank = rank});
  };
  run.Limit({.id = "0/8", .function = "f", .rank = 0}, 8, {FailedSize("0/7", "x", 0, "3", "5")});
  run.Limit({.id = "1/8", .function = "g", .rank = 1}, 8, {FailedSize("1/7", "y", 0, "3", "5")});
  raise(0);
  run.Limit({.id = "2/8", .function = "h", .rank = 0}, 8, {FailedSize("2/7", "z", 0, "3", "5")});
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 3);
  for (const Cause& cause : causes) CHECK(cause.limit_raised == (cause.where.function == "f"));
}

TEST_CASE("an error without the warning stays a cause of its own", "[causes]") {
  RunBuilder run;
  run.Placeless(CompileErrorFact{.type = run.Id("FailOnRecompileLimitHit")});
  CHECK(run.FoldToOne().kind == CauseKind::kCompileError);
}

TEST_CASE("an empty session has no causes", "[causes]") { CHECK(RunBuilder().Fold().empty()); }

}  // namespace
}  // namespace shapewise
