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
#include <string>
#include <vector>

#include "ingest/messages/exception_head.h"
#include "ingest/messages/message_table.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/wording.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kInUserCode = "in user code at ";

// A report that counts more breaks than this is damaged.
constexpr uint64_t kMaxListedBreaks = 1000;

/// "https://.../gb/gb0059.html" -> "GB0059"; empty if `text` has no such link.
std::string RegistryId(std::string_view text) {
  const size_t at = FindText(text, "/gb/gb");
  if (at == kNotFound || at + 10 > text.size()) return {};
  const std::string_view digits = text.substr(at + 6, 4);
  return std::ranges::all_of(digits, IsDigit) ? "GB" + std::string(digits) : std::string();
}

/// A reason that only says what was being traced; the type is below it.
bool IsWrapper(std::string_view reason) {
  return BeginsWithAny(reason, "Encountered graph break |Failed to handle graph break gracefully");
}

/// The type of the break whose reason begins on line `at` of `record`: the reason itself or, after
/// a wrapper, the first line of the block below.
std::string_view TypeAt(const Record& record, size_t at, std::string_view reason) {
  reason = Trim(reason);
  ConsumeFront(reason, "Unsupported: ");
  const bool next_is_blank = at + 1 < record.num_lines() && Trim(record.line(at + 1)).empty();
  if (!IsWrapper(reason) && !(reason.ends_with(":") && next_is_blank) && !reason.empty()) {
    return reason;
  }
  std::string_view type = reason;
  for (size_t i = at + 1; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    if (line.empty()) continue;
    const bool is_other = BeginsWithAny(
        line, "User code traceback|File \"|Hint:|Explanation:|Developer debug context|***");
    if (!is_other) type = line;
    // A line without the prefix may be a print of the program; then the type follows.
    if (is_other || !record.prefixed || !record.is_bare(i)) break;
  }
  return type;
}

/// First line of the frames that are the user's: those below "User code traceback:" and similar.
size_t UserFramesBegin(const Record& record, size_t fallback) {
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    if (line == "from user code:" || line.ends_with("from user code at:") ||
        line.ends_with("from user code at") ||
        BeginsWithAny(line,
                      "User code traceback:|User Stack|The following call raised this error|The "
                      "graph break occurred in the following")) {
      return i + 1;
    }
  }
  return fallback;
}

/// One past the last of them.
size_t UserFramesEnd(const Record& record, size_t begin) {
  for (size_t i = begin; i < record.num_lines(); ++i) {
    if (BeginsWithAny(Trim(record.line(i)),
                      "Traceback (most recent call last)|Most recent bytecode|Set TORCH")) {
      return i;
    }
  }
  return record.num_lines();
}

/// The user's frames in `record`; without a heading line, those below line `fallback`.
std::vector<CodePlace> UserFrames(const Record& record, size_t fallback) {
  const size_t begin = UserFramesBegin(record, fallback);
  return FramesIn(record, begin, UserFramesEnd(record, begin));
}

/// The text of a break, collected over its lines.
struct BreakText {
  BreakText() = default;
  explicit BreakText(const Record& record, size_t begin = 0);

  /// Uses the innermost of `frames` as the place. Returns whether there is one.
  bool SetPlace(const std::vector<CodePlace>& frames) {
    if (!frames.empty()) place = frames.back();
    return !frames.empty();
  }

  std::string_view type;
  std::string_view context;
  std::string_view explanation;
  std::string gb;
  CodePlace place;           ///< from the header, else the innermost frame
  std::string_view skipped;  ///< "f (/w/x.py line 8)": the frame that runs eagerly as a whole
  bool is_repeat = false;    ///< the head says that details are suppressed
  bool is_fatal = false;     ///< raised as an error
  bool skips_frame = false;
  bool names_loop = false;
  bool has_block = false;      ///< it has parts that only occur in the text of a break
  bool has_user_code = false;  ///< "from user code:"
};

