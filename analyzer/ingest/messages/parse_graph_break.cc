// Graph breaks, in all the forms they took.
//
// 2.6 and later:
//   Graph break in user code at /w/train.py:11
//   Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call,
//   ...:
//
//   Failed to trace builtin operator
//     Explanation: ...
//     Developer debug context: builtin print [...]
//
//    For more details about this graph break, please visit: https://.../gb/gb0059.html
//   User code traceback:
//     File "/w/train.py", line 11, in forward
//
// 2.1 to 2.5:
//   Graph break: {reason} from user code at:
//     File "/w/train.py", line 7, in fn
//   Traceback (most recent call last):                                      (2.3 to 2.5)
//   torch._dynamo.exc.Unsupported: {reason}

#include <algorithm>

#include "ingest/messages/exception_head.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/sightings.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kInUserCode = "in user code at ";

// A report that counts more breaks than this is damaged.
constexpr uint64_t kMaxListedBreaks = 1000;

constexpr std::string_view kSecondBreak = "*** While handling this graph break";

/// What a break's text says, gathered over its lines.
struct BreakText {
  std::string_view type;
  std::string_view context;
  std::string gb;
  CodePlace place;           ///< from the header, else the innermost frame
  std::string_view skipped;  ///< "f (/w/x.py line 8)": the frame that runs eager as a whole
  bool skips_frame = false;
  bool names_loop = false;
};

/// "https://.../gb/gb0059.html" -> "GB0059"; empty if `text` has no such link.
std::string RegistryId(std::string_view text) {
  const size_t at = FindText(text, "/gb/gb");
  if (at == kNotFound || at + 10 > text.size()) return {};
  std::string id = "GB";
  for (size_t i = at + 6; i < at + 10; ++i) {
    if (!IsDigit(text[i])) return {};
    id += text[i];
  }
  return id;
}

/// A reason that only says what was being traced; the type stands below it.
bool IsWrapper(std::string_view reason) {
  return reason.starts_with("Encountered graph break ") ||
         reason.starts_with("Failed to handle graph break gracefully");
}

/// The type of the break whose reason begins on line `at` of `record`: the reason itself, or,
/// behind a wrapper, the first line of the block below.
std::string_view TypeAt(const Record& record, size_t at, std::string_view reason) {
  reason = Trim(reason);
  ConsumeFront(reason, "Unsupported: ");
  const bool next_is_blank = at + 1 < record.num_lines() && Trim(record.line(at + 1)).empty();
  if (!IsWrapper(reason) && !(reason.ends_with(":") && next_is_blank) && !reason.empty()) {
    return reason;
  }
  for (size_t i = at + 1; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    if (line.empty()) continue;
    if (line.starts_with("User code traceback") || line.starts_with("File \"") ||
        line.starts_with("Hint:") || line.starts_with("Explanation:") ||
        line.starts_with("Developer debug context") || line.starts_with("***")) {
      break;
    }
    return line;
  }
  return reason;
}

/// Facts that may stand anywhere in a break's text, in its first block if there are two.
void ScanBlock(const Record& record, size_t begin, BreakText& text) {
  bool second = false;
  for (size_t i = begin; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (line.starts_with(kSecondBreak)) second = true;
    if (!second && text.gb.empty()) text.gb = RegistryId(line);
    std::string_view context = line;
    if (ConsumeFront(context, "Developer debug context:")) {
      context = Trim(context);
      if (!second && text.context.empty()) text.context = context;
      if (ConsumeFront(context, "frame skipped: ")) text.skipped = context;
    }
    if (line.starts_with("graph break in loop") ||
        HasText(line, "graph break in a for/while loop")) {
      text.names_loop = true;
    }
    if (HasText(line, "Skipping the function and falling back to eager") ||
        line.starts_with("torch.compile will skip tracing the frame ")) {
      text.skips_frame = true;
      ConsumeFront(line, "torch.compile will skip tracing the frame ");
      if (text.skipped.empty() && HasText(line, " line ")) text.skipped = line;
    }
  }
}

