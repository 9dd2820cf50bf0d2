// Sizes from every form in which people keep them.

#include "ingest/size_reader.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

/// Rows as they come: "7x2 9" (two calls of 7, one of 9), "(3,4)" where there are more dims.
class RowText {
 public:
  explicit RowText(size_t dims) : dims_(dims) {}

  std::string_view operator()(const Sizes& sizes, uint64_t calls) {
    if (!text.empty()) text += ' ';
    std::string row = std::to_string(sizes[0]);
    for (size_t dim = 1; dim < dims_; ++dim) row += "," + std::to_string(sizes[dim]);
    text += dims_ > 1 ? "(" + row + ")" : row;
    if (calls != 1) text += "x" + std::to_string(calls);
    return {};
  }

  std::string text;

 private:
  size_t dims_;
};

struct Answer {
  SizeTotals totals;
  std::string rows;
  std::string error;
};

Answer ReadText(std::string_view text, const SizeQuery& query = {}) {
  MemoryFiles files;
  files.files["f"] = text;
  RowText sink(query.dims());
  Answer answer;
  Expected<SizeTotals> totals = ReadSizes("f", query, files, sink);
  if (totals) {
    answer.totals = std::move(*totals);
    answer.rows = sink.text;
  } else {
    answer.error = llvm::toString(totals.takeError());
    CHECK(sink.text.empty());
  }
  return answer;
}

std::string Rows(std::string_view text, const SizeQuery& query = {}) {
  const Answer answer = ReadText(text, query);
  return answer.error.empty() ? answer.rows : answer.error;
}

SizeQuery Columns(std::vector<std::string> columns) {
  SizeQuery query;
  query.columns = std::move(columns);
  return query;
}

SizeQuery Sources(std::vector<std::string> sources, std::string function = "") {
  SizeQuery query;
  query.sources = std::move(sources);
  query.function = std::move(function);
  return query;
}

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("one size a line, with a header or without") {
  CHECK(Rows("12\n7\n12\n") == "12 7 12");
  CHECK(Rows("length\n12\n7\n") == "12 7");
  CHECK(Rows("# made by a script\n\n 12 \r\n0\r\n7") == "12 0 7");
  CHECK(Rows("12.0\n1.2e1\n\"12\"\n+12\n") == "12 12 12 12");
  const Answer answer = ReadText("tokens\n12\n");
  CHECK(answer.totals.columns == std::vector<std::string>{"tokens"});
  CHECK(answer.totals.form == SizeForm::kNumbers);
  CHECK(answer.totals.is_ordered);
}

TEST_CASE("what is no size is counted and named with its line") {
  const Answer answer = ReadText("12\n-3\n4.5\nlong\n3000000000\n1 2 3\n99999999999999999999\n7\n");
  CHECK(answer.rows == "12 7");
  CHECK(answer.totals.lines.records == 2);
  CHECK(answer.totals.lines.damaged == 6);
  std::string reported;
  for (const DamagedLine& line : answer.totals.lines.first_damaged) {
    reported += std::to_string(line.line) + ": " + line.what + "\n";
  }
  CHECK(reported ==
        "2: length is negative\n3: length is no whole number\n4: length is no number\n5: length is "
        "too large\n6: it is no length, nor a length and a count\n");
}

TEST_CASE("a size and how often it came") {
  for (const char* text : {"30,5\n50,2\n", "30 5\n50\t2\n", "length,count\n30,5\n50,2\n",
                           "\"size\";\"n\"\n30;5\n50;2\n", "count\tlength\n5\t30\n2\t50\n",
                           "{\"length\": 30, \"count\": 5}\n{\"length\": 50, \"count\": 2}\n"}) {
    INFO(text);
    const Answer answer = ReadText(text);
    CHECK(answer.rows == "30x5 50x2");
    CHECK(answer.totals.form == SizeForm::kHistogram);
    CHECK_FALSE(answer.totals.is_ordered);
  }
  CHECK(Rows("length,count\n30,0.5\n50,2\n") == "50x2");
  SizeQuery query = Columns({"length"});
  query.count_column = "weight";
  CHECK(Rows("name,length,weight\na,30,5\n", query) == "30x5");
  // Without --column, a weight next to other columns is an ordinary column.
  CHECK(Rows("name,length,weight\na,30,5\n") == "30");
  CHECK(Rows("name,length,count\na,30,5\n") == "30x5");
}

