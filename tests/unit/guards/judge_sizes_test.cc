// What the guards of one entry leave of one size.

#include "guards/judge_sizes.h"

#include <string>
#include <vector>

#include "guards/dimension_guards.h"
#include "guards/size_names.h"
#include "support/catch.h"

namespace shapewise {
namespace {

constexpr uint64_t kJudgeSteps = 100'000;

class Entry {
 public:
  explicit Entry(const std::vector<std::string>& guards) {
    entry_.is_printed = true;
    for (const std::string& text : guards) {
      EntryGuard guard;
      guard.predicate = pool_.Parse(text);
      guard.is_zero_one = text.starts_with("2 <= ") && !text.ends_with("10");
      guard.line.guard = text;
      entry_.guards.push_back(guard);
    }
  }
  EntryVerdict Judge(const std::string& name) {
    return JudgeSize(entry_, EntryGroups(entry_, pool_), pool_.Symbol(name), pool_, kJudgeSteps);
  }
  GuardedEntry& entry() { return entry_; }

 private:
  ExprPool pool_;
  GuardedEntry entry_;
};

std::vector<std::string> Guards(const std::vector<GuardLine>& lines) {
  std::vector<std::string> guards;
  for (const GuardLine& line : lines) guards.push_back(line.guard);
  return guards;
}

using Texts = std::vector<std::string>;

TEST_CASE("a dim that only 0 and 1 are kept from is free", "[guards]") {
  Entry entry({"2 <= x.size()[0]"});
  const EntryVerdict verdict = entry.Judge("x.size()[0]");
  CHECK(verdict.verdict == SizeVerdict::kFree);
  CHECK(verdict.because.empty());
  CHECK(verdict.lower == 2);
}

TEST_CASE("three guards that pin two dims together are all named", "[guards]") {
  Entry entry({"2 <= a.size()[0]", "2 <= b.size()[0]", "a.size()[0] <= b.size()[0]",
               "a.size()[0] >= b.size()[0]", "a.size()[0] + b.size()[0] == 10"});
  for (const std::string name : {"a.size()[0]", "b.size()[0]"}) {
    const EntryVerdict verdict = entry.Judge(name);
    CHECK(verdict.verdict == SizeVerdict::kPinned);
    CHECK(verdict.pinned_by == PinnedBy::kRelations);
    CHECK(verdict.value == 5);
    CHECK(verdict.is_minimal);
    CHECK(Guards(verdict.because) == Texts{"a.size()[0] <= b.size()[0]",
                                           "a.size()[0] >= b.size()[0]",
                                           "a.size()[0] + b.size()[0] == 10"});
    // Without any of the three it has more values.
    CHECK(verdict.smallest_change.size() == 1);
  }
}

TEST_CASE("a dim that is pinned twice needs two changes", "[guards]") {
  Entry entry({"x.size()[0] == 6", "x.size()[0] * 2 == 12"});
  const EntryVerdict verdict = entry.Judge("x.size()[0]");
  CHECK(verdict.verdict == SizeVerdict::kPinned);
  CHECK(verdict.because.size() == 1);
  CHECK(verdict.smallest_change.size() == 2);
}

TEST_CASE("divisible, bounded and restricted dims name the guards that make them so", "[guards]") {
  Entry entry({"x.size()[0] % 8 == 0", "y.size()[0] <= 64", "z.size()[0] != 6"});
  const EntryVerdict divisible = entry.Judge("x.size()[0]");
  CHECK(divisible.verdict == SizeVerdict::kDivisible);
  CHECK(divisible.modulus == 8);
  CHECK(divisible.remainder == 0);
  CHECK(Guards(divisible.because) == Texts{"x.size()[0] % 8 == 0"});
  const EntryVerdict bounded = entry.Judge("y.size()[0]");
  CHECK(bounded.verdict == SizeVerdict::kBounded);
  CHECK(bounded.upper == 64);
  CHECK(entry.Judge("z.size()[0]").verdict == SizeVerdict::kRestricted);
}

TEST_CASE("where guards are not known nothing is called free", "[guards]") {
  Entry entry({"2 <= x.size()[0]", "y.size()[0] == 4"});
  SECTION("they are not printed") {
    entry.entry().is_printed = false;
    entry.entry().why_not = "its guards are not printed";
    CHECK(entry.Judge("x.size()[0]").verdict == SizeVerdict::kUnknown);
    CHECK(entry.Judge("x.size()[0]").why_unknown == "its guards are not printed");
    // A guard that pins a dim still does, whatever other guards there are.
    CHECK(entry.Judge("y.size()[0]").verdict == SizeVerdict::kPinned);
  }
  SECTION("one is not understood, and speaks of the dim") {
    entry.entry().unread = {"f(x.size()[0])"};
    CHECK(entry.Judge("x.size()[0]").verdict == SizeVerdict::kUnknown);
  }
  SECTION("one is not understood, and speaks of another") {
    entry.entry().unread = {"f(q.size()[0])"};
    CHECK(entry.Judge("x.size()[0]").verdict == SizeVerdict::kFree);
  }
}

TEST_CASE("names lose the frame's L and shape is size", "[guards]") {
  CHECK(WithoutFrame("L['x'].size()[0]") == "x.size()[0]");
  CHECK(WithoutFrame("L['self'].layers[0].w.size()[1] + L[\"n\"]") ==
        "self.layers[0].w.size()[1] + n");
  CHECK(WithoutFrame("SYNTHETIC_LOCAL['x']") == "SYNTHETIC_LOCAL['x']");
  CHECK(WithoutFrame("G['x']") == "G['x']");
  CHECK(WithoutFrame("x.shape[2]") == "x.size()[2]");
  CHECK(ParseSizeName("self.w.stride()[1]").kind == GuardedKind::kStride);
  CHECK(ParseSizeName("len(xs)").source == "xs");
  CHECK(ParseSizeName("n").kind == GuardedKind::kInt);
}

TEST_CASE("sizes to ask about are values and ranges", "[guards]") {
  auto choice = ParseSizeChoice("L['x'].size()[0]=1, 2,5-8,2");
  const bool is_read = static_cast<bool>(choice);
  REQUIRE(is_read);
  CHECK(choice->name == "x.size()[0]");
  CHECK(choice->values == std::vector<int64_t>{1, 2, 5, 6, 7, 8});
  for (const std::string bad :
       {"x", "=1", "x=", "x=1-", "x=5-2", "x=1;2", "x=0-99999999", "x=99999999999999999999"}) {
    auto refused = ParseSizeChoice(bad);
    INFO(bad);
    const bool is_refused = !refused;
    CHECK(is_refused);
    llvm::consumeError(refused.takeError());
  }
}

}  // namespace
}  // namespace shapewise
