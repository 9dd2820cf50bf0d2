#include "causes/find_causes.h"

#include "run_builder.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// Steps of a tenth of a second, `with` of which run compiled code and `after` do not.
RunBuilder Profiled(int64_t with, int64_t after) {
  RunBuilder run;
  for (int64_t step = 0; step < with + after; ++step) {
    Span span;
    span.clock = Clock::kEpoch;
    span.number = step + 10;
    span.begin = 0.1 * static_cast<double>(step);
    span.seconds = 0.09;
    run.session().AddSpan(span);
  }
  for (const std::string_view id : {"0/0", "1/0"}) {
    RegionRuns runs;
    runs.clock = Clock::kEpoch;
    runs.compile_id = run.Id(id);
    runs.first = 0.01;
    runs.last = 0.1 * static_cast<double>(with) - 0.05;
    runs.runs = static_cast<uint64_t>(with);
    run.session().AddRegionRuns(runs);
  }
  return run;
}

TEST_CASE("compiled code that ends while steps continue is reported with its last step",
          "[causes]") {
  const Cause cause = Profiled(5, 5).FoldToOne();
  CHECK(cause.kind == CauseKind::kIgnoredMode);
  CHECK(cause.type == kEndedRegions);
  CHECK(cause.values == std::vector<std::string>{"0/0", "1/0"});
  const std::vector<std::pair<std::string, std::string>> facts = {{"since", "step 14"},
                                                                  {"steps", "5 steps"}};
  CHECK(cause.facts == facts);
}

TEST_CASE("fewer than five steps on either side prove nothing", "[causes]") {
  CHECK(Profiled(4, 20).Fold().empty());
  CHECK(Profiled(20, 4).Fold().empty());
}

TEST_CASE("code that runs to the end or is compiled again has not ended", "[causes]") {
  CHECK(Profiled(20, 0).Fold().empty());
  RunBuilder run = Profiled(8, 8);
  Span compile;
  compile.kind = SpanKind::kCompile;
  compile.clock = Clock::kEpoch;
  compile.begin = 1.2;
  run.session().AddSpan(compile);
  CHECK(run.Fold().empty());
}

TEST_CASE("steps by another clock are not compared", "[causes]") {
  RunBuilder run = Profiled(8, 0);
  for (int step = 0; step < 20; ++step) {
    Span span;
    span.clock = Clock::kRelative;
    span.begin = 1000.0 + step;
    run.session().AddSpan(span);
  }
  CHECK(run.Fold().empty());
}

}  // namespace
}  // namespace shapewise
