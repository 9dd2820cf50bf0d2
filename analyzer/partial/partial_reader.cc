// Reads a partial row by row without trusting it: ids, kinds and places are checked before use, and
// no allocation depends on a number in the file.

#include <simdjson.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "partial/partial.h"
#include "partial/partial_schema.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

namespace dom = simdjson::dom;

// Limit for quoting the file in a message.
constexpr size_t kMaxQuoted = 40;

// A text comes from records and lines of at most 1 MiB; compressed, endless parts take only a few
// bytes.
constexpr size_t kMaxTextBytes = size_t{4} << 20;

// More repeats than any log contains; sums of fewer do not overflow.
constexpr uint64_t kMaxFolded = uint64_t{1} << 48;

std::string Quote(std::string_view text) {
  return "'" + MakePrintable(text.substr(0, kMaxQuoted)) + "'";
}
}  // namespace

struct PartialReader::State {
  State(Session& into, uint32_t own_input) : session(into), first_input(own_input) {}

  // Records the error; only the first is kept.
  void Fail(const std::string& what) {
    if (problem.empty()) problem = what;
  }
  bool failed() const { return !problem.empty(); }

  void ReadHeader(const dom::element& document) {
    std::string_view schema;
    std::string_view version;
    dom::object word_lists;
    dom::object field_lists;
    if (document["schema"].get(schema) != simdjson::SUCCESS) return Fail("expected a schema");
    if (document["tool"]["version"].get(version) == simdjson::SUCCESS) {
      tool = " (it was written by shapewise " + MakePrintable(version.substr(0, kMaxQuoted)) + ")";
    }
    const std::string own = "shapewise.partial/" + std::to_string(kPartialVersion);
    if (schema != own) return Fail("this version reads " + own + ", not " + Quote(schema) + tool);
    if (document["words"].get(word_lists) != simdjson::SUCCESS ||
        document["fields"].get(field_lists) != simdjson::SUCCESS) {
      return Fail("expected lists of words and fields");
    }
    ReadWords(word_lists);
    ReadFieldLists(field_lists);
    has_header = true;
  }

  void ReadWords(const dom::object& words);
  void ReadFieldLists(const dom::object& fields);
  void ReadAnyRow(const dom::array& row) {
    auto at = row.begin();
    const auto end = row.end();
    std::string_view name;
    if (!(at != end) || (*at).get(name) != simdjson::SUCCESS) return Fail("expected a name");
    ++at;
    if (name == kTextRow || name == kPartRow) {
      if (!(at != end)) return Fail("expected a text");
      return ReadText(*at, name == kTextRow);
    }
    if (name == kStatRow) return ReadStat(at, end);
    if (name == kEndRow) return ReadEnd(at, end);
    bool is_known = false;
    ForEachStruct([&]<typename Struct>() {
      if constexpr (requires { Add(Struct{}); }) {
        if (is_known || name != kStructName<Struct>) return;
        is_known = true;
        Struct object{};
        if (ReadStruct(at, end, object)) Add(std::move(object));
      }
    });
    if (!is_known) Fail("this version does not know rows called " + Quote(name) + tool);
  }

  void ReadText(const dom::element& value, bool is_last) {
    std::string part;
    Read(value, part);
    if (failed()) return;
    if (part.size() > kMaxTextBytes - long_text.size()) {
      long_text = {};
      return Fail("expected a shorter text");
    }
    long_text += part;
    if (!is_last) return;
    texts.push_back(session.strings().Intern(long_text));
    long_text.clear();
  }

  void ReadStat(dom::array::iterator at, const dom::array::iterator& end) {
    std::string name;
    Stats::Count count;
    const auto read_next = [&](auto& field) {
      if (failed()) return;
      if (!(at != end)) return Fail("expected four fields");
      Read(*at, field);
      ++at;
    };
    read_next(name);
    read_next(count.times);
    read_next(count.first_input);
    read_next(count.first_line);
    if (failed() || !MoveInput(count.first_input, kNoRank)) return;
    for (size_t stat = 0; stat < kNumStats; ++stat) {
      if (kStatInfos[stat].name != name) continue;
      return session.stats().Add(static_cast<Stat>(stat), count);
    }
    Fail("this version does not know the counter " + Quote(name) + tool);
  }

