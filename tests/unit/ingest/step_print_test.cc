// What training loops print of a step.

#include "ingest/formats/torch_log/step_print.h"

#include <cmath>
#include <memory>
#include <string>

#include "ingest/reader.h"
#include "support/catch.h"
#include "support/corpus.h"

namespace shapewise {
namespace {

struct Form {
  std::string_view line;
  int64_t number;
  double seconds;
};

TEST_CASE("a print tells the number of the step and how long it took", "[ingest][step_print]") {
  const Form forms[] = {
      {"step 12 loss 2.3 time 0.45s", 12, 0.45},
      {"Step: 12/100 | loss: 2.31e+00 | time: 0.45 s", 12, 0.45},
      {"iter 10: loss 2.3012, time 153.21ms, mfu 3.10%", 10, 0.15321},
      {"[Step 3] Forward pass done (took 0.5s)", 3, 0.5},
      {"iteration=7 dt=12.5ms tok/s=3000", 7, 0.0125},
      {"| step 5 | lr 3e-4 | 87.2 ms/step |", 5, 0.0872},
      {"INFO:train:step 900 3.90 it/s", 900, 1 / 3.9},
      {" iteration      20/ 500 | elapsed time per iteration (ms): 812.4 | loss: 9.1", 20, 0.8124},
      {" 12%|#2        | 12/100 [00:03<00:21,  4.00it/s]", 12, 0.25},
      {"train:  12%|\xE2\x96\x88\xE2\x96\x8F   | 12/100 [00:03<00:21,  1.25s/it, loss=2.1]", 12,
       1.25},
      {"batch 4 finished in 2.5 seconds", 4, 2.5},
      {"step=70 loss=3.16 lr=7.00e-06 toks/s=49,334 mfu=7.03% step_ms=1300.57 sm_util=100.0%", 70,
       1.30057},
      {"iter: 8, dt_s: 0.25", 8, 0.25},
  };
  for (const Form& form : forms) {
    INFO(form.line);
    const std::optional<StepPrint> print = ReadStepPrint(form.line);
    REQUIRE(print.has_value());
    CHECK(print->number == form.number);
    REQUIRE(print->seconds.has_value());
    CHECK(std::abs(*print->seconds - form.seconds) < 1e-9);
  }
}

TEST_CASE("what is no print of a step, or may be read in two ways, is none",
          "[ingest][step_print]") {
  const std::string_view lines[] = {
      "",
      "step",
      "stepping 12 time 0.45s",
      "warmup_steps 100 time 0.45s",  // a setting
      "step 12 loss 2.3",             // no duration, no time
      "step 12 elapsed 345.2s",       // since the run began
      "step 12 samples/s 3000",       // no time of a step
      "step 12 time 0.45s dt 0.9s",   // two that differ
      "step 12 time 0.45",            // no unit
      "step 12 warm_ms=3 stall_s=4",  // of something else
      "step 12s time 0.45s",
      "saved step 0.5 time 1s",
      "{'loss': 2.3, 'epoch': 0.1}",
      "Downloading: 12%|#2  | 12.1M/100M [00:03<00:21, 4.00MB/s]",
      "step 99999999999999999999999 time 1s",
      "step 12 time 1e999s",
      "V1121 03:50:55.230000 11963 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] Recompiling "
      "function step in /tmp/app/sample.py:6",
  };
  for (const std::string_view line : lines) {
    INFO(line);
    CHECK_FALSE(ReadStepPrint(line).has_value());
  }
}

std::unique_ptr<Session> ReadPrints(std::string_view text) {
  auto session = std::make_unique<Session>();
  ReadOptions options;
  options.step_prints = true;
  ReadInputFromChunks("run.log", {text}, *session, options);
  return session;
}

TEST_CASE("times of lines tell steps when no step lies between them", "[ingest][step_print]") {
  const auto session = ReadPrints(
      "2026-11-21 03:50:55,000 INFO step 1 loss 2.3\n"
      "2026-11-21 03:50:55,500 INFO step 2 loss 2.2\n"
      "2026-11-21 03:50:57,000 INFO step 10 loss 2.1\n"
      "2026-11-21 03:50:57,250 INFO step 11 loss 2.1\n");
  REQUIRE(session->spans().size() == 2);
  CHECK(session->spans()[0].number == 2);
  CHECK(std::abs(session->spans()[0].seconds - 0.5) < 1e-6);
  CHECK(session->spans()[0].clock == Clock::kLocal);
  CHECK(session->spans()[1].number == 11);
  CHECK(std::abs(session->spans()[1].seconds - 0.25) < 1e-6);
}

TEST_CASE("a bar that is drawn again and again is one step each", "[ingest][step_print]") {
  const auto session = ReadPrints(
      "\r  1%|  | 1/100 [00:00<00:10, 10.00it/s]\r  1%|  | 1/100 [00:00<00:10, 10.00it/s]"
      "\r  2%|  | 2/100 [00:00<00:10,  5.00it/s]\n");
  REQUIRE(session->spans().size() == 2);
  CHECK(session->spans()[1].number == 2);
  CHECK(session->spans()[1].seconds == 0.2);
}

TEST_CASE("steps are read only when they are asked for", "[ingest][step_print]") {
  Session session;
  ReadInputFromChunks("run.log", {"step 1 time 0.5s\nstep 2 time 0.5s\n"}, session);
  CHECK(session.spans().empty());
  CHECK(session.input(0).format.empty());
}

TEST_CASE("ranks are told apart", "[ingest][step_print]") {
  const auto session = ReadPrints("[rank0]:step 1 time 0.5s\n[rank1]:step 1 time 0.7s\n");
  REQUIRE(session->spans().size() == 2);
  CHECK(session->spans()[0].rank == 0);
  CHECK(session->spans()[1].rank == 1);
}

TEST_CASE("a log with steps reads the same cut in two at any byte", "[ingest][step_print]") {
  constexpr std::string_view kLog =
      "step 1 time 0.5s\r\n"
      "V1121 03:50:55.230000 11963 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] Recompiling "
      "function f in /app/t.py:6\n"
      "  2%|  | 2/100 [00:00<00:10,  5.00it/s]\r  3%|  | 3/100 [00:00<00:10,  5.00it/s]\nstep 4 "
      "took 20 ms";
  const std::string expected = DumpSession(*ReadPrints(kLog));
  REQUIRE(ReadPrints(kLog)->spans().size() == 4);
  ReadOptions options;
  options.step_prints = true;
  for (size_t cut = 1; cut < kLog.size(); ++cut) {
    Session session;
    ReadInputFromChunks("run.log", {kLog.substr(0, cut), kLog.substr(cut)}, session, options);
    INFO(cut);
    CHECK(DumpSession(session) == expected);
  }
}

}  // namespace
}  // namespace shapewise
