#include "pipeline/load_run.h"

#include <string>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

/// A session of inputs that hold one event each, with or without a time.
std::vector<std::string> Described(const std::vector<std::string>& names, bool has_times) {
  Session session;
  for (const std::string& name : names) {
    Event event;
    event.input = session.AddInput(name);
    session.input(event.input).bytes = 812;
    session.input(event.input).lines = 9;
    event.line = 3;
    if (has_times) event.time = {.year = 0, .month = 11, .day = 21, .micros = 5};
    event.detail = session.InternDetail({.fact = GraphBreakFact()});
    session.AddEvent(event);
  }
  session.SortByPlace();
  return DescribeRepeatedInputs(session);
}

using Sentences = std::vector<std::string>;

TEST_CASE("inputs with the same events at the same times are one log", "[pipeline]") {
  CHECK(Described({"a/run.log", "b/copy.log"}, true) ==
        Sentences{"a/run.log was read twice, also as b/copy.log: what it holds counts twice."});
}

TEST_CASE("without times, the names must be equal, compressed or not", "[pipeline]") {
  CHECK(Described({"run0.log", "run1.log"}, false).empty());
  CHECK(Described({"run.log", "run.log.gz", "run.log.zst", "run.log.1.gz"}, false) ==
        Sentences{"run.log was read 3 times, also as run.log.gz: what it holds counts 3 times."});
}

}  // namespace
}  // namespace shapewise