/// Reads facts that may be anywhere below line `begin`, in the first block if there are two.
BreakText::BreakText(const Record& record, size_t begin) {
  constexpr std::string_view kSkip = "torch.compile will skip tracing the frame ";
  bool is_second = false;
  for (size_t i = begin; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    has_block = has_block || BeginsWithAny(line, "Explanation:|Hint:") ||
                HasText(line, "about this graph break");
    has_user_code = has_user_code || line == "from user code:";
    is_second = is_second || line.starts_with("*** While handling this graph break");
    if (!is_second && gb.empty()) gb = RegistryId(line);
    std::string_view words = line;
    if (!is_second && explanation.empty() && ConsumeFront(words, "Explanation:")) {
      explanation = Trim(words);
    }
    std::string_view debug = line;
    if (ConsumeFront(debug, "Developer debug context:")) {
      debug = Trim(debug);
      if (!is_second && context.empty()) context = debug;
      if (ConsumeFront(debug, "frame skipped: ")) skipped = debug;
    }
    names_loop = names_loop || line.starts_with("graph break in loop") ||
                 HasText(line, "graph break in a for/while loop");
    if (ConsumeFront(line, kSkip) ||
        HasText(line, "Skipping the function and falling back to eager")) {
      skips_frame = true;
      if (skipped.empty() && HasText(line, " line ")) skipped = line;
    }
  }
}

/// The line of code at the innermost of the user's frames.
std::string_view UserCode(const Record& record) {
  const size_t begin = UserFramesBegin(record, record.num_lines());
  const size_t end = UserFramesEnd(record, begin);
  std::string_view code;
  CodePlace frame;
  for (size_t i = begin; i + 1 < end; ++i) {
    if (ParseFrameLine(record.line(i), frame)) code = Trim(record.line(i + 1));
  }
  return code;
}

/// The context of the break. Where the log does not print one, only the explanation names the
/// exception of a backend or of an operation on fake tensors, the class of a context manager, or a
/// function.
std::string_view ContextOf(const Record& record, const BreakText& text) {
  // The context names only the tensor; an assert needs another change than an `if`.
  if (text.type.starts_with("Data-dependent branching")) {
    const std::string_view code = UserCode(record);
    if (code.starts_with("assert ")) return code;
  }
  if (!text.context.empty()) return text.context;
  if (text.type == "Backend compiler exception" || text.type == "Unsupported context manager") {
    return text.explanation;
  }
  // "Dynamo failed to run FX node with fake tensors: call_function f(*(...), **{}): got E('...')"
  constexpr std::string_view kGot = "): got ";
  if (!text.type.ends_with(" when making fake tensor call")) {
    return HasText(text.explanation, "`") ? text.explanation : std::string_view();
  }
  const size_t at = FindText(text.explanation, kGot);
  return at == kNotFound ? std::string_view() : text.explanation.substr(at + kGot.size());
}

/// Adds the break that `text` describes.
EventDetail& AddBreak(const Record& record, const BreakText& text, FactRole role,
                      ParsedMessage& parsed) {
  ParsedFact& fact = parsed.Add(GraphBreakFact{.gb = parsed.Intern(text.gb),
                                               .type = parsed.Intern(text.type),
                                               .repeat = text.is_repeat,
                                               .fatal = text.is_fatal || role == FactRole::kRaised,
                                               .context = parsed.Intern(ContextOf(record, text))},
                                role);
  parsed.SetUserPlace(text.place, fact.detail);
  const size_t begin = UserFramesBegin(record, 0);
  const size_t end = UserFramesEnd(record, begin);
  for (size_t i = begin; i < end && text.place.line != 0; ++i) {
    CodePlace frame;
    const std::string_view line = record.line(i);
    if (ParseFrameLine(line, frame) || ParseFrameSummary(line, frame)) fact.frames.push_back(frame);
  }
  return fact.detail;
}

/// Adds the skip that the record of a break also reports.
void AddSkip(const BreakText& text, const CodePlace& frame, bool is_cut, ParsedMessage& parsed) {
  const Why why = text.names_loop ? Why::kLoopBreak : Why::kCannotResume;
  EventDetail& detail = parsed.Add(SkippedFrameFact{.why = why}).detail;
  detail.cut = is_cut;
  if (!text.skipped.empty()) {
    parsed.SetFrame(text.skipped, detail);
  } else if (!frame.function.empty()) {
    detail.function = parsed.Intern(frame.function);
    detail.file = parsed.Intern(frame.file);
  }
  parsed.SetUserPlace(text.place, detail);
}

