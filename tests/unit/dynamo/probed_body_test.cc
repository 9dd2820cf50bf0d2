// What is predicted of a body whose path was traced by a probe: sizes that never vary are constants
// there.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/run_function.h"
#include "dynamo/simulator.h"
#include "ingest/reader.h"
#include "model/call_history_builder.h"
#include "support/catch.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

/// A body with one path, on which `constants` were taken into account and nothing was asked.
BodyFacts BodyWith(std::vector<BodyConstant> constants) {
  BodyFacts body;
  BodyFrame& frame = body.frames.emplace_back();
  frame.name = "step";
  frame.knowledge = BodyKnowledge::kObserved;
  frame.lists_all = true;
  frame.sources = {{"L['x']", SourceUse::kTensor}, {"L['d']", SourceUse::kLength}};
  frame.explored = {""};
  frame.paths.emplace_back().constants = std::move(constants);
  return body;
}

/// Calls with x of these sizes, and with the dict `keys`.
void AddCallsWith(const std::vector<std::vector<int64_t>>& sizes, std::string_view keys,
                  CallHistory& history) {
  CallHistoryBuilder builder(history);
  for (const std::vector<int64_t>& own : sizes) {
    TensorValue tensor;
    tensor.sizes = own;
    tensor.strides = ContiguousStrides(own);
    builder.SetTensor(builder.Source(CallHistoryBuilder::kNoParent, "L['x']"), tensor);
    CallValue dict;
    dict.kind = CallValue::Kind::kKeys;
    dict.text = builder.strings().Intern(keys);
    builder.Set(builder.Source(CallHistoryBuilder::kNoParent, "L['d']"), dict);
    builder.EndCall(RecordedCall(), builder.strings().Intern(""));
  }
  builder.Finish();
}

CompilePolicy MarkedAt(int32_t dim) {
  CompilePolicy policy;
  PolicyMark& mark = policy.marks.emplace_back();
  mark.source = "L['x']";
  mark.mark.dim = dim;
  return policy;
}

Prediction PredictWith(const BodyFacts& body, const CompilePolicy& policy,
                       std::string_view keys = "['a']") {
  CallHistory history;
  AddCallsWith({{4, 32}, {5, 32}, {32, 32}, {6, 32}}, keys, history);
  return Simulate(history, body, policy, {});
}

TEST_CASE("a size that is the same in all calls may be a symbol or a constant", "[dynamo]") {
  const BodyFacts body = BodyWith({{"L['x'].size()[1]", "32"}});
  const Prediction plain = PredictWith(body, {});
  CHECK(plain.is_exact);
  CHECK(plain.totals.graphs == 2);
  CompilePolicy policy;
  policy.dynamic = DynamicOption::kTrue;
  const Prediction dynamic = PredictWith(body, policy);
  CHECK(dynamic.is_exact);
  CHECK(dynamic.totals.graphs == 1);
}

TEST_CASE("a graph that only computes sizes is empty where they are constants", "[dynamo]") {
  BodyFacts body = BodyWith({{"L['x'].size()[1]", "32"}});
  body.frames.front().keeps_entry = true;
  BodyPath& path = body.frames.front().paths.front();
  path.static_graphs = 0;
  path.symbols = {"L['x'].size()[0]"};
  const Prediction plain = PredictWith(body, {});
  CHECK(plain.totals.entries == 2);
  CHECK(plain.totals.graphs == 1);
  CompilePolicy policy;
  policy.dynamic = DynamicOption::kFalse;
  const Prediction constant = PredictWith(body, policy);
  CHECK(constant.totals.entries == 4);
  CHECK(constant.totals.graphs == 0);
}

TEST_CASE("a function without operators is compiled once", "[dynamo]") {
  BodyFacts body = BodyWith({});
  body.frames.front().graphs = body.frames.front().paths.front().graphs = 0;
  const Prediction prediction = PredictWith(body, {});
  CHECK(prediction.totals.entries == 0);
  CHECK(prediction.totals.compiles() == 1);
  CHECK(prediction.totals.graphs == 0);
}

TEST_CASE("a hard mark on a size that no probe had as a symbol is not decided", "[dynamo]") {
  const BodyFacts body = BodyWith({{"L['x'].size()[1]", "32"}});
  const Prediction marked = PredictWith(body, MarkedAt(1));
  CHECK(!marked.is_exact);
  CHECK(marked.why == "what the body asks of a marked size is not known: all calls have the same");
  CHECK(PredictWith(body, MarkedAt(0)).is_exact);
}

TEST_CASE("padding makes another size of one that never varied", "[dynamo]") {
  CompilePolicy policy;
  policy.buckets = {{.source = "L['x']", .dim = 1, .sizes = {64}}};
  CHECK(!PredictWith(BodyWith({{"L['x'].size()[1]", "32"}}), policy).is_exact);
}

TEST_CASE("the length of a dict is the number of its keys, whatever is in them", "[dynamo]") {
  const BodyFacts body = BodyWith({{"L['x'].size()[1]", "32"}, {"len(L['d'])", "2"}});
  CHECK(PredictWith(body, {}, R"(['a', 'b, \'c'])").is_exact);
  const Prediction other = PredictWith(body, {}, "['a']");
  CHECK(!other.is_exact);
  CHECK(other.why ==
        "the way that the body takes for these inputs was not traced: len(L['d']) was 2 where it "
        "was traced");
}

TEST_CASE("compilations of a probe belong to the function of their name, file and line",
          "[dynamo]") {
  const auto files = NewDiskFileSource();
  RunProbes probes;
  Session& session = probes.session;
  const std::string trace = SourceDir() + "/corpora/bodies/bodies.trace.gz";
  REQUIRE(ReadInputs({trace}, *files, session, {.guard_texts = true}).empty());
  const auto alone = FunctionsOfRun(session);
  const auto probed = FunctionsOfRun(session, {}, &probes);
  REQUIRE(alone.size() == probed.size());
  size_t num_probed = 0;
  for (size_t i = 0; i < probed.size(); ++i) {
    CHECK(!alone[i]->is_probed);
    num_probed += probed[i]->is_probed ? 1 : 0;
    // The same again shows nothing new.
    CHECK(probed[i]->body.frames.front().explored == alone[i]->body.frames.front().explored);
  }
  CHECK(num_probed > 0);
}

}  // namespace
}  // namespace shapewise
