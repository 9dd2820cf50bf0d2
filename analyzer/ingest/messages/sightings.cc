// Turns names of resume functions and compile ids into implied events.

#include "ingest/messages/sightings.h"

#include <algorithm>
#include <set>

#include "ingest/messages/frame_line.h"
#include "ingest/messages/parsers.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kResume = "torch_dynamo_resume_in_";
constexpr std::string_view kOldResume = "<graph break in ";
constexpr std::string_view kShortResume = "resume_in_";

/// End of the name that begins at `at`: word characters, and names like "<lambda>" inside it.
size_t NameEnd(std::string_view text, size_t at) {
  bool in_angles = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<' && !in_angles) {
      in_angles = true;
    } else if (c == '>' && in_angles) {
      in_angles = false;
    } else if (!IsWordChar(c)) {
      break;
    }
  }
  return at;
}

/// Takes "_at_11" from the end of `name`; 0 if it is not there.
uint32_t TakeLineSuffix(std::string_view& name) {
  size_t digits = name.size();
  while (digits > 0 && IsDigit(name[digits - 1])) --digits;
  if (digits == name.size() || !name.substr(0, digits).ends_with("_at_")) return 0;
  std::string_view number = name.substr(digits);
  const auto value = ConsumeUint(number);
  name = name.substr(0, digits - 4);
  return value && *value <= UINT32_MAX ? static_cast<uint32_t>(*value) : 0;
}

/// The file that `text` names for the function at `at`: "'f' (/w/x.py:6)", "f in /w/x.py:6", or
/// `File "/w/x.py", line 6, in f`. Trailing comments of guards clip their paths and are not used.
std::string_view FileNamedFor(std::string_view text, size_t begin, size_t end) {
  CodePlace place;
  if (ParseFrameLine(text, place)) return place.file;
  std::string_view rest = text.substr(end);
  ConsumeFront(rest, "'");
  if (ConsumeFront(rest, " (")) {
    place = SplitFileLine(rest);
    return place.line != 0 ? place.file : std::string_view();
  }
  // "# File: /w/x.py:9 in torch_dynamo_resume_in_f_at_8, code: return h" of a printed graph.
  const size_t comment = FindText(text.substr(0, begin), "# File: ");
  if (comment != kNotFound && text.substr(0, begin).ends_with(" in ")) {
    return SplitFileLine(text.substr(comment + 8, begin - comment - 8)).file;
  }
  const bool heads_record = text.substr(0, begin).ends_with("Recompiling function ");
  if (heads_record && ConsumeFront(rest, " in ")) return SplitFileLine(rest).file;
  return {};
}

/// What the events of an input tell already, so that it is not implied.
struct Told {
  std::set<std::pair<int32_t, uint32_t>> break_lines;  ///< rank, line of the break
  std::set<std::pair<int32_t, std::string>> ids;       ///< rank, compile id
  /// Lines of recompile records by rank. Records of 2.1 and 2.2 have no id; each stands for the
  /// next id that appears on its rank.
  std::map<int32_t, std::vector<uint64_t>> records_without_id;
};

/// The id of a record that has none of its own: the one after its highest entry. Empty: no entries.
std::string IdAfterEntries(const Session& session, const EventDetail& detail) {
  uint64_t best_entry = 0;
  std::string frame;
  for (const ReasonId reason_id : detail.reasons) {
    std::string_view entry = WithoutAttempt(session.text(session.reason(reason_id).entry));
    const size_t slash = entry.find('/');
    if (slash == kNotFound) continue;
    std::string_view number = entry.substr(slash + 1);
    const auto value = ConsumeUint(number);
    if (value && *value + 1 > best_entry) {
      best_entry = *value + 1;
      frame = entry.substr(0, slash);
    }
  }
  return best_entry == 0 ? std::string() : frame + "/" + std::to_string(best_entry);
}

Told WhatIsTold(const Session& session, uint32_t input) {
  Told told;
  for (const Event& event : session.events()) {
    if (event.input != input) continue;
    const EventDetail& detail = session.detail(event);
    if (detail.kind == EventKind::kGraphBreak) {
      told.break_lines.emplace(event.rank, detail.user_line);
    }
    if (detail.kind != EventKind::kRecompile && detail.kind != EventKind::kRecompileLimit) continue;
    const std::string_view own = session.text(event.compile_id);
    const std::string id =
        own.empty() ? IdAfterEntries(session, detail) : std::string(WithoutAttempt(own));
    if (!own.empty() || !id.empty()) {
      told.ids.emplace(event.rank, id);
    } else if (detail.kind == EventKind::kRecompile) {
      told.records_without_id[event.rank].push_back(event.line);
    }
  }
  return told;
}

