// Bodies read from the trace of corpora/bodies, compared with the functions in its bodies.py.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/body_of_run.h"
#include "dynamo/run_function.h"
#include "dynamo/simulator.h"
#include "ingest/reader.h"
#include "model/call_history_builder.h"
#include "support/catch.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

/// The body that a trace of corpora/bodies tells of a function.
BodyFacts BodyIn(const std::string& trace, std::optional<uint32_t> frame, const Place& where) {
  const auto files = NewDiskFileSource();
  Session session;
  const ReadOptions options{.guard_texts = true};
  const auto errors =
      ReadInputs({SourceDir() + "/corpora/bodies/" + trace}, *files, session, options);
  REQUIRE(errors.empty());
  return BodyOfRun(session, frame, where);
}

/// The body of the function that compile ids call `frame`.
BodyFacts BodyOf(uint32_t frame) { return BodyIn("bodies.trace.gz", frame, {}); }

SourceUse UseOf(const BodyFrame& frame, const std::string& source) {
  const auto found = std::ranges::find(frame.sources, source, &BodySource::source);
  return found == frame.sources.end() ? SourceUse::kUnread : found->use;
}

std::vector<std::string> QuestionsOf(const BodyFacts& body, size_t frame) {
  std::vector<std::string> questions;
  for (const BodyQuestion& question : body.frames[frame].questions) {
    questions.push_back(body.pool->ToText(question.predicate));
  }
  std::ranges::sort(questions);
  return questions;
}

TEST_CASE("a view's divisibility is asked by an operator", "[dynamo]") {
  const BodyFacts body = BodyOf(0);
  REQUIRE(body.frames.size() == 1);
  const BodyFrame& heads = body.frames[0];
  CHECK(heads.name == "heads");
  CHECK(heads.knowledge == BodyKnowledge::kObserved);
  CHECK(heads.lists_all);
  CHECK(heads.graphs == 1);
  CHECK(UseOf(heads, "L['x']") == SourceUse::kTensor);
  const auto questions = QuestionsOf(body, 0);
  CHECK(std::ranges::find(questions, "Eq(Mod(L['x'].size()[2], 4), 0)") != questions.end());
  for (const BodyQuestion& question : heads.questions) {
    CHECK(question.is_operators);
    CHECK(question.line == 10);
  }
  REQUIRE(heads.explored.size() == 1);
  CHECK(heads.explored[0] == std::string(heads.questions.size(), '1'));
}

TEST_CASE("functions of one name are distinguished when compile ids restart", "[dynamo]") {
  const BodyFacts free = BodyIn("reset.trace.gz", 0, {.function = "step", .file = {}, .line = 6});
  const BodyFacts asking =
      BodyIn("reset.trace.gz", 0, {.function = "step", .file = {}, .line = 13});
  CHECK(QuestionsOf(free, 0).empty());
  // Both ways of its branch were traced, each with what holds there.
  CHECK(QuestionsOf(asking, 0).size() == 2);
}

TEST_CASE("nothing is concluded for one of several functions of a name", "[dynamo]") {
  const BodyFacts body = BodyIn("reset.trace.gz", {}, {});
  REQUIRE(body.frames.size() == 1);
  CHECK(body.frames[0].knowledge == BodyKnowledge::kUnknown);
  CHECK(body.frames[0].unknown_because ==
        "the trace contains several functions (step at line 6, step at line 13): --function names "
        "the one that is meant");
  CHECK(BodyIn("reset.trace.gz", {}, {.function = "other", .file = {}, .line = 0}).frames.empty());
}

TEST_CASE("both sides of a branch that were traced are two paths", "[dynamo]") {
  const BodyFacts body = BodyOf(1);
  REQUIRE(body.frames.size() == 1);
  const BodyFrame& branch = body.frames[0];
  CHECK(QuestionsOf(body, 0) ==
        std::vector<std::string>{"L['x'].size()[0] <= 16", "L['x'].size()[0] >= 17"});
  REQUIRE(branch.explored.size() == 2);
  CHECK(branch.explored[0] == "1-");
  CHECK(branch.explored[1] == "-1");
  CHECK_FALSE(branch.questions[0].is_operators);
}

