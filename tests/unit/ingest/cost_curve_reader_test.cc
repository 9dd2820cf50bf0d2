// Timed sizes and lists of sizes, out of files that people and programs write.

#include "ingest/size_reader.h"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

std::string ReadCurve(std::string_view text, JsonLineTotals* totals = nullptr) {
  MemoryFiles files;
  files.files["c"] = text;
  Expected<CostCurveFile> file = ReadCostCurve("c", files);
  if (!file) return llvm::toString(file.takeError());
  if (totals != nullptr) *totals = file->lines;
  std::string printed;
  const auto add = [&](std::string_view name, const std::optional<double>& seconds) {
    if (seconds) printed += " " + std::string(name) + std::to_string(*seconds * 1e6);
  };
  for (const CostPoint& point : file->curve.points) {
    printed += (printed.empty() ? "" : "; ") + std::to_string(point.size);
    add("", point.seconds);
    add("dynamic ", point.dynamic);
    add("aligned ", point.aligned);
    add("captured ", point.captured);
    add("eager ", point.eager);
  }
  return printed;
}

std::string ReadLadder(std::string_view text) {
  MemoryFiles files;
  files.files["l"] = text;
  Expected<std::vector<int64_t>> sizes = ReadSizeLadder("l", files);
  if (!sizes) return llvm::toString(sizes.takeError());
  std::string printed;
  for (const int64_t size : *sizes) printed += (printed.empty() ? "" : " ") + std::to_string(size);
  return printed;
}

TEST_CASE("sizes and seconds, in any unit and order") {
  const std::string expected = "64 100.000000; 128 250.000000";
  for (const char* text :
       {"size,seconds\n128,0.00025\n64,0.0001\n", "tokens\tms\n64\t0.1\n128\t0.25\n",
        "name;Length;time (us)\na;64;100\nb;128;250\n", "seq_len,static_ms\n64,0.1\n128,0.25\n",
        "64 0.0001\n128 0.00025\n", "{\"size\": 128, \"us\": 250}\n{\"size\": 64, \"us\": 100.0}\n",
        "size,latency[ns]\n64,1e5\n128,\"250000\"\n"}) {
    INFO(text);
    CHECK(ReadCurve(text) == expected);
  }
}

TEST_CASE("other ways of serving a size, where they were timed") {
  CHECK(ReadCurve("size,static_ms,dynamic_ms,eager_ms\n64,1,2,3\n128,2,,6\n") ==
        "64 1000.000000 dynamic 2000.000000 eager 3000.000000; 128 2000.000000 eager 6000.000000");
  CHECK(
      ReadCurve(
          "{\"size\":64,\"seconds\":1e-3,\"aligned\":2e-3,\"captured_us\":5,\"dynamic\":null}\n") ==
      "64 1000.000000 aligned 2000.000000 captured 5.000000");
}

TEST_CASE("what compiling took is the median of the rows, and never the time of a call") {
  MemoryFiles files;
  const auto read = [&](const char* text) {
    files.files["c"] = text;
    Expected<CostCurveFile> file = ReadCostCurve("c", files);
    REQUIRE(static_cast<bool>(file));
    return std::move(*file);
  };
  const CostCurveFile file = read(
      "compile_seconds,size,dynamic_compile_seconds,seconds\n9,64,20,1e-3\n4,128,,2e-3\n"
      "5,256,0,4e-3\n");
  CHECK(file.compile_seconds == 5);
  CHECK(file.dynamic_compile_seconds == 20);
  CHECK(file.curve.points[0].seconds == 1e-3);
  CHECK_FALSE(file.curve.points[0].dynamic);
  CHECK(read("size,ms,static_compile_ms\n64,1,2500\n").compile_seconds == 2.5);
  CHECK(read("{\"size\":64,\"us\":5,\"compile_seconds\":3}\n").compile_seconds == 3);
  CHECK_FALSE(read("size,ms\n64,1\n").compile_seconds);
  // A file without call times is not a cost curve, even if it has compile times.
  CHECK(ReadCurve("size,compile_seconds\n64,4\n").starts_with("c: no column contains the seconds"));
  CHECK(ReadCurve("size,dynamic_compile_ms\n64,4\n")
            .starts_with("c: no column contains the seconds"));
}