/// The exception at the end of the traceback under an older record: "torch._dynamo.exc.Unsupported:
/// why".
std::string_view LastExceptionMessage(const Record& record, size_t from) {
  std::string_view message;
  bool in_traceback = false;
  bool is_inner = false;  // after "backend='inductor' raised:"
  size_t at = kNotFound;
  for (size_t i = from; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    in_traceback = in_traceback || line.starts_with("Traceback (most recent call last)");
    std::string_view name;
    std::string_view rest;
    if (in_traceback && !is_inner && ParseAnyException(line, name, rest)) {
      message = rest;
      at = i;
    }
    is_inner = line.ends_with("raised:");
  }
  return at == kNotFound ? std::string_view() : TypeAt(record, at, message);
}

/// "Graph break in user code at m.py:12", since 2.6: `place` is what follows "at". False: the words
/// mention the message but are not part of it.
bool ReadPlacedBreak(const Record& record, std::string_view place,
                     const std::vector<CodePlace>& frames, ParsedMessage& parsed, BreakText& text) {
  std::string_view rest;
  text.place = SplitFileLine(place, &rest);
  if (text.place.line == 0 && text.place.file.find(' ') != kNotFound) return false;
  // The innermost frame may be missing; then the function is unknown.
  if (!frames.empty() && frames.back().line == text.place.line) {
    text.place.function = frames.back().function;
  }
  for (size_t i = 0; i < record.num_lines() && text.type.empty(); ++i) {
    std::string_view line = Trim(i == 0 ? rest : record.line(i));
    const bool is_new = ConsumeFront(line, "Graph Break Reason:");
    if (!is_new && !ConsumeFront(line, "Reason:")) continue;
    text.type = TypeAt(record, i, line);
    // symbolic_convert.py: the sentence before the type was added by 2.10.
    if (IsWrapper(Trim(line))) {
      parsed.marks.push_back({"graph breaks say what was being traced", 210, 0});
    } else if (is_new) {
      parsed.marks.push_back({"graph breaks have a Graph Break Reason", 207, 0});
    }
  }
  return true;
}

/// "Graph break: REASON from user code at", whose head contains no place.
void ReadBareBreak(const Record& record, const std::vector<CodePlace>& frames,
                   ParsedMessage& parsed, BreakText& text) {
  std::string_view head = Trim(record.line(0));
  ConsumeFront(head, "Graph break: ");
  const bool has_place = text.SetPlace(frames);
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
  if (!has_place && from != kNotFound) {
    CodePlace place;
    const std::string_view on_line = Trim(head.substr(from + kFrom.size()));
    if (ParseFrameSummary(on_line, place) || ParseFrameLine(on_line, place)) text.place = place;
  }
  if (from == kNotFound && text.type.empty() && record.num_lines() == 1) {
    parsed.damage.push_back(Stat::record_cut);
  }
}

/// "1. call_function BuiltinVariable(print) ...": removes the number; false without one.
bool ConsumeListNumber(std::string_view& line) {
  std::string_view rest = line;
  if (!ConsumeUint(rest) || !ConsumeFront(rest, ". ")) return false;
  line = rest;
  return true;
}

/// "GraphCompileReason(reason='Tensor.item', user_stack=[<FrameSummary file /w/t.py, line 5 in f>],
/// graph_break=True)", one or several of them.
void ParseCompileReasons(std::string_view list, ParsedMessage& parsed) {
  constexpr std::string_view kHead = "GraphCompileReason(reason=";
  for (size_t at = FindText(list, kHead); at != kNotFound; at = FindText(list, kHead)) {
    list = list.substr(at + kHead.size());
    const std::string_view item = list.substr(0, FindText(list, kHead));
    const size_t stack = FindText(item, ", user_stack=[");
    // The end of a graph that is not a break also has a reason.
    if (stack == kNotFound || HasText(item, "graph_break=False")) continue;
    BreakText text;
    text.type = item.substr(0, stack);
    if (text.type.size() > 1) text.type = text.type.substr(1, text.type.size() - 2);
    const size_t last = item.rfind("<FrameSummary file ");
    if (last != kNotFound) ParseFrameSummary(item.substr(last, item.rfind(']') - last), text.place);
    AddBreak(Record(), text, FactRole::kListing, parsed);
  }
}

}  // namespace