  void ReadEnd(const dom::array::iterator& at, const dom::array::iterator& end) {
    uint64_t rows = 0;
    if (!(at != end) || (*at).get(rows) != simdjson::SUCCESS || rows != num_rows) {
      return Fail("rows are missing, or there are too many");
    }
    has_ended = true;
  }

  /// Adds the field to the error, if there is one.
  void NoteField(std::string_view name) {
    if (failed()) problem += " in '" + std::string(name) + "'";
  }

  template <typename Struct>
  bool ReadStruct(dom::array::iterator at, const dom::array::iterator& end, Struct& object) {
    auto has = fields.find(kStructName<Struct>)->second.begin();
    VisitFields(
        [&](std::string_view name, auto& field) {
          if (!*has++ || failed()) return;
          if (!(at != end)) return Fail("expected a field '" + std::string(name) + "'");
          Read(*at, field);
          ++at;
          NoteField(name);
        },
        object);
    if (!failed() && at != end) Fail("expected fewer fields");
    return !failed();
  }

  /// Reads an index into `items`.
  template <typename Item, typename Value>
  void ReadIndex(const dom::element& value, const std::vector<Item>& items, const char* what,
                 Value& item) {
    uint64_t number = 0;
    if (value.get(number) != simdjson::SUCCESS || number >= items.size()) {
      return Fail("expected the number of a " + std::string(what));
    }
    item = static_cast<Value>(items[number]);
  }

  void Read(const dom::element& value, StrId& id) { ReadIndex(value, texts, "text", id); }
  void Read(const dom::element& value, ReasonId& id) { ReadIndex(value, reasons, "reason", id); }
  void Read(const dom::element& value, DetailId& id) { ReadIndex(value, details, "detail", id); }

  void Read(const dom::element& value, bool& flag) {
    uint64_t number = 0;
    if (value.get(number) != simdjson::SUCCESS || number > 1) return Fail("expected 0 or 1");
    flag = number == 1;
  }

  template <std::integral Number>
  void Read(const dom::element& value, Number& number) {
    using Limits = std::numeric_limits<Number>;
    using Wide = std::conditional_t<Limits::is_signed, int64_t, uint64_t>;
    Wide wide = 0;
    if (value.get(wide) != simdjson::SUCCESS || wide < Limits::min() || wide > Limits::max()) {
      return Fail("expected a whole number");
    }
    number = static_cast<Number>(wide);
  }

