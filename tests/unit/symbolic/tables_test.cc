// Expressions that PyTorch itself printed, with the values that sympy gives them.

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/source_dir.h"
#include "symbolic/expression.h"
#include "symbolic/interval.h"

namespace shapewise {
namespace {

// The lines of a table next to this file, without comments.
std::vector<std::string> LinesOf(const std::string& file) {
  std::ifstream input(SourceDir() + "/tests/unit/symbolic/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) {
    if (!line.starts_with('#')) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

TEST_CASE("three spellings of one expression have one id, and sympy's values", "[symbolic]") {
  const std::vector<std::string> lines = LinesOf("sympy_expressions.tsv");
  REQUIRE(lines.size() == 400);
  size_t values = 0;
  for (const std::string& line : lines) {
    const std::vector<std::string> fields = Split(line, '\t');
    REQUIRE(fields.size() == 4);
    CAPTURE(fields[0], fields[1], fields[2]);
    ExprPool pool;
    const ExprId id = pool.Parse(fields[0]);
    CHECK(id != ExprId::kNone);
    CHECK(pool.ToText(pool.Parse(fields[1])) == pool.ToText(id));
    CHECK(pool.ToText(pool.Parse(fields[2])) == pool.ToText(id));
    CHECK(pool.Parse(pool.ToText(id)) == id);
    for (const std::string& sample : Split(fields[3], ' ')) {
      long s0 = 0;
      long s77 = 0;
      long u3 = 0;
      long expected = 0;
      if (sample == "-") continue;
      REQUIRE(std::sscanf(sample.c_str(), "%ld,%ld,%ld=%ld", &s0, &s77, &u3, &expected) == 4);
      const auto value = pool.Evaluate(id, [&](ExprId symbol) -> std::optional<int64_t> {
        const std::string_view name = pool.name(symbol);
        return name == "s0" ? s0 : name == "s77" ? s77 : u3;
      });
      CAPTURE(sample);
      CHECK(value == expected);
      ++values;
    }
  }
  CHECK(values > 1'000);
}

TEST_CASE("everything that logs and dumps print is read", "[symbolic]") {
  const std::vector<std::string> lines = LinesOf("printed_expressions.txt");
  CHECK(lines.size() > 200);
  for (const std::string& line : lines) {
    CAPTURE(line);
    ExprPool pool;
    const ExprId id = pool.Parse(line);
    CHECK(id != ExprId::kNone);
    CHECK(pool.Parse(pool.ToText(id)) == id);
  }
}

TEST_CASE("ranges are read in every release's spelling", "[symbolic]") {
  CHECK(ParseInterval("VR[2, int_oo]") == Interval{2, std::nullopt});
  CHECK(ParseInterval("VR[-int_oo, int_oo]") == Interval{});
  CHECK(ParseInterval("[2, 9223372036854775806]") == Interval{2, std::nullopt});
  CHECK(ParseInterval("[-9223372036854775807, 16]") == Interval{std::nullopt, 16});
  CHECK(ParseInterval("ValueRanges(lower=2, upper=oo, is_bool=False)") ==
        Interval{2, std::nullopt});
  CHECK(ParseInterval("RangeConstraint(min_val=-3, max_val=8)") == Interval{-3, 8});
  CHECK(ParseInterval("VR[0, math.inf]") == Interval{0, std::nullopt});
  CHECK(ParseInterval("VR[False, True]") == Interval{0, 1});
  CHECK(ParseInterval("VR[0, 9223372036854775806]", /*has_infinity=*/true) ==
        Interval{0, 9223372036854775806});
  CHECK(ParseInterval("VR[0, int_oo]", /*has_infinity=*/true) == Interval{0, std::nullopt});
  for (const char* const text : {"", "2", "[2]", "[2, ", "[2, x]", "[0.5, 2]", "[2, 3] x", "VR",
                                 "[,]", "[lower=", "[2, 3"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseInterval(text));
  }
}

}  // namespace
}  // namespace shapewise
