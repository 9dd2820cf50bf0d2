#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dynamo/simulator.h"
#include "support/catch.h"
#include "support/source_dir.h"
#include "unit/dynamo/rule_case.h"

namespace shapewise {
namespace {

namespace fs = std::filesystem;

TEST_CASE("every case of tests/unit/dynamo/rules ends as PyTorch ended it") {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(SourceDir() + "/tests/unit/dynamo/rules")) {
    files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  REQUIRE(files.size() > 5);
  size_t num_cases = 0;
  for (const std::string& file : files) {
    for (const auto& rule_case : ReadRuleCases(file)) {
      CAPTURE(file, rule_case->name);
      ++num_cases;
      const Prediction prediction =
          Simulate(rule_case->history, rule_case->body, rule_case->policy, {});
      const size_t decided = std::min(rule_case->undecided_at, rule_case->expected.size());
      CAPTURE(prediction.why);
      std::vector<std::string> found;
      for (const PredictedCall& call : prediction.calls) found.push_back(Describe(call));
      const std::vector<std::string> expected(
          rule_case->expected.begin(),
          rule_case->expected.begin() + static_cast<std::ptrdiff_t>(decided));
      CHECK(found == expected);
      CHECK(prediction.is_exact == (decided == rule_case->expected.size()));
      CHECK(prediction.known_calls == decided);
      CHECK(prediction.why.empty() == prediction.is_exact);
    }
  }
  CHECK(num_cases > 60);
}

}  // namespace
}  // namespace shapewise
