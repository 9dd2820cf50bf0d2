// Call records: every kind of value, and the gathering of calls by function.

#include "ingest/call_record_reader.h"

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

using Kind = CallValue::Kind;

RecordedFunctions ReadText(const std::string& text, JsonLineTotals* totals = nullptr) {
  MemoryFiles files;
  files.files["c.jsonl"] = text;
  RecordedFunctions functions;
  Expected<JsonLineTotals> read = ReadCallRecords("c.jsonl", files, functions);
  REQUIRE(bool(read));
  if (totals != nullptr) *totals = *read;
  return functions;
}

TEST_CASE("each form of a value is read") {
  const RecordedFunctions functions = ReadText(
      R"({"schema":"shapewise.calls/1"})"
      "\n"
      R"({"inputs":{"x":{"size":[2,3],"stride":[1,2],"offset":5,"dtype":"float16","device":"cuda:0",)"
      R"("requires_grad":true,"type":"Parameter","keys":"inference","object":2,)"
      R"("marks":[{"dim":1,"kind":"unbacked","min":0}]},)"
      R"("self.n":7,"b":false,"s":"sum","f":3.0,"g":{"float":"nan"},"o":null,)"
      R"("xs":{"tuple":[1,{"size":[4]}]},"d":{"dict":{"k":2}},"c":{"opaque":"<class 'C'>"},)"
      R"("L['u']":{"unknown":true}},"grad":"off","state":"autocast=bfloat16","wrapper":3,)"
      R"("stance":"fail_on_recompile"})"
      "\n");
  REQUIRE(functions.size() == 1);
  const CallHistory& history = functions[0]->history;
  REQUIRE(history.calls.size() == 1);
  CHECK(history.calls[0].wrapper == 3);
  CHECK(history.calls[0].stance == Stance::kFailOnRecompile);
  const CallSignature& signature = history.signatures[0];
  CHECK(history.strings.text(signature.state) == "grad=off; autocast=bfloat16");
  std::vector<std::string> sources;
  for (const StrId id : history.sources) sources.emplace_back(history.strings.text(id));
  CHECK(sources == std::vector<std::string>{"L['x']", "L['self'].n", "L['b']", "L['s']", "L['f']",
                                            "L['g']", "L['o']", "L['xs']", "L['xs'][0]",
                                            "L['xs'][1]", "L['d']", "L['d']['k']", "L['c']",
                                            "L['u']"});
  const std::vector<CallValue>& values = signature.values;
  const TensorValue& x = history.tensors[values[0].tensor];
  CHECK(x.strides == std::vector<int64_t>{1, 2});
  CHECK(x.has_layout);
  CHECK(x.storage_offset == 5);
  CHECK(history.strings.text(x.dtype) == "torch.float16");
  CHECK(history.strings.text(x.type) == "Parameter");
  CHECK(history.strings.text(x.keys) == "inference");
  CHECK(x.requires_grad);
  CHECK(x.object == 2);
  CHECK(x.marks == std::vector<DimMark>{{1, MarkKind::kUnbacked, 0, std::nullopt}});
  CHECK(values[1].integer == 7);
  CHECK(values[2].kind == Kind::kBool);
  CHECK(values[4].kind == Kind::kFloat);
  CHECK(values[4].number == 3.0);
  CHECK(std::isnan(values[5].number));
  CHECK(values[6].kind == Kind::kNone);
  CHECK(values[7].kind == Kind::kLength);
  CHECK(values[7].integer == 2);
  CHECK_FALSE(history.tensors[values[9].tensor].has_layout);
  CHECK(history.strings.text(values[10].text) == "['k']");
  CHECK(values[12].kind == Kind::kOpaque);
  CHECK(values[13].kind == Kind::kUnknown);
}

TEST_CASE("calls are gathered by function and process, and repeats are counted") {
  const auto line = [](const std::string& head, int n) {
    return "{" + head + "\"inputs\":{\"n\":" + std::to_string(n) + "}}\n";
  };
  const std::string f = R"("function":"f","line":3,)";
  JsonLineTotals totals;
  const RecordedFunctions functions =
      ReadText(line(f, 1) + line("\"function\":\"g\",", 1) + line(f + "\"times\":5,", 2) +
                   line(f + "\"rank\":1,", 1) + line(f, 1),
               &totals);
  CHECK(totals.records == 5);
  REQUIRE(functions.size() == 3);
  CHECK(functions[0]->function == "f");
  CHECK(functions[0]->line == 3);
  CHECK(functions[0]->history.calls.size() == 7);
  CHECK(functions[0]->history.signatures.size() == 2);
  CHECK(functions[0]->history.calls[6].signature == 0);
  CHECK(functions[1]->function == "g");
  CHECK(functions[2]->rank == 1);
}