/// First line of the frames that are the user's: those behind "User code traceback:" or its kin.
size_t UserFramesBegin(const Record& record, size_t fallback) {
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    if (line.starts_with("User code traceback:") || line.ends_with("from user code at:") ||
        line.ends_with("from user code at") || line == "from user code:" ||
        line.starts_with("User Stack") ||
        line.starts_with("The following call raised this error") ||
        line.starts_with("The graph break occurred in the following")) {
      return i + 1;
    }
  }
  return fallback;
}

/// One past the last of them.
size_t UserFramesEnd(const Record& record, size_t begin) {
  for (size_t i = begin; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    if (line.starts_with("Traceback (most recent call last)") ||
        line.starts_with("Most recent bytecode") || line.starts_with("Set TORCH")) {
      return i;
    }
  }
  return record.num_lines();
}

/// "f (/w/x.py line 8) and fall back to eager." -> function, file and line of a skipped frame.
void TakeSkippedFrame(const Record& record, std::string_view text, ParseContext& context,
                      EventDetail& detail) {
  const size_t open = FindText(text, " (");
  detail.function = context.Intern(Trim(text.substr(0, open)));
  if (open == kNotFound) return;
  text.remove_prefix(open + 2);
  const size_t line = FindText(text, " line ");
  detail.file = context.Intern(text.substr(0, line));
  if (line == kNotFound) return;
  text.remove_prefix(line + 6);
  detail.function_line = context.ConsumeNumber<uint32_t>(record, text).value_or(0);
}

/// Keeps the frames of the user's stack below the break.
void KeepFrames(const Record& record, ParseContext& context, const CodePlace& place) {
  const size_t begin = UserFramesBegin(record, 0);
  const size_t end = UserFramesEnd(record, begin);
  for (size_t i = begin; i < end; ++i) {
    CodePlace frame;
    const std::string_view line = record.line(i);
    if (!ParseFrameLine(line, frame) && !ParseFrameSummary(line, frame)) continue;
    std::string_view function = frame.function;
    PrintedResumeName name;
    if (ResumeNameScanner(frame.function).Next(name)) function = name.function;
    context.break_frames.try_emplace(
        {record.origin.rank, std::string(function), frame.line, std::string(frame.file)},
        ParseMemory::BreakPlace{std::string(place.file), place.line, std::string(place.function)});
  }
}

/// Emits the break, or completes the event that told it before.
void EmitBreak(const Record& record, ParseContext& context, const BreakText& text,
               EventDetail detail, bool is_warning) {
  detail.kind = EventKind::kGraphBreak;
  detail.type = context.Intern(text.type);
  detail.gb = context.Intern(text.gb);
  detail.context = context.Intern(text.context);
  context.SetUserPlace(text.place, detail);
  if (text.place.line != 0) {
    KeepFrames(record, context, text.place);
    context.break_places.emplace(record.origin.rank, std::string(text.place.file), text.place.line);
  }
  const std::string id(WithoutAttempt(record.compile_id));
  const auto before = context.last_break.find(record.origin.rank);
  if (before != context.last_break.end() && !detail.repeat && !detail.fatal) {
    ParseContext::LastBreak& last = before->second;
    const bool same_place = last.compile_id == id && last.line == text.place.line &&
                            last.file == text.place.file && last.line != 0;
    // The `Tensor.item()` warning and its graph_breaks record are one break told twice.
    if (same_place && last.is_warning != is_warning) {
      context.session.AmendDetail(last.event, [&](EventDetail& merged) {
        const bool fuller = !text.gb.empty() || merged.gb == StrId::kNone;
        if (!fuller || is_warning) return;
        merged.type = detail.type;
        merged.gb = detail.gb;
        merged.context = detail.context;
        if (detail.user_function != StrId::kNone) merged.user_function = detail.user_function;
      });
      last.is_warning = false;
      return;
    }
  }
  ParseContext::LastBreak& last = context.last_break[record.origin.rank];
  last.event = context.Emit(record, detail);
  last.compile_id = id;
  last.file = text.place.file;
  last.line = text.place.line;
  last.is_warning = is_warning;
}