  void Read(const dom::element& value, double& number) {
    if (value.is_null()) {
      number = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    if (value.get(number) != simdjson::SUCCESS) Fail("expected a number");
  }

  template <SavedEnum Enum>
  void Read(const dom::element& value, Enum& word) {
    ReadIndex(value, words.find(kEnumInfo<Enum>.name)->second, "word", word);
  }

  void Read(const dom::element& value, std::string& text) {
    std::string_view whole;
    if (value.get(whole) == simdjson::SUCCESS) {
      text = whole;
      return;
    }
    dom::array list;
    std::string_view hex;
    if (value.get(list) != simdjson::SUCCESS || list.size() != 1 ||
        list.at(0).get(hex) != simdjson::SUCCESS ||
        !llvm::tryGetFromHex(llvm::StringRef(hex.data(), hex.size()), text)) {
      Fail("expected a text");
    }
  }

  void Read(const dom::element& value, std::string_view& text) {
    std::string copy;
    Read(value, copy);
    // Stored in the session.
    text = session.text(session.strings().Intern(copy));
  }

  template <typename Value>
  void Read(const dom::element& value, std::optional<Value>& known) {
    if (value.is_null()) return known.reset();
    Read(value, known.emplace());
  }

  template <typename First, typename Second>
  void Read(const dom::element& value, std::pair<First, Second>& pair) {
    dom::array list;
    if (value.get(list) != simdjson::SUCCESS || list.size() != 2) return Fail("expected a pair");
    auto at = list.begin();
    Read(*at, pair.first);
    ++at;
    Read(*at, pair.second);
  }

  template <typename Item>
  void Read(const dom::element& value, std::vector<Item>& items) {
    dom::array list;
    if (value.get(list) != simdjson::SUCCESS) return Fail("expected a list");
    for (const dom::element element : list) {
      Read(element, items.emplace_back());
      if (failed()) return;
    }
  }

  template <Saved Struct>
  void Read(const dom::element& value, Struct& object) {
    dom::array list;
    if (value.get(list) != simdjson::SUCCESS) return Fail("expected a list");
    ReadStruct(list.begin(), list.end(), object);
  }

  void Read(const dom::element& value, EventFact& fact) {
    dom::array list;
    if (value.get(list) != simdjson::SUCCESS || list.size() == 0) return Fail("expected a fact");
    auto at = list.begin();
    EventKind kind{};
    Read(*at, kind);
    ++at;
    fact = EmptyFact(kind);
    if (!failed()) std::visit([&](auto& own) { ReadStruct(at, list.end(), own); }, fact);
  }

  void CheckTime(const LogTime& time) {
    constexpr int64_t kMicrosPerDay = int64_t{86'400} * 1'000'000;
    // Allows a leap second.
    if (time.month > 12 || time.day > 31 || time.micros < -1 ||
        time.micros > kMicrosPerDay + 1'000'000) {
      Fail("expected a time of a day");
    }
  }

  /// Converts an index in the partial to one in the session.
  bool MoveInput(uint32_t& input, int32_t rank) {
    if (input >= num_inputs) Fail("expected the number of an input");
    if (rank < kNoRank) Fail("expected a rank");
    input += first_input;
    return !failed();
  }

  void Add(Input input) {
    const uint32_t index = num_inputs == 0 ? first_input : session.AddInput({});
    session.input(index) = std::move(input);
    ++num_inputs;
  }

  void Add(VersionMark mark) {
    if (MoveInput(mark.input, kNoRank)) session.NoteVersionMark(mark);
  }

  void Add(const Reason& reason) { reasons.push_back(session.InternReason(reason)); }
  void Add(const EventDetail& detail) { details.push_back(session.InternDetail(detail)); }
  void Add(Event event) {
    CheckTime(event.time);
    if (event.folded > kMaxFolded) Fail("expected fewer repeats");
    // Repeated events were already folded when they were read.
    if (MoveInput(event.input, event.rank)) session.AddEvent(event);
  }

  void Add(Compilation compilation) {
    CheckTime(compilation.time);
    if (MoveInput(compilation.input, compilation.rank)) {
      session.AddCompilation(std::move(compilation));
    }
  }

  void Add(PrintedGuards printed) {
    CheckTime(printed.time);
    if (MoveInput(printed.input, printed.rank)) session.AddPrintedGuards(std::move(printed));
  }

  void Add(Span span) {
    if (MoveInput(span.input, span.rank)) session.AddSpan(span);
  }

  void Add(RegionRuns runs) {
    if (MoveInput(runs.input, runs.rank)) session.AddRegionRuns(runs);
  }

  void Add(ServerLine line) {
    CheckTime(line.time);
    if (MoveInput(line.input, kNoRank)) session.AddServerLine(line);
  }

  Session& session;
  const uint32_t first_input;
  uint32_t num_inputs = 0;
  uint64_t num_rows = 0;
  bool has_header = false;
  bool has_ended = false;
  std::string problem;
  std::string failure;

  dom::parser parser;
  std::string padded;
  std::string long_text;  // parts of a text read so far

  // By the numbers in the file.
  std::vector<StrId> texts{StrId::kNone};
  std::vector<ReasonId> reasons;
  std::vector<DetailId> details;
  // By enumeration: the numbers of this version.
  std::map<std::string_view, std::vector<uint8_t>> words;
  // By struct: which fields of this version it has.
  std::map<std::string_view, std::vector<bool>> fields;
  std::string tool;
};

void PartialReader::State::ReadWords(const dom::object& lists) {
  ForEachEnum([this, &lists]<typename Enum>() {
    constexpr EnumInfo<Enum> kInfo = kEnumInfo<Enum>;
    std::vector<uint8_t>& own_numbers = words[kInfo.name];
    dom::array list;
    if (lists[kInfo.name].get(list) != simdjson::SUCCESS) return;
    for (const dom::element element : list) {
      std::string_view word;
      if (element.get(word) != simdjson::SUCCESS) return Fail("expected words");
      size_t own = 0;
      const size_t last = static_cast<size_t>(kInfo.last);
      while (own <= last && kInfo.word(static_cast<Enum>(own)) != word) ++own;
      if (own > last) {
        return Fail("this version does not know the " + std::string(kInfo.name) + " " +
                    Quote(word) + tool);
      }
      own_numbers.push_back(static_cast<uint8_t>(own));
    }
  });
}

void PartialReader::State::ReadFieldLists(const dom::object& lists) {
  ForEachStruct([this, &lists]<typename Struct>() {
    constexpr std::string_view kName = kStructName<Struct>;
    std::vector<bool>& has = fields[kName];
    std::vector<std::string_view> names;
    dom::array list;
    if (lists[kName].get(list) == simdjson::SUCCESS) {
      for (const dom::element element : list) {
        std::string_view name;
        if (element.get(name) != simdjson::SUCCESS) return Fail("expected names of fields");
        names.push_back(name);
      }
    }
    // Older files lack some fields; the others are in the same order.
    Struct object{};
    size_t next = 0;
    VisitFields(
        [&](std::string_view name, const auto&) {
          has.push_back(next < names.size() && names[next] == name);
          if (has.back()) ++next;
        },
        object);
    if (next < names.size()) {
      Fail("this version does not know the field " + Quote(names[next]) + " of " +
           std::string(kName) + tool);
    }
  });
}

PartialReader::PartialReader(Session& session, uint32_t input)
    : state_(std::make_unique<State>(session, input)) {}
PartialReader::~PartialReader() = default;

void PartialReader::ReadRow(std::string_view row, uint64_t number) {
  State& state = *state_;
  if (state.failed()) return;
  if (row.size() > kMaxRowBytes) {
    state.Fail("expected a shorter row");
  } else if (state.has_ended) {
    state.Fail("expected nothing after the end");
  } else {
    std::string& padded = state.padded;
    padded.reserve(row.size() + simdjson::SIMDJSON_PADDING);
    padded.assign(row);
    dom::element document;
    dom::array list;
    if (state.parser.parse(padded.data(), padded.size(), /*realloc_if_needed=*/false)
            .get(document) != simdjson::SUCCESS) {
      state.Fail("expected a row in JSON");
    } else if (!state.has_header) {
      state.ReadHeader(document);
    } else if (document.get(list) != simdjson::SUCCESS) {
      state.Fail("expected a row");
    } else {
      state.ReadAnyRow(list);
    }
  }
  ++state.num_rows;
  if (state.failed()) state.failure = "line " + std::to_string(number) + ": " + state.problem;
}

void PartialReader::Finish() {
  State& state = *state_;
  if (state.failed() || state.has_ended) return;
  state.Fail("ends early");
  state.failure =
      "the file ends early, after line " + std::to_string(state.num_rows) + "; it was cut";
}

const std::string& PartialReader::failure() const { return state_->failure; }
}  // namespace shapewise
