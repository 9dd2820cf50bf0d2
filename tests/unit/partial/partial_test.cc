// Partials keep every field of every struct and every corpus log; damaged ones are explained.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "model/repeats.h"
#include "partial/partial_schema.h"
#include "pipeline/lint.h"
#include "report/report.h"
#include "support/catch.h"
#include "support/corpus.h"
#include "support/dump_fields.h"
#include "support/text_scan.h"
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

// Partials that are damaged, cut, foreign or too new: a clear word each, and no crash.

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

// The law of partials: however logs are grouped on their way, the answer is that of reading them
// all at once, byte for byte.

/// The partial of what `parts`, partials or logs, give together.
std::string Merge(const std::vector<std::string_view>& parts) {
  Session session;
  for (const std::string_view part : parts) ReadInputFromChunks("merged", {part}, session);
  return PartialOf(session);
}

/// The JSON result, events included.
std::string LintJson(const Session& session) {
  Expected<LintResult> result = LintSession({}, session);
  REQUIRE(static_cast<bool>(result));
  std::string text;
  llvm::raw_string_ostream out(text);
  ReportOptions options;
  options.with_events = true;
  FindFormat(LintFormats(), "json")->write(*result, session, options, out);
  FindFormat(LintFormats(), "text")->write(*result, session, options, out);
  out.flush();
  return text;
}

void CheckLaw(const CorpusLog& a, const CorpusLog& b, const CorpusLog& c) {
  INFO(a.name << ", " << b.name << ", " << c.name);
  Session whole;
  std::vector<std::string> parts;
  for (const CorpusLog* log : {&a, &b, &c}) {
    ReadInputFromChunks(log->name, {log->text}, whole);
    Session alone;
    ReadInputFromChunks(log->name, {log->text}, alone);
    parts.push_back(PartialOf(alone));
  }
  const std::string right = Merge({parts[0], Merge({parts[1], parts[2]})});
  const std::string left = Merge({Merge({parts[0], parts[1]}), parts[2]});
  CHECK(right == left);
  CHECK(right == PartialOf(whole));

  Session merged;
  ReadInputFromChunks("merged", {right}, merged);
  CHECK(LintJson(merged) == LintJson(whole));
}

TEST_CASE("merging is associative and equals reading all logs at once", "[partial][corpus]") {
  const std::vector<CorpusLog> logs = AllCorpusLogs();
  REQUIRE(logs.size() > 100);
  for (size_t i = 0; i < logs.size(); ++i) {
    // Neighbours, which are of a kind, and a log from elsewhere.
    CheckLaw(logs[i], logs[(i + 1) % logs.size()], logs[(i * 7 + 50) % logs.size()]);
  }
}

TEST_CASE("merging equals reading at once when repeats are only counted, per input", "[partial]") {
  const auto log = [](uint64_t num_lines, uint64_t from) {
    std::string text;
    for (uint64_t i = from; i < from + num_lines; ++i) {
      const std::string number = std::to_string(i * 7919 % 10007);
      text += "skipping cudagraphs due to mutated inputs (" + number + " instances)\n";
      text += "pt-xla-profiler: CompileTime too frequent: " + number + " counts during " +
              std::to_string(i) + " steps\n";
    }
    return text;
  };
  const std::string few = log(kRepeatsKeptWhole - 1, 10);
  const std::string many = log(3 * kRepeatsKeptWhole, 20);
  const std::string more = log(10 * kRepeatsKeptWhole + 1, 30);
  CheckLaw({"few", few}, {"many", many}, {"more", more});
  CheckLaw({"more", more}, {"many", many}, {"more", more});

  Session session;
  ReadInputFromChunks("merged", {Merge({few, more})}, session);
  std::array<uint64_t, 2> times{};
  for (const Event& event : session.events()) times.at(event.input) += event.times();
  CHECK(times[0] == 2 * (kRepeatsKeptWhole - 1));
  CHECK(times[1] == 2 * (10 * kRepeatsKeptWhole + 1));
}

TEST_CASE("ranks merged in another order are reported in that order", "[partial]") {
  const std::string record =
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles] "
      "Recompiling function step in /w/train.py:4\n"
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles]     "
      "triggered by the following guard failure(s):\n"
      "[rank0]:V0106 23:01:14.131000 551 torch/_dynamo/guards.py:2813] [1/1] [__recompiles]     "
      "- 1/0: tensor 'x' size mismatch at index 0. expected 8, actual 5\n";
  std::vector<std::string> parts;
  for (const std::string rank : {"0", "1"}) {
    std::string log = record;
    for (size_t at = log.find("rank0"); at != std::string::npos; at = log.find("rank0", at)) {
      log.replace(at, 5, "rank" + rank);
      at += 5;
    }
    Session session;
    ReadInputFromChunks("rank" + rank + ".log", {log}, session);
    parts.push_back(PartialOf(session));
  }
  Session session;
  ReadInputFromChunks("merged", {Merge({parts[1], parts[0]})}, session);
  REQUIRE(session.inputs().size() == 2);
  CHECK(session.inputs()[0].name == "rank1.log");
  CHECK(session.inputs()[1].name == "rank0.log");
  Expected<LintResult> result = LintSession({}, session);
  REQUIRE(static_cast<bool>(result));
  REQUIRE(result->findings.size() == 1);
  CHECK(result->findings[0].count == 2);
  CHECK(result->findings[0].ranks == std::vector<int32_t>{0, 1});
}

}  // namespace
}  // namespace shapewise
