// Sizes of one dim that are served in several ways, each by a compiled function of its own.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dynamo/policy_text.h"
#include "dynamo/simulator.h"
#include "model/call_history_builder.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// Calls of x, [4, size] each; `wrapper` of the calls at odd places.
void AddCalls(CallHistory& history, const std::vector<int64_t>& sizes, uint16_t wrapper = 0) {
  CallHistoryBuilder builder(history);
  const uint32_t source = builder.Source(CallHistoryBuilder::kNoParent, "L['x']");
  for (size_t i = 0; i < sizes.size(); ++i) {
    TensorValue tensor;
    tensor.sizes = {4, sizes[i]};
    builder.SetTensor(source, tensor);
    RecordedCall call;
    call.wrapper = i % 2 == 0 ? 0 : wrapper;
    builder.EndCall(call, StrId::kNone);
  }
  builder.Finish();
}

CompilePolicy PolicyOf(const std::string& words, const CallHistory& history) {
  Expected<PolicyChange> change = ParsePolicy(words);
  INFO(words);
  REQUIRE(static_cast<bool>(change));
  return ApplyPolicy(*change, CompilePolicy(), history).policy;
}

Prediction Predicted(const std::string& words, const CallHistory& history,
                     const SimulatorOptions& options = {}) {
  return Simulate(history, BodyOfCategory("free"), PolicyOf(words, history), options);
}

/// The numbers of the calls that compile.
std::vector<size_t> CompilingCalls(const Prediction& prediction) {
  std::vector<size_t> calls;
  for (size_t i = 0; i < prediction.calls.size(); ++i) {
    if (!prediction.calls[i].compiled.empty()) calls.push_back(i);
  }
  return calls;
}

const std::vector<int64_t> kSizes = {8, 12, 20, 31, 70, 90, 100, 97, 33, 12, 200, 21};

TEST_CASE("each way has entries of its own, whatever came before") {
  CallHistory history;
  AddCalls(history, kSizes);
  // 8: the bucket; 20: the dynamic graph; 70: the aligned one; 90: not compiled; 100: the range's.
  // 200 is in no range and uses the dynamic graph.
  const Prediction prediction = Predicted(
      "serve(x, 1, 1..16:16|17..32:dynamic|33..80:aligned 8|81..95:eager|96..100:range)", history);
  REQUIRE(prediction.is_exact);
  CHECK(CompilingCalls(prediction) == std::vector<size_t>{0, 2, 4, 6});
  CHECK(prediction.totals.graphs == 4);
  CHECK(prediction.totals.static_graphs == 1);
  CHECK(prediction.totals.eager_calls == 1);
  CHECK(prediction.calls[5].eager);
}

TEST_CASE("one way for all sizes is the policy that does just that") {
  CallHistory history;
  AddCalls(history, kSizes);
  const auto are_alike = [&](const std::string& served, const std::string& plain) {
    INFO(served);
    const Prediction one = Predicted(served, history);
    const Prediction other = Predicted(plain, history);
    REQUIRE(one.is_exact);
    REQUIRE(other.is_exact);
    CHECK(CompilingCalls(one) == CompilingCalls(other));
    CHECK(one.totals.static_graphs == other.totals.static_graphs);
    CHECK(one.totals.eager_calls == other.totals.eager_calls);
  };
  are_alike("serve(x, 1, 1..:dynamic)", "mark_dynamic(x, 1)");
  are_alike("serve(x, 1, 1..16:16|17..64:64|65..256:256)",
            "buckets(x, 1, 16|64|256) + mark_static(x, 1)");
  are_alike("serve(x, 1, 1..16:16|17..64:64|65..256:256) + limit 2",
            "buckets(x, 1, 16|64|256) + mark_static(x, 1) + limit 2");
  are_alike("serve(x, 1, 1..200:range)", "mark_dynamic(x, 1, min=1, max=200)");
  const Prediction eager = Predicted("serve(x, 1, 0..:eager)", history);
  CHECK(eager.totals.graphs == 0);
  CHECK(eager.totals.eager_calls == kSizes.size());
}