TEST_CASE("columns by name or number, quoted or not") {
  const std::string csv =
      "time,prompt tokens,generated\n"
      "2023-11-16 18:17:03,374,44\n"
      "\"a, b\",\"396\",109\n"
      "\"two\nlines, \"\"quoted\"\"\",5,6\n";
  CHECK(Rows(csv, Columns({"generated"})) == "44 109 6");
  CHECK(Rows(csv, Columns({"Prompt Tokens"})) == "374 396 5");
  CHECK(Rows(csv, Columns({"3", "prompt tokens"})) == "(44,374) (109,396) (6,5)");
  CHECK(Rows("a,12,x\nb,30,y\n", Columns({"2"})) == "12 30");
  CHECK(Rows("12 30 1\n7 8 1\n", Columns({"2"})) == "30 8");
  CHECK(Rows("12,30\n7,8\n", Columns({"1", "2"})) == "(12,30) (7,8)");
  CHECK(Rows("12,30\n7,8\n", Columns({"1"})) == "12 7");
  CHECK(Rows("\t12\nx\t30\n", Columns({"2"})) == "12 30");
  CHECK(Rows("prompt output\n12   30\n7\t8\n", Columns({"output"})) == "30 8");
  CHECK(Rows(",length\n0,12\n1,30\n") == "12 30");  // an index without a name
  CHECK(Rows("a,b,c\n1,2,3\n4,5,6\n", Columns({"a", "b", "c"})) == "(1,2,3) (4,5,6)");
}

TEST_CASE("a column that is not there names those that are") {
  CHECK(Says(Rows("a,b\n1,2\n", Columns({"c"})), "no column 'c': it has 'a', 'b'"));
  CHECK(Says(Rows("a\n1\n", Columns({"c"})), "no column 'c': it has 'a'"));
  CHECK(Says(Rows("1,2\n", Columns({"c"})),
             "no column 'c': it has columns 1 to 2, without a header"));
  CHECK(Says(Rows("x,2\n", Columns({"3"})), "no column '3'"));
  CHECK(Says(Rows("a,b\n1,2\n"), "which column contains the sizes is unknown: there are 'a', 'b'"));
  CHECK(Says(
      Rows("1 2 3\n"),
      "which column contains the sizes is unknown: there are columns 1 to 3, without a header; "
      "select one with --column"));
  CHECK(Says(Rows("{\"a\":1,\"b\":{\"c\":2}}\n"), "numbers and lists are 'a', 'b.c'"));
  CHECK(Says(Rows("{\"a\":1}\n{\"a\":1}\n", Columns({"d"})),
             "no member 'd': numbers and lists are 'a'"));
}

TEST_CASE("a row without its field is damaged, and no other") {
  const Answer answer = ReadText("a,b\n1\n1,2\n1,\n1,4\n", Columns({"b"}));
  CHECK(answer.rows == "2 4");
  REQUIRE(answer.totals.lines.damaged == 2);
  CHECK(answer.totals.lines.first_damaged[0].line == 2);
  CHECK(answer.totals.lines.first_damaged[0].what == "b is missing");
}

TEST_CASE("members of JSON lines") {
  const std::string lines =
      "{\"usage\": {\"prompt\": 12, \"output\": 3}, \"ids\": [5, 6, 7], \"n\": 1}\n"
      "{\"usage\": {\"prompt\": 30.0, \"output\": \"4\"}, \"ids\": [], \"n\": 1}\n"
      "{\"usage\": null}\n"
      "{\"usage\"\n";
  CHECK(Rows(lines, Columns({"usage.prompt"})) == "12 30");
  CHECK(Rows(lines, Columns({"usage.output", "ids"})) == "(3,3) (4,0)");
  CHECK(ReadText(lines, Columns({"ids"})).totals.lines.damaged == 2);
  CHECK(Rows("{\"tokens\": 5, \"id\": 9}\n") == "5");
  CHECK(Rows("{\"a.b\": 5, \"a\": {\"b\": 6}}\n", Columns({"a.b"})) == "5");
  CHECK(Rows("{\"other\": 1}\n{\"size\": 5}\n", Columns({"size"})) == "5");
}