/// The skip that a break's record also tells.
void EmitSkip(const Record& record, ParseContext& context, const BreakText& text,
              const CodePlace& frame, bool is_cut) {
  EventDetail detail;
  detail.kind = EventKind::kSkippedFrame;
  detail.cut = is_cut;
  detail.why = text.names_loop ? Why::kLoopBreak : Why::kCannotResume;
  if (!text.skipped.empty()) {
    TakeSkippedFrame(record, text.skipped, context, detail);
  } else if (!frame.function.empty()) {
    detail.function = context.Intern(frame.function);
    detail.file = context.Intern(frame.file);
  }
  context.SetUserPlace(text.place, detail);
  context.Emit(record, detail);
}

/// The exception that ends the traceback under an older record: "torch._dynamo.exc.Unsupported:
/// why".
std::string_view LastExceptionMessage(const Record& record, size_t from) {
  std::string_view message;
  bool in_traceback = false;
  bool is_inner = false;  // behind "backend='inductor' raised:"
  size_t at = kNotFound;
  for (size_t i = from; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    if (Trim(line).starts_with("Traceback (most recent call last)")) in_traceback = true;
    std::string_view name;
    std::string_view rest;
    if (in_traceback && !is_inner && ParseAnyException(line, name, rest)) {
      message = rest;
      at = i;
    }
    is_inner = Trim(line).ends_with("raised:");
  }
  return at == kNotFound ? std::string_view() : TypeAt(record, at, message);
}

/// Whether a fatal break was not told before: the same text at the same place, or, where a summary
/// prints the exception without its place, the same text anywhere.
bool IsNewFatalBreak(int32_t rank, const BreakText& text, ParseContext& context) {
  std::string type(text.type);
  // pytest's summary cuts long lines.
  if (type.ends_with("...")) type.resize(type.size() - 3);
  if (text.place.line == 0) {
    const auto told = context.exceptions.lower_bound({rank, "break", type});
    if (told != context.exceptions.end() && std::get<0>(*told) == rank &&
        std::get<2>(*told).starts_with(type)) {
      return false;
    }
  }
  const std::string place = std::string(text.place.file) + ":" + std::to_string(text.place.line);
  return context.exceptions.emplace(rank, "break", type + "@" + place).second;
}

/// Whether a compile error is reported first here. A record with an id is the error of that
/// compile; without an id it may be the traceback of any record before it, printed again.
bool IsNewError(const Record& record, std::string_view name, const std::string& message,
                ParseContext& context) {
  const int32_t rank = record.origin.rank;
  std::string key(name);
  if (!record.compile_id.empty()) {
    context.exceptions.emplace(rank, key, message);
    key += " " + std::string(WithoutAttempt(record.compile_id));
  }
  const auto known = context.exceptions.lower_bound({rank, key, message});
  if (known != context.exceptions.end() && std::get<0>(*known) == rank &&
      std::get<1>(*known) == key && std::get<2>(*known).starts_with(message)) {
    return false;
  }
  context.exceptions.emplace(rank, key, message);
  return true;
}

/// The user's frames below a break.
struct BreakFrames {
  bool has_any = false;
  CodePlace innermost;
  CodePlace outermost;
};

BreakFrames FramesOf(const Record& record) {
  BreakFrames frames;
  const size_t begin = UserFramesBegin(record, record.num_lines());
  const size_t end = UserFramesEnd(record, begin);
  frames.has_any = InnermostFrame(record, begin, end, frames.innermost);
  for (size_t i = begin; i < end && frames.outermost.file.empty(); ++i) {
    ParseFrameLine(record.line(i), frames.outermost);
  }
  return frames;
}