TEST_CASE("a line that came before is the same call again") {
  const std::string a = "{\"function\":\"f\",\"inputs\":{\"n\":1},\"times\":2}\n";
  const std::string b = "{\"function\":\"g\",\"inputs\":{\"n\":1},\"wrapper\":1}\n";
  JsonLineTotals totals;
  const RecordedFunctions functions = ReadText(a + b + a + b + b, &totals);
  CHECK(totals.records == 5);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0]->history.calls.size() == 4);
  REQUIRE(functions[1]->history.calls.size() == 3);
  CHECK(functions[1]->history.calls[2].wrapper == 1);
  CHECK(functions[1]->history.signatures.size() == 1);
}

TEST_CASE("the first policy of a function holds; it is absent where none is told") {
  const RecordedFunctions functions = ReadText(
      "{\"inputs\":{\"n\":1},\"policy\":{\"dynamic\":true,\"config\":{\"recompile_limit\":4}}}\n"
      "{\"inputs\":{\"n\":1},\"policy\":{\"dynamic\":false}}\n"
      "{\"function\":\"g\",\"inputs\":{\"n\":1}}\n");
  REQUIRE(functions.size() == 2);
  REQUIRE(functions[0]->policy);
  CHECK(functions[0]->policy->dynamic == DynamicOption::kTrue);
  CHECK(functions[0]->policy->recompile_limit == 4);
  CHECK_FALSE(functions[1]->policy);
}

TEST_CASE("a damaged record is left out whole") {
  JsonLineTotals totals;
  const RecordedFunctions functions = ReadText(
      "{\"inputs\":{\"n\":1,\"x\":{\"size\":[-1]}}}\n"
      "{\"inputs\":{\"n\":1,\"x\":[1]}}\n"
      "{\"inputs\":{\"n\":2},\"stance\":\"odd\"}\n"
      "{\"schema\":\"shapewise.calls/2\",\"inputs\":{}}\n"
      "{\"inputs\":{\"n\":3}}\n",
      &totals);
  CHECK(totals.damaged == 4);
  CHECK(totals.records == 1);
  CHECK(totals.first_damaged[0].what == "inputs: L['x']: size is no list of sizes");
  REQUIRE(functions.size() == 1);
  REQUIRE(functions[0]->history.calls.size() == 1);
  CHECK(functions[0]->history.signatures[0].values.at(0).integer == 3);
}

TEST_CASE("lengths become calls that differ in one dim") {
  MemoryFiles files;
  files.files["l.csv"] = "length,count\n5,2\n7,1\nx,1\n 9,1\n";
  Expected<LengthShape> shape = ParseLengthShape("x[8, *, 64]");
  REQUIRE(bool(shape));
  RecordedFunction function;
  Expected<JsonLineTotals> totals = ReadLengths("l.csv", *shape, files, function);
  REQUIRE(bool(totals));
  CHECK(totals->records == 3);
  CHECK(totals->damaged == 1);
  CHECK(totals->first_damaged[0].line == 4);
  REQUIRE(function.history.calls.size() == 4);
  CHECK(function.history.signatures.size() == 3);
  CHECK(function.history.tensors[1].sizes == std::vector<int64_t>{8, 7, 64});
}

TEST_CASE("a shape of lengths names one dim") {
  Expected<LengthShape> shape = ParseLengthShape("self.cache:2");
  REQUIRE(bool(shape));
  CHECK(shape->source == "L['self'].cache");
  CHECK(shape->dim == 2);
  CHECK(shape->sizes.size() == 3);
  for (const char* bad : {"", "x", ":1", "x:y", "x[1,2]", "x[*,*]", "[*]", "x[a,*]", "x:-1"}) {
    INFO(bad);
    Expected<LengthShape> read = ParseLengthShape(bad);
    CHECK_FALSE(bool(read));
    llvm::consumeError(read.takeError());
  }
}

}  // namespace
}  // namespace shapewise
