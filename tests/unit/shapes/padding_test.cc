// Each graph is small enough to see what padding does to it.

#include <fstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/source_dir.h"
#include "unit/shapes/graph_text.h"

namespace shapewise {
namespace {

// A block of paddings.txt.
struct Sample {
  std::string inputs;
  std::string body;
  std::string result;
  std::string wanted;
};

std::vector<Sample> ReadSamples() {
  std::ifstream file(SourceDir() + "/tests/unit/shapes/paddings.txt");
  std::vector<Sample> samples;
  bool begins_block = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) begins_block = true;
    if (line.empty() || line.starts_with('#')) continue;
    if (begins_block) {
      samples.push_back({line, {}, {}, {}});
      begins_block = false;
    } else if (line.starts_with("  return ")) {
      samples.back().result = line.substr(std::string_view("  return ").size());
    } else if (line.starts_with("  ")) {
      samples.back().body += line + "\n";
    } else {
      std::string& wanted = samples.back().wanted;
      wanted += (wanted.empty() ? "" : "\n") + line;
    }
  }
  return samples;
}

TEST_CASE("padding does to each graph what its sample says", "[padding]") {
  constexpr std::string_view kNot = "not ";
  constexpr std::string_view kRest = "...";
  const std::vector<Sample> samples = ReadSamples();
  REQUIRE(samples.size() >= 132);
  for (const Sample& sample : samples) {
    const std::string reported = PaddingOf(sample.inputs, sample.body, sample.result);
    CAPTURE(sample.inputs, sample.body, sample.wanted, reported);
    std::string_view wanted = sample.wanted;
    const bool is_excluded = wanted.starts_with(kNot);
    if (is_excluded) wanted.remove_prefix(kNot.size());
    const bool is_cut = wanted.ends_with(kRest);
    if (is_cut) wanted.remove_suffix(kRest.size());
    CHECK((is_cut ? reported.starts_with(wanted) : reported == wanted) != is_excluded);
  }
}

}  // namespace
}  // namespace shapewise