TEST_CASE("a spread is a share, of the row, and never the time of a call") {
  MemoryFiles files;
  const auto spread_of = [&](const char* text) {
    files.files["c"] = text;
    Expected<CostCurveFile> file = ReadCostCurve("c", files);
    REQUIRE(static_cast<bool>(file));
    return file->curve.points[0].spread;
  };
  CHECK(spread_of("size,ms,spread\n64,1,0.06\n") == 0.06);
  CHECK(spread_of("{\"size\":64,\"us\":5,\"spread\":0}\n") == 0);
  CHECK(spread_of("size,ms,spread\n64,1,0.1\n64,1,0.3\n64,1,\n64,1,0.2\n") == 0.2);
  // Of 100 % nothing is left; in percent, or in seconds, it is another figure.
  for (const char* text : {"size,ms\n64,1\n", "size,ms,spread\n64,1,\n", "size,ms,spread\n64,1,6\n",
                           "size,ms,spread\n64,1,-0.1\n", "size,ms,spread\n64,1,nan\n",
                           "size,ms,spread_ms\n64,1,0.1\n"}) {
    INFO(text);
    CHECK_FALSE(spread_of(text));
  }
  CHECK(ReadCurve("size,spread\n64,0.1\n").starts_with("c: no column contains the seconds"));
}

TEST_CASE("several rows of a size are told by their median") {
  CHECK(ReadCurve("size,us,eager_us\n64,1,9\n64,100,\n64,2,5\n") == "64 2.000000 eager 7.000000");
}

TEST_CASE("rows that tell no time are counted and named") {
  JsonLineTotals totals;
  CHECK(ReadCurve("size,us\n64,0\n64.5,1\n-1,1\n,1\n128\n256,nan\n512,7\n", &totals) ==
        "512 7.000000");
  CHECK(totals.records == 1);
  CHECK(totals.damaged == 6);
  CHECK(totals.first_damaged[0].line == 2);
  CHECK(totals.first_damaged[0].what == "its time is no number above zero");
  CHECK(totals.first_damaged[1].what == "size is no whole number");
}

TEST_CASE("a file without the columns says which it has") {
  CHECK(
      ReadCurve("size,cost\n64,1\n") ==
      "c: no column contains the seconds: it has 'size', 'cost'; expected size (or length, tokens) "
      "and "
      "seconds (or static, time; _ms, _us in the name), and may be dynamic, aligned, captured, "
      "eager, compile_seconds, dynamic_compile_seconds, spread");
  CHECK(ReadCurve("bucket,ms\n64,1\n")
            .starts_with("c: no column contains the size: it has 'bucket'"));
  CHECK(ReadCurve("{\"a\":1}\n").starts_with("c: no column contains the size: it has 'a'"));
  CHECK(ReadCurve("1 2 3\n").starts_with("c: without a header its lines hold a size and seconds"));
  CHECK(ReadCurve("size,ms\n") == "c: no timed size in it; expected columns size and seconds");
  CHECK(ReadCurve("") == "c: no timed size in it; expected columns size and seconds");
}

TEST_CASE("a ladder is any list of sizes") {
  for (const char* text : {"8\n1\n2\n4\n8\n", "[1, 2, 4, 8]\n", "1,2,4,8", "size\n1\n2\n4\n8\n",
                           "# mine\n1 2\n4 8\n", "[\n 1,\n 2,\n 4,\n 8\n]\n"}) {
    INFO(text);
    CHECK(ReadLadder(text) == "1 2 4 8");
  }
  CHECK(ReadLadder("1\nx\n") == "l: line 2: 'x' is no size");
  CHECK(ReadLadder("1,x\n") == "l: line 1: 'x' is no size");
  CHECK(ReadLadder("-4\n2\n") == "l: line 1: '-4' is no size");
  CHECK(ReadLadder("none\n") ==
        "l: no size in it; expected a list of sizes between commas, blanks or newlines");
}

}  // namespace
}  // namespace shapewise