/// Takes the first record that stands at `line` or before it; false: there is none.
bool TakeRecord(std::vector<uint64_t>& records, uint64_t line) {
  const auto before =
      std::find_if(records.begin(), records.end(), [&](uint64_t record) { return record <= line; });
  if (before == records.end()) return false;
  records.erase(before);
  return true;
}

}  // namespace

bool FindResumeName(std::string_view text, size_t& from, PrintedResumeName& name) {
  const size_t old = FindText(text, kOldResume, from);
  // One search for both spellings: "resume_in_" also ends "torch_dynamo_resume_in_", and may be
  // part of somebody's name.
  size_t first = FindText(text, kShortResume, from);
  while (first != kNotFound && first > 0 && IsWordChar(text[first - 1])) {
    const size_t head = kResume.size() - kShortResume.size();
    if (text.substr(0, first).ends_with(kResume.substr(0, head)) && first >= from + head) {
      first -= head;
      break;
    }
    first = FindText(text, kShortResume, first + 1);
  }
  first = std::min(first, old);
  if (first == kNotFound) return false;
  if (first == old) {
    const size_t end = text.find('>', old);
    if (end == kNotFound) {
      from = text.size();
      return false;
    }
    std::string_view function = text.substr(old, end - old);
    while (ConsumeFront(function, kOldResume)) {
    }
    name = PrintedResumeName{function, 0};
    from = end + 1;
    return !function.empty();
  }
  const size_t end = NameEnd(text, first);
  from = end;
  std::string_view function = text.substr(first, end - first);
  name.line = 0;
  bool outermost = true;
  while (function.starts_with(kResume) || function.starts_with(kShortResume)) {
    const uint32_t line = TakeLineSuffix(function);
    if (outermost) name.line = line;
    outermost = false;
    if (!ConsumeFront(function, kResume)) ConsumeFront(function, kShortResume);
  }
  name.function = function;
  return !function.empty();
}

const LiteralSet& ResumeNameLiterals() {
  static const LiteralSet literals({kShortResume, kOldResume});
  return literals;
}

void Sightings::NoteResumeNames(std::string_view text, const RecordOrigin& origin) {
  size_t from = 0;
  PrintedResumeName name;
  while (from < text.size()) {
    const size_t begin = from;
    if (!FindResumeName(text, from, name)) return;
    Resume& resume = resumes_[{origin.rank, std::string(name.function), name.line}];
    if (resume.first.line == 0) resume.first = origin;
    if (resume.file.empty()) {
      const size_t at =
          FindText(text, name.line != 0 ? kResume : std::string_view("resume_in_"), begin);
      resume.file = FileNamedFor(text, at == kNotFound ? begin : at, from);
    }
  }
}

void Sightings::NoteCompileId(std::string_view compile_id, const RecordOrigin& origin) {
  const std::string_view id = WithoutAttempt(compile_id);
  // The first compile of a frame is none of a recompile, and compiled autograd counts otherwise.
  if (id.empty() || id[0] == '!' || id.ends_with("/0")) return;
  Id& seen = ids_[{origin.rank, std::string(id)}];
  if (seen.first.line == 0) seen.first = origin;
}

void Sightings::AddImpliedEvents(Session& session, uint32_t input) const {
  Told told = WhatIsTold(session, input);
  for (const auto& [key, resume] : resumes_) {
    const auto& [rank, function, line] = key;
    if (line != 0 && told.break_lines.contains({rank, line})) continue;
    EventDetail detail;
    detail.kind = EventKind::kImpliedBreak;
    detail.function = session.strings().Intern(function);
    detail.user_file = session.strings().Intern(resume.file);
    detail.user_line = line;
    Event event;
    event.line = resume.first.line;
    event.time = resume.first.time;
    event.input = input;
    event.rank = rank;
    event.detail = session.InternDetail(detail);
    session.AddEvent(event);
  }
  std::vector<std::pair<RecordOrigin, std::string>> unexplained;
  for (const auto& [key, id] : ids_) {
    if (!told.ids.contains(key)) unexplained.emplace_back(id.first, key.second);
  }
  std::sort(unexplained.begin(), unexplained.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.line, a.first.rank, a.second) <
           std::tie(b.first.line, b.first.rank, b.second);
  });
  for (const auto& [origin, id] : unexplained) {
    if (TakeRecord(told.records_without_id[origin.rank], origin.line)) continue;
    EventDetail detail;
    detail.kind = EventKind::kImpliedRecompile;
    Event event;
    event.line = origin.line;
    event.time = origin.time;
    event.input = input;
    event.rank = origin.rank;
    event.compile_id = session.strings().Intern(id);
    event.detail = session.InternDetail(detail);
    session.AddEvent(event);
  }
}

}  // namespace shapewise
