// Tables of step times: what is one, and what its columns mean.

#include <memory>

#include "ingest/reader.h"
#include "support/catch.h"
#include "support/corpus.h"

namespace shapewise {
namespace {

std::unique_ptr<Session> ReadTimes(std::string_view text) {
  auto session = std::make_unique<Session>();
  ReadInputFromChunks("steps.csv", {text}, *session);
  return session;
}

TEST_CASE("a header tells what the columns are", "[ingest][step_times]") {
  const auto header = GENERATE("step,ms", "Step,step_time_ms", "iteration;Time (ms)", "i\tmsec",
                               "\"global_step\", \"duration [ms]\"");
  INFO(header);
  const auto session = ReadTimes(std::string(header) + "\n3,100\n4,250.5\n");
  CHECK(session->input(0).format == "step-times");
  REQUIRE(session->spans().size() == 2);
  const Span& span = session->spans()[1];
  CHECK(span.kind == SpanKind::kStep);
  CHECK(span.clock == Clock::kUnknown);
  CHECK(span.number == 4);
  CHECK(span.line == 3);
  CHECK(std::abs(span.seconds - 0.2505) < 1e-12);
}

TEST_CASE("two columns of numbers are steps and seconds", "[ingest][step_times]") {
  const auto session = ReadTimes("# my run\n0,0.5\n1,0.25\n2,0.25\n");
  REQUIRE(session->spans().size() == 3);
  CHECK(session->spans()[2].number == 2);
  CHECK(session->spans()[2].seconds == 0.25);
}

TEST_CASE("moments are those at which steps end unless they fit the begins",
          "[ingest][step_times]") {
  const auto ends = ReadTimes("time,seconds\n10,1\n12,2\n13,1\n");
  REQUIRE(ends->spans().size() == 3);
  CHECK(ends->spans()[0].clock == Clock::kRelative);
  CHECK(ends->spans()[1].begin == 10);
  const auto begins = ReadTimes("time,seconds\n10,1\n11,2\n13,1\n");
  CHECK(begins->spans()[1].begin == 11);
  const auto named = ReadTimes("start,seconds\n10,1\n12,2\n13,1\n");
  CHECK(named->spans()[1].begin == 12);
}

TEST_CASE("moments may be dates or seconds since the epoch", "[ingest][step_times]") {
  // The expected numbers are those of `date -d ... +%s`.
  const auto epoch =
      ReadTimes("time,s\n2026-11-21T03:50:55.5Z,0.5\n2026-11-21T04:50:56+01:00,0.5\n");
  REQUIRE(epoch->spans().size() == 2);
  CHECK(epoch->spans()[0].clock == Clock::kEpoch);
  CHECK(epoch->spans()[0].begin == 1795233055.0);
  CHECK(epoch->spans()[1].begin == 1795233055.5);
  const auto local = ReadTimes("time,s\n2026-01-02 00:00:01,1\n2026-01-02 00:00:02,1\n");
  CHECK(local->spans()[0].clock == Clock::kLocal);
  CHECK(local->spans()[0].begin == 86400.0);
  const auto number = ReadTimes("timestamp,s\n1795233055.5,0.5\n1795233056.0,0.5\n");
  CHECK(number->spans()[0].clock == Clock::kEpoch);
  const auto millis = ReadTimes("timestamp,s\n1795233055500,0.5\n1795233056000,0.5\n");
  CHECK(millis->spans()[0].begin == 1795233055.0);
}

TEST_CASE("a text of another sort is no table", "[ingest][step_times]") {
  const auto text = GENERATE("step,loss\n1,2.3\n2,2.2\n3,2.1\n",   // no duration
                             "1,2\n3,4\n",                         // two rows are not enough
                             "1,2,3\n4,5,6\n7,8,9\n",              // three columns
                             "step,seconds\n",                     // no row
                             "1,2\n2,2\n3,2\nhello world\n4,5\n",  // a log with numbers in it
                             "V1121 03:50:55.230000 1 torch/x.py:1] [0/1] [__recompiles] "
                             "Recompiling function f in t.py:6\n"
                             "1,2\n2,3\n3,4\n");
  INFO(text);
  CHECK(ReadTimes(text)->input(0).format != "step-times");
}

TEST_CASE("rows that are no numbers are counted and passed over", "[ingest][step_times]") {
  const auto row = GENERATE("2,nan", "2,inf", "2,-1", "2,1e999", "2", "2,3,4", "two,0.1", "2,0x10",
                            "1e999,1", "2,0.1s");
  INFO(row);
  const auto session = ReadTimes("step,seconds\n1,0.5\n" + std::string(row) + "\n3,0.5\n");
  CHECK(session->spans().size() == 2);
  CHECK(session->stats().count(Stat::step_row_unreadable).times == 1);
  CHECK(session->stats().count(Stat::step_row_unreadable).first_line == 3);
}

TEST_CASE("a table reads the same cut in two at any byte", "[ingest][step_times]") {
  constexpr std::string_view kTable =
      "time;ms\r\n2026-01-02 00:00:01;100\r\n\r\n"
      "2026-01-02 00:00:02;250\r\n2026-01-02 00:00:03,5;7\r\n";
  const std::string expected = DumpSession(*ReadTimes(kTable));
  for (size_t cut = 1; cut < kTable.size(); ++cut) {
    Session session;
    ReadInputFromChunks("steps.csv", {kTable.substr(0, cut), kTable.substr(cut)}, session);
    CHECK(DumpSession(session) == expected);
  }
}

}  // namespace
}  // namespace shapewise
