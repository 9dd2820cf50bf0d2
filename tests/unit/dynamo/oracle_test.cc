// Scenarios that PyTorch 2.13 was run with (corpora/oracle): what the simulator calls exact must be
// what happened.

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamo/simulator.h"
#include "ingest/call_record_reader.h"
#include "nlohmann/json.hpp"
#include "support/catch.h"
#include "support/source_dir.h"
#include "support/stats.h"
#include "support/text_input.h"
#include "unit/dynamo/rule_case.h"

namespace shapewise {
namespace {

const std::string kFolder = SourceDir() + "/corpora/oracle/";

/// The truths of one file by their ids.
class TruthReader : public LineSink {
 public:
  void OnLines(std::string_view lines, uint64_t /*first_line*/) override {
    while (!lines.empty()) {
      const size_t end = lines.find('\n');
      nlohmann::json truth = nlohmann::json::parse(lines.substr(0, end));
      const std::string id = truth["id"];
      truths.emplace(id, std::move(truth));
      lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
  }
  size_t OnPiece(std::string_view piece, uint64_t /*line*/, bool /*is_first*/,
                 bool /*is_last*/) override {
    return piece.size();
  }

  std::map<std::string, nlohmann::json> truths;
};

/// Exceptions that come from Dynamo itself; others come from the program.
bool IsOfDynamo(const std::string& error, const CallHistory& history) {
  for (const char* name : {"ConstraintViolationError", "FailOnRecompileLimitHit", "Unsupported",
                           "InternalTorchDynamoError", "RecompileError"}) {
    if (error == name) return true;
  }
  if (error != "AssertionError") return false;
  // mark_dynamic with max and no min.
  return std::ranges::any_of(history.tensors, [](const TensorValue& tensor) {
    return std::ranges::any_of(tensor.marks,
                               [](const DimMark& mark) { return mark.max && !mark.min; });
  });
}

/// The certain predictions of the simulator for one file.
struct Sure {
  size_t scenarios = 0;
  size_t free = 0;  ///< of category "free"
  size_t free_in_all = 0;
};

Sure Judge(const std::string& name) {
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  TruthReader reader;
  Stats stats;
  TextTotals totals;
  REQUIRE_FALSE(
      static_cast<bool>(files->Read(kFolder + name + ".truth.jsonl.gz", reader, stats, 0, totals)));
  Sure sure;
  const auto judge = [&](const Scenario& scenario) {
    CAPTURE(scenario.id, scenario.function, scenario.category);
    const Prediction prediction =
        Simulate(scenario.history, BodyOfCategory(scenario.category), scenario.policy, {});
    sure.free_in_all += scenario.category == "free" ? 1 : 0;
    if (!prediction.is_exact) return;
    ++sure.scenarios;
    sure.free += scenario.category == "free" ? 1 : 0;
    const nlohmann::json& calls = reader.truths.at(scenario.id)["calls"];
    REQUIRE(prediction.calls.size() == calls.size());
    for (size_t call = 0; call < prediction.calls.size(); ++call) {
      CAPTURE(call);
      const nlohmann::json& truth = calls[call];
      const std::string error = truth["error"].is_null() ? "" : truth["error"];
      // From where the program itself raises nothing is foreseen.
      if (!error.empty() && !IsOfDynamo(error, scenario.history)) break;
      const PredictedCall& reported = prediction.calls[call];
      CHECK(reported.compiled.size() == truth["compiled"].size());
      CHECK(reported.eager == truth["eager"].get<bool>());
      CHECK(reported.error.empty() == error.empty());
      CHECK(reported.limits.size() == truth["limit"].size());
    }
  };
  REQUIRE(static_cast<bool>(ReadScenarios(kFolder + name + ".scenarios.jsonl.gz", *files, judge)));
  return sure;
}

TEST_CASE("scenarios end as PyTorch ended them, wherever the simulator says that it is sure") {
  const Sure sure = Judge("dev");
  CHECK(sure.free_in_all == 54);
  CHECK(sure.free == 54);
  CHECK(sure.scenarios >= 70);
}

TEST_CASE("functions that ask nothing are foreseen without exception") {
  const Sure sure = Judge("free");
  CHECK(sure.free_in_all == 800);
  CHECK(sure.free == 800);
}

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