TEST_CASE("sizes 0 and 1 are not marked, unless padding makes them larger") {
  CallHistory history;
  AddCalls(history, {1, 9, 1, 5});
  CHECK(Predicted("serve(x, 1, 1..:dynamic)", history).totals.graphs == 2);
  CHECK(Predicted("serve(x, 1, 1..:aligned 8)", history).totals.graphs == 1);
  CHECK(Predicted("serve(x, 1, 1..9:9)", history).totals.graphs == 1);
}

TEST_CASE("functions that were apart stay apart") {
  CallHistory history;
  AddCalls(history, {8, 8, 20, 20}, /*wrapper=*/1);
  CHECK(Predicted("serve(x, 1, 1..16:16|17..:dynamic)", history).totals.graphs == 4);
  CallHistory one;
  AddCalls(one, {8, 8, 20, 20});
  CHECK(Predicted("serve(x, 1, 1..16:16|17..:dynamic)", one).totals.graphs == 2);
}

TEST_CASE("features that a release lacks are not predicted") {
  CallHistory history;
  AddCalls(history, kSizes);
  SimulatorOptions options;
  options.torch = {.major = 2, .minor = 12};
  const Prediction prediction = Predicted("serve(x, 1, 1..:dynamic)", history, options);
  CHECK_FALSE(prediction.is_exact);
  CHECK(prediction.why.find("2.13") != std::string::npos);
}

TEST_CASE("policies are simulated in their order, served or not") {
  CallHistory history;
  AddCalls(history, kSizes);
  std::vector<CompilePolicy> policies;
  std::vector<uint64_t> graphs;
  for (const char* words : {"serve(x, 1, 1..:dynamic)", "dynamic=False + limit 64",
                            "serve(x, 1, 1..:eager)", "mark_dynamic(x, 1)"}) {
    policies.push_back(PolicyOf(words, history));
    graphs.push_back(Predicted(words, history).totals.graphs);
  }
  CHECK(graphs == std::vector<uint64_t>{1, 11, 0, 1});
  const std::vector<Prediction> all =
      SimulateAll(history, BodyOfCategory("free"), policies, SimulatorOptions());
  REQUIRE(all.size() == policies.size());
  for (size_t i = 0; i < all.size(); ++i) CHECK(all[i].totals.graphs == graphs[i]);
}

TEST_CASE("dims that are padded together compile once a shape that is used") {
  CallHistory history;
  {
    CallHistoryBuilder builder(history);
    const uint32_t x = builder.Source(CallHistoryBuilder::kNoParent, "L['x']");
    const uint32_t y = builder.Source(CallHistoryBuilder::kNoParent, "L['y']");
    // (2, 10) goes to 4x16, (5, 10) to 8x16, (3, 30) to 4x64, (4, 16) stays; (9, 9) fits nowhere.
    const std::vector<std::pair<int64_t, int64_t>> sizes = {{2, 10}, {5, 10}, {3, 30}, {4, 16},
                                                            {2, 11}, {9, 9},  {6, 15}};
    for (const auto& [rows, length] : sizes) {
      TensorValue tensor;
      tensor.sizes = {rows, length};
      builder.SetTensor(x, tensor);
      tensor.sizes = {length, 3};
      builder.SetTensor(y, tensor);
      builder.EndCall(RecordedCall(), StrId::kNone);
    }
    builder.Finish();
  }
  const std::string marks = " + mark_static(x, [0, 1])";
  const Prediction one =
      Predicted("buckets(x:0, x:1, 4x16|8x16|4x64)" + marks + " + dynamic=False", history);
  REQUIRE(one.is_exact);
  // y is not padded, so each of its lengths is a graph of its own.
  CHECK(CompilingCalls(one) == std::vector<size_t>{0, 1, 2, 3, 4, 5, 6});
  const Prediction both = Predicted(
      "buckets(x:0, y:0, 4x16|8x16|4x64) + buckets(x, 1, 16|64) + "
      "dynamic=False",
      history);
  CHECK(CompilingCalls(both) == std::vector<size_t>{0, 1, 2, 5});
  // The first shape that holds a call is taken, though a later one is smaller.
  const Prediction large = Predicted(
      "buckets(x:0, y:0, 16x64|4x16) + buckets(x, 1, 64) + "
      "dynamic=False",
      history);
  CHECK(CompilingCalls(large) == std::vector<size_t>{0});
  const std::vector<std::string> traps = PolicyTraps(
      history, BodyOfCategory("free"), PolicyOf("buckets(x:0, x:1, 4x16|8x16|4x64)", history));
  REQUIRE(traps.size() == 2);  // a call that none holds, and no mark
  CHECK(traps[0].find("1 set of sizes") != std::string::npos);
  CHECK(traps[1].find("mark_static") != std::string::npos);
}