/// "Graph break in user code at m.py:12", since 2.6: `place` is what follows "at". False: these are
/// words about the message, not the message.
bool ReadPlacedBreak(const Record& record, ParseContext& context, std::string_view place,
                     const BreakFrames& frames, BreakText& text) {
  std::string_view rest;
  text.place = SplitFileLine(place, &rest);
  if (text.place.line == 0 && text.place.file.find(' ') != kNotFound) return false;
  // The frames may be cut before the innermost one; then its function is not known.
  if (frames.has_any && frames.innermost.line == text.place.line) {
    text.place.function = frames.innermost.function;
  }
  for (size_t i = 0; i < record.num_lines() && text.type.empty(); ++i) {
    std::string_view line = Trim(i == 0 ? rest : record.line(i));
    const bool is_new = ConsumeFront(line, "Graph Break Reason:");
    if (!is_new && !ConsumeFront(line, "Reason:")) continue;
    text.type = TypeAt(record, i, line);
    // symbolic_convert.py: the sentence in front of the type came by 2.10.
    if (IsWrapper(Trim(line))) {
      context.NoteMark(record, "graph breaks say what was being traced", 210, 0);
    } else if (is_new) {
      context.NoteMark(record, "graph breaks have a Graph Break Reason", 207, 0);
    }
  }
  return true;
}

/// "Graph break: REASON from user code at", whose head names no place.
void ReadBareBreak(const Record& record, ParseContext& context, const BreakFrames& frames,
                   BreakText& text) {
  std::string_view head = Trim(record.line(0));
  ConsumeFront(head, "Graph break: ");
  if (frames.has_any) text.place = frames.innermost;
  if (head.starts_with("torch.compile cannot properly resume")) {
    text.skips_frame = true;
    text.type = LastExceptionMessage(record, 1);
    return;
  }
  constexpr std::string_view kFrom = "from user code at";
  const size_t from = FindText(head, kFrom);
  std::string_view reason = Trim(head.substr(0, from));
  if (reason == "skip:" || reason.starts_with("skip: ")) {
    text.skips_frame = true;
    ConsumeFront(reason, "skip:");
    reason = Trim(reason);
  }
  // 2.3 to 2.5 print the reason only as the exception below.
  text.type = reason.empty() ? LastExceptionMessage(record, 1) : reason;
  ConsumeFront(text.type, "Unsupported: ");
  // 2.0 prints the frames on the same line.
  if (!frames.has_any && from != kNotFound) {
    CodePlace place;
    const std::string_view on_line = Trim(head.substr(from + kFrom.size()));
    if (ParseFrameSummary(on_line, place) || ParseFrameLine(on_line, place)) text.place = place;
  }
  if (from == kNotFound && text.type.empty() && record.num_lines() == 1) {
    context.session.stats().Bump(Stat::record_cut, record.origin.input, record.origin.line);
  }
}

}  // namespace

bool InnermostFrame(const Record& record, size_t begin, size_t end, CodePlace& place) {
  bool found = false;
  for (size_t i = begin; i < end && i < record.num_lines(); ++i) {
    CodePlace frame;
    if (ParseFrameLine(record.line(i), frame)) {
      place = frame;
      found = true;
    }
  }
  return found;
}

void ParseGraphBreak(const Record& record, ParseContext& context) {
  EventDetail detail;
  BreakText text;
  const std::string_view head = Trim(record.line(0));
  const BreakFrames frames = FramesOf(record);
  ScanBlock(record, 0, text);
  const size_t user_code = FindText(head, kInUserCode);
  if (user_code == kNotFound) {
    ReadBareBreak(record, context, frames, text);
  } else {
    detail.repeat = HasText(head.substr(0, user_code), "suppressed");
    const std::string_view place = head.substr(user_code + kInUserCode.size());
    if (!ReadPlacedBreak(record, context, place, frames, text)) return;
  }
  // The frames go down to the place that the head names.
  const bool lacks_frames = record.ends_input && user_code != kNotFound && !detail.repeat &&
                            frames.innermost.line != text.place.line;
  detail.cut = text.type.empty() || record.is_torn || lacks_frames;
  if (text.skips_frame || text.names_loop) {
    // A skip that was cut before its reason is the skip alone.
    if (!text.type.empty()) EmitBreak(record, context, text, detail, /*is_warning=*/false);
    // Since 2.6 the frames begin above the compiled one, and which of them that is is not told;
    // before, the first is the compiled frame.
    EmitSkip(record, context, text, user_code != kNotFound ? CodePlace{} : frames.outermost,
             detail.cut);
    return;
  }
  EmitBreak(record, context, text, detail, /*is_warning=*/false);
}

