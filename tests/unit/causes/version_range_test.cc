// Marks of releases are put together.

#include "causes/version_range.h"

#include "support/catch.h"

namespace shapewise {
namespace {

VersionRange Fit(const std::vector<VersionMark>& marks) {
  Session session;
  session.AddInput("run.log");
  for (const VersionMark& mark : marks) session.NoteVersionMark(mark);
  return FitVersion(session);
}

TEST_CASE("marks narrow the releases down to what all of them allow", "[causes]") {
  CHECK(FormatVersionRange(Fit({{"a", 207, 0, 0, 1}})) == "2.7 or newer");
  CHECK(FormatVersionRange(Fit({{"a", 0, 204, 0, 1}})) == "2.4 or older");
  CHECK(FormatVersionRange(Fit({{"a", 205, 0, 0, 1}, {"b", 0, 206, 0, 2}})) == "2.5 to 2.6");
  CHECK(FormatVersionRange(Fit({{"a", 202, 0, 0, 1}, {"b", 0, 202, 0, 2}})) == "2.2");
  CHECK(FormatVersionRange(Fit({{"a", 210, 0, 0, 1}})) == "2.10 or newer");
}

TEST_CASE("no mark, no release", "[causes]") {
  CHECK_FALSE(Fit({}).known());
  CHECK(FormatVersionRange(Fit({})).empty());
  CHECK_FALSE(Fit({{"any release", 0, 0, 0, 1}}).known());
}

TEST_CASE("only the marks that set an end are given as the reason", "[causes]") {
  const VersionRange range =
      Fit({{"loose", 201, 0, 0, 3}, {"entry ids", 205, 0, 0, 4}, {"L[..]", 0, 206, 0, 9}});
  CHECK(range.why == "entry ids (run.log:4); L[..] (run.log:9)");
}

TEST_CASE("marks that contradict give the range of the majority, and it is said", "[causes]") {
  const VersionRange range =
      Fit({{"new a", 207, 0, 0, 1}, {"old", 0, 204, 0, 2}, {"new b", 208, 0, 0, 3}});
  CHECK(FormatVersionRange(range) == "2.8 or newer");
  CHECK(range.why == "new b (run.log:3); but other marks contradict: old (run.log:2)");
}

TEST_CASE("of equally many marks on both sides the newest win", "[causes]") {
  CHECK(FormatVersionRange(Fit({{"old", 0, 204, 0, 2}, {"new", 207, 0, 0, 1}})) == "2.7 or newer");
}

}  // namespace
}  // namespace shapewise
