// Sends each complete record to its parser.

#include "ingest/messages/parsers.h"

namespace shapewise {

namespace {

// Records without their first line are few in a log; a hostile one could have millions.
constexpr size_t kMaxNameless = 4096;

}  // namespace

size_t ParseContext::Emit(const Record& record, const EventDetail& detail,
                          const ChangingTexts& texts) {
  Event event;
  event.line = record.origin.line;
  event.time = record.origin.time;
  event.input = record.origin.input;
  event.rank = record.origin.rank;
  event.compile_id = Intern(record.compile_id);
  return session.AddEvent(event, detail, texts);
}

void ParseContext::CountUnknown(const Record& record) {
  session.CountUnknownLines(record.origin.input, record.origin.line, record.line(0));
}

void ParseContext::AddDoubtful(const Record& record) {
  if (doubtful_lines.count++ > 0) return;
  doubtful_lines.first_line = record.origin.line;
  doubtful_lines.first = record.line(0).substr(0, kMaxShownLine);
}

void ParseContext::CountDoubtfulLines(uint32_t input) const {
  const DoubtfulLines& lines = doubtful_lines;
  if (lines.count > 0) {
    session.CountUnknownLines(input, lines.first_line, lines.first, lines.count);
  }
}

void ParseContext::NoteFrame(const Record& record, const EventDetail& detail, size_t event) {
  const size_t slash = record.compile_id.find('/');
  if (slash == kNotFound || record.compile_id[0] == '!') return;
  const std::pair<int32_t, std::string> frame(record.origin.rank,
                                              record.compile_id.substr(0, slash));
  if (detail.function == StrId::kNone) {
    if (nameless.size() < kMaxNameless) nameless.emplace_back(event, frame);
    return;
  }
  const NamedFrame named{detail.function, detail.file, detail.function_line};
  const auto [known, is_new] = named_frames.try_emplace(frame, named);
  if (!is_new && (known->second.function != named.function || known->second.file != named.file)) {
    known->second.is_ambiguous = true;
  }
}

void ParseContext::NameFrames() {
  for (const auto& [event, frame] : nameless) {
    const auto found = named_frames.find(frame);
    if (found == named_frames.end() || found->second.is_ambiguous) continue;
    const NamedFrame& named = found->second;
    session.AmendDetail(event, [&](EventDetail& detail) {
      if (detail.function != StrId::kNone) return;
      detail.function = named.function;
      detail.file = named.file;
      detail.function_line = named.line;
    });
  }
  nameless.clear();
}

void ParseContext::NoteMark(const Record& record, std::string_view what, int32_t from,
                            int32_t until) {
  session.NoteVersionMark({what, from, until, record.origin.input, record.origin.line});
}

void ParseContext::SetUserPlace(const CodePlace& place, EventDetail& detail) {
  detail.user_file = Intern(place.file);
  detail.user_line = place.line;
  detail.user_function = Intern(place.function);
}

void ParseRecord(const Record& record, ParseContext& context) {
  if (record.num_lines() == 0) return;
  switch (record.kind) {
    case RecordKind::kNone:
      return;
    case RecordKind::kRecompile:
      return ParseRecompile(record, context);
    case RecordKind::kLimit:
      return ParseLimit(record, context);
    case RecordKind::kGraphBreak:
      return ParseGraphBreak(record, context);
    case RecordKind::kItemWarning:
      return ParseItemWarning(record, context);
    case RecordKind::kBreakBlock:
      return ParseBreakBlock(record, context);
    case RecordKind::kBreakTail:
      return ParseBreakTail(record, context);
    case RecordKind::kBareUnsupported:
      return ParseBareUnsupported(record, context);
    case RecordKind::kProfilerReport:
      return ParseProfilerReport(record, context);
    case RecordKind::kOldExplanation:
      return ParseOldExplanation(record, context);
    case RecordKind::kBreakReason:
      return ParseBreakReason(record, context);
    case RecordKind::kException:
      return ParseException(record, context);
    case RecordKind::kGuardError:
    case RecordKind::kConstraints:
      return ParseConstraints(record, context);
    case RecordKind::kWontConvert:
      return ParseWontConvert(record, context);
    case RecordKind::kSkippedFrame:
      return ParseSkippedFrame(record, context);
    case RecordKind::kCudagraph:
      return ParseCudagraph(record, context);
    case RecordKind::kAutotune:
    case RecordKind::kPerfHint:
      return ParsePerfHint(record, context);
    case RecordKind::kWarning:
      return ParseWarning(record, context);
    case RecordKind::kIgnoredMode:
      return ParseIgnoredMode(record, context);
    case RecordKind::kTorchscript:
      return ParseTorchscript(record, context);
    case RecordKind::kXlaFallback:
      return ParseXlaFallback(record, context);
    case RecordKind::kXlaProfiler:
    case RecordKind::kXlaAnalysis:
    case RecordKind::kXlaMetric:
      return ParseXla(record, context);
  }
}

}  // namespace shapewise
