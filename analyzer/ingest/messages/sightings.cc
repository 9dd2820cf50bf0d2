// Turns names of resume functions and compile ids into implied events.

#include "ingest/messages/sightings.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ingest/messages/frame_line.h"
#include "ingest/messages/parsers.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kResume = "torch_dynamo_resume_in_";
constexpr std::string_view kOldResume = "<graph break in ";
constexpr std::string_view kShortResume = "resume_in_";

// No path and line that stand next to a name are longer.
constexpr size_t kMaxPlaceBytes = 1024;

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
  name = name.substr(0, digits - 4);
  return ConsumeUint<uint32_t>(number).value_or(0);
}

/// The file that `text` names for the function in [begin, end) of it: "'f' (/w/x.py:6)" or
/// "f in /w/x.py:6". Trailing comments of guards clip their paths and are not used. `after` is
/// where the name before it ends, or the text begins: no place before that is this function's.
std::string_view FileNamedFor(std::string_view text, size_t after, size_t begin, size_t end) {
  // The places of many names on one line are looked for in the bytes next to each name only.
  std::string_view rest = text.substr(end, kMaxPlaceBytes);
  ConsumeFront(rest, "'");
  if (ConsumeFront(rest, " (")) {
    const CodePlace place = SplitFileLine(rest);
    return place.line != 0 ? place.file : std::string_view();
  }
  const std::string_view before = text.substr(after, begin - after);
  if (before.ends_with(" in ")) {
    // "# File: /w/x.py:9 in torch_dynamo_resume_in_f_at_8, code: return h" of a printed graph.
    constexpr std::string_view kComment = "# File: ";
    const size_t comment = before.rfind(kComment);
    if (comment != kNotFound) return SplitFileLine(before.substr(comment + kComment.size())).file;
  }
  const bool heads_record = before.ends_with("Recompiling function ");
  if (heads_record && ConsumeFront(rest, " in ")) return SplitFileLine(rest).file;
  return {};
}

/// What the events of an input tell already, so that it is not implied.
struct Told {
  std::set<std::pair<int32_t, uint32_t>> break_lines;  ///< rank, line of the break
  std::set<std::pair<int32_t, std::string>> ids;       ///< rank, compile id
  /// Lines of recompile records by rank, the last first. Records of 2.1 and 2.2 have no id; each
  /// explains the next id that appears on its rank.
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
    const auto value = ConsumeUint<uint32_t>(number);
    if (value && uint64_t{*value} + 1 > best_entry) {
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
  for (auto& [rank, records] : told.records_without_id) {
    std::sort(records.begin(), records.end(), std::greater<>());
  }
  return told;
}

/// Takes a record at `line` or before it; false if all are used or come later. `line` may not be
/// less than in the call before, so it does not matter which of them is taken.
bool TakeRecord(std::vector<uint64_t>& records, uint64_t line) {
  if (records.empty() || records.back() > line) return false;
  records.pop_back();
  return true;
}

/// Whether one of two paths of a file may be a shorter form of the other.
bool MayBeSameFile(std::string_view a, std::string_view b) {
  return a.ends_with(b) || b.ends_with(a);
}

/// The break whose stack contains `function` at `line`; null if no stack does.
const ParseMemory::BreakPlace* BreakBelow(const ParseMemory& memory, int32_t rank,
                                          const std::string& function, uint32_t line,
                                          std::string_view file) {
  // Older names do not say the line.
  if (line == 0) return nullptr;
  const auto& frames = memory.break_frames;
  for (auto frame = frames.lower_bound({rank, function, line, {}}); frame != frames.end();
       ++frame) {
    const auto& [frame_rank, frame_function, frame_line, frame_file] = frame->first;
    if (frame_rank != rank || frame_function != function || frame_line != line) break;
    if (MayBeSameFile(frame_file, file)) return &frame->second;
  }
  return nullptr;
}

}  // namespace

