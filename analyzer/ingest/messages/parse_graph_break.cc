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
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/messages/break_text.h"
#include "ingest/messages/message_table.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "model/break_types.h"
#include "model/guard.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

constexpr std::string_view kInUserCode = "in user code at ";

// A report that counts more breaks than this is damaged.
constexpr uint64_t kMaxListedBreaks = 1000;
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
    const auto raised = in_traceback && !is_inner ? ParseAnyException(line) : std::nullopt;
    if (raised) {
      message = raised->message;
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
    if (IsOnlyWhatWasTraced(Trim(line))) {
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
    const std::string_view on_line = Trim(head.substr(from + kFrom.size()));
    std::optional<CodePlace> place = ParseFrameSummary(on_line);
    if (!place) place = ParseFrameLine(on_line);
    if (place) text.place = *place;
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
/// graph_break=True)", one or several of them. The first may lack its class.
void ParseCompileReasons(std::string_view list, ParsedMessage& parsed) {
  static constexpr std::string_view kHead = "GraphCompileReason(reason=";
  const auto skip_to = [&list](size_t at) {
    list = at == kNotFound ? std::string_view() : list.substr(at + kHead.size());
  };
  if (!ConsumeFront(list, "reason=")) skip_to(FindText(list, kHead));
  while (!list.empty()) {
    const size_t next = FindText(list, kHead);
    const std::string_view item = list.substr(0, next);
    skip_to(next);
    const size_t stack = FindText(item, ", user_stack=[");
    // The end of a graph that is not a break also has a reason.
    if (stack == kNotFound || HasText(item, "graph_break=False")) continue;
    std::string_view literal = item.substr(0, stack);
    if (literal.size() > 1) literal = literal.substr(1, literal.size() - 2);
    Record reason;
    Stats unused;
    for (bool more = true; more;) {
      const size_t end = FindText(literal, "\\n");
      reason.AddLine(literal.substr(0, end), /*bare=*/false, unused);
      more = end != kNotFound;
      if (more) literal.remove_prefix(end + 2);
    }
    BreakText text(reason, 1);
    text.type = TypeAt(reason, 0, reason.line(0));
    const size_t last = item.rfind("<FrameSummary file ");
    if (last != kNotFound) {
      text.place =
          ParseFrameSummary(item.substr(last, item.rfind(']') - last)).value_or(text.place);
    }
    AddBreak(reason, text, FactRole::kListing, parsed);
  }
}

/// `type` without what a program printed before the text of an exception: "capture failed with
/// error: TYPE".
std::string_view WithoutLabel(std::string_view type) {
  constexpr std::string_view kError = "rror: ";
  const size_t at = type.rfind(kError);
  return at == kNotFound ? type : type.substr(at + kError.size());
}

/// Where the condition of a branch is computed, last of all:
///   # File "/w/model.py", line 132, in pad, code: n_frames = length // self.stride
CodePlace PlaceOfCondition(const Record& record) {
  CodePlace place;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    place = ParseFrameLine(line.substr(0, FindText(line, ", code: "))).value_or(place);
  }
  return place;
}

/// Whether a block has a hint as well, and Dynamo is its author.
bool IsWholeBlock(const Record& record) {
  bool has_hint = false;
  bool names_dynamo = false;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    has_hint |= line.starts_with("Hint: ");
    names_dynamo |= HasText(line, "Dynamo") || line.starts_with("Developer debug context:");
  }
  return has_hint && names_dynamo;
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
  constexpr std::string_view kOnPurpose = "torch._dynamo.graph_break()";
  if (text.type.empty() && UserCode(record) == kOnPurpose) text.type = kOnPurpose;
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
  text.type = kTensorItem;
  text.SetPlace(UserFrames(record, record.num_lines()));
  AddBreak(record, text, FactRole::kWarning, parsed);
}