TEST_CASE("a JSON list") {
  CHECK(Rows("[12, 30,7]\n") == "12 30 7");
  CHECK(Rows("[\n  12,\n  30\n]\n") == "12 30");
  CHECK(Rows("[{\"a\": 1, \"t\": \"}[\\\"\"},\n {\"a\":\n 2}]", Columns({"a"})) == "1 2");
  CHECK(Says(Rows("[[1, 2], [3]]"), "it is a list of lists"));
  CHECK(Says(Rows("[1, 2]", Columns({"a"})), "a JSON list of sizes has no columns"));
  const Answer answer = ReadText("[12, \"x\", {\"a\": 1}]");
  CHECK(answer.rows == "12");
  CHECK(answer.totals.lines.damaged > 0);
}

TEST_CASE("call records: the dim that varies, or the one that is named") {
  const std::string records =
      "{\"function\":\"f\",\"inputs\":{\"x\":{\"size\":[8,100]},\"n\":3}}\n"
      "{\"function\":\"f\",\"inputs\":{\"x\":{\"size\":[8,117]},\"n\":4},\"times\":2}\n"
      "{\"function\":\"f\",\"inputs\":{\"n\":5}}\n";
  const Answer answer = ReadText(records);
  CHECK(answer.rows == "100 117x2");
  CHECK(answer.totals.columns == std::vector<std::string>{"x:1"});
  CHECK(answer.totals.without == 1);
  CHECK(answer.totals.form == SizeForm::kCallRecords);
  CHECK(Rows(records, Sources({"x:0"})) == "8 8x2");
  CHECK(Rows(records, Sources({"L['x']:-1", "n"})) == "(100,3) (117,4)x2");
  CHECK(Says(Rows(records, Sources({"y:0"})), "no function in it has y:0: x:1 (2 sizes) varies"));
  CHECK(Says(Rows(records, Columns({"x"})), "by --source, as in x:1, not by --column"));
}

TEST_CASE("call records in which several dims vary are asked about") {
  const std::string records =
      "{\"schema\":\"shapewise.calls/1\"}\n"
      "{\"function\":\"f\",\"inputs\":{\"x\":{\"size\":[8,100]}}}\n"
      "{\"function\":\"f\",\"inputs\":{\"x\":{\"size\":[4,117]}}}\n"
      "{\"function\":\"g\",\"inputs\":{\"x\":{\"size\":[4,7]}}}\n";
  const std::string error = Rows(records);
  CHECK(Says(error, "x:0 of 'f' (2 sizes), x:1 of 'f' (2 sizes) vary"));
  CHECK(Says(error, "--source x:0 --function f"));
  CHECK(Says(Rows(records, Sources({"x:1"})), "several functions have x:1: 'f', 'g'"));
  CHECK(Rows(records, Sources({"x:1"}, "g")) == "7");
  CHECK(Rows(records, Sources({"x:0", "x:1"}, "f")) == "(8,100) (4,117)");
  CHECK(Says(Rows(records, Sources({"x:1"}, "h")), "no function 'h': it has 'f', 'g'"));
}

TEST_CASE("calls of several processes have no order together") {
  const Answer answer = ReadText(
      "{\"rank\":0,\"inputs\":{\"x\":{\"size\":[1]}}}\n{\"rank\":1,\"inputs\":{\"x\":{\"size\":[2]}"
      "}}\n");
  CHECK(answer.rows == "1 2");
  CHECK_FALSE(answer.totals.is_ordered);
}

