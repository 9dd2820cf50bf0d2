// What must hold for every history and policy, on random ones.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "dynamo/simulator.h"
#include "support/catch.h"
#include "unit/dynamo/rule_case.h"

namespace shapewise {
namespace {

/// Calls with one or two tensors and an int; sizes are few, so that they often agree. `names` are
/// the arguments' names; `has_unread`: a further int that no body reads.
void MakeCalls(uint32_t seed, const std::vector<std::string>& names, bool has_unread,
               CallHistory& history) {
  std::mt19937 random(seed);
  const auto pick = [&](int values) { return static_cast<int>(random() % values); };
  const auto size = [&] { return std::to_string(std::vector<int>{0, 1, 2, 5, 5, 6, 9}[pick(7)]); };
  const int calls = 4 + pick(10);
  for (int call = 0; call < calls; ++call) {
    std::string text = names[0] + "[" + size() + ", " + size() + "]";
    const int option = pick(8);
    if (option == 0) text += ":float64";
    if (option == 1) text += ":dynamic(0)";
    if (option == 2) text += ":unbacked(1)";
    text += " " + names[1] + "[" + size() + "]";
    text += " " + names[2] + "=" + std::to_string(pick(4));
    if (has_unread) text += " unread=" + std::to_string(call);
    if (pick(6) == 0) text += " @nograd";
    AddCall(text, history);
  }
}

CompilePolicy MakePolicy(uint32_t seed) {
  std::mt19937 random(seed);
  CompilePolicy policy;
  policy.dynamic = static_cast<DynamicOption>(random() % 3);
  policy.recompile_limit = std::vector<int64_t>{1, 2, 8, 64}[random() % 4];
  policy.use_duck_shape = random() % 4 != 0;
  policy.automatic_dynamic_exclusion_guard = random() % 4 == 0;
  policy.automatic_dynamic_marks_unbacked = random() % 6 == 0;
  policy.fullgraph = random() % 5 == 0;
  return policy;
}

BodyFacts FreeBody(const std::vector<std::string>& unread = {}) {
  BodyFacts body = BodyOfCategory("free");
  for (const std::string& name : unread) {
    body.frames[0].sources.push_back({name, SourceUse::kUnread});
  }
  return body;
}

std::vector<std::string> DescribeCalls(const Prediction& prediction) {
  std::vector<std::string> reported;
  for (const PredictedCall& call : prediction.calls) reported.push_back(Describe(call));
  return reported;
}

const std::vector<std::string> kNames{"x", "y", "n"};

TEST_CASE("repeating a call never compiles again") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    CallHistory history;
    MakeCalls(seed, kNames, false, history);
    const CompilePolicy policy = MakePolicy(seed);
    const Prediction once = Simulate(history, FreeBody(), policy, {});
    const std::vector<RecordedCall> calls = history.calls;
    history.calls.clear();
    for (const RecordedCall& call : calls) history.calls.insert(history.calls.end(), 2, call);
    const Prediction twice = Simulate(history, FreeBody(), policy, {});
    REQUIRE(once.is_exact);
    REQUIRE(twice.is_exact);
    CHECK(twice.totals.entries == once.totals.entries);
    for (size_t call = 0; call < calls.size(); ++call) {
      CAPTURE(call);
      CHECK(Describe(twice.calls[2 * call]) == Describe(once.calls[call]));
      const PredictedCall& again = twice.calls[2 * call + 1];
      const bool has_failed = !once.calls[call].error.empty();
      CHECK((again.compiled.empty() || has_failed));
      CHECK(again.eager == once.calls[call].eager);
      CHECK(again.error == once.calls[call].error);
    }
  }
}

TEST_CASE("an argument that is never read changes nothing") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    CallHistory plain;
    CallHistory more;
    MakeCalls(seed, kNames, false, plain);
    MakeCalls(seed, kNames, true, more);
    REQUIRE(more.signatures.size() >= plain.signatures.size());
    const CompilePolicy policy = MakePolicy(seed);
    CHECK(DescribeCalls(Simulate(plain, FreeBody(), policy, {})) ==
          DescribeCalls(Simulate(more, FreeBody({"L['unread']"}), policy, {})));
  }
}

TEST_CASE("names of arguments change nothing") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    CallHistory plain;
    CallHistory renamed;
    MakeCalls(seed, kNames, false, plain);
    MakeCalls(seed, {"query", "key", "a"}, false, renamed);
    const CompilePolicy policy = MakePolicy(seed);
    CHECK(DescribeCalls(Simulate(plain, FreeBody(), policy, {})) ==
          DescribeCalls(Simulate(renamed, FreeBody(), policy, {})));
  }
}

TEST_CASE("totals are the sums over calls, with calls kept or not") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    CallHistory history;
    MakeCalls(seed, kNames, false, history);
    const std::vector<RecordedCall> calls = history.calls;
    history.calls.insert(history.calls.end(), calls.begin(), calls.end());
    const CompilePolicy policy = MakePolicy(seed);
    const Prediction kept = Simulate(history, FreeBody(), policy, {});
    const Prediction summed =
        Simulate(history, FreeBody(), policy, {.torch = {}, .keep_calls = false});
    PredictedTotals totals;
    for (const PredictedCall& call : kept.calls) {
      totals.graphs += call.compiled.size();
      totals.eager_calls += call.eager ? 1 : 0;
      totals.error_calls += call.error.empty() ? 0 : 1;
      totals.limit_hits += call.limits.size();
    }
    for (const PredictedTotals& reported : {kept.totals, summed.totals}) {
      CHECK(reported.graphs == totals.graphs);
      CHECK(reported.eager_calls == totals.eager_calls);
      CHECK(reported.error_calls == totals.error_calls);
      CHECK(reported.limit_hits == totals.limit_hits);
    }
    CHECK(summed.calls.empty());
    CHECK(summed.totals.entries == kept.totals.entries);
    CHECK(summed.totals.static_graphs == kept.totals.static_graphs);
    CHECK(summed.known_calls == history.calls.size());
  }
}

