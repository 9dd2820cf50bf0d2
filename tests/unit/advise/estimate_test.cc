#include "advise/estimate.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shapewise {
namespace {

FailedGuard Size(int64_t expected, int64_t actual, const std::string& source = "L['x']",
                 int32_t dim = 0) {
  FailedGuard guard;
  guard.guard_class = GuardClass::kSize;
  guard.variable = {source, dim};
  guard.expected = expected;
  guard.actual = actual;
  return guard;
}

FailedGuard Other(GuardClass guard_class, const std::string& source) {
  FailedGuard guard;
  guard.guard_class = guard_class;
  guard.variable = {source, -1};
  return guard;
}

FailedGuard ZeroOne() {
  FailedGuard guard = Other(GuardClass::kZeroOne, "L['x']");
  guard.variable.dim = 0;
  return guard;
}

/// A miss that starts `compile`; guards by entry, the newest first.
Miss MissOf(uint32_t compile, const std::vector<std::pair<uint32_t, FailedGuard>>& guards) {
  Miss miss;
  miss.compile = compile;
  miss.event = compile;
  for (const auto& [entry, guard] : guards) miss.entries.push_back({entry, {guard}});
  return miss;
}

CompiledFrame FrameOf(std::vector<Miss> misses) {
  CompiledFrame frame;
  frame.where = {"f", "a.py", 3};
  frame.compiles = static_cast<uint32_t>(misses.size()) + 1;
  frame.misses = std::move(misses);
  return frame;
}

std::vector<CodeChange> Freed(CodeChange::Kind kind) {
  return {ChangeOf(kind, {"f", "a.py", 3}, {"L['x']", 0})};
}

uint32_t After(const CompiledFrame& frame, const std::vector<CodeChange>& changes) {
  return EstimateFrame(frame, changes).entries;
}

// Sizes 7, 1, 9, 0: a constant, 1, a symbol, 0. Counted by PyTorch 2.13: 4 graphs as it is, 3 with
// mark_dynamic, 1 with mark_unbacked.
CompiledFrame ZeroAndOne() {
  return FrameOf({MissOf(1, {{0, Size(7, 1)}}), MissOf(2, {{1, Size(1, 9)}, {0, Size(7, 9)}}),
                  MissOf(3, {{2, ZeroOne()}, {1, Size(1, 0)}, {0, Size(7, 0)}})});
}

TEST_CASE("Without a change nothing changes", "[advise]") {
  CHECK(After(ZeroAndOne(), {}) == 4);
  CHECK(After(ZeroAndOne(),
              {ChangeOf(CodeChange::Kind::kMarkDynamic, {"g", "a.py", 3}, {"L['x']", 0})}) == 4);
}

TEST_CASE("A backed symbol leaves 0 and 1 graphs of their own", "[advise]") {
  CHECK(After(ZeroAndOne(), Freed(CodeChange::Kind::kMarkDynamic)) == 3);
  CHECK(After(ZeroAndOne(), Freed(CodeChange::Kind::kDynamicSource)) == 3);
}

TEST_CASE("An unbacked symbol serves 0 and 1 as well", "[advise]") {
  CHECK(After(ZeroAndOne(), Freed(CodeChange::Kind::kMarkUnbacked)) == 1);
}

TEST_CASE("A first call of size 1 is a constant in spite of a mark", "[advise]") {
  const CompiledFrame frame = FrameOf({MissOf(1, {{0, Size(1, 5)}})});
  CHECK(After(frame, Freed(CodeChange::Kind::kMarkDynamic)) == 2);
  CHECK(After(frame, Freed(CodeChange::Kind::kMarkUnbacked)) == 1);
}

// dynamic=False, sizes 3, 4, 5, 6, and the limit of 3 entries.
CompiledFrame Static() {
  CompiledFrame frame =
      FrameOf({MissOf(1, {{0, Size(3, 4)}}), MissOf(2, {{1, Size(4, 5)}, {0, Size(3, 5)}}),
               MissOf(3, {{2, Size(5, 6)}, {1, Size(4, 6)}, {0, Size(3, 6)}})});
  frame.misses.back().hit_limit = true;
  frame.not_kept = 1;
  return frame;
}

TEST_CASE("Automatic dynamic needs two compiles", "[advise]") {
  std::vector<CodeChange> changes = Freed(CodeChange::Kind::kDynamicOption);
  changes[0].source.clear();
  CHECK(EstimateFrame(Static(), {}).hits_limit);
  changes[0].dynamic = DynamicOption::kNone;
  CHECK(After(Static(), changes) == 2);
  CHECK_FALSE(EstimateFrame(Static(), changes).hits_limit);
  changes[0].dynamic = DynamicOption::kTrue;
  CHECK(After(Static(), changes) == 1);
}

TEST_CASE("Buckets make one graph each", "[advise]") {
  std::vector<CodeChange> changes = Freed(CodeChange::Kind::kBuckets);
  changes[0].sizes = {4, 8};
  // 3 and 4 go to 4, 5 and 6 to 8.
  CHECK(After(Static(), changes) == 2);
}

TEST_CASE("What else differs keeps a miss", "[advise]") {
  // A longer list came with the first size again: entry 0 fails on the size first, and its length
  // is that of entry 1 as far as anybody knows.
  const CompiledFrame frame =
      FrameOf({MissOf(1, {{0, Size(3, 6)}}),
               MissOf(2, {{1, Other(GuardClass::kLength, "L['xs']")}, {0, Size(3, 6)}})});
  CHECK(After(frame, Freed(CodeChange::Kind::kMarkDynamic)) == 2);
}

TEST_CASE("What told two entries apart does not keep the other's calls away", "[advise]") {
  // 3 in eager mode of a flag, 3 with the flag, then 6 with the flag.
  const CompiledFrame frame =
      FrameOf({MissOf(1, {{0, Other(GuardClass::kBool, "L['flag']")}}),
               MissOf(2, {{1, Size(3, 6)}, {0, Other(GuardClass::kBool, "L['flag']")}})});
  CHECK(After(frame, Freed(CodeChange::Kind::kMarkDynamic)) == 2);
}

TEST_CASE("A size that moved along unseen keeps a miss", "[advise]") {
  CompiledFrame frame = FrameOf({MissOf(1, {{0, Size(32, 48)}})});
  frame.misses[0].newly_free = {{"L['x']", 0}, {"L['x']", 1}};
  CHECK(After(frame, Freed(CodeChange::Kind::kMarkDynamic)) == 2);
  std::vector<CodeChange> both = Freed(CodeChange::Kind::kMarkDynamic);
  both.push_back(ChangeOf(CodeChange::Kind::kMarkDynamic, frame.where, {"L['x']", 1}));
  CHECK(After(frame, both) == 1);
}

TEST_CASE("An int that is something else at times is no symbol", "[advise]") {
  FailedGuard number = Other(GuardClass::kInt, "L['opt']");
  number.expected = 2;
  const CompiledFrame frame =
      FrameOf({MissOf(1, {{0, number}}),
               MissOf(2, {{1, Other(GuardClass::kStr, "L['opt']")}, {0, number}})});
  CHECK(After(frame, {ChangeOf(CodeChange::Kind::kDynamicSource, {}, {"L['opt']", -1})}) == 3);
}

}  // namespace
}  // namespace shapewise