TEST_CASE("a lint result tells the sizes that missed, of the dim that took the most") {
  const std::string result = R"({
 "schema": "shapewise.lint/1",
 "findings": [],
 "events": [
  {"kind":"recompile","function":"f","reasons":[
    {"class":"size","source":"L['x']","dim":1,"expected":"12","actual":"30"}]},
  {"kind":"recompile","function":"f","reasons":[
    {"class":"size","source":"L['x']","dim":1,"expected":"30","actual":"7"},
    {"class":"size","source":"L['x']","dim":1,"expected":"12","actual":"7"},
    {"class":"dtype","source":"L['x']"}]},
  {"kind":"recompile","function":"g","text":"[0/1] [__recompiles] torch/_dynamo","reasons":[
    {"class":"size","source":"y","dim":0,"expected":"1","actual":"2"}]}]
})";
  const Answer answer = ReadText(result);
  CHECK(answer.rows == "12 30 7");
  CHECK(answer.totals.is_censored);
  CHECK(answer.totals.columns == std::vector<std::string>{"x:1"});
  CHECK(answer.totals.note == "it contains sizes of 2 dims; read is x:1 of f, which took the most");
  CHECK(Rows(result, Sources({"y:0"})) == "1 2");
  CHECK(Says(Rows(result, Sources({"z:0"})), "it contains no sizes of z:0, but of 'x:1', 'y:0'"));
  CHECK(Says(Rows(result, Sources({"x:0", "x:1"})), "lists each size by itself"));
}

TEST_CASE("a lint result without events tells what its findings tell") {
  CHECK(Rows("{\"schema\":\"shapewise.lint/"
             "1\",\"findings\":[{\"where\":{\"function\":\"f\"},\"cause\":{"
             "\"class\":\"size\",\"source\":\"x\",\"dim\":0},\"values\":[\"5\",\"9\"]}]}") ==
        "5 9");
  CHECK(Says(Rows("{\"schema\":\"shapewise.lint/1\",\"findings\":[]}"),
             "it contains no sizes: nothing was recompiled because of one"));
}

TEST_CASE("what holds no sizes is an error that says what was expected") {
  CHECK(Says(Rows(""), "it is empty; expected a size a line"));
  CHECK(Says(Rows("hello\nworld\n"), "no size recognised (line 2: hello is no number); expected"));
  CHECK(Says(Rows("hello\nworld\n"), "it begins with \"hello\""));
  CHECK(Says(Rows("{\n \"a\": 1\n}\n"), "no lint result"));
  CHECK(Says(Rows("{\"schema\":\"shapewise.predict/1\",\"inputs\":[]}\n"),
             "it is shapewise.predict/1"));
  const char* const trace =
      "V1121 04:12:15.119000 4231 torch/_logging/structured.py:28] {\"a\": 1}\n";
  const char* const log =
      "Loading the model\nI1121 04:12:15.119000 4231 torch/_dynamo/guards.py:1] [0/1] "
      "[__recompiles] Recompiling function f in t.py:1\n";
  for (const char* text : {trace, log}) {
    CHECK(Says(Rows(text), "shapewise lint --format json --events RUN | shapewise buckets -"));
  }
  CHECK(Says(Rows("12\n", Sources({"x:1"})), "only in call records and lint results"));
}

TEST_CASE("however the bytes are cut on their way, the rows are the same") {
  const std::vector<std::pair<std::string, SizeQuery>> inputs = {
      {"12\n7\n\n#c\n-1\n30 5\n99", {}},
      {"length,count\n5,2\n\"7\",1\n", {}},
      {"a,b\n\"x\ny\",4\nz,5\n", Columns({"b"})},
      {"{\"a\":{\"b\":3}}\n{\"a\":{\"b\":4}}\n", Columns({"a.b"})},
      {"[1, 22,\n333]\n", {}},
      {"{\"inputs\":{\"x\":{\"size\":[1]}}}\n{\"inputs\":{\"x\":{\"size\":[2]}}}\n", {}},
  };
  class CutFiles final : public FileSource {
   public:
    std::string_view text;
    size_t cut = 0;
    Expected<std::vector<std::string>> Expand(const std::string& path) override {
      return std::vector<std::string>{path};
    }
    Error Read(const std::string&, LineSink& sink, Stats& stats, uint32_t input,
               TextTotals& totals) override {
      totals = ReadChunks({text.substr(0, cut), text.substr(cut)}, sink, stats, input);
      return Error::success();
    }
    Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string&) override {
      return MakeError("not read whole");
    }
  };
  for (const auto& [text, query] : inputs) {
    const Answer whole = ReadText(text, query);
    REQUIRE_FALSE(whole.rows.empty());
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      CutFiles files;
      files.text = text;
      files.cut = cut;
      RowText sink(query.dims());
      Expected<SizeTotals> totals = ReadSizes("f", query, files, sink);
      REQUIRE(bool(totals));
      CHECK(sink.text == whole.rows);
      CHECK(totals->lines.damaged == whole.totals.lines.damaged);
    }
  }
}