void ParseItemWarning(const Record& record, ParseContext& context) {
  BreakText text;
  if (HasText(record.line(0), "Tensor.item()")) text.type = "Tensor.item()";
  const size_t begin = UserFramesBegin(record, record.num_lines());
  CodePlace innermost;
  if (InnermostFrame(record, begin, UserFramesEnd(record, begin), innermost)) {
    text.place = innermost;
  }
  EmitBreak(record, context, text, EventDetail{}, /*is_warning=*/true);
}

void ParseBreakBlock(const Record& record, ParseContext& context) {
  EventDetail detail;
  BreakText text;
  text.type = Trim(record.line(0));
  ScanBlock(record, 1, text);
  const size_t begin = UserFramesBegin(record, 0);
  detail.fatal = begin != 0 && Trim(record.line(begin - 1)) == "from user code:";
  // A block without frames of its own may hold those of the backend's failure, under "Traceback:".
  const size_t end = begin == 0 ? record.num_lines() : UserFramesEnd(record, begin);
  CodePlace innermost;
  if (InnermostFrame(record, begin, end, innermost)) text.place = innermost;
  // Without "from user code:" a bare block is the text of somebody's debug message.
  if (!record.prefixed && !detail.fatal) return;
  EmitBreak(record, context, text, detail, /*is_warning=*/record.prefixed);
}

void ParseBreakTail(const Record& record, ParseContext& context) {
  BreakText text;
  EventDetail detail;
  detail.cut = true;
  for (size_t i = 0; i < record.num_lines() && text.type.empty(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (ConsumeFront(line, "Graph Break Reason: ")) text.type = TypeAt(record, i, line);
  }
  if (text.type.empty()) text.type = LastExceptionMessage(record, 0);
  ScanBlock(record, 0, text);
  // Frames go down to the line that broke, if none of the last is missing.
  CodePlace innermost;
  const size_t begin = UserFramesBegin(record, 0);
  if (!record.ends_input &&
      InnermostFrame(record, begin, UserFramesEnd(record, begin), innermost)) {
    text.place = innermost;
  }
  EmitBreak(record, context, text, detail, /*is_warning=*/false);
}

void ParseBareUnsupported(const Record& record, ParseContext& context) {
  BreakText text;
  text.type = Trim(record.line(0));
  ScanBlock(record, 0, text);
  CodePlace innermost;
  const size_t begin = UserFramesBegin(record, 0);
  // Without frames these may be anybody's words.
  if (!InnermostFrame(record, begin, UserFramesEnd(record, begin), innermost)) return;
  text.place = innermost;
  if (!IsNewFatalBreak(record.origin.rank, text, context)) return;
  EventDetail detail;
  detail.fatal = true;
  EmitBreak(record, context, text, detail, /*is_warning=*/false);
}

void ParseOldExplanation(const Record& record, ParseContext& context) {
  // torch 2.0, torch._dynamo.explain():
  //   Dynamo produced 3 graphswith 2 graph break and 5 ops
  //    Break reasons:
  //
  //   1. call_function BuiltinVariable(print) [ConstantVariable(str)] {}
  //     File "/w/t.py", line 5, in f
  std::string_view head = TrimLeft(record.line(0));
  ConsumeFront(head, "Dynamo produced ");
  if (!ConsumeUint(head) || !ConsumeFront(head, " graphs")) return;
  head = TrimLeft(head);
  if (!ConsumeFront(head, "with ")) return;
  uint64_t num_breaks = ConsumeUint<uint64_t>(head).value_or(0);
  if (!head.starts_with(" graph break")) return;
  num_breaks = std::min(num_breaks, kMaxListedBreaks);
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (!ConsumeUint(line) || !ConsumeFront(line, ". ")) continue;
    BreakText text;
    text.type = line;
    size_t end = i + 1;
    for (CodePlace frame; end < record.num_lines(); ++end) {
      std::string_view next = Trim(record.line(end));
      if (ConsumeUint(next) && next.starts_with(". ")) break;
      if (ParseFrameLine(record.line(end), frame)) text.place = frame;
    }
    EmitBreak(record, context, text, EventDetail{}, /*is_warning=*/false);
    if (num_breaks > 0) --num_breaks;
    i = end - 1;
  }
  // Those that are counted and not listed.
  EventDetail detail;
  detail.kind = EventKind::kGraphBreak;
  detail.message = context.Intern(Trim(record.line(0)));
  for (; num_breaks > 0; --num_breaks) context.Emit(record, detail);
}