void ParseBreakBlock(const Record& record, ParsedMessage& parsed) {
  const bool lacks_type =
      BeginsWithAny(Trim(record.line(0)), "Explanation:|Hint:|Developer debug context:");
  BreakText text(record, lacks_type ? 0 : 1);
  if (!lacks_type) text.type = WithoutLabel(Trim(record.line(0)));
  const size_t begin = UserFramesBegin(record, 0);
  text.is_fatal = begin != 0 && Trim(record.line(begin - 1)) == "from user code:";
  const std::string_view explained = TypeOfExplanation(text.explanation);
  const bool is_branch = explained == "Data-dependent branching";
  if (lacks_type) text.type = explained;
  // A bare block may be the text of an unrelated debug message, or anybody's words.
  if (!record.prefixed && !text.is_fatal && !is_branch && !IsWholeBlock(record)) return;
  // A block without frames of its own may contain those of the backend's failure, under
  // "Traceback:", or those of the code that computes a condition.
  if (begin == 0 && is_branch) {
    text.place = PlaceOfCondition(record);
  } else {
    text.SetPlace(FramesIn(record, begin, begin == 0 ? SIZE_MAX : UserFramesEnd(record, begin)));
  }
  // A bare block may belong to a record above it, or be an exception that is printed again below.
  const FactRole bare_role = text.is_fatal ? FactRole::kRaised : FactRole::kAnnounced;
  AddBreak(record, text, record.prefixed ? FactRole::kWarning : bare_role, parsed).cut =
      lacks_type && text.gb.empty() && text.type.empty();
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
  // Without frames and without torch's explanation these may be anybody's words, unless Dynamo
  // prints them: why it could not trace the body of a higher-order operator (2.0 to 2.2).
  const bool is_of_dynamo = HasText(record.emitter, "higher_order_ops");
  if (text.SetPlace(UserFrames(record, 0)) || text.has_block || is_of_dynamo) {
    AddBreak(record, text, is_of_dynamo ? FactRole::kRecord : FactRole::kRaised, parsed);
  }
}

void ParseOldExplanation(const Record& record, ParsedMessage& parsed) {
  // torch 2.0, torch._dynamo.explain():
  //   Dynamo produced 3 graphswith 2 graph break and 5 ops
  //    Break reasons:
  //
  //   1. call_function BuiltinVariable(print) [ConstantVariable(str)] {}
  //     File "/w/t.py", line 5, in f
  //
  // Its documentation has "3 graphs, with 2 graph break and 6 ops."; prose does not count
  // operators. People also print the list alone, which is the last item of the result.
  std::string_view head = TrimLeft(record.line(0));
  size_t num_breaks = 0;
  ConsumeFront(head, "`");
  const bool is_list = ConsumeListNumber(head);
  if (!is_list) {
    WordingValues counted;
    if (!ReadWording("Dynamo produced %n graphs%*with ", head) ||
        !ReadWording("%n graph break and ", head, &counted) || !Fits("%n ops", head)) {
      return;
    }
    num_breaks = std::min(static_cast<size_t>(*counted.count), kMaxListedBreaks);
  }
  for (size_t i = is_list ? 0 : 1; i < record.num_lines(); ++i) {
    BreakText text;
    text.type = Trim(record.line(i));
    ConsumeFront(text.type, "`");
    if (!ConsumeListNumber(text.type)) continue;
    if (text.type.ends_with(',')) text.type.remove_suffix(1);
    for (; i + 1 < record.num_lines(); ++i) {
      std::string_view next = Trim(record.line(i + 1));
      if (ConsumeListNumber(next)) break;
      text.place = ParseFrameLine(next).value_or(text.place);
    }
    // Without its head, only the stack shows that it is the list.
    if (!is_list || text.place.line != 0) AddBreak(record, text, FactRole::kRecord, parsed);
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
  if (std::string_view head = record.head(); ConsumeFront(head, "Reason: ")) {
    parsed.Add(GraphBreakFact{.type = parsed.Intern(Trim(head))}, FactRole::kListing);
    return;
  }
  if (!record.head().starts_with("Break ")) {
    return ParseCompileReasons(TrimLeft(record.head()), parsed);
  }
  BreakText text(record, 1);
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (text.type.empty() && ConsumeFront(line, "Reason: ")) {
      text.type = TypeAt(record, i, line);
    } else {
      text.place = ParseFrameSummary(line).value_or(text.place);
    }
  }
  parsed.is_unknown = text.type.empty();
  if (!parsed.is_unknown) AddBreak(record, text, FactRole::kListing, parsed);
}

