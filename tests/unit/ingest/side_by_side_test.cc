// Inputs read in parallel give the same result as inputs read one after the other, byte for byte.

#include <string>
#include <vector>

#include "ingest/reader.h"
#include "model/append_session.h"
#include "support/catch.h"
#include "support/corpus.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

/// What is read of `paths` by so many threads.
std::string DumpOf(const std::vector<std::string>& paths, MemoryFiles& files, unsigned jobs) {
  Session session;
  ReadOptions options;
  options.jobs = jobs;
  std::string dump;
  for (const std::string& failure : ReadInputs(paths, files, session, options)) {
    dump += failure + "\n";
  }
  return dump + DumpSession(session);
}

TEST_CASE("however many threads read, they read the same", "[ingest][corpus]") {
  MemoryFiles files;
  std::vector<std::string> paths;
  for (const CorpusLog& log : AllCorpusLogs()) {
    files.files[log.name] = log.text;
    paths.push_back(log.name);
  }
  const std::string one = DumpOf(paths, files, 1);
  for (const unsigned jobs : {2U, 3U, 8U}) {
    INFO(jobs << " threads");
    CHECK(DumpOf(paths, files, jobs) == one);
  }
}

TEST_CASE("side by side is as one behind the other", "[ingest][corpus]") {
  MemoryFiles files;
  std::vector<std::string> paths;
  Session behind_each_other;
  for (const CorpusLog& log : AllCorpusLogs()) {
    // With traces, duplicates in logs are dropped when everything has been read.
    if (log.name.find("trace") != std::string::npos) continue;
    files.files[log.name] = log.text;
    paths.push_back(log.name);
    ReadInputFromChunks(log.name, {log.text}, behind_each_other);
  }
  REQUIRE(paths.size() > 100);
  CHECK(DumpOf(paths, files, 4) == DumpSession(behind_each_other));
}

TEST_CASE("an input that repeats another is read once, and a note says so", "[ingest]") {
  const std::string log =
      "torch._dynamo hit config.recompile_limit (8)\n   function: 'f' (/w/a.py:1)\n";
  MemoryFiles files;
  files.files["a.log"] = log;
  files.files["./a.log"] = log;
  files.files["a.log.gz"] = log;  // the form of a file does not depend on its name
  files.files["b.log"] = log;
  files.files["b.log.zst"] = log + "another line\n";
  Session session;
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  const std::vector<std::string> paths = {"a.log",   "b.log",    "a.log",
                                          "./a.log", "a.log.gz", "b.log.zst"};
  CHECK(ReadInputs(paths, files, session, options).empty());
  CHECK(session.inputs().size() == 3);
  CHECK(notes == std::vector<std::string>{"a.log is named more than once and is read once",
                                          "./a.log is named more than once and is read once",
                                          "a.log.gz has the same text as a.log and is not read"});
}

TEST_CASE("many small inputs behind a large one are told in their order", "[ingest]") {
  MemoryFiles files;
  std::vector<std::string> paths;
  std::string large;
  for (int line = 0; line < 200'000; ++line) large += "step " + std::to_string(line) + "\n";
  files.files["first"] = large;
  paths.emplace_back("first");
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "rank" + std::to_string(i) + ".log";
    files.files[name] = "torch._dynamo hit config.recompile_limit (8)\n   function: 'f' (/w/a.py:" +
                        std::to_string(i) + ")\n";
    paths.push_back(name);
  }
  Session session;
  ReadOptions options;
  options.jobs = 4;
  CHECK(ReadInputs(paths, files, session, options).empty());
  REQUIRE(session.inputs().size() == paths.size());
  for (size_t i = 0; i < paths.size(); ++i) CHECK(session.inputs()[i].name == paths[i]);
  uint32_t before = 0;
  for (const Event& event : session.events()) {
    CHECK(event.input >= before);
    before = event.input;
  }
  CHECK(session.events().size() >= 1000);
}

TEST_CASE("one large input tells the same to several threads as to one", "[ingest][corpus]") {
  // Messages at the borders of blocks, blocks without any, and lines longer than a block.
  std::string noise;
  for (int line = 0; noise.size() < 700'000; ++line) {
    noise +=
        "step " + std::to_string(line) + " loss 0." + std::to_string(line * 7919 % 10'000) + "\n";
  }
  std::string large = noise + noise + noise + noise + noise + noise + noise;
  int number = 0;
  for (const CorpusLog& log : AllCorpusLogs()) {
    if (log.name.find("trace") != std::string::npos) continue;
    large += log.text;
    if (++number % 16 == 0) large += noise;
    if (number % 40 == 0) large += std::string(1'500'000, '#') + log.text + "\n";
  }
  MemoryFiles files;
  files.files["large.log"] = large;
  const std::string one = DumpOf({"large.log"}, files, 1);
  REQUIRE(one.size() > 100'000);
  for (const unsigned jobs : {2U, 3U, 8U}) {
    INFO(jobs << " threads");
    // Not CHECK(a == b): both would be printed.
    const bool is_same = DumpOf({"large.log"}, files, jobs) == one;
    CHECK(is_same);
  }
}

TEST_CASE("a large input of any format tells the same to several threads as to one",
          "[ingest][corpus]") {
  // Formats without a scanner: one thread receives their lines and another reads them.
  constexpr size_t kBytes = 9'000'000;
  MemoryFiles files;
  std::string all_traces;
  for (const CorpusLog& log : AllCorpusLogs()) {
    if (log.name.find("torch_trace") != std::string::npos) all_traces += log.text;
  }
  REQUIRE(!all_traces.empty());
  std::string& traces = files.files["large.trace"];
  while (traces.size() <= kBytes) traces += all_traces;
  std::string& steps = files.files["steps.csv"];
  std::string& profile = files.files["profile.json"];
  steps = "time,seconds\n";
  profile = "{\"traceEvents\": [\n";
  for (int step = 0; steps.size() <= kBytes; ++step) {
    steps += std::to_string(step) + "." + std::to_string(step % 997) + ",0.25\n";
  }
  for (int step = 0; profile.size() <= kBytes; ++step) {
    profile += R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" +
               std::to_string(step) + R"(", "pid": 7, "tid": 7, "ts": )" +
               std::to_string(1000 * step) + R"(, "dur": 900},)" + "\n";
  }
  profile += "{}]}\n";
  for (const auto& [name, text] : files.files) {
    INFO(name);
    const std::string one = DumpOf({name}, files, 1);
    REQUIRE(one.size() > 1000);
    for (const unsigned jobs : {2U, 8U}) {
      INFO(jobs << " threads");
      const bool is_same = DumpOf({name}, files, jobs) == one;
      CHECK(is_same);
    }
  }
}

TEST_CASE("what cannot be read is told in the order of the inputs", "[ingest]") {
  MemoryFiles files;
  files.files["a"] = "a line\n";
  files.files["b"] = "a line\n";
  Session session;
  const std::vector<std::string> failures =
      ReadInputs({"no1", "a", "no2", "b", "no3"}, files, session);
  CHECK(failures ==
        std::vector<std::string>{"no1: no such file", "no2: no such file", "no3: no such file"});
  CHECK(session.inputs().size() == 2);
}

}  // namespace
}  // namespace shapewise
