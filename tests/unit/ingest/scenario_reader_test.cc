// Scenarios become histories: what each layout, mark and bucket means in numbers.

#include "ingest/call_record_reader.h"

#include <memory>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

using Kind = CallValue::Kind;

struct Read {
  JsonLineTotals totals;
  std::vector<std::string> ids;
  std::vector<std::string> damage;
};

/// Reads `text` and hands each scenario to `look`.
Read ReadText(const std::string& text, llvm::function_ref<void(const Scenario&)> look) {
  MemoryFiles files;
  files.files["s.jsonl"] = text;
  Read read;
  Expected<JsonLineTotals> totals = ReadScenarios("s.jsonl", files, [&](const Scenario& scenario) {
    read.ids.push_back(scenario.id);
    read.damage.push_back(scenario.damage);
    look(scenario);
  });
  REQUIRE(bool(totals));
  read.totals = *totals;
  return read;
}

void Ignore(const Scenario&) {}

std::string Line(const std::string& policy, const std::string& names, const std::string& calls) {
  return R"({"id":"a","fn":"f","category":"free","policy":)" + policy + R"(,"argnames":)" + names +
         R"(,"calls":)" + calls + "}\n";
}

const TensorValue& TensorOf(const Scenario& scenario, size_t call, size_t source) {
  const CallSignature& signature =
      scenario.history.signatures[scenario.history.calls[call].signature];
  REQUIRE(signature.values.at(source).kind == Kind::kTensor);
  return scenario.history.tensors[signature.values[source].tensor];
}

// Strides as torch 2.13 gives them for these sizes.
TEST_CASE("layouts have the strides that torch gives them") {
  struct Case {
    std::string shape;
    std::string layout;
    std::vector<int64_t> strides;
    int64_t offset;
  };
  const Case cases[] = {
      {"[4,3]", "c", {3, 1}, 0},       {"[4,3]", "t", {1, 4}, 0},
      {"[4,3]", "s2", {6, 2}, 0},      {"[4,3]", "off", {3, 1}, 3},
      {"[2,3,5]", "t", {15, 1, 3}, 0}, {"[2,3,5]", "s2", {30, 10, 2}, 0},
      {"[2,0,3]", "c", {3, 3, 1}, 0},  {"[2,0,3]", "t", {3, 1, 1}, 0},
      {"[2,0,3]", "s2", {6, 6, 2}, 0}, {"[7]", "t", {1}, 0},
      {"[7]", "s2", {2}, 0},
  };
  for (const Case& one : cases) {
    INFO(one.shape << " " << one.layout);
    const std::string argument =
        R"({"k":"T","shape":)" + one.shape + R"(,"layout":")" + one.layout + "\"}";
    ReadText(Line("{}", R"(["x"])", R"([{"args":[)" + argument + "]}]"),
             [&](const Scenario& scenario) {
               const TensorValue& tensor = TensorOf(scenario, 0, 0);
               CHECK(tensor.strides == one.strides);
               CHECK(tensor.storage_offset == one.offset);
               CHECK(tensor.has_layout);
             });
  }
}

TEST_CASE("sources come in the order of arguments, parts of one behind it, whenever they appear") {
  const std::string calls = R"([
    {"args":[{"k":"list","v":[{"k":"T","shape":[2]}]},{"k":"int","v":3}]},
    {"args":[{"k":"list","v":[{"k":"T","shape":[2]},{"k":"T","shape":[5]}]},{"k":"int","v":4}]},
    {"args":[{"k":"dict","v":{"a":{"k":"none"},"it's":{"k":"bool","v":true}}},{"k":"str","v":"m"}]}
  ])";
  std::string flat;
  for (const char c : calls) {
    if (c != '\n') flat += c;
  }
  ReadText(Line("{}", R"(["xs","n"])", flat), [](const Scenario& scenario) {
    CHECK(scenario.damage.empty());
    const CallHistory& history = scenario.history;
    std::vector<std::string> sources;
    for (const StrId id : history.sources) sources.emplace_back(history.strings.text(id));
    CHECK(sources == std::vector<std::string>{"L['xs']", "L['xs'][0]", "L['xs'][1]", "L['xs']['a']",
                                              "L['xs'][\"it's\"]", "L['n']"});
    const auto& first = history.signatures[history.calls[0].signature].values;
    CHECK(first.at(0).kind == Kind::kLength);
    CHECK(first.at(0).integer == 1);
    CHECK(first.at(2).kind == Kind::kAbsent);
    CHECK(first.at(5).integer == 3);
    const auto& last = history.signatures[history.calls[2].signature].values;
    CHECK(last.at(0).kind == Kind::kKeys);
    CHECK(history.strings.text(last.at(0).text) == "['a', \"it's\"]");
    CHECK(last.at(3).kind == Kind::kNone);
    CHECK(last.at(4).kind == Kind::kBool);
    CHECK(history.strings.text(last.at(5).text) == "m");
  });
}