TEST_CASE("shapes are read as they are written, or refused") {
  Expected<PolicyChange> change = ParsePolicy("buckets(x:0, L['y']:1, 8x64|16 x 128, 32x256)");
  REQUIRE(static_cast<bool>(change));
  REQUIRE(change->shapes);
  CHECK(change->shapes->dims == std::vector<PolicyDim>{{"L['x']", 0}, {"L['y']", 1}});
  CHECK(change->shapes->shapes == std::vector<std::vector<int64_t>>{{8, 64}, {16, 128}, {32, 256}});
  for (const char* bad :
       {"buckets(x:0, y:1)", "buckets(x:0, y:1, 8)", "buckets(x:0, y:1, 8x0)",
        "buckets(x:0, y:1, 8x64x2)", "buckets(x:0, y:1, 8xa)", "buckets(x:0, x:0, 8x8)",
        "buckets(x:-1, x:0, 8x8)", "buckets(x:0, y:1, 8x8) + serve(x, 1, 1..:dynamic)",
        "serve(x, 1, 1..:dynamic) + buckets(x:0, y:1, 8x8)",
        "buckets(x:0, y:1, 8x8) + buckets(x:0, y:1, 8x8)", "buckets(x:0, x:0=1, 8x8)",
        "buckets(x:0, y:1=, 8x8)", "buckets(x:0, y:1=nan, 8x8)", "serve(x:1, x:1, 1..:dynamic)",
        "serve(x:1, y:1)", "serve(x:1, y, 1..:dynamic)", "serve(x:1, y:1=inf, 1..:dynamic)"}) {
    INFO(bad);
    Expected<PolicyChange> none = ParsePolicy(bad);
    CHECK_FALSE(static_cast<bool>(none));
    if (!none) llvm::consumeError(none.takeError());
  }
}

TEST_CASE("values of padding are read, and change no graph") {
  Expected<PolicyChange> change =
      ParsePolicy("serve(x:1, d['a:1']:1=-100, z:0 = 0.5, 1..64:64|65..:dynamic)");
  REQUIRE(static_cast<bool>(change));
  REQUIRE(change->serving);
  CHECK(change->serving->dims ==
        std::vector<PolicyDim>{{"L['x']", 1}, {"L['d']['a:1']", 1, -100}, {"L['z']", 0, 0.5}});
  CHECK(change->serving->spans.size() == 2);
  change = ParsePolicy("buckets(x:0, y:1=-100, 8x64)");
  REQUIRE(static_cast<bool>(change));
  CHECK(change->shapes->dims == std::vector<PolicyDim>{{"L['x']", 0}, {"L['y']", 1, -100}});
  CallHistory history;
  AddCalls(history, kSizes);
  const std::string words = "serve(x:1=7, 1..16:16|17..:dynamic)";
  CHECK(CompilingCalls(Predicted(words, history)) ==
        CompilingCalls(Predicted("serve(x, 1, 1..16:16|17..:dynamic)", history)));
}