TEST_CASE("words are constants, floats are inputs, what is not guarded is not read", "[dynamo]") {
  const BodyFacts body = BodyOf(2);
  const BodyFrame& mode = body.frames.at(0);
  CHECK(UseOf(mode, "L['how']") == SourceUse::kConstant);
  CHECK(UseOf(mode, "L['scale']") == SourceUse::kProfiled);
  CHECK(UseOf(mode, "L['unread']") == SourceUse::kUnread);
  REQUIRE(mode.paths.size() == 2);
  CHECK(mode.paths[0].constants == std::vector<BodyConstant>{{"L['how']", "'sum'"}});
  CHECK(mode.paths[1].constants == std::vector<BodyConstant>{{"L['how']", "'mean'"}});
}

TEST_CASE("a size that is another constant each time is specialized", "[dynamo]") {
  const BodyFacts body = BodyOf(3);
  const BodyFrame& rows = body.frames.at(0);
  REQUIRE(rows.specialized.size() == 1);
  CHECK(body.pool->ToText(rows.specialized[0].symbol) == "L['x'].size()[0]");
  CHECK(rows.questions.empty());
  CHECK(rows.explored.size() == 1);
}

TEST_CASE("a path with a constant batch compares fewer sizes than one with a symbolic batch",
          "[dynamo]") {
  const BodyFacts body = BodyIn("lengths.trace.gz", 0, {});
  const BodyFrame& step = body.frames.at(0);
  CHECK(step.specialized.size() == 2);
  // All lengths ask the same of the batch, so the path is that of any length. With constant sizes
  // less is asked, and only then.
  REQUIRE(step.paths.size() == 3);
  CHECK(step.paths[0].constants.empty());
  CHECK_FALSE(step.paths[0].is_special);
  CHECK(step.paths[1].is_special);
  CHECK(step.paths[2].is_special);
  CHECK(QuestionsOf(body, 0) ==
        std::vector<std::string>{"Eq(L['mask'].size()[0], L['x'].size()[0])"});
}

TEST_CASE("values passed to a resume function are named by the inputs of the first frame",
          "[dynamo]") {
  const BodyFacts body = BodyOf(4);
  REQUIRE(body.frames.size() == 2);
  CHECK(body.frames[0].resumes == std::vector<uint32_t>{1});
  const BodyFrame& resumed = body.frames[1];
  CHECK(resumed.name == "torch_dynamo_resume_in_broken_at_32");
  const auto input = [&](const std::string& source) {
    return *std::ranges::find(resumed.inputs, source, &ResumeInput::source);
  };
  CHECK(input("L['x']").same_as == "L['x']");
  const ResumeInput y = input("L['y']");
  CHECK(y.same_as.empty());
  REQUIRE(y.sizes.size() == 2);
  CHECK(body.pool->ToText(y.sizes[0]) == "2*L['x'].size()[0]");
  CHECK(body.pool->ToText(y.sizes[1]) == "L['x'].size()[1]");
  CHECK(QuestionsOf(body, 1) == std::vector<std::string>{"L['x'].size()[0] <= L['y'].size()[0]"});
}

