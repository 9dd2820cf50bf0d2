// Bodies that were traced: what their paths do and do not say of other calls.

#include <cstdint>
#include <string>
#include <vector>

#include "dynamo/policy_text.h"
#include "dynamo/simulator.h"
#include "model/call_history_builder.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// Calls of x and mask, [4, size] each, where mask has `more` items more.
void AddPairs(CallHistory& history, const std::vector<int64_t>& sizes, int64_t more = 0) {
  CallHistoryBuilder builder(history);
  const uint32_t x = builder.Source(CallHistoryBuilder::kNoParent, "L['x']");
  const uint32_t mask = builder.Source(CallHistoryBuilder::kNoParent, "L['mask']");
  for (const int64_t size : sizes) {
    TensorValue tensor;
    tensor.sizes = {4, size};
    builder.SetTensor(x, tensor);
    tensor.sizes = {4, size + more};
    builder.SetTensor(mask, tensor);
    builder.EndCall(RecordedCall(), StrId::kNone);
  }
  builder.Finish();
}

/// Reads x and mask; `symbols`: sizes that were symbols when it was traced.
BodyFacts TracedBody(const std::vector<std::string>& symbols) {
  BodyFacts body;
  BodyFrame& frame = body.frames.emplace_back();
  frame.knowledge = BodyKnowledge::kObserved;
  frame.lists_all = true;
  frame.keeps_entry = true;
  frame.sources = {{"L['x']", SourceUse::kTensor}, {"L['mask']", SourceUse::kTensor}};
  frame.explored = {""};
  frame.paths.emplace_back().symbols = symbols;
  return body;
}

Prediction Predicted(const std::string& words, const CallHistory& history, const BodyFacts& body) {
  Expected<PolicyChange> change = ParsePolicy(words);
  REQUIRE(static_cast<bool>(change));
  return Simulate(history, body, ApplyPolicy(*change, CompilePolicy(), history).policy, {});
}

const char* const kOne = "buckets(x, 1, 8|16) + mark_static(x, 1)";
const char* const kBoth =
    "buckets(x, 1, 8|16) + mark_static(x, 1) + buckets(mask, 1, 8|16) + mark_static(mask, 1)";

TEST_CASE("padding one of two sizes that are always equal is not predicted") {
  CallHistory history;
  AddPairs(history, {5, 7, 12, 16});
  const BodyFacts body = TracedBody({"L['x'].size()[1]"});
  const Prediction one = Predicted(kOne, history, body);
  CHECK_FALSE(one.is_exact);
  CHECK(one.why.find("mask.size(1) equals x.size(1) in all calls") == 0);
  const Prediction both = Predicted(kBoth, history, body);
  REQUIRE(both.is_exact);
  CHECK(both.totals.graphs == 2);
  CHECK_FALSE(Predicted("serve(x, 1, 1..16:16)", history, body).is_exact);
  CHECK(Predicted("serve(x:1, mask:1, 1..16:16)", history, body).is_exact);
}

TEST_CASE("sizes that differ, never vary, or are known not to be compared are not tied") {
  CallHistory other;
  AddPairs(other, {5, 7, 12}, 1);
  CHECK(Predicted(kOne, other, TracedBody({})).is_exact);
  CallHistory same;
  AddPairs(same, {5, 5, 5});
  CHECK(Predicted(kOne, same, TracedBody({})).is_exact);
  CallHistory tied;
  AddPairs(tied, {5, 7, 12});
  CHECK(Predicted(kOne, tied, TracedBody({"L['x'].size()[1]", "L['mask'].size()[1]"})).is_exact);
}

TEST_CASE("a path traced with a constant number says nothing of calls where it is a symbol") {
  CallHistory history;
  CallHistoryBuilder builder(history);
  const uint32_t n = builder.Source(CallHistoryBuilder::kNoParent, "L['n']");
  for (const int64_t value : {1, 2, 3, 4}) {
    builder.Set(n, {.kind = CallValue::Kind::kInt, .integer = value});
    builder.EndCall(RecordedCall(), StrId::kNone);
  }
  builder.Finish();
  BodyFacts body;
  BodyFrame& frame = body.frames.emplace_back();
  frame.knowledge = BodyKnowledge::kObserved;
  frame.lists_all = true;
  frame.keeps_entry = true;
  frame.sources = {{"L['n']", SourceUse::kProfiled}};
  // n == 1 was a constant in the first compile; later a symbol that is not 1.
  const ExprId symbol = body.pool->Symbol("L['n']");
  frame.questions = {{body.pool->Parse("L['n'] != 1"), "", 0, false}};
  frame.explored = {"-", "1"};
  frame.paths.resize(2);
  frame.paths[0].constants = {{"L['n']", "1"}};
  CHECK_FALSE(Predicted("dynamic=True", history, body).is_exact);
  // A probe traced n == 1 as a symbol, too.
  frame.questions.push_back(
      {body.pool->Binary(ExprKind::kEqual, symbol, body.pool->Integer(1)), "", 0, false});
  frame.explored = {"--", "1-", "-1"};
  frame.paths.emplace_back();
  const Prediction prediction = Predicted("dynamic=True", history, body);
  REQUIRE(prediction.is_exact);
  CHECK(prediction.totals.graphs == 2);
}

}  // namespace
}  // namespace shapewise
