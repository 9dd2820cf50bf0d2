// What a log shows without a record of it: a resume function implies a graph break, an id N/1 a
// recompile.

#include <algorithm>
#include <functional>

#include "ingest/reconcile/reconciler.h"
#include "model/compile_number.h"
#include "model/resume_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A path and line next to a name are shorter than this.
constexpr size_t kMaxPlaceBytes = 1024;

/// The file given in `text` for the function in [begin, end) of it: "'f' (/w/x.py:6)" or "f in
/// /w/x.py:6". Trailing comments of guards truncate their paths and are not used. `after` is the
/// end of the previous name, or the start of the text: a place before that does not belong to this
/// function.
std::string_view FileNamedFor(std::string_view text, size_t after, size_t begin, size_t end) {
  // If a line contains many names, their places are searched only in the bytes next to each name.
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
  if (before.ends_with("start tracing ") && ConsumeFront(rest, " ")) {
    const CodePlace place = SplitFileLine(rest);
    return place.line != 0 ? place.file : std::string_view();
  }
  return {};
}

/// Removes a record at `line` or before it; false if all are used or come later. `line` never
/// decreases between calls, so it does not matter which one is removed.
bool TakeRecord(std::vector<uint64_t>& records, uint64_t line) {
  if (records.empty() || records.back() > line) return false;
  records.pop_back();
  return true;
}

/// Whether one of two paths of a file may be a shorter form of the other.
bool MayBeSameFile(std::string_view a, std::string_view b) {
  return a.ends_with(b) || b.ends_with(a);
}

}  // namespace

void Reconciler::NoteResumeNames(std::string_view text, const RecordOrigin& origin) {
  ResumeNameScanner names(text);
  PrintedResumeName name;
  for (size_t after = 0; names.Next(name); after = name.end) {
    const auto [known, is_new] =
        memories_[origin.rank].resumes.try_emplace({std::string(name.function), name.line});
    Resume& resume = known->second;
    if (is_new) resume.first = origin;
    if (!resume.file.empty()) continue;
    const auto frame = ParseFrameLine(text);
    resume.file = frame ? frame->file : FileNamedFor(text, after, name.begin, name.end);
  }
}

void Reconciler::NoteCompileId(std::string_view compile_id, const RecordOrigin& origin) {
  const std::string_view id = WithoutAttempt(compile_id);
  // The first compilation of a frame is not a recompile, and compiled autograd uses other numbers.
  if (id.empty() || id[0] == '!' || id.ends_with("/0")) return;
  memories_[origin.rank].ids.try_emplace(std::string(id), origin);
}

/// What the events of the input report, by rank.
std::map<int32_t, Reconciler::Reported> Reconciler::ReportedEvents() const {
  std::map<int32_t, Reported> all;
  for (const Event& event : session_->events()) {
    if (event.input != input_) continue;
    const EventDetail& detail = session_->detail(event);
    const EventKind kind = detail.kind();
    if (kind == EventKind::kGraphBreak) {
      all[event.rank].break_lines.insert(detail.user_line);
      if (detail.As<GraphBreakFact>()->repeat) {
        all[event.rank].repeats.emplace(detail.user_file, detail.user_line);
      }
    }
    if (kind != EventKind::kRecompile && kind != EventKind::kRecompileLimit) continue;
    Reported& reported = all[event.rank];
    const std::string_view own = session_->text(event.compile_id);
    if (!own.empty()) {
      reported.ids.emplace(WithoutAttempt(own));
    } else if (const auto number = CompileOf(*session_, event)) {
      reported.ids.insert(std::to_string(number->frame) + "/" + std::to_string(number->compile));
    } else if (kind == EventKind::kRecompile) {
      reported.records_without_id.push_back(event.line);
    }
  }
  for (auto& [rank, reported] : all) {
    std::ranges::sort(reported.records_without_id, std::greater<>());
  }
  return all;
}

/// The break whose stack contains `function` at `line`; null if no stack does.
const StoredPlace* Reconciler::FindBreakBelow(const Memory& memory, StrId function, uint32_t line,
                                              std::string_view file) const {
  // Older names do not contain the line.
  if (line == 0) return nullptr;
  const auto& frames = memory.break_frames;
  for (auto frame = frames.lower_bound({function, line, StrId{}}); frame != frames.end(); ++frame) {
    const auto& [frame_function, frame_line, frame_file] = frame->first;
    if (frame_function != function || frame_line != line) break;
    if (MayBeSameFile(session_->text(frame_file), file)) return &frame->second;
  }
  return nullptr;
}

/// Adds the implied breaks and recompiles that no event of the input accounts for. An implied break
/// whose line is in the stack of a reported break gets its place, an implied recompile gets the
/// differences between printed guards as its reasons.
void Reconciler::AddImpliedEvents() {
  StringPool& strings = session_->strings();
  std::map<int32_t, Reported> all_reported = ReportedEvents();
  for (const auto& [rank, memory] : memories_) {
    Reported& reported = all_reported[rank];
    // A repeated break has no stack. It also breaks a function at other lines than the one that the
    // stack of the first break shows.
    std::map<std::pair<StrId, StrId>, const StoredPlace*> repeated;  // by function and file
    for (const auto& [frame, place] : memory.break_frames) {
      const auto& [function, line, file] = frame;
      if (reported.repeats.contains({place.file, place.line})) {
        repeated.try_emplace({function, file}, &place);
      }
    }
    for (const auto& [key, resume] : memory.resumes) {
      const auto& [function, line] = key;
      if (line != 0 && reported.break_lines.contains(line)) continue;
      EventDetail detail;
      ImpliedBreakFact& implied = detail.fact.emplace<ImpliedBreakFact>();
      detail.function = strings.Intern(function);
      detail.user_file = strings.Intern(resume.file);
      detail.user_line = line;
      const StoredPlace* below = FindBreakBelow(memory, detail.function, line, resume.file);
      if (const auto found = repeated.find({detail.function, detail.user_file});
          below == nullptr && found != repeated.end()) {
        below = found->second;
      }
      if (below != nullptr) implied.trigger = {below->file, below->line, below->function};
      Emit(resume.first, {}, detail);
    }
    std::vector<std::pair<RecordOrigin, std::string_view>> unexplained;
    for (const auto& [id, origin] : memory.ids) {
      if (!reported.ids.contains(id)) unexplained.emplace_back(origin, id);
    }
    std::ranges::stable_sort(unexplained, {}, [](const auto& item) { return item.first.line; });
    for (const auto& [origin, id] : unexplained) {
      if (TakeRecord(reported.records_without_id, origin.line)) continue;
      ImpliedRecompileFact implied;
      const auto changed = memory.changed_guards.find(id);
      if (changed != memory.changed_guards.end()) implied.reasons = changed->second;
      EventDetail detail;
      detail.fact = std::move(implied);
      Emit(origin, id, detail);
    }
  }
}

}  // namespace shapewise