TEST_CASE("inputs that are served together go the way of the first") {
  CallHistory history;
  {
    CallHistoryBuilder builder(history);
    const uint32_t x = builder.Source(CallHistoryBuilder::kNoParent, "L['x']");
    const uint32_t y = builder.Source(CallHistoryBuilder::kNoParent, "L['y']");
    // The last two differ from each other in y alone.
    const std::vector<std::pair<int64_t, int64_t>> sizes = {{10, 10}, {12, 12}, {16, 9}, {40, 40},
                                                            {50, 50}, {60, 51}, {9, 9},  {9, 20}};
    for (const auto& [one, other] : sizes) {
      TensorValue tensor;
      tensor.sizes = {4, one};
      builder.SetTensor(x, tensor);
      tensor.sizes = {other};
      builder.SetTensor(y, tensor);
      builder.EndCall(RecordedCall(), StrId::kNone);
    }
    builder.Finish();
  }
  // One static graph for 16, and one for the call whose y does not fit; one dynamic graph, which
  // asks nothing of the two sizes.
  const Prediction together = Predicted("serve(x:1, y:0, 1..16:16|17..:dynamic)", history);
  REQUIRE(together.is_exact);
  CHECK(CompilingCalls(together) == std::vector<size_t>{0, 3, 7});
  CHECK(together.totals.static_graphs == 2);
  // Aligned: all go where the first one goes.
  CHECK(CompilingCalls(Predicted("serve(x:1, y:0, 1..30:aligned 8|31..:eager) + dynamic=False",
                                 history)) == std::vector<size_t>{0});
  // A dim that no call has leaves nothing of the policy.
  Expected<PolicyChange> change = ParsePolicy("serve(x:1, z:0, 1..16:16)");
  REQUIRE(static_cast<bool>(change));
  const AppliedPolicy applied = ApplyPolicy(*change, CompilePolicy(), history);
  CHECK(applied.unmatched == std::vector<std::string>{"z"});
  CHECK_FALSE(applied.policy.serving);
}

TEST_CASE("stretches are read as they are written, or refused with their place") {
  const auto error_of = [](const std::string& words) {
    Expected<PolicyChange> change = ParsePolicy(words);
    return change ? std::string() : llvm::toString(change.takeError());
  };
  Expected<PolicyChange> change =
      ParsePolicy("serve(x, 1, 1..64:64|65..512:dynamic, 513..600:aligned 8|601..:eager)");
  REQUIRE(static_cast<bool>(change));
  REQUIRE(change->serving);
  CHECK(change->serving->dims == std::vector<PolicyDim>{{"L['x']", 1}});
  CHECK(change->serving->spans == std::vector<SizeSpan>{{1, 64, SizeWay::kStatic, 64},
                                                        {65, 512, SizeWay::kDynamic, 0},
                                                        {513, 600, SizeWay::kAligned, 8},
                                                        {601, kNoLast, SizeWay::kEager, 0}});
  CHECK(error_of("serve(x, 1, 1..9:9|9..20:dynamic)") ==
        "policy \"serve(x, 1, 1..9:9|9..20:dynamic)\", character 20: stretches of sizes ascend and "
        "do not overlap");
  for (const char* bad :
       {"serve(x, 1)", "serve(x, 1, 64)", "serve(x, 1, 1..64)", "serve(x, 1, 1..64:63)",
        "serve(x, 1, 1..:64)", "serve(x, 1, 9..4:dynamic)", "serve(x, 1, 1..:range)",
        "serve(x, 1, 1..9:fast)", "serve(x, 1, 1..9:aligned 0)", "serve(x, 1, -1..9:eager)",
        "serve(x, -1, 1..9:9)", "serve(x, [0, 1], 1..9:9)",
        "serve(x, 1, 1..9:99999999999999999999)",
        "serve(x, 1, 1..:dynamic) + serve(x, 0, 1..:dynamic)"}) {
    INFO(bad);
    CHECK_FALSE(error_of(bad).empty());
  }
}

TEST_CASE("traps of serving are named where they apply") {
  CallHistory history;
  AddCalls(history, kSizes);
  const auto traps_of = [&](const std::string& words) {
    return PolicyTraps(history, BodyOfCategory("free"), PolicyOf(words, history));
  };
  CHECK(traps_of("serve(x, 1, 1..64:64|65..:dynamic)").empty());
  CHECK(traps_of("serve(x, 1, 1..64:64)").size() == 1);  // larger ones stand nowhere
  CHECK(traps_of("serve(x, 1, 1..16:16|17..40:40|41..256:256) + limit 2").size() == 1);
  CHECK(traps_of("serve(x, 1, 1..256:range)").size() == 1);  // 1 is special
}

// Bodies that were traced: what their paths do and do not say of other calls.

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