TEST_CASE("marks are on the calls that they name, and only on dims that are there") {
  const std::string policy =
      R"({"dynamic":null,"marks":[{"arg":"x","dim":1,"kind":"dynamic","min":2,"max":64,"calls":[1]},)"
      R"({"arg":"x","dim":2,"kind":"static"}]})";
  const std::string calls =
      R"([{"args":[{"k":"T","shape":[4,8]}]},{"args":[{"k":"T","shape":[4,8]}]}])";
  ReadText(Line(policy, R"(["x"])", calls), [](const Scenario& scenario) {
    CHECK(TensorOf(scenario, 0, 0).marks.empty());
    const std::vector<DimMark> marks = TensorOf(scenario, 1, 0).marks;
    REQUIRE(marks.size() == 1);
    CHECK(marks[0] == DimMark{1, MarkKind::kDynamic, 2, 64});
    CHECK(scenario.policy.marks.empty());
    CHECK(scenario.history.signatures.size() == 2);
  });
}

TEST_CASE("padding happens before strides, and leaves what is beyond the largest bucket") {
  const std::string policy = R"({"buckets":[{"arg":"x","dim":1,"sizes":[32,16]}]})";
  const std::string calls =
      R"([{"args":[{"k":"T","shape":[4,9]}]},{"args":[{"k":"T","shape":[4,16]}]},)"
      R"({"args":[{"k":"T","shape":[4,17]}]},{"args":[{"k":"T","shape":[4,33]}]}])";
  ReadText(Line(policy, R"(["x"])", calls), [](const Scenario& scenario) {
    CHECK(TensorOf(scenario, 0, 0).sizes == std::vector<int64_t>{4, 16});
    CHECK(TensorOf(scenario, 0, 0).strides == std::vector<int64_t>{16, 1});
    CHECK(scenario.history.calls[0].signature == scenario.history.calls[1].signature);
    CHECK(TensorOf(scenario, 2, 0).sizes == std::vector<int64_t>{4, 32});
    CHECK(TensorOf(scenario, 3, 0).sizes == std::vector<int64_t>{4, 33});
  });
}

TEST_CASE("a stance holds until the next, and grad mode and wrapper are the call's own") {
  const std::string policy = R"({"stance":{"1":"force_eager","3":"default"},"isolate":true,)"
                             R"("config":{"recompile_limit":2,"cache_size_limit":3,"weird":1}})";
  const std::string call = R"({"args":[{"k":"float","v":0.5}],"inst":1,"grad":"off"})";
  const std::string other = R"({"args":[{"k":"float","v":2.0}],"grad":"inference"})";
  ReadText(
      Line(policy, R"(["a"])", "[" + call + "," + call + "," + other + "," + call + "]"),
      [](const Scenario& scenario) {
        const std::vector<RecordedCall>& calls = scenario.history.calls;
        REQUIRE(calls.size() == 4);
        CHECK(calls[0].stance == Stance::kDefault);
        CHECK(calls[1].stance == Stance::kForceEager);
        CHECK(calls[2].stance == Stance::kForceEager);
        CHECK(calls[3].stance == Stance::kDefault);
        CHECK(calls[0].wrapper == 1);
        CHECK(calls[2].wrapper == 0);
        const CallHistory& history = scenario.history;
        CHECK(history.strings.text(history.signatures[calls[0].signature].state) == "grad=off");
        CHECK(history.strings.text(history.signatures[calls[2].signature].state) == "inference");
        CHECK(scenario.policy.isolate_recompiles);
        CHECK(scenario.policy.recompile_limit == 3);
        CHECK(scenario.policy.unknown_options == std::vector<std::string>{"weird=1"});
      });
}

TEST_CASE("damaged lines are counted and named, and the rest is read") {
  const std::string good = Line("{}", R"(["x"])", R"([{"args":[{"k":"int","v":1}]}])");
  const std::string text = good + "{\"id\":\n" + "\n[1]\n" + "{\"fn\":\"f\"}\n" +
                           Line("{}", R"(["x"])", R"([{"args":[{"k":"T"}]}])") +
                           Line("{}", R"(["x"])", R"([{"args":[{"k":"what","v":1}]}])") + good;
  const Read read = ReadText(text, Ignore);
  CHECK(read.totals.records == 4);
  CHECK(read.totals.damaged == 5);
  REQUIRE(read.totals.first_damaged.size() == 5);
  CHECK(read.totals.first_damaged[0].line == 2);
  CHECK(read.totals.first_damaged[1].line == 4);
  CHECK(read.totals.first_damaged[2].what == "it has no id");
  CHECK(read.damage ==
        std::vector<std::string>{"", "calls[0]: args[0]: a tensor without a shape",
                                 "calls[0]: args[0]: argument kind 'what' is not known", ""});
}

TEST_CASE("a scenario that is cut anywhere does no harm") {
  const std::string whole = Line(
      R"({"marks":[{"arg":"x","dim":0,"kind":"dynamic"}],"stance":{"0":"default"}})",
      R"(["x","y"])",
      R"([{"args":[{"k":"T","shape":[4,8],"layout":"t"},{"k":"dict","v":{"a":{"k":"none"}}}]}])");
  for (size_t length = 0; length <= whole.size(); ++length) {
    const Read read = ReadText(whole.substr(0, length), Ignore);
    CHECK(read.totals.records + read.totals.damaged == (length == 0 ? 0 : 1));
  }
}

}  // namespace
}  // namespace shapewise
