// Laws that hold for every log of corpora/, so that a new log is under them without being named.

#include "ingest/log_format.h"
#include "ingest/reader.h"
#include "support/catch.h"
#include "support/corpus.h"

namespace shapewise {
namespace {

// A small log is cut at so many places, a larger one at fewer: a few MB are read for each.
constexpr size_t kSmallLogBytes = 2500;
constexpr size_t kMaxCuts = 250;
constexpr size_t kMaxCopiedBytes = size_t{2} << 20;

/// The distance of the places at which `text` is cut.
size_t StepOf(std::string_view text) {
  const size_t num_cuts = std::clamp(2 * kMaxCopiedBytes / (text.size() + 1), size_t{1}, kMaxCuts);
  return 1 + text.size() / num_cuts;
}

TEST_CASE("a log reads the same wherever its bytes are cut", "[ingest][corpus]") {
  const std::vector<CorpusLog> logs = AllCorpusLogs();
  REQUIRE(logs.size() > 30);
  for (const CorpusLog& log : logs) {
    INFO(log.name);
    const std::string whole = ReadAndDump(log.text, log.text.size() + 1);
    for (const size_t chunk_bytes : {size_t{1}, size_t{7}, size_t{64}, size_t{4096}}) {
      INFO(chunk_bytes);
      if (chunk_bytes < 64 && log.text.size() > 200'000) continue;
      CHECK(ReadAndDump(log.text, chunk_bytes) == whole);
    }
  }
}

TEST_CASE("guards read the same wherever their bytes are cut", "[ingest][corpus]") {
  const ReadOptions options{.guard_texts = true};
  size_t with_guards = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    if (log.text.find("RootGuardManager") == std::string::npos) continue;
    ++with_guards;
    INFO(log.name);
    const std::string whole = ReadAndDump(log.text, log.text.size() + 1, options);
    CHECK(whole.find("printed=1") != std::string::npos);
    for (const size_t chunk_bytes : {size_t{61}, size_t{4096}}) {
      INFO(chunk_bytes);
      CHECK(ReadAndDump(log.text, chunk_bytes, options) == whole);
    }
  }
  CHECK(with_guards > 3);
}

TEST_CASE("a small log reads the same cut in two anywhere", "[ingest][corpus]") {
  size_t num_logs = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    if (log.text.size() > kSmallLogBytes) continue;
    INFO(log.name);
    const std::string whole = ReadAndDump(log.text, log.text.size() + 1);
    const std::string_view text = log.text;
    const size_t step = StepOf(text);
    // Logs have lines in common: each starts elsewhere.
    for (size_t cut = 1 + num_logs++ % step; cut < text.size(); cut += step) {
      Session session;
      ReadInputFromChunks("input.log", {text.substr(0, cut), text.substr(cut)}, session);
      if (DumpSession(session) == whole) continue;
      INFO(cut);
      FAIL("the answer depends on where the log was cut");
    }
  }
}

TEST_CASE("a paste below other text reads the same cut in two at any byte", "[ingest][corpus]") {
  // What chooses the format gathers the beginning of an input; the text below it arrives in parts.
  std::string front;
  while (front.size() < kSniffBytes) front += "epoch 1: loss 0.25, 12.5 it/s\n";
  size_t num_labelled = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    const bool is_labelled = log.name.find("unknown_logger") != std::string::npos ||
                             log.name.find("line_numbers") != std::string::npos ||
                             log.name.find("box_with_borders") != std::string::npos;
    if (!is_labelled) continue;
    ++num_labelled;
    INFO(log.name);
    const std::string text = front + log.text;
    const std::string whole = ReadAndDump(text, text.size() + 1);
    for (size_t cut = front.size(); cut < text.size(); ++cut) {
      Session session;
      const std::string_view all = text;
      ReadInputFromChunks("input.log", {all.substr(0, cut), all.substr(cut)}, session);
      if (DumpSession(session) == whole) continue;
      INFO(cut);
      FAIL("the answer depends on where the log was cut");
    }
  }
  CHECK(num_labelled == 3);
}

TEST_CASE("a log that ends anywhere is read to there", "[ingest][corpus]") {
  size_t num_logs = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    INFO(log.name);
    const std::string_view text = log.text;
    const size_t step = StepOf(text);
    size_t most_events = 0;
    const size_t rest = 1 + num_logs++ % std::min<size_t>(step, 8);
    for (size_t end = text.size() - std::min(rest, text.size());; end -= step) {
      Session session;
      ReadInputFromChunks("input.log", {text.substr(0, end)}, session);
      most_events = std::max(most_events, session.events().size());
      // Lines that were not read have no effect.
      for (const Event& event : session.events()) {
        REQUIRE(event.line <= session.input(0).lines);
      }
      if (end < step) break;
    }
    Session session;
    ReadInputFromChunks("input.log", {text}, session);
    CHECK(most_events + 8 >= session.events().size());
  }
}

TEST_CASE("the ranks of a log may be read in any order", "[ingest]") {
  // Two ranks line by line, and the same lines rank after rank: the events of each rank are the
  // same.
  const std::string zero[] = {
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles] "
      "Recompiling function step in /w/train.py:4\n",
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles]     "
      "triggered by the following guard failure(s):\n",
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles]     "
      "- 1/0: tensor 'L['x']' size mismatch at index 0. expected 8, actual 5\n"};
  std::string interleaved;
  std::string one_after_the_other;
  for (std::string line : zero) {
    interleaved += line;
    std::string other = line;
    other.replace(0, 7, "[rank1]");
    interleaved += other;
  }
  for (const std::string& line : zero) one_after_the_other += line;
  for (std::string line : zero) one_after_the_other += line.replace(0, 7, "[rank1]");
  for (const std::string& log : {interleaved, one_after_the_other}) {
    Session session;
    ReadInputFromChunks("train.log", {log}, session);
    REQUIRE(session.events().size() == 2);
    std::vector<int32_t> ranks;
    for (const Event& event : session.events()) {
      ranks.push_back(event.rank);
      const EventDetail& detail = session.detail(event);
      CHECK(detail.kind() == EventKind::kRecompile);
      REQUIRE(detail.reasons().size() == 1);
      CHECK(session.text(session.reason(detail.reasons()[0]).actual) == "5");
    }
    std::sort(ranks.begin(), ranks.end());
    CHECK(ranks == std::vector<int32_t>{0, 1});
  }
}

}  // namespace
}  // namespace shapewise