TEST_CASE("many policies together give the same results as each alone") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    CallHistory history;
    MakeCalls(seed, kNames, false, history);
    // More calls than are taken at once.
    const std::vector<RecordedCall> once = history.calls;
    while (history.calls.size() < 3000) {
      history.calls.insert(history.calls.end(), once.begin(), once.end());
    }
    std::vector<CompilePolicy> policies;
    for (uint32_t i = 0; i < 5; ++i) policies.push_back(MakePolicy(seed * 5 + i));
    const BodyFacts body = FreeBody();
    const std::vector<Prediction> together =
        SimulateAll(history, body, policies, {.torch = {}, .keep_calls = false});
    REQUIRE(together.size() == policies.size());
    for (size_t i = 0; i < policies.size(); ++i) {
      CAPTURE(i);
      const Prediction alone =
          Simulate(history, body, policies[i], {.torch = {}, .keep_calls = true});
      CHECK(together[i].is_exact == alone.is_exact);
      CHECK(together[i].known_calls == alone.known_calls);
      CHECK(together[i].totals.graphs == alone.totals.graphs);
      CHECK(together[i].totals.eager_calls == alone.totals.eager_calls);
      CHECK(together[i].totals.error_calls == alone.totals.error_calls);
      CHECK(together[i].totals.limit_hits == alone.totals.limit_hits);
    }
  }
}

TEST_CASE("less knowledge of a function gives a shorter prediction, not a different one") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    CallHistory history;
    MakeCalls(seed, kNames, false, history);
    const CompilePolicy policy = MakePolicy(seed);
    const Prediction full = Simulate(history, FreeBody(), policy, {});
    BodyFacts less = BodyOfCategory("equality");
    const Prediction part = Simulate(history, less, policy, {});
    REQUIRE(full.is_exact);
    REQUIRE(part.known_calls <= full.known_calls);
    for (size_t call = 0; call < part.known_calls; ++call) {
      CAPTURE(call);
      CHECK(Describe(part.calls[call]) == Describe(full.calls[call]));
    }
  }
}

/// A function that goes on whatever the answers to its two questions are.
BodyFacts AskingBody() {
  BodyFacts body = FreeBody();
  BodyFrame& frame = body.frames.front();
  frame.knowledge = BodyKnowledge::kObserved;
  for (const char* const text : {"L['x'].size()[0] < L['y'].size()[0]", "L['x'].size()[1] < 6"}) {
    frame.questions.emplace_back().predicate = body.pool->Parse(text);
  }
  frame.explored = {"00", "01", "10", "11"};
  return body;
}

bool IsSmooth(const Prediction& prediction) {
  const PredictedTotals& totals = prediction.totals;
  return prediction.is_exact && totals.limit_hits + totals.error_calls + totals.eager_calls == 0;
}

TEST_CASE("where misses decide, all calls compile what the misses alone compile") {
  size_t decided = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    CallHistory history;
    MakeCalls(seed, kNames, false, history);
    const BodyFacts body = seed % 2 == 0 ? FreeBody() : AskingBody();
    CompilePolicy own = MakePolicy(seed);
    CompilePolicy policy = MakePolicy(seed + 1);
    own.recompile_limit = policy.recompile_limit = 64;
    own.fullgraph = policy.fullgraph = false;
    const Prediction run = Simulate(history, body, own, {});
    if (!IsSmooth(run)) continue;
    CallHistory misses;
    MakeCalls(seed, kNames, false, misses);
    misses.calls.clear();
    for (size_t call = 0; call < history.calls.size(); ++call) {
      if (!run.calls[call].compiled.empty()) misses.calls.push_back(history.calls[call]);
    }
    const Prediction some = Simulate(misses, body, policy, {});
    if (!IsSmooth(some) || !ServesMissingCalls(misses, body, own, policy, {})) continue;
    ++decided;
    const Prediction all = Simulate(history, body, policy, {});
    CHECK(all.is_exact);
    CHECK(all.totals.graphs == some.totals.graphs);
  }
  CHECK(decided > 100);
}

TEST_CASE("hostile histories and bodies do no harm") {
  CallHistory history;
  history.calls.push_back({});
  history.signatures.emplace_back();
  CHECK(!Simulate(history, BodyFacts(), CompilePolicy(), {}).is_exact);
  CHECK(Simulate(history, BodyOfCategory("free"), CompilePolicy(), {}).is_exact);

  BodyFacts body;
  BodyFrame frame;
  frame.knowledge = BodyKnowledge::kObserved;
  frame.explored = {""};
  // A resume function that runs itself, and one that is not there.
  frame.resumes = {0, 7};
  body.frames.push_back(frame);
  CHECK(!Simulate(history, body, CompilePolicy(), {}).is_exact);

  // Every frame runs the next one twice.
  body.frames.clear();
  for (uint32_t number = 1; number <= 100; ++number) {
    frame.resumes = {number, number};
    body.frames.push_back(frame);
  }
  body.frames.back().resumes.clear();
  CHECK(!Simulate(history, body, CompilePolicy(), {}).is_exact);
}

}  // namespace
}  // namespace shapewise