TEST_CASE("lines of any length") {
  std::string list = "[";
  for (int i = 0; i < 400'000; ++i) list += (i > 0 ? ", " : "") + std::to_string(1000 + i % 7);
  const Answer sizes = ReadText(list + "]");
  CHECK(sizes.totals.lines.records == 400'000);
  CHECK(sizes.totals.lines.damaged == 0);
  const std::string text(3 << 20, 'a');
  CHECK(Rows("{\"text\": \"" + text + "\", \"tokens\": 5}\n{\"tokens\": 6}\n") == "5 6");
  CHECK(Rows("text,tokens\n" + text + ",5\n\"" + text + "\",6\n", Columns({"tokens"})) == "5 6");
  CHECK(Rows("12\n" + text + "\n13\n") == "12 13");
}

TEST_CASE("a quote that is never closed costs the rows within 1 MiB") {
  std::string csv = "text,tokens\n\"open,1\n";
  for (int i = 0; i < 400'000; ++i) csv += "closed,2\n";
  const Answer answer = ReadText(csv, Columns({"tokens"}));
  CHECK(answer.totals.lines.damaged == 1);
  CHECK(answer.totals.lines.first_damaged[0].what == "a quoted field does not end");
  CHECK(answer.totals.lines.records > 250'000);
}

TEST_CASE("several inputs follow each other, and lengths become calls") {
  MemoryFiles files;
  files.files["a"] = "3\n5\n";
  files.files["b"] = "length\n4\n1\n2\n";
  GroupingRule pairs;
  pairs.batch = 2;
  Expected<SizeRun> run = ReadSizeRun({"a", "b", "missing"}, {}, pairs, files);
  REQUIRE(bool(run));
  CHECK(run->history.rows() == 2);
  CHECK(run->history.Histogram().counts ==
        std::vector<SizeCount>{{{4, 1, 1}, 1, 5}, {{5, 1, 1}, 1, 8}});
  CHECK(run->grouping.left_out == 1);
  CHECK(run->files.size() == 2);
  CHECK(run->unread == std::vector<std::string>{"missing: no such file"});
  GroupingRule tokens;
  tokens.max_tokens = 10;
  run = ReadSizeRun({"a", "b"}, {}, tokens, files);
  REQUIRE(bool(run));
  CHECK(run->columns == std::vector<std::string>{"batch", "length"});
  CHECK(run->history.Histogram().counts ==
        std::vector<SizeCount>{{{1, 2, 1}, 1, 2}, {{2, 4, 1}, 1, 5}, {{2, 5, 1}, 1, 8}});
}

TEST_CASE("a histogram cannot be grouped") {
  MemoryFiles files;
  files.files["h"] = "length,count\n3,5\n";
  GroupingRule pairs;
  pairs.batch = 2;
  Expected<SizeRun> run = ReadSizeRun({"h"}, {}, pairs, files);
  REQUIRE_FALSE(bool(run));
  CHECK(Says(llvm::toString(run.takeError()), "this histogram does not contain the order"));
  run = ReadSizeRun({"h"}, {}, {}, files);
  REQUIRE(bool(run));
  CHECK_FALSE(run->history.is_ordered());
}

}  // namespace
}  // namespace shapewise