void ParseGraphBreak(const Record& record, ParsedMessage& parsed) {
  BreakText text(record);
  const std::string_view head = Trim(record.line(0));
  const std::vector<CodePlace> frames = UserFrames(record, record.num_lines());
  const size_t user_code = FindText(head, kInUserCode);
  const bool is_placed = user_code != kNotFound;
  text.is_repeat = is_placed && HasText(head.substr(0, user_code), "suppressed");
  if (!is_placed) {
    ReadBareBreak(record, frames, parsed, text);
  } else if (!ReadPlacedBreak(record, head.substr(user_code + kInUserCode.size()), frames, parsed,
                              text)) {
    return;
  }
  // The frames go down to the place in the head.
  const bool lacks_frames = record.ends_input && is_placed && !text.is_repeat &&
                            (frames.empty() || frames.back().line != text.place.line);
  const bool is_cut = text.type.empty() || record.is_torn || lacks_frames;
  const bool is_skip = text.skips_frame || text.names_loop;
  // A skip that was truncated before its reason is only a skip.
  if (!is_skip || !text.type.empty()) {
    AddBreak(record, text, FactRole::kRecord, parsed).cut = is_cut;
  }
  if (!is_skip) return;
  // Since 2.6 the frames begin above the compiled one, and the text does not say which of them that
  // is; before, the first is the compiled frame.
  AddSkip(text, is_placed || frames.empty() ? CodePlace{} : frames.front(), is_cut, parsed);
}

void ParseItemWarning(const Record& record, ParsedMessage& parsed) {
  BreakText text;
  text.type = "Tensor.item()";
  text.SetPlace(UserFrames(record, record.num_lines()));
  AddBreak(record, text, FactRole::kWarning, parsed);
}

void ParseBreakBlock(const Record& record, ParsedMessage& parsed) {
  const bool lacks_type = Trim(record.line(0)).starts_with("Explanation:");
  BreakText text(record, lacks_type ? 0 : 1);
  if (!lacks_type) text.type = Trim(record.line(0));
  const size_t begin = UserFramesBegin(record, 0);
  text.is_fatal = begin != 0 && Trim(record.line(begin - 1)) == "from user code:";
  // Without "from user code:" a bare block is the text of an unrelated debug message.
  if (!record.prefixed && !text.is_fatal) return;
  // A block without frames of its own may contain those of the backend's failure, under
  // "Traceback:".
  text.SetPlace(FramesIn(record, begin, begin == 0 ? SIZE_MAX : UserFramesEnd(record, begin)));
  AddBreak(record, text, record.prefixed ? FactRole::kWarning : FactRole::kRecord, parsed).cut =
      lacks_type && text.gb.empty();
}

void ParseBreakTail(const Record& record, ParsedMessage& parsed) {
  BreakText text(record);
  for (size_t i = 0; i < record.num_lines() && text.type.empty(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (ConsumeFront(line, "Graph Break Reason: ")) text.type = TypeAt(record, i, line);
  }
  if (text.type.empty()) text.type = LastExceptionMessage(record, 0);
  // Frames go down to the line that broke, if none of the last is missing.
  if (!record.ends_input) text.SetPlace(UserFrames(record, 0));
  AddBreak(record, text, FactRole::kRecord, parsed).cut = true;
}

void ParseBareUnsupported(const Record& record, ParsedMessage& parsed) {
  BreakText text(record);
  text.type = Trim(record.line(0));
  // Without frames and without torch's explanation these may be anybody's words.
  if (text.SetPlace(UserFrames(record, 0)) || text.has_block) {
    AddBreak(record, text, FactRole::kRaised, parsed);
  }
}

void ParseOldExplanation(const Record& record, ParsedMessage& parsed) {
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
  const uint64_t num_counted = ConsumeUint<uint64_t>(head).value_or(0);
  if (!head.starts_with(" graph break")) return;
  const size_t num_breaks = std::min(num_counted, kMaxListedBreaks);
  for (size_t i = 1; i < record.num_lines(); ++i) {
    BreakText text;
    text.type = Trim(record.line(i));
    if (!ConsumeListNumber(text.type)) continue;
    for (; i + 1 < record.num_lines(); ++i) {
      std::string_view next = Trim(record.line(i + 1));
      if (ConsumeListNumber(next)) break;
      CodePlace frame;
      if (ParseFrameLine(next, frame)) text.place = frame;
    }
    AddBreak(record, text, FactRole::kRecord, parsed);
  }
  // Breaks that are counted but not listed.
  const StrId message = parsed.Intern(Trim(record.line(0)));
  while (parsed.facts.size() < num_breaks) {
    parsed.Add(GraphBreakFact{.message = message}, FactRole::kUnique);
  }
}

void ParseBreakReason(const Record& record, ParsedMessage& parsed) {
  // torch._dynamo.explain():
  //   Break Reason 1:
  //     Reason: Failed to trace builtin operator
  //     User Stack:
  //       <FrameSummary file /w/t.py, line 5 in f>
  if (!record.head().starts_with("Break ")) return ParseCompileReasons(record.head(), parsed);
  BreakText text(record, 1);
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    CodePlace frame;
    if (text.type.empty() && ConsumeFront(line, "Reason: ")) {
      text.type = TypeAt(record, i, line);
    } else if (ParseFrameSummary(line, frame)) {
      text.place = frame;
    }
  }
  parsed.is_unknown = text.type.empty();
  if (!parsed.is_unknown) AddBreak(record, text, FactRole::kListing, parsed);
}