/// Moves next_ to the first name at or after from_ that is spelled "resume_in_f" or
/// "torch_dynamo_resume_in_f". One search for both: the former also ends the latter, and may be
/// part of another name.
void ResumeNameScanner::FindNext() {
  constexpr std::string_view kLongFront = kResume.substr(0, kResume.size() - kShortResume.size());
  next_ = FindText(text_, kShortResume, from_);
  while (next_ != kNotFound && next_ > 0 && IsWordChar(text_[next_ - 1])) {
    if (next_ >= from_ + kLongFront.size() && text_.substr(0, next_).ends_with(kLongFront)) {
      next_ -= kLongFront.size();
      return;
    }
    next_ = FindText(text_, kShortResume, next_ + 1);
  }
}

bool ResumeNameScanner::Next(PrintedResumeName& name) {
  // A name found in one spelling is kept while names in the other come first.
  if (!is_searched_ || next_ < from_) FindNext();
  if (!is_searched_ || next_old_ < from_) next_old_ = FindText(text_, kOldResume, from_);
  is_searched_ = true;
  name = PrintedResumeName{};
  name.begin = std::min(next_, next_old_);
  if (name.begin == kNotFound) return false;
  if (name.begin == next_old_) {
    const size_t end = text_.find('>', next_old_);
    if (end == kNotFound) return false;
    name.function = text_.substr(next_old_, end - next_old_);
    while (ConsumeFront(name.function, kOldResume)) {
    }
    name.end = end + 1;
  } else {
    name.end = NameEnd(text_, name.begin);
    name.function = text_.substr(name.begin, name.end - name.begin);
    bool outermost = true;
    while (name.function.starts_with(kResume) || name.function.starts_with(kShortResume)) {
      const uint32_t line = TakeLineSuffix(name.function);
      if (outermost) name.line = line;
      outermost = false;
      if (!ConsumeFront(name.function, kResume)) ConsumeFront(name.function, kShortResume);
    }
  }
  from_ = name.end;
  return !name.function.empty();
}

const LiteralSet& ResumeNameLiterals() {
  static const LiteralSet literals({kShortResume, kOldResume});
  return literals;
}

void Sightings::NoteResumeNames(std::string_view text, const RecordOrigin& origin) {
  CodePlace frame;
  const bool is_frame = ParseFrameLine(text, frame);
  ResumeNameScanner names(text);
  PrintedResumeName name;
  for (size_t after = 0; names.Next(name); after = name.end) {
    Resume& resume = resumes_[{origin.rank, std::string(name.function), name.line}];
    if (resume.first.line == 0) resume.first = origin;
    if (!resume.file.empty()) continue;
    resume.file = is_frame ? frame.file : FileNamedFor(text, after, name.begin, name.end);
  }
}

void Sightings::NoteCompileId(std::string_view compile_id, const RecordOrigin& origin) {
  const std::string_view id = WithoutAttempt(compile_id);
  // The first compile of a frame is none of a recompile, and compiled autograd counts otherwise.
  if (id.empty() || id[0] == '!' || id.ends_with("/0")) return;
  Id& seen = ids_[{origin.rank, std::string(id)}];
  if (seen.first.line == 0) seen.first = origin;
}

void Sightings::AddImpliedEvents(Session& session, uint32_t input,
                                 const ParseMemory& memory) const {
  Told told = WhatIsTold(session, input);
  for (const auto& [key, resume] : resumes_) {
    const auto& [rank, function, line] = key;
    if (line != 0 && told.break_lines.contains({rank, line})) continue;
    EventDetail detail;
    detail.kind = EventKind::kImpliedBreak;
    detail.function = session.strings().Intern(function);
    detail.user_file = session.strings().Intern(resume.file);
    detail.user_line = line;
    if (const auto* cause = BreakBelow(memory, rank, function, line, resume.file)) {
      detail.trigger_file = session.strings().Intern(cause->file);
      detail.trigger_line = cause->line;
      detail.trigger_function = session.strings().Intern(cause->function);
    }
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
    if (const auto changed = memory.changed_guards.find({origin.rank, id});
        changed != memory.changed_guards.end()) {
      detail.reasons = changed->second;
    }
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
