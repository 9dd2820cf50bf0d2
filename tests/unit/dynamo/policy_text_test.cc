// What-ifs as people write them, and the traps that they walk into.

#include "dynamo/policy_text.h"

#include <string>
#include <vector>

#include "dynamo/simulator.h"
#include "dynamo/symbols.h"
#include "model/call_history_builder.h"
#include "support/catch.h"

namespace shapewise {
namespace {

PolicyChange Parsed(std::string_view text) {
  Expected<PolicyChange> change = ParsePolicy(text);
  INFO(text);
  if (!change) FAIL(llvm::toString(change.takeError()));
  return std::move(*change);
}

std::string ErrorOf(std::string_view text) {
  Expected<PolicyChange> change = ParsePolicy(text);
  return change ? "" : llvm::toString(change.takeError());
}

/// A history of calls in which `source` took each of `sizes` in dim 1.
void AddCalls(CallHistory& history, std::string_view source, const std::vector<int64_t>& sizes) {
  CallHistoryBuilder builder(history);
  for (const int64_t size : sizes) {
    TensorValue tensor;
    tensor.sizes = {4, size};
    tensor.strides = ContiguousStrides(tensor.sizes);
    builder.SetTensor(builder.Source(CallHistoryBuilder::kNoParent, source), tensor);
    builder.EndCall(RecordedCall(), StrId::kNone);
  }
  builder.Finish();
}

CompilePolicy Applied(std::string_view text, const CallHistory& history) {
  return ApplyPolicy(Parsed(text), CompilePolicy(), history).policy;
}

std::vector<std::string> TrapsOf(std::string_view text, const std::vector<int64_t>& sizes) {
  CallHistory history;
  AddCalls(history, "L['x']", sizes);
  return PolicyTraps(history, BodyOfCategory("free"), Applied(text, history));
}

TEST_CASE("parts are joined by plus or comma, and a tensor may be spelled both ways") {
  for (const char* text :
       {"mark_dynamic(x, 1, min=2, max=64) + limit 16", "mark_dynamic(L['x'], 1, 2, 64),limit=16",
        "limit(16)+mark_dynamic( x ,1,max=64,min=2)",
        "recompile_limit=16, mark_dynamic(x,[1],2,64)"}) {
    INFO(text);
    const PolicyChange change = Parsed(text);
    CHECK(change.marks == std::vector<PolicyMark>{{"L['x']", {1, MarkKind::kDynamic, 2, 64}}});
    CHECK(change.options ==
          std::vector<std::pair<std::string, std::string>>{{"recompile_limit", "16"}});
  }
}

TEST_CASE("every part of the language sets what its name says") {
  CallHistory history;
  AddCalls(history, "L['self']._modules['a'].cache", {3, 4});
  CHECK(Applied("as-is", history) == CompilePolicy());
  CHECK(Applied("as is", history) == CompilePolicy());
  CHECK(Applied("dynamic=True", history).dynamic == DynamicOption::kTrue);
  CHECK(Applied("dynamic=False", history).dynamic == DynamicOption::kFalse);
  CHECK(Applied("isolate", history).isolate_recompiles);
  CHECK(Applied("limit 64", history).recompile_limit == 64);
  CHECK(Applied("cache_size_limit=9", history).recompile_limit == 9);
  CHECK_FALSE(Applied("use_duck_shape=False", history).use_duck_shape);
  CHECK(Applied("automatic_dynamic_exclusion_guard", history).automatic_dynamic_exclusion_guard);
  CHECK(Applied("automatic_dynamic_shapes_mark_as=unbacked", history)
            .automatic_dynamic_marks_unbacked);
  CHECK(Applied("dynamic_sources=x + dynamic_sources=\"L['y']:1\"", history).dynamic_sources ==
        "L['x'],L['y']:1");
  CHECK(Applied("mark_static(self.a.cache, 0)", history).marks ==
        std::vector<PolicyMark>{{"L['self']._modules['a'].cache", {0, MarkKind::kStatic, {}, {}}}});
  CHECK(Applied("maybe_mark_dynamic(self.a.cache, [0, 1])", history).marks.size() == 2);
  CHECK(Applied("mark_unbacked(self.a.cache, 1)", history).marks[0].mark.kind ==
        MarkKind::kUnbacked);
  for (const char* text :
       {"buckets(self.a.cache, 1, 64|16|32|16)", "buckets(self.a.cache, 1, 16, 32, 64)",
        "buckets(self.a.cache, 1, [16, 32, 64])", "buckets(self.a.cache,1,16 32 64)"}) {
    INFO(text);
    const std::vector<PolicyBuckets> buckets = Applied(text, history).buckets;
    REQUIRE(buckets.size() == 1);
    CHECK(buckets[0].sizes == std::vector<int64_t>{16, 32, 64});
    CHECK(buckets[0].dim == 1);
    CHECK(buckets[0].fill == 0);
  }
  for (const char* text : {"buckets(self.a.cache, [0, 1], 16|32, fill=-100)",
                           "buckets(self.a.cache, [0, 1], fill= -1e2, 32|16)"}) {
    INFO(text);
    const std::vector<PolicyBuckets> buckets = Applied(text, history).buckets;
    REQUIRE(buckets.size() == 2);
    for (const PolicyBuckets& one : buckets) {
      CHECK(one.sizes == std::vector<int64_t>{16, 32});
      CHECK(one.fill == -100);
    }
  }
  for (const char* fill : {"", "nan", "-inf", "1e999", "a", "1 2"}) {
    INFO(fill);
    CHECK(ErrorOf("buckets(x, 0, 16, fill=" + std::string(fill) + ")") ==
          "policy \"buckets(x, 0, 16, fill=" + std::string(fill) + ")\", character 19: '" + fill +
              "' is no number to pad with");
  }
}

TEST_CASE("settings are those of a list, with values of their type") {
  CallHistory history;
  AddCalls(history, "L['x']", {3, 4});
  const CompilePolicy policy = Applied(
      "mode=max-autotune + float32_matmul_precision=\"high\" + inductor.shape_padding=False + "
      "inductor.triton.cudagraph_capture_sizes=(8, 16,)",
      history);
  CHECK(policy.settings ==
        CompileSettings{{"float32_matmul_precision", std::string("high")},
                        {"inductor.shape_padding", false},
                        {"inductor.triton.cudagraph_capture_sizes", std::vector<int64_t>{8, 16}},
                        {"mode", std::string("max-autotune")}});
  // They change how graphs run, and not which are compiled.
  CompilePolicy plain = policy;
  plain.settings.clear();
  CHECK(plain == CompilePolicy());
  CHECK(Simulate(history, BodyOfCategory("free"), policy, {}).totals.graphs ==
        Simulate(history, BodyOfCategory("free"), plain, {}).totals.graphs);
  for (const char* bad :
       {"mode=fastest", "mode", "float32_matmul_precision=low", "inductor.max_autotune=1",
        "inductor.max_autotune=__import__('os')", "inductor.post_grad_custom_post_pass=print",
        "inductor.cuda.cutlass_dir=/tmp", "inductor.triton.multi_kernel=-1",
        "inductor.triton.cudagraph_capture_sizes=(0, 8)",
        "inductor.triton.cudagraph_capture_sizes=()", "inductor.triton.cudagraph_capture_sizes=(8",
        "inductor.__class__=1"}) {
    INFO(bad);
    CHECK_FALSE(ErrorOf(bad).empty());
  }
  CHECK(ErrorOf("inductor.max_autotun=True").find("did you mean 'inductor.max_autotune'?") !=
        std::string::npos);
}

TEST_CASE("a change that does not fit the function says so") {
  CallHistory history;
  AddCalls(history, "L['x']", {3, 4});
  const AppliedPolicy none = ApplyPolicy(Parsed("mark_dynamic(y, 0)"), CompilePolicy(), history);
  CHECK_FALSE(none.is_applicable);
  CHECK(none.unmatched == std::vector<std::string>{"y"});
  const AppliedPolicy part =
      ApplyPolicy(Parsed("mark_dynamic(y, 0) + mark_dynamic(x, 0)"), CompilePolicy(), history);
  CHECK(part.is_applicable);
  CHECK(part.policy.marks.size() == 1);
  CHECK(ApplyPolicy(Parsed("as-is"), CompilePolicy(), history).is_applicable);
}

TEST_CASE("errors name the place and the nearest word") {
  CHECK(ErrorOf("limit 16 + mark_dynamc(x, 1)") ==
        "policy \"limit 16 + mark_dynamc(x, 1)\", character 12: 'mark_dynamc' is not known; did "
        "you mean 'mark_dynamic'?");
  CHECK(ErrorOf("recompile_limt=3").find("did you mean 'recompile_limit'?") != std::string::npos);
  CHECK(ErrorOf("dynamic=Perhaps") ==
        "policy \"dynamic=Perhaps\", character 1: 'Perhaps' is no value of dynamic");
  CHECK(ErrorOf("mark_dynamic(x, one)") ==
        "policy \"mark_dynamic(x, one)\", character 17: 'one' is no dim: a number");
  for (const char* bad :
       {"", "+", "limit 16 +", "mark_dynamic", "mark_dynamic(x)", "mark_dynamic(x, 1",
        "mark_static(x, 1, 2)", "buckets(x, 1)", "buckets(x, 1, a|b)", "buckets(x, -1, 16)",
        "buckets(x, 1, 0|16)", "limit", "limit -1", "limit many", "isolate 3",
        "mark_dynamic(x, 1, min=2, max=3, 4)"}) {
    INFO(bad);
    CHECK_FALSE(ErrorOf(bad).empty());
  }
}

TEST_CASE("traps are named where they apply, and only there") {
  CHECK(TrapsOf("mark_dynamic(x, 1)", {5, 6}).empty());
  CHECK(TrapsOf("mark_dynamic(x, 1, min=2, max=64)", {5, 6}).empty());
  CHECK(TrapsOf("mark_dynamic(x, 1, max=64)", {5, 6}).size() == 1);
  CHECK(TrapsOf("mark_dynamic(x, 1, min=2)", {5, 6}).size() == 1);
  CHECK(TrapsOf("mark_dynamic(x, 1, min=0, max=64)", {5, 6}).size() == 1);
  CHECK(TrapsOf("mark_dynamic(x, 1)", {1, 6}).size() == 1);
  CHECK(TrapsOf("mark_dynamic(x, 1)", {6, 1}).size() == 1);
  CHECK(TrapsOf("mark_unbacked(x, 1)", {1, 6}).empty());
  CHECK(TrapsOf("mark_dynamic(x, -1)", {5, 6}).size() == 1);
  // Nine lengths, nine graphs, limit 8.
  const std::vector<int64_t> nine = {5, 15, 25, 35, 45, 55, 65, 75, 85};
  CHECK(TrapsOf("mark_static(x, 1)", nine).size() == 1);
  CHECK(TrapsOf("mark_static(x, 1) + limit 9", nine).empty());
  CHECK(TrapsOf("mark_static(x, 1)", {5, 15}).empty());
}

TEST_CASE("buckets lose their static graphs, or hit the limit, or are too short") {
  const std::vector<int64_t> nine = {5, 15, 25, 35, 45, 55, 65, 75, 85};
  const std::string buckets = "buckets(x, 1, 10|20|30|40|50|60|70|80|90)";
  const std::vector<std::string> lost = TrapsOf(buckets, nine);
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].find("add mark_static(x, 1)") != std::string::npos);
  const std::vector<std::string> limit = TrapsOf(buckets + " + mark_static(x, 1)", nine);
  REQUIRE(limit.size() == 1);
  CHECK(limit[0].find("add limit 9") != std::string::npos);
  CHECK(TrapsOf(buckets + " + dynamic=False", nine).size() == 1);
  CHECK(TrapsOf(buckets + " + mark_static(x, 1) + limit 9", nine).empty());
  CHECK(TrapsOf("buckets(x, 1, 100)", nine).empty());
  const std::vector<std::string> beyond = TrapsOf("buckets(x, 1, 70) + mark_static(x, 1)", nine);
  REQUIRE(beyond.size() == 1);
  CHECK(beyond[0].starts_with("2 sizes of x.size(1) beyond the largest bucket 70"));
}