namespace {

/// Whether brackets or double quotes that were opened in `text` are still open.
bool IsOpen(std::string_view text) {
  int depth = 0;
  for (const char c : text)
    depth += static_cast<int>(c == '(' || c == '[') - (c == ')' || c == ']');
  return depth > 0 || std::ranges::count(text, '"') % 2 == 1;
}

/// Whether a sentence that ends with `text` goes on with `next`: no sentence ends, or begins, so.
bool GoesOn(std::string_view text, std::string_view next) {
  if (text.empty() || text.ends_with(':') || text.ends_with(',') || IsOpen(text)) return true;
  if (text.ends_with(" expression") || text.ends_with(" with") || text.ends_with(" of"))
    return true;
  return !text.ends_with('.') && next[0] >= 'a' && next[0] <= 'z' && HasText(next, " ");
}

/// `text`, which ends line `at`, with the lines onto which it wraps: TorchRuntimeError has line
/// feeds of its own, and terminals and people add theirs.
std::string WithWrapped(const Record& record, size_t at, std::string_view text) {
  constexpr size_t kMaxWrapped = 3;
  std::string whole(text);
  const size_t end = std::min(record.num_lines(), at + 1 + kMaxWrapped);
  for (size_t i = at + 1; i < end; ++i) {
    const std::string_view line = Trim(record.line(i));
    CodePlace frame;
    if (line.empty() || line == "from user code:" || ParseFrameLine(line, frame) ||
        BeginsWithAny(line, "- |target: |args[|Set TORCH|Hint:|Explanation:|Traceback (most") ||
        (!GoesOn(whole, line) && Indent(record.line(i)) <= Indent(record.line(at)))) {
      break;
    }
    if (!whole.empty()) whole.append(" ");
    whole.append(line);
  }
  return whole;
}

/// The line of code that asks for the value of a symbol, with its file: the one after "Caused by:",
/// or that of the innermost frame printed. Empty: none is printed.
std::string AskingLine(const Record& record) {
  std::string asking;
  CodePlace frame;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (ConsumeFront(line, "Caused by:") && !Trim(line).starts_with("(")) {
      return std::string(Trim(line));
    }
    if (!ParseFrameLine(line, frame) || i + 1 == record.num_lines()) continue;
    asking = Trim(record.line(i + 1));
    asking.append("  # ").append(frame.file);
  }
  return asking;
}

/// The message of an exception that a report lists in a field of its own, below the class:
/// "- **Exception Message:** RuntimeError: PassManager::run failed".
std::string_view ReportedMessage(const Record& record) {
  constexpr std::string_view kField = "Exception Message:";
  if (record.num_lines() < 2) return {};
  const std::string_view line = record.line(1);
  const size_t at = FindText(line, kField);
  if (at == kNotFound) return {};
  const std::string_view text = line.substr(at + kField.size());
  return Trim(text.substr(std::min(text.size(), text.find_first_not_of("* "))));
}

}  // namespace

