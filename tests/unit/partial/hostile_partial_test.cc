// Partials that are damaged, cut, foreign or too new: a clear word each, and no crash.

#include <string>
#include <string_view>

#include "support/catch.h"
#include "support/text_scan.h"
#include "unit/partial/partial_helpers.h"

namespace shapewise {
namespace {

/// Whether `failure` has these words; shows it if not.
bool Says(const std::string& failure, std::string_view words) {
  UNSCOPED_INFO(failure);
  return HasText(failure, words);
}

/// The rows of a small partial: two texts, a detail, an event.
std::string SmallPartial() {
  Session session;
  const uint32_t input = session.AddInput("run.log");
  session.input(input).format = "torch-log";
  Event event;
  event.line = 3;
  event.compile_id = session.strings().Intern("0/0");
  event.detail = session.InternDetail(
      {.function = session.strings().Intern("forward"), .fact = GraphBreakFact()});
  session.AddEvent(event);
  std::string rows;
  class Keep final : public LineSink {
   public:
    explicit Keep(std::string& into) : into_(into) {}
    void OnLines(std::string_view lines, uint64_t) override { into_ += lines; }
    size_t OnPiece(std::string_view piece, uint64_t, bool, bool) override { return piece.size(); }

   private:
    std::string& into_;
  } keep(rows);
  Stats stats;
  ReadChunks({PartialOf(session)}, keep, stats, 0);
  return rows;
}

/// What is wrong with the rows of SmallPartial() when `from` in them is `to`.
std::string FailureWith(std::string_view from, std::string_view to) {
  std::string rows = SmallPartial();
  const size_t at = rows.find(from);
  REQUIRE(at != std::string::npos);
  rows.replace(at, from.size(), to);
  Session session;
  return ReadRows(rows, session);
}

TEST_CASE("a complete partial has no failure", "[partial]") {
  Session session;
  CHECK(ReadRows(SmallPartial(), session).empty());
  REQUIRE(session.events().size() == 1);
  CHECK(session.text(session.detail(session.events()[0]).function) == "forward");
  CHECK(session.inputs()[0].name == "run.log");
}

TEST_CASE("a partial of a newer version says so", "[partial]") {
  CHECK(Says(FailureWith("partial/2", "partial/3"),
             "line 1: this version reads shapewise.partial/2, not "
             "'shapewise.partial/3' (it was written by shapewise 0.0)"));
  CHECK(Says(FailureWith("\"compile_id\"", "\"mood\",\"compile_id\""),
             "does not know the field 'mood' of event"));
  CHECK(Says(FailureWith("[\"recompile\",", "[\"recompile\",\"sulk\","),
             "does not know the event_kind 'sulk'"));
  CHECK(Says(FailureWith("[\"event\",", "[\"whim\","), "does not know rows called 'whim'"));
}

TEST_CASE("a partial of an older version, with fewer fields, is read", "[partial]") {
  std::string rows = SmallPartial();
  const auto replace = [&rows](std::string_view from, std::string_view to) {
    const size_t at = rows.find(from);
    REQUIRE(at != std::string::npos);
    rows.replace(at, from.size(), to);
  };
  replace("\"time\":[\"year\",\"month\",\"day\",\"micros\"]", "\"time\":[\"year\",\"month\"]");
  replace("[\"event\",3,[0,0,0,-1]", "[\"event\",3,[0,0]");
  Session session;
  CHECK(ReadRows(rows, session).empty());
  REQUIRE(session.events().size() == 1);
  CHECK_FALSE(session.events()[0].time.known());
}

TEST_CASE("invalid ids, kinds and places are errors with their line", "[partial]") {
  const std::string event = "[\"event\",3,[0,0,0,-1],0,-1,1,0,0]";
  const auto event_is = [&](std::string_view other) { return FailureWith(event, other); };
  CHECK(Says(event_is("[\"event\",3,[0,0,0,-1],0,-1,1,1,0]"), "of a detail"));
  CHECK(Says(event_is("[\"event\",3,[0,0,0,-1],0,-1,3,0,0]"), "of a text"));
  CHECK(Says(event_is("[\"event\",3,[0,0,0,-1],1,-1,1,0,0]"), "of an input"));
  CHECK(Says(event_is("[\"event\",3,[0,0,0,-1],0,-2,1,0,0]"), "a rank"));
  CHECK(Says(event_is("[\"event\",3,[0,13,0,-1],0,-1,1,0,0]"), "a time"));
  CHECK(Says(event_is("[\"event\",3,[0,256,0,-1],0,-1,1,0,0]"), "'month'"));
  CHECK(Says(event_is("[\"event\",3,[0,0,0,-1],0,-1,1,0]"), "expected a field"));
  CHECK(Says(event_is("[\"event\",3,[0,0,0,-1],0,-1,1,0,0,0]"), "fewer fields"));
  CHECK(Says(event_is("[\"event\",-3,[0,0,0,-1],0,-1,1,0,0]"), "'line'"));
  CHECK(Says(event_is("[\"event\",3,[0,0,0,-1],0,-1,1,0,1000000000000000]"), "fewer repeats"));
  CHECK(Says(event_is("[\"event\""), "in JSON"));
  CHECK(Says(event_is("{}"), "a row"));
  CHECK(Says(event_is("[]"), "a name"));
  CHECK(Says(event_is(""), "line 6: "));
  CHECK(Says(FailureWith(",[2,0,", ",[99,0,"), "of a word"));
  CHECK(Says(FailureWith(",[2,0,", ",[0,0,"), "a list"));
  CHECK(Says(FailureWith(",[2,0,", ",[[],0,"), "of a word"));
  CHECK(Says(FailureWith("[\"text\",\"0/0\"]", "[\"text\",[\"0g\"]]"), "a text"));
  CHECK(Says(FailureWith("[\"text\",\"0/0\"]", "[\"stat\",\"mood\",1,0,1]"), "counter 'mood'"));
  CHECK(Says(FailureWith("[\"end\",6]", "[\"end\",7]"), "rows are missing"));
}

TEST_CASE("records read before the damage are kept", "[partial]") {
  std::string rows = SmallPartial();
  rows.resize(rows.find("[\"end\""));
  Session session;
  CHECK(Says(ReadRows(rows, session), "the file ends early, after line 6"));
  CHECK(session.events().size() == 1);
  CHECK(Says(ReadRows(SmallPartial() + "[\"end\",7]\n", session),
             "line 8: expected nothing after the end"));
}

TEST_CASE("reading a partial cut or changed at any byte never crashes", "[partial]") {
  const std::string rows = SmallPartial();
  for (size_t at = 0; at < rows.size(); ++at) {
    Session cut;
    ReadRows(rows.substr(0, at), cut);
    for (const char byte : {'0', '9', '"', '[', ']', ',', '-', '\0', '\n'}) {
      std::string changed = rows;
      changed[at] = byte;
      Session session;
      ReadRows(changed, session);
      REQUIRE(session.events().size() <= 1);
    }
  }
}

TEST_CASE("deep and long rows need little memory", "[partial]") {
  const std::string header = SmallPartial().substr(0, SmallPartial().find('\n') + 1);
  Session session;
  CHECK(Says(ReadRows(header + std::string(1'000'000, '['), session),
             "line 2: expected a row in JSON"));
  CHECK(Says(ReadRows(header + std::string(PartialReader::kMaxRowBytes + 1, ' '), session),
             "line 2: expected a shorter row"));
}

TEST_CASE("a text of endless parts is rejected before it fills the memory", "[partial]") {
  const std::string header = SmallPartial().substr(0, SmallPartial().find('\n') + 1);
  const std::string part = "[\"part\",\"" + std::string(65'536, 'a') + "\"]\n";
  std::string rows = header;
  for (int i = 0; i < 63; ++i) rows += part;
  Session session;
  CHECK(ReadRows(rows + "[\"text\",\"b\"]\n[\"end\",65]\n", session).empty());
  for (int i = 0; i < 10; ++i) rows += part;
  Session refused;
  CHECK(Says(ReadRows(rows, refused), "line 66: expected a shorter text"));
}

}  // namespace
}  // namespace shapewise
