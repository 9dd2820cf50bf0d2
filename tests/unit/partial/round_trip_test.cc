// Partial results keep everything: every field of every struct, and every corpus log.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partial/partial_schema.h"
#include "support/catch.h"
#include "support/corpus.h"
#include "support/dump_fields.h"
#include "unit/partial/partial_helpers.h"

namespace shapewise {
namespace {

/// Gives every field it is shown another value, so that none can be lost or swapped unnoticed.
class FieldFiller {
 public:
  explicit FieldFiller(Session& session) : session_(session) {}

  template <typename Struct>
  Struct Make() {
    Struct object{};
    VisitFields([this](std::string_view, auto& field) { Fill(field); }, object);
    return object;
  }

 private:
  std::string Text() { return "text " + std::to_string(++last_); }

  void Fill(StrId& id) { id = session_.strings().Intern(Text()); }
  void Fill(ReasonId& id) { id = session_.InternReason(Make<Reason>()); }
  void Fill(DetailId& id) { id = session_.InternDetail(Make<EventDetail>()); }
  void Fill(bool& flag) { flag = true; }
  template <std::integral Number>
  void Fill(Number& number) {
    number = static_cast<Number>(++last_ + (sizeof(Number) == 8 ? int64_t{1} << 40 : 0));
  }
  void Fill(double& number) { number = static_cast<double>(++last_) + 1.0 / 3; }
  template <SavedEnum Enum>
  void Fill(Enum& word) {
    word = kEnumInfo<Enum>.last;
  }
  void Fill(std::string& text) { text = Text(); }
  void Fill(std::string_view& text) { text = session_.text(session_.strings().Intern(Text())); }
  template <typename Value>
  void Fill(std::optional<Value>& value) {
    Fill(value.emplace());
  }
  template <typename First, typename Second>
  void Fill(std::pair<First, Second>& pair) {
    Fill(pair.first);
    Fill(pair.second);
  }
  template <typename Item>
  void Fill(std::vector<Item>& items) {
    for (int i = 0; i < 2; ++i) Fill(items.emplace_back());
  }
  void Fill(EventFact& fact) {
    fact = EmptyFact(next_kind_);
    next_kind_ = static_cast<EventKind>((static_cast<size_t>(next_kind_) + 1) % kNumEventKinds);
    std::visit([this]<typename Fact>(Fact& own) { own = Make<Fact>(); }, fact);
  }
  void Fill(LogTime& time) {
    ++last_;
    time = {2024, 11, 30, 1'000'000 + last_};
  }
  template <Saved Struct>
  void Fill(Struct& object) {
    object = Make<Struct>();
  }

  Session& session_;
  int last_ = 0;
  EventKind next_kind_{};
};

TEST_CASE("every field of every struct round-trips through a partial", "[partial]") {
  Session session;
  FieldFiller filler(session);
  for (int i = 0; i < 2; ++i) session.input(session.AddInput({})) = filler.Make<Input>();
  VersionMark mark = filler.Make<VersionMark>();
  mark.input = 1;
  session.NoteVersionMark(mark);
  for (uint32_t input = 0; input < 2; ++input) {
    for (size_t kind = 0; kind < kNumEventKinds; ++kind) {
      Event event = filler.Make<Event>();
      event.input = input;
      session.AddEvent(event);
    }
    Compilation compilation = filler.Make<Compilation>();
    compilation.input = input;
    session.AddCompilation(compilation);
    Span span = filler.Make<Span>();
    span.input = input;
    session.AddSpan(span);
    RegionRuns runs = filler.Make<RegionRuns>();
    runs.input = input;
    session.AddRegionRuns(runs);
    ServerLine line = filler.Make<ServerLine>();
    line.input = input;
    session.AddServerLine(line);
  }
  for (size_t stat = 0; stat < kNumStats; ++stat) {
    for (size_t times = 0; times <= stat; ++times) {
      session.stats().Bump(static_cast<Stat>(stat), stat % 2, 100 + stat);
    }
  }

  Session back;
  ReadInputFromChunks("test.partial", {PartialOf(session)}, back);
  CHECK(DumpFields(back) == DumpFields(session));
  for (size_t stat = 0; stat < kNumStats; ++stat) {
    CHECK(back.stats().count(stat).times == stat + 1);
    CHECK(back.stats().count(stat).first_input == stat % 2);
    CHECK(back.stats().count(stat).first_line == 100 + stat);
  }
}

TEST_CASE("extreme numbers and odd texts round-trip through a partial", "[partial]") {
  Session session;
  Input& input = session.input(session.AddInput("a\"b\\\n\x01 \xff\xfe end"));
  input.bytes = std::numeric_limits<uint64_t>::max();
  Span span;
  span.number = std::numeric_limits<int64_t>::min();
  span.begin = std::numeric_limits<double>::max();
  span.seconds = 18446744073709551616.0;
  span.name = session.strings().Intern(std::string(300'000, '\x01') + "\xc3\xa4");
  span.process = session.strings().Intern(std::string(200'001, '\xff'));
  session.AddSpan(span);
  span.begin = std::numeric_limits<double>::denorm_min();
  span.seconds = -0.1;
  session.AddSpan(span);

  Session back;
  ReadInputFromChunks("test.partial", {PartialOf(session)}, back);
  REQUIRE(back.spans().size() == 2);
  CHECK(DumpFields(back) == DumpFields(session));
  CHECK(back.spans()[0].begin == std::numeric_limits<double>::max());
  CHECK(back.spans()[0].seconds == 18446744073709551616.0);
  CHECK(back.spans()[1].begin == std::numeric_limits<double>::denorm_min());
}

TEST_CASE("every corpus log round-trips through its partial, cut anywhere", "[partial][corpus]") {
  for (const CorpusLog& log : AllCorpusLogs()) {
    INFO(log.name);
    Session session;
    ReadInputFromChunks("input.log", {log.text}, session);
    const std::string partial = PartialOf(session);
    std::vector<std::string_view> chunks;
    for (size_t at = 0; at < partial.size(); at += 7) {
      chunks.push_back(std::string_view(partial).substr(at, 7));
    }
    Session back;
    ReadInputFromChunks("input.partial", chunks, back);
    CHECK(DumpSession(back) == DumpSession(session));
    CHECK(DumpFields(back) == DumpFields(session));
    CHECK(PartialOf(back) == partial);
  }
}

}  // namespace
}  // namespace shapewise
