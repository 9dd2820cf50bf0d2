// The law of partials: however logs are grouped on their way, the answer is that of reading them
// all at once, byte for byte.

#include <array>
#include <string>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "model/repeats.h"
#include "pipeline/lint.h"
#include "report/report.h"
#include "support/catch.h"
#include "support/corpus.h"
#include "unit/partial/partial_helpers.h"

namespace shapewise {
namespace {

/// The partial of what `parts`, partials or logs, give together.
std::string Merge(const std::vector<std::string_view>& parts) {
  Session session;
  for (const std::string_view part : parts) ReadInputFromChunks("merged", {part}, session);
  return PartialOf(session);
}

/// The JSON result, events included.
std::string LintJson(const Session& session) {
  Expected<LintResult> result = LintSession({}, session);
  REQUIRE(static_cast<bool>(result));
  std::string text;
  llvm::raw_string_ostream out(text);
  ReportOptions options;
  options.with_events = true;
  FindFormat(LintFormats(), "json")->write(*result, session, options, out);
  FindFormat(LintFormats(), "text")->write(*result, session, options, out);
  out.flush();
  return text;
}

void CheckLaw(const CorpusLog& a, const CorpusLog& b, const CorpusLog& c) {
  INFO(a.name << ", " << b.name << ", " << c.name);
  Session whole;
  std::vector<std::string> parts;
  for (const CorpusLog* log : {&a, &b, &c}) {
    ReadInputFromChunks(log->name, {log->text}, whole);
    Session alone;
    ReadInputFromChunks(log->name, {log->text}, alone);
    parts.push_back(PartialOf(alone));
  }
  const std::string right = Merge({parts[0], Merge({parts[1], parts[2]})});
  const std::string left = Merge({Merge({parts[0], parts[1]}), parts[2]});
  CHECK(right == left);
  CHECK(right == PartialOf(whole));

  Session merged;
  ReadInputFromChunks("merged", {right}, merged);
  CHECK(LintJson(merged) == LintJson(whole));
}

TEST_CASE("merging is associative and equals reading all logs at once", "[partial][corpus]") {
  const std::vector<CorpusLog> logs = AllCorpusLogs();
  REQUIRE(logs.size() > 100);
  for (size_t i = 0; i < logs.size(); ++i) {
    // Neighbours, which are of a kind, and a log from elsewhere.
    CheckLaw(logs[i], logs[(i + 1) % logs.size()], logs[(i * 7 + 50) % logs.size()]);
  }
}

TEST_CASE("merging equals reading at once when repeats are only counted, per input", "[partial]") {
  const auto log = [](uint64_t num_lines, uint64_t from) {
    std::string text;
    for (uint64_t i = from; i < from + num_lines; ++i) {
      const std::string number = std::to_string(i * 7919 % 10007);
      text += "skipping cudagraphs due to mutated inputs (" + number + " instances)\n";
      text += "pt-xla-profiler: CompileTime too frequent: " + number + " counts during " +
              std::to_string(i) + " steps\n";
    }
    return text;
  };
  const std::string few = log(kRepeatsKeptWhole - 1, 10);
  const std::string many = log(3 * kRepeatsKeptWhole, 20);
  const std::string more = log(10 * kRepeatsKeptWhole + 1, 30);
  CheckLaw({"few", few}, {"many", many}, {"more", more});
  CheckLaw({"more", more}, {"many", many}, {"more", more});

  Session session;
  ReadInputFromChunks("merged", {Merge({few, more})}, session);
  std::array<uint64_t, 2> times{};
  for (const Event& event : session.events()) times.at(event.input) += event.times();
  CHECK(times[0] == 2 * (kRepeatsKeptWhole - 1));
  CHECK(times[1] == 2 * (10 * kRepeatsKeptWhole + 1));
}

TEST_CASE("ranks merged in another order are reported in that order", "[partial]") {
  const std::string record =
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles] "
      "Recompiling function step in /w/train.py:4\n"
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles]     "
      "triggered by the following guard failure(s):\n"
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles]     "
      "- 1/0: tensor 'x' size mismatch at index 0. expected 8, actual 5\n";
  std::vector<std::string> parts;
  for (const std::string rank : {"0", "1"}) {
    std::string log = record;
    for (size_t at = log.find("rank0"); at != std::string::npos; at = log.find("rank0", at)) {
      log.replace(at, 5, "rank" + rank);
      at += 5;
    }
    Session session;
    ReadInputFromChunks("rank" + rank + ".log", {log}, session);
    parts.push_back(PartialOf(session));
  }
  Session session;
  ReadInputFromChunks("merged", {Merge({parts[1], parts[0]})}, session);
  REQUIRE(session.inputs().size() == 2);
  CHECK(session.inputs()[0].name == "rank1.log");
  CHECK(session.inputs()[1].name == "rank0.log");
  Expected<LintResult> result = LintSession({}, session);
  REQUIRE(static_cast<bool>(result));
  REQUIRE(result->findings.size() == 1);
  CHECK(result->findings[0].count == 2);
  CHECK(result->findings[0].ranks == std::vector<int32_t>{0, 1});
}

}  // namespace
}  // namespace shapewise