void ParseBreakReason(const Record& record, ParseContext& context) {
  // torch._dynamo.explain():
  //   Break Reason 1:
  //     Reason: Failed to trace builtin operator
  //     User Stack:
  //       <FrameSummary file /w/t.py, line 5 in f>
  BreakText text;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    CodePlace frame;
    if (text.type.empty() && ConsumeFront(line, "Reason: ")) {
      text.type = TypeAt(record, i, line);
    } else if (ParseFrameSummary(line, frame)) {
      text.place = frame;
    }
  }
  if (text.type.empty()) return context.CountUnknown(record);
  ScanBlock(record, 1, text);
  const bool told = context.break_places.contains(
      {record.origin.rank, std::string(text.place.file), text.place.line});
  if (!told) EmitBreak(record, context, text, EventDetail{}, /*is_warning=*/false);
}

void ParseException(const Record& record, ParseContext& context) {
  const ExceptionHead head = FindExceptionHead(record.line(0), /*anywhere=*/false);
  if (head.kind != RecordKind::kException) return;
  if (head.name == "ConstraintViolationError" || HasText(head.message, "Constraints violated") ||
      HasText(head.message, "Specializations unexpectedly required")) {
    ParseConstraints(record, context);
    return;
  }
  bool has_block = false;
  bool has_user_code = false;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    has_block = has_block || line.starts_with("Explanation:") || line.starts_with("Hint:") ||
                HasText(line, "about this graph break");
    has_user_code = has_user_code || line == "from user code:";
  }
  const bool is_bare_name = head.offset == Indent(record.line(0)) &&
                            record.line(0).substr(head.offset).starts_with(head.name);
  BreakText text;
  CodePlace innermost;
  const size_t begin = UserFramesBegin(record, record.num_lines());
  if (InnermostFrame(record, begin, UserFramesEnd(record, begin), innermost)) {
    text.place = innermost;
  }
  // A class's name alone, as notebooks print it, is torch's if torch's text follows.
  if (is_bare_name && head.message.empty() && !has_user_code) return;
  if (head.name == "Unsupported" || has_block) {
    // "Unsupported: codec" is somebody else's word; torch's goes on.
    if (is_bare_name && head.name == "Unsupported" && !has_block && !has_user_code) {
      return context.AddDoubtful(record);
    }
    text.type = TypeAt(record, 0, head.message);
    ScanBlock(record, 0, text);
    // People keep of a break its type and, on the next line, what it is about.
    if (text.context.empty() && !has_block && !has_user_code && record.num_lines() > 1) {
      text.context = Trim(record.line(1));
    }
    if (!IsNewFatalBreak(record.origin.rank, text, context)) return;
    EventDetail detail;
    detail.fatal = true;
    EmitBreak(record, context, text, detail, /*is_warning=*/false);
    return;
  }
  EventDetail detail;
  detail.kind = EventKind::kCompileError;
  detail.type = context.Intern(head.name);
  detail.message = context.Intern(head.message);
  // "backend='inductor' raised:" is only the frame around the news.
  if (head.message.ends_with("raised:") && record.num_lines() > 1) {
    detail.context = context.Intern(Trim(record.line(1)));
  }
  context.SetUserPlace(text.place, detail);
  std::string message(head.message);
  if (message.ends_with("...")) message.resize(message.size() - 3);
  if (!IsNewError(record, head.name, message, context)) return;
  context.Emit(record, detail);
}

}  // namespace shapewise