TEST_CASE("a range on a size that the code compares is an error") {
  CallHistory history;
  AddCalls(history, "L['x']", {5, 6});
  BodyFacts body = BodyOfCategory("free");
  BodyQuestion question;
  question.predicate = body.pool->Parse("L['x'].size()[1] > 16");
  question.file = "m.py";
  question.line = 7;
  body.frames[0].questions.push_back(question);
  const std::vector<std::string> traps =
      PolicyTraps(history, body, Applied("mark_dynamic(x, 1, min=2, max=64)", history));
  REQUIRE(traps.size() == 1);
  CHECK(traps[0].find("m.py:7") != std::string::npos);
  CHECK(PolicyTraps(history, body, Applied("mark_dynamic(x, 1)", history)).empty());
  CHECK(PolicyTraps(history, body, Applied("mark_dynamic(x, 0, min=2, max=64)", history)).empty());
}

TEST_CASE("lists of sources match whole names, or the beginning of names as regular expressions") {
  const SourceList list("L['x'], L['y']:1, L..w.., \\w\\['q\\d");
  CHECK(list.Names("L['x']"));
  CHECK(list.NamesDim("L['x']", 7));
  CHECK(list.Names("L['y']"));
  CHECK(list.NamesDim("L['y']", 1));
  CHECK(!list.NamesDim("L['y']", 0));
  CHECK(list.Names("L['w'][0]"));
  CHECK(list.Names("L['q3']"));
  CHECK(!list.Names("L['q']"));

  // "L['x']" as a regular expression is a letter and a set of letters.
  CHECK(list.Names("Lx"));
  CHECK(!list.Names("L['xs'][0]"));
  CHECK(!SourceList("x").Names("L['x']"));
  CHECK(!SourceList("").Names("L['x']"));
  CHECK(!SourceList("L[, (, *").Names("L['x']"));
}

}  // namespace
}  // namespace shapewise