namespace {

// A table with larger numbers is damaged.
constexpr uint64_t kMaxRowCount = 1000;

enum class Table : uint8_t { kNone, kBreaks, kRecompiles };

/// The number at the end of `text`, which is removed together with the blanks before it.
std::optional<uint64_t> TakeLastNumber(std::string_view& text) {
  text = TrimRight(text);
  size_t digits = text.size();
  while (digits > 0 && IsDigit(text[digits - 1])) --digits;
  if (digits == text.size() || digits == 0 || text[digits - 1] != ' ') return std::nullopt;
  std::string_view number = text.substr(digits);
  const auto value = ConsumeUint<uint64_t>(number);
  text = Trim(text.substr(0, digits));
  return value;
}

/// One row of the table of recompiles.
struct RecompileRow {
  EventDetail frame;
  uint64_t count = 0;
  std::vector<std::string_view> reasons;
};

/// Adds one recompile for each reason, and those without a reason.
void AddRow(const RecompileRow& row, ParsedMessage& parsed) {
  const size_t num_reasons = row.reasons.size();
  for (size_t i = 0; i < std::max<uint64_t>(num_reasons, std::min(row.count, kMaxRowCount)); ++i) {
    ParsedFact& fact = parsed.Add(RecompileFact(), FactRole::kUnique);
    fact.detail = row.frame;
    if (i >= num_reasons) continue;
    fact.reasons.push_back(InternFailure(ParseGuardFailure(row.reasons[i]), parsed.strings));
  }
}

/// Parses "'forward' (gcn.py:36)             2  ___check_global_state()"; absent for other rows.
std::optional<RecompileRow> ReadRow(std::string_view text, ParsedMessage& parsed) {
  if (!ConsumeFront(text, "'")) return std::nullopt;
  const size_t quote = text.find("' (");
  if (quote == kNotFound) return std::nullopt;
  std::string_view rest;
  const CodePlace place = SplitFileLine(text.substr(quote + 3), &rest);
  if (!ConsumeFront(rest, ")")) return std::nullopt;
  rest = TrimLeft(rest);
  const auto count = parsed.ConsumeNumber<uint64_t>(rest);
  if (!count) return std::nullopt;
  RecompileRow row;
  row.frame.function = parsed.Intern(text.substr(0, quote));
  row.frame.file = parsed.Intern(place.file);
  row.frame.function_line = place.line;
  row.count = *count;
  if (!Trim(rest).empty()) row.reasons.push_back(Trim(rest));
  return row;
}

}  // namespace

// The report of torch._dynamo.utils.CompileProfiler, a table.
//
//   Torchdynamo Profiler Report
//   ===========================
//
//   Graph Breaks
//   ------------
//   Graph Break Reason                         Count
//   ---------------------------------------  -------
//   call_function BuiltinVariable(print)           2
//
//   Recompilation
//   -------------
//   Function                 Recompiles  Recompile Reasons
//   ---------------------  ------------  -----------------------
//   'forward' (gcn.py:36)             2  ___check_global_state()
//                                        L['n'] == 3
//
//   Set torch._dynamo.config.cache_size_limit to 2 to avoid being cache limited.
void ParseProfilerReport(const Record& record, ParsedMessage& parsed) {
  Table table = Table::kNone;
  RecompileRow row;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view text = Trim(record.line(i));
    if (text.starts_with("Graph Break Reason") && text.ends_with("Count")) {
      table = Table::kBreaks;
    } else if (text.starts_with("Function") && HasText(text, "Recompiles")) {
      table = Table::kRecompiles;
    } else if (text.empty() || text.starts_with("Set torch.")) {
      AddRow(std::exchange(row, {}), parsed);
      if (table == Table::kBreaks && text.empty()) table = Table::kNone;
    } else if (text.starts_with("---")) {
      continue;
    } else if (table == Table::kBreaks) {
      std::string_view reason = text;
      const uint64_t count = TakeLastNumber(reason).value_or(0);
      const StrId type = parsed.Intern(reason);
      for (uint64_t n = 0; n < std::min(count, kMaxRowCount); ++n) {
        parsed.Add(GraphBreakFact{.type = type}, FactRole::kUnique);
      }
    } else if (table == Table::kRecompiles) {
      if (std::optional<RecompileRow> next = ReadRow(text, parsed)) {
        AddRow(std::exchange(row, std::move(*next)), parsed);
      } else if (row.count > 0 && row.reasons.size() < row.count) {
        row.reasons.push_back(text);
      }
    }
  }
  AddRow(row, parsed);
}

}  // namespace shapewise
