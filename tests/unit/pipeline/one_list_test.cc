// lint and advise share one list of actions.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "../../support/corpus.h"
#include "../../support/memory_files.h"
#include "advise/advise.h"
#include "ingest/reader.h"
#include "model/session.h"
#include "pipeline/lint.h"

namespace shapewise {
namespace {

using Words = std::tuple<std::string, std::string, std::string, std::string, double>;

Words WordsOf(const Action& action) {
  return {action.kind, action.text, action.code, action.trap, action.confidence};
}

/// What `advise` lists for `finding`, in order.
std::vector<Words> ActionsFor(const Finding& finding, const Advice& advice) {
  std::vector<Words> actions;
  for (const RankedAction& ranked : advice.actions) {
    if (ranked.rule == finding.rule &&
        std::ranges::includes(finding.events, ranked.action.evidence)) {
      actions.push_back(WordsOf(ranked.action));
    }
  }
  return actions;
}

TEST_CASE("The action that lint prints for a finding is the first of advise, word by word",
          "[pipeline]") {
  size_t num_first = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    MemoryFiles files;
    files.files["log.txt"] = log.text;
    LintOptions options;
    options.paths = {"log.txt"};
    Session session;
    Expected<LintResult> result = Lint(options, files, session);
    REQUIRE(static_cast<bool>(result));
    const Advice advice = Advise(ReadCompiledFrames(session, CompileHistory(session)), session,
                                 result->findings, result->summary);
    for (const Finding& finding : result->findings) {
      if (finding.advice.empty()) continue;
      const std::vector<Words> actions = ActionsFor(finding, advice);
      const auto printed = std::ranges::find(actions, WordsOf(finding.advice.front()));
      // Joined with that of another finding where one setting serves both.
      if (printed == actions.end()) continue;
      INFO(log.name << ": " << finding.rule << ": " << finding.message);
      CHECK(printed == actions.begin());
      ++num_first;
    }
  }
  CHECK(num_first > 300);
}

}  // namespace
}  // namespace shapewise