TEST_CASE("a tensor after a break is a new one, or an argument under any name", "[dynamo]") {
  const auto argument = [](uint32_t frame, const std::string& source) {
    const BodyFacts body = BodyIn("passed.trace.gz", frame, {});
    REQUIRE(body.frames.size() == 2);
    const auto& inputs = body.frames[1].inputs;
    const auto found = std::ranges::find(inputs, source, &ResumeInput::source);
    REQUIRE(found != inputs.end());
    CHECK(found->is_new == found->same_as.empty());
    return found->same_as;
  };
  // x = x.sin()
  CHECK(argument(0, "L['x']").empty());
  // y = x.sin(), and x as it was
  CHECK(argument(2, "L['y']").empty());
  CHECK(argument(2, "L['x']") == "L['x']");
  // y = x.sum(); z = x
  CHECK(argument(4, "L['y']").empty());
  CHECK(argument(4, "L['z']") == "L['x']");
  // y = twice(x), whose own x is named as the argument is
  CHECK(argument(6, "L['y']").empty());
  CHECK(argument(6, "L['x']") == "L['x']");
  // y = torch.ones(2, 3) + x.mean(); z = y; y = x
  CHECK(argument(8, "L['z']").empty());
  CHECK(argument(8, "L['y']") == "L['x']");
  // x, y = y, x
  CHECK(argument(10, "L['x']") == "L['y']");
}

TEST_CASE("lengths and keys are constants of a path", "[dynamo]") {
  const BodyFacts body = BodyOf(6);
  const BodyFrame& parts = body.frames.at(0);
  CHECK(UseOf(parts, "L['xs']") == SourceUse::kLength);
  CHECK(UseOf(parts, "L['named']") == SourceUse::kKeys);
  REQUIRE(parts.paths.size() == 2);
  CHECK(parts.paths[0].constants ==
        std::vector<BodyConstant>{{"len(L['xs'])", "2"}, {"list(dict.keys(L['named']))", "['a']"}});
}

TEST_CASE("a counter that guards compare makes a body change its own guards", "[dynamo]") {
  CHECK(BodyOf(7).frames.at(0).changes_own_guards);
  CHECK_FALSE(BodyOf(0).frames.at(0).changes_own_guards);
}

TEST_CASE("the body of every function of a long run is read", "[dynamo]") {
  constexpr int kFunctions = 600;
  std::string log;
  for (int i = 0; i < kFunctions; ++i) {
    const std::string head =
        "V1121 03:51:35.055000 12265 torch/_dynamo/guards.py:5396] [" + std::to_string(i) + "/0] ";
    for (const char* line :
         {"[__guards] GUARDS:", "[__guards] ",
          "[__guards] TREE_GUARD_MANAGER:", "[__guards] +- RootGuardManager",
          "[__guards] | +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor("
          "key='x', framelocals_idx=0), type=<class 'torch.Tensor'>",
          "[__guards] | | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU), "
          "torch.float32, device=None, requires_grad=False, size=[4], stride=[1])  # return x * 2  "
          "# app/model.py:9 in pool",
          "[__guards] "}) {
      log += head + line + "\n";
    }
    const std::string id = std::to_string(i);
    log += "V1121 03:51:36.055000 12265 torch/_dynamo/guards.py:5396] [" + id +
           "/1] [__recompiles] Recompiling function pool" + id + " in /app/model.py:" + id +
           "\nV1121 03:51:36.055000 12265 torch/_dynamo/guards.py:5396] [" + id +
           "/1] [__recompiles]     triggered by the following guard failure(s):\n"
           "V1121 03:51:36.055000 12265 torch/_dynamo/guards.py:5396] [" +
           id + "/1] [__recompiles]     - " + id +
           "/0: tensor 'x' size mismatch at index 0. expected 4, actual 5\n";
  }
  Session session;
  ReadInputFromChunks("run.log", {log}, session, {.guard_texts = true});
  const auto functions = FunctionsOfRun(session);
  REQUIRE(functions.size() == kFunctions);
  const auto knowledge = functions.front()->body.frames.front().knowledge;
  CHECK(knowledge != BodyKnowledge::kUnknown);
  CHECK(std::ranges::all_of(functions, [&](const auto& function) {
    return function->body.frames.front().knowledge == knowledge;
  }));
}

TEST_CASE("a run without such a frame gives no body", "[dynamo]") {
  CHECK(BodyOf(12).frames.empty());
}

// Predictions for a body whose path was traced by a probe: sizes that never vary are constants
// there.

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
