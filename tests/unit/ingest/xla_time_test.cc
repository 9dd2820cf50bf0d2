#include "ingest/messages/parsers.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "support/catch.h"

namespace shapewise {
namespace {

/// The text that PyTorch/XLA prints for `nanoseconds`: each unit rounded, its whole part taken off.
std::string PrintedTime(double nanoseconds) {
  struct Unit {
    const char* suffix;
    double nanoseconds;
    int width;
    int decimals;
  };
  constexpr Unit kUnits[] = {{"d", 86400e9, 2, 0}, {"h", 3600e9, 2, 0}, {"m", 60e9, 2, 0},
                             {"s", 1e9, 2, 0},     {"ms", 1e6, 3, 0},   {"us", 1e3, 7, 3}};
  std::string text;
  for (const Unit& unit : kUnits) {
    const double value = nanoseconds / unit.nanoseconds;
    if (value < 1 && text.empty() && unit.width != 7) continue;
    char field[32];
    std::snprintf(field, sizeof field, "%0*.*f", unit.width, unit.decimals, value);
    text += field;
    text += unit.suffix;
    nanoseconds -= std::floor(value) * unit.nanoseconds;
  }
  return text;
}

TEST_CASE("the printed time of 1.6 s is read as 1.6 s", "[ingest]") {
  CHECK(PrintedTime(1.6e9) == "02s600ms000.000us");
  CHECK(ParseXlaTime("02s600ms000.000us").value_or(-1) == Approx(1.6));
  CHECK(ParseXlaTime("60s900ms000.000us").value_or(-1) == Approx(59.9));
}

TEST_CASE("what is printed of a time is read back as that time", "[ingest]") {
  const double seconds = GENERATE(1e-7, 2.5e-5, 0.0126, 0.9994, 1.2, 7.77, 59.96, 95.7, 3599.6,
                                  4000.25, 90061.7, 200000.125, 1.0007);
  CAPTURE(seconds, PrintedTime(seconds * 1e9));
  const std::optional<double> read = ParseXlaTime(PrintedTime(seconds * 1e9));
  REQUIRE(read);
  CHECK(std::abs(*read - seconds) < 1e-6);
}

TEST_CASE("a half could be either, and the smaller is given", "[ingest]") {
  CHECK(PrintedTime(1.5e9) == PrintedTime(2.5e9));
  CHECK(ParseXlaTime("02s500ms000.000us").value_or(-1) == Approx(1.5));
}

TEST_CASE("a time that is cut, or no time, is none", "[ingest]") {
  for (const std::string_view text : {"", "12", "06m12s", "06m12s500ms", "GB", "s500ms000.000us"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseXlaTime(text));
  }
}

TEST_CASE("the size of the inputs of a graph is read up to its unit", "[ingest]") {
  const auto size_of = [](std::string_view size) {
    Stats stats;
    StringPool strings;
    Record record;
    record.kind = RecordKind::kXlaAnalysis;
    record.AddLine("Post Compilation Analysis: Graph input size: " + std::string(size),
                   /*bare=*/false, stats);
    const ParsedMessage parsed = ParseMessage(record, strings);
    REQUIRE(parsed.facts.size() == 1);
    return parsed.facts[0].detail.As<XlaCompileFact>()->graph_input_gb;
  };
  CHECK(size_of("0.125000 GB").value_or(-1) == Approx(0.125));
  CHECK(size_of("7").value_or(-1) == Approx(7));
  CHECK_FALSE(size_of("Unknown  GB"));
}

}  // namespace
}  // namespace shapewise