void ParseException(const Record& record, ParsedMessage& parsed) {
  ExceptionHead head = FindExceptionHead(record.line(0), /*anywhere=*/false);
  BreakText text(record);
  if (head.kind == RecordKind::kNone) {
    // Only the text decides: the class, UserError, may belong to other code.
    head = {RecordKind::kException, 0, "UserError", record.head()};
    if (text.has_user_code && !ParseAnyException(record.line(0), head.name, head.message) &&
        !BeginsWithAny(record.head(), kCompilerErrors)) {
      head.name = {};
    }
    // vLLM reports the error of a worker, of whatever kind.
    if (ConsumeFront(head.message, "Worker failed with error '") && !text.has_block) return;
  }
  if (head.kind != RecordKind::kException) return;
  if (head.message.empty()) head.message = ReportedMessage(record);
  if (head.name == "ConstraintViolationError" || HasText(head.message, "Constraints violated") ||
      HasText(head.message, "Specializations unexpectedly required")) {
    return ParseConstraints(record, parsed);
  }
  text.SetPlace(UserFrames(record, record.num_lines()));
  const bool is_bare_name = head.offset == Indent(record.line(0)) &&
                            record.line(0).substr(head.offset).starts_with(head.name);
  // A class name alone, as printed by notebooks, is torch's if torch's text follows.
  if (is_bare_name && head.message.empty() && !text.has_user_code) return;
  // Autograd's errors have a "Hint:", too.
  const bool is_of_python = head.name == "RuntimeError" || head.name == "AssertionError";
  if (head.name == "Unsupported" || (text.has_block && !is_of_python)) {
    // "Unsupported: codec" may belong to other code; the text of torch is longer or well known.
    parsed.is_doubtful = is_bare_name && head.name == "Unsupported" && !text.has_block &&
                         !text.has_user_code &&
                         MessageAtFront(head.message, {}) != RecordKind::kBareUnsupported;
    if (parsed.is_doubtful) return;
    text.type = TypeAt(record, 0, head.message);
    // People often paste only the type of a break and, on the next line, its subject.
    if (text.context.empty() && !text.has_block && !text.has_user_code && record.num_lines() > 1) {
      text.context = Trim(record.line(1));
    }
    AddBreak(record, text, FactRole::kRaised, parsed);
    return;
  }
  // "backend='inductor' raised:" is only the frame around the news.
  const bool is_frame = head.message.ends_with("raised:");
  CompileErrorFact error{.type = parsed.Intern(head.name)};
  const std::string message =
      is_frame ? std::string(head.message) : WithWrapped(record, 0, head.message);
  error.message = parsed.Intern(message);
  if (is_frame && record.num_lines() > 1) {
    error.context = parsed.Intern(WithWrapped(record, 1, Trim(record.line(1))));
  } else if (HasText(message, "data-dependent expression")) {
    error.context = parsed.Intern(AskingLine(record));
  }
  parsed.SetUserPlace(text.place, parsed.Add(error, FactRole::kRaised).detail);
}

void ParseUserStack(const Record& record, ParsedMessage& parsed) {
  // Only an error about the value of a size prints its stack below other advice.
  const bool is_of_size = Trim(record.line(0)).starts_with("User Stack");
  const CompileErrorFact error = {
      .type = parsed.Intern(is_of_size ? "GuardOnDataDependentSymNode" : ""),
      .context = parsed.Intern(is_of_size ? AskingLine(record) : "")};
  EventDetail& detail = parsed.Add(error, FactRole::kRaised).detail;
  parsed.SetUserPlace(InnermostFrame(record, 0), detail);
  detail.cut = true;
}

void ParseTorchscript(const Record& record, ParsedMessage& parsed) {
  // torch.jit.frontend.NotSupportedError: unsupported binary operator: LShift:
  //   File "example.py", line 5
  const ExceptionHead head = FindExceptionHead(record.line(0), /*anywhere=*/false);
  if (head.kind != RecordKind::kTorchscript) return;
  const TorchscriptFact error = {parsed.Intern(head.message), TorchscriptAction::kError,
                                 parsed.Intern(head.name)};
  parsed.SetUserPlace(InnermostFrame(record, 1), parsed.Add(error, FactRole::kRaised).detail);
}

}  // namespace shapewise
