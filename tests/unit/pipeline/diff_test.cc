// Laws of comparisons, over all logs of corpora/.

#include "pipeline/diff.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "report/formats.h"
#include "support/catch.h"
#include "support/corpus.h"
#include "support/memory_files.h"
#include "support/source_dir.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

DiffResult DiffOf(const std::string& before, const std::string& after) {
  MemoryFiles memory;
  memory.files["old.log"] = before;
  memory.files["new.log"] = after;
  DiffOptions options;
  options.before = "old.log";
  options.after = "new.log";
  Expected<Diff> diff = DiffRuns(options, memory);
  REQUIRE(static_cast<bool>(diff));
  return diff->result;
}

/// What differs, as text; empty: nothing.
std::string Differences(const DiffResult& diff) {
  std::string text;
  for (const NewCause& cause : diff.fresh) text += "new: " + cause.finding.message + "\n";
  for (const Finding& finding : diff.gone) text += "gone: " + finding.message + "\n";
  for (const CommonCause& cause : diff.changed) {
    text += "changed: " + cause.after.message + "\n";
    for (const Change& change : cause.changes) {
      text += "  " + change.what + " " + change.before + " -> " + change.after + "\n";
    }
  }
  for (const Incomparable& cause : diff.incomparable) text += "? " + cause.finding.message + "\n";
  for (const std::string& worse : diff.worse) text += "worse: " + worse + "\n";
  return text;
}

std::string SavedLint(const std::string& text) {
  MemoryFiles memory;
  memory.files["log"] = text;
  Session session;
  LintOptions options;
  options.paths = {"log"};
  Expected<LintResult> result = Lint(options, memory, session);
  REQUIRE(static_cast<bool>(result));
  std::string saved;
  llvm::raw_string_ostream out(saved);
  WriteLintJson(*result, session, {}, out);
  return out.str();
}

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// `log` after 37 lines were put in front of every function: each line number that is not of
/// PyTorch's own prefix is that much higher.
std::string ShiftLines(std::string_view log) {
  std::string shifted;
  while (!log.empty()) {
    bool is_line = false;
    for (const std::string_view before : {".py:", " line ", "line number: ", "_at_"}) {
      is_line |= std::string_view(shifted).ends_with(before);
    }
    std::string_view rest = log;
    const std::optional<uint64_t> line = is_line ? ConsumeUint(rest) : std::nullopt;
    if (line && !rest.starts_with(']')) {
      shifted += std::to_string(*line + 37);
      log = rest;
      continue;
    }
    shifted.push_back(log.front());
    log.remove_prefix(1);
  }
  return shifted;
}

TEST_CASE("every log equals itself, as a log and as a saved result", "[diff]") {
  for (const CorpusLog& log : AllCorpusLogs()) {
    CAPTURE(log.name);
    CHECK(Differences(DiffOf(log.text, log.text)) == "");
    const std::string saved = SavedLint(log.text);
    CHECK(Differences(DiffOf(saved, log.text)) == "");
    CHECK(Differences(DiffOf(log.text, saved)) == "");
  }
}

TEST_CASE("swapping the runs swaps new and gone causes", "[diff]") {
  const auto names = [](const auto& list, const auto& finding_of) {
    std::multiset<std::string> fingerprints;
    for (const auto& item : list) fingerprints.insert(finding_of(item).fingerprint);
    return fingerprints;
  };
  const auto itself = [](const Finding& finding) { return finding; };
  const auto of_new = [](const NewCause& cause) { return cause.finding; };
  const std::vector<CorpusLog> logs = AllCorpusLogs();
  for (size_t i = 1; i < logs.size(); ++i) {
    CAPTURE(logs[i - 1].name, logs[i].name);
    const DiffResult forth = DiffOf(logs[i - 1].text, logs[i].text);
    const DiffResult back = DiffOf(logs[i].text, logs[i - 1].text);
    CHECK(names(forth.fresh, of_new) == names(back.gone, itself));
    CHECK(names(forth.gone, itself) == names(back.fresh, of_new));
    CHECK(forth.changed.size() + forth.same.size() == back.changed.size() + back.same.size());
    CHECK(forth.incomparable.size() == back.incomparable.size());
  }
}

TEST_CASE("shifted lines make no difference", "[diff]") {
  size_t num_shifted = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    // Where a terminal has broken the lines, or half of a number is lost, another length of the
    // numbers is another log.
    if (HasText(log.name, "wrapped") || HasText(log.name, "bad_")) continue;
    CAPTURE(log.name);
    const std::string shifted = ShiftLines(log.text);
    if (shifted != log.text) ++num_shifted;
    CHECK(Differences(DiffOf(log.text, shifted)) == "");
  }
  CHECK(num_shifted > 100);
}

TEST_CASE("another folder makes no difference", "[diff]") {
  size_t num_moved = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    if (!HasText(log.name, "captured/")) continue;
    CAPTURE(log.name);
    // Comments of guards lose the first characters of a path.
    std::string moved = ReplaceAll(log.text, "/tmp/app/", "/home/ann/job/");
    moved = ReplaceAll(moved, " mp/app/", " ome/ann/job/");
    if (moved != log.text) ++num_moved;
    CHECK(Differences(DiffOf(log.text, moved)) == "");
  }
  CHECK(num_moved > 20);
}

TEST_CASE("a trace has every cause of the log of the same run", "[diff]") {
  namespace fs = std::filesystem;
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  size_t num_runs = 0;
  for (const fs::directory_entry& run :
       fs::directory_iterator(fs::path(SourceDir()) / "corpora/captured/2.13.0")) {
    const fs::path log = run.path() / "log.txt";
    const fs::path trace = run.path() / "trace";
    if (!fs::exists(log) || !fs::exists(trace)) continue;
    CAPTURE(run.path().filename());
    DiffOptions options;
    options.before = log;
    options.after = trace;
    Expected<Diff> diff = DiffRuns(options, *files);
    REQUIRE(static_cast<bool>(diff));
    std::string gone;
    for (const Finding& finding : diff->result.gone) {
      // The diverging rank is determined by what a rank compiled, and a log prints only part of
      // that.
      if (finding.identity.kind != "rank_divergence") gone += finding.message + "\n";
    }
    CHECK(gone == "");
    CHECK(!diff->result.same.empty());
    ++num_runs;
  }
  CHECK(num_runs >= 5);
}

TEST_CASE("a saved result with logs, or two of them, is not a run", "[diff]") {
  const std::string log = AllCorpusLogs().front().text;
  const std::string saved = SavedLint(log);
  MemoryFiles memory;
  memory.files = {{"a.json", saved}, {"b.json", saved}, {"c.log", log}};
  const auto load = [&](std::vector<std::string> paths) {
    LintOptions options;
    options.paths = std::move(paths);
    Expected<std::unique_ptr<LoadedRun>> run = LoadRun(options, memory);
    return run ? std::string() : llvm::toString(run.takeError());
  };
  CHECK(load({"a.json"}).empty());
  CHECK(load({"a.json", "b.json"}) ==
        "a.json: a saved result is a whole run and cannot be combined with other inputs");
  CHECK(load({"c.log", "a.json"}) ==
        "a.json: a saved result is a whole run and cannot be combined with other inputs");
  CHECK(load({"no.log"}) == "no.log: no such file");
}

}  // namespace
}  // namespace shapewise
