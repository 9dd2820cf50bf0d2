// The shape of each message, as far as needed to know where it ends.
//
// A prefixed message repeats its whole prefix on every line, so there the question is only whether
// another message begins in the same millisecond. A bare message (no TORCH_LOGS, a custom format, a
// pasted excerpt) ends with the first line that its grammar has no place for: taking one line too
// many would swallow what comes next, taking one too few loses detail.

#include "ingest/formats/torch_log/record_grammar.h"

#include "ingest/formats/torch_log/message_start.h"
#include "ingest/messages/exception_head.h"
#include "ingest/messages/frame_line.h"
#include "shapewise/support/literal_set.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

bool IsFrameLine(std::string_view text) {
  CodePlace place;
  return ParseFrameLine(text, place);
}

bool IsAnyException(std::string_view text) {
  std::string_view name;
  std::string_view message;
  return ParseAnyException(text, name, message);
}

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> heads) {
  for (const std::string_view head : heads) {
    if (text.starts_with(head)) return true;
  }
  return false;
}

/// A source line under a `File` line, or the carets under that.
bool IsUnderFrame(const Record& record, std::string_view text) {
  return record.ends_with_frame() && Indent(text) >= 2;
}

bool IsRecompileLine(std::string_view text) {
  text = TrimLeft(text);
  if (text.starts_with("triggered by ")) return true;
  if (text.starts_with("- ") || text == "-") return true;
  if (!ConsumeFront(text, "guard ")) return false;
  return ConsumeUint(text).has_value() && text.starts_with(" failures");
}

/// 2.1 logs a recompile with the stack of the call (stack_info of Python's logging).
bool IsStack(const Record& record, std::string_view text) {
  return Trim(text) == "Stack (most recent call last):" || IsFrameLine(text) ||
         IsUnderFrame(record, text);
}

bool IsLimitLine(std::string_view text) {
  return StartsWithAny(TrimLeft(text), {"function: ", "reasons: ", "last reason: ",
                                        "User stack trace:", "To log all recompilation reasons",
                                        "To diagnose recompilation", "to diagnose recompilation"});
}

/// Lines that only a graph break's text has.
bool IsBreakLine(std::string_view text) {
  text = TrimLeft(text);
  return StartsWithAny(text, {"Graph Break Reason:",
                              "Reason: ",
                              "Explanation:",
                              "Hint:",
                              "Developer debug context:",
                              "For more details about this graph break",
                              "User code traceback:",
                              "User Stack:",
                              "User stack:",
                              "from user code:",
                              "Traceback (most recent call last)",
                              "*** While handling this graph break",
                              "Stack variable source attribution",
                              "========== most recent",
                              "NOTE: the most recent",
                              "Most recent bytecode",
                              "TRACE ",
                              "Higher Order Operator:",
                              "The graph break occurred in",
                              "torch.compile will skip",
                              "torch._dynamo.config.",
                              "env TORCHDYNAMO_",
                              "to include these operations",
                              "Set TORCH",
                              "You can suppress this exception",
                              "import torch._dynamo",
                              "Call to `",
                              "Called `"}) ||
         text == "or:";
}

/// The type of a break stands alone on a line: after "... encountered:" and a blank line, or after
/// the line of asterisks that joins two breaks.
bool ExpectsBreakType(const Record& record) {
  if (record.num_lines_seen() < 2 || !record.ends_with_blank_line()) return false;
  const std::string_view before = record.last_text();
  return before.ends_with(":") || before.ends_with("***");
}

bool ContinuesBreak(const Record& record, std::string_view text) {
  const std::string_view trimmed = Trim(text);

  if (trimmed.empty() || IsBreakLine(text) || IsFrameLine(text)) return true;
  if (record.kind == RecordKind::kItemWarning && trimmed.starts_with("Graph break: ")) return true;
  const bool deeper = Indent(text) > record.head_indent();

  if (deeper || IsUnderFrame(record, text)) return true;
  if (ExpectsBreakType(record)) return true;
  // A traceback ends with the exception, which stands as far left as the head.
  return record.has_traceback() && IsAnyException(text);
}

/// No blank line has come yet, and not many others.
bool IsFirstParagraph(const Record& record) {
  return record.num_lines_seen() <= 12 && !record.has_blank_line();
}

bool ContinuesException(const Record& record, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const std::string_view last = record.last_text();
  if (trimmed.starts_with("The above exception") || trimmed.starts_with("During handling of")) {
    return false;
  }
  if (trimmed.starts_with("Traceback (most")) {
    // Only inside a break's text, whose debug context may hold a traceback.
    return last.starts_with("Developer debug context") || Indent(text) > 2;
  }
  if (trimmed.empty() || IsBreakLine(text) || IsFrameLine(text)) return true;
  if (IsRecompileLine(text) || trimmed.starts_with("- ") || IsUnderFrame(record, text)) return true;
  if (StartsWithAny(trimmed, {"Suggested fixes:", "Caused by:", "For more information, run with",
                              "For extended logs", "If you suspect", "For more debugging help",
                              "For C++ stack trace", "ATTENTION:", "User Stack (most recent",
                              "(snipped", "The following call raised this error"})) {
    return true;
  }
  if (Indent(text) > record.head_indent()) return true;
  if (ExpectsBreakType(record)) return true;
  // The message may go on for some lines, up to the first blank one.
  if (IsFirstParagraph(record) && FindMessage(text).kind == RecordKind::kNone) return true;
  // "backend='inductor' raised:" is followed by the inner exception's text.
  return last.ends_with("raised:");
}

/// The text of a break without the name of its exception: the frames follow directly.
bool ContinuesUnsupported(const Record& record, std::string_view text) {
  if (IsFrameLine(text) || IsUnderFrame(record, text) || IsBreakLine(text)) return true;
  return Trim(text).empty() && record.num_lines_seen() < 3;
}

/// "12. call_function ..." of a list of breaks.
bool IsNumbered(std::string_view text) {
  return ConsumeUint(text).has_value() && text.starts_with(". ");
}

/// The report ends with its advice about the limit; nothing else ends it.
bool ContinuesProfilerReport(const Record& record, std::string_view text) {
  return !record.last_text().starts_with("Set torch._dynamo.config.") &&
         !Trim(text).starts_with("```") && !HasText(record.last_text(), "ecompilations detected");
}

/// Only messages that announce frames have more than one line.
bool ContinuesCudagraph(const Record& record, std::string_view text) {
  return IsFrameLine(text) || IsUnderFrame(record, text);
}

bool ContinuesAutotune(const Record& record, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const std::string_view last = record.last_text();
  // The closing line ends a table.
  if (HasText(last, "AUTOTUNE benchmarking takes") || HasText(last, "AUTOTUNE takes")) return false;
  if (trimmed.starts_with("AUTOTUNE ")) return !record.has_autotune_table();
  return trimmed.starts_with("SingleProcess AUTOTUNE") ||
         trimmed.starts_with("SubProcess AUTOTUNE") || trimmed.starts_with("{\"num_choices\"") ||
         trimmed.starts_with("strides: ") || trimmed.starts_with("dtypes: ") ||
         HasText(trimmed, " ms ");
}

/// A warning whose first line ends at "Warning:" says the rest below, up to a blank line.
bool ContinuesWarning(const Record& record, std::string_view text) {
  return record.num_lines_seen() < 8 && !Trim(text).empty() &&
         Trim(record.line(0)).ends_with("Warning:");
}

bool ContinuesXlaAnalysis(const Record& record, std::string_view text) {
  const std::string_view first = record.head();
  const size_t head = FindText(first, "Analysis: ") + 10;
  const std::string_view trimmed = TrimLeft(text);
  if (!trimmed.starts_with(first.substr(0, head))) return false;
  // A ruler of '=' ends the block if one of '-' stands before it, and begins the next otherwise.
  if (!trimmed.substr(head).starts_with("====")) return true;
  return record.num_lines_seen() > 1 && HasText(record.last_text(), "Analysis: ----");
}

bool ContinuesXlaFallback(const Record& record, std::string_view text) {
  std::string_view line = TrimLeft(text);
  const bool is_profilers = ConsumeFront(line, "pt-xla-profiler:");
  if (is_profilers != record.head().starts_with("pt-xla-profiler:")) return false;
  line = Trim(line);
  if (is_profilers) return !line.starts_with("FRAME (count=") && !line.starts_with("====");
  return line.empty() || line.starts_with("Unlowered Op: ") || line == "Python Frames:" ||
         (Indent(text) >= 2 && line.ends_with(')'));
}

bool ContinuesXlaMetric(std::string_view text) {
  std::string_view trimmed = TrimLeft(text);
  if (StartsWithAny(trimmed, {"TotalSamples:", "Value:", "Accumulator:", "ValueRate:", "Rate:",
                              "Percentiles:", "Mean:", "StdDev:"})) {
    return true;
  }
  // The accumulated time as the documentation prints it, not the next counter.
  return ConsumeFront(trimmed, "Counter: ") && !trimmed.empty() && IsDigit(trimmed[0]);
}

/// Whether `text` begins a message that no record of this kind holds inside. Exceptions are left to
/// the grammars: tracebacks end with them.
bool BeginsAnother(const Record& record, std::string_view text) {
  const RecordKind kind = MessageAtFront(text, LogPrefix{});
  switch (kind) {
    case RecordKind::kNone:
    case RecordKind::kException:
    case RecordKind::kConstraints:
      return false;
    case RecordKind::kGraphBreak:
      // The warning about `Tensor.item()` tells its place under such a head.
      return record.kind != RecordKind::kItemWarning || !Trim(text).starts_with("Graph break: ");
    case RecordKind::kBareUnsupported:
      return record.kind != RecordKind::kGraphBreak && record.kind != RecordKind::kException &&
             record.kind != RecordKind::kProfilerReport;
    default:
      return kind != record.kind || kind == RecordKind::kRecompile || kind == RecordKind::kLimit;
  }
}

}  // namespace

bool IsEntryBullet(std::string_view text) {
  if (!ConsumeFront(text, "- ")) return false;
  ConsumeFront(text, "!");
  return ConsumeUint(text).has_value() && ConsumeFront(text, "/") &&
         ConsumeUint(text).has_value() && !text.empty() &&
         std::string_view(":/_").find(text[0]) != kNotFound;
}

bool BeginsInnerLine(RecordKind kind, std::string_view text) {
  text = TrimLeft(text);
  if (text.starts_with("triggered by the following") || text.starts_with("- User stack") ||
      text.starts_with("- You marked ") || text.starts_with("- Not all values of ") ||
      IsEntryBullet(text) || IsLimitLine(text) || IsFrameLine(text)) {
    return true;
  }
  // A reason may name such a setting.
  const bool has_reasons = kind == RecordKind::kRecompile || kind == RecordKind::kLimit;
  return !has_reasons && IsBreakLine(text);
}

bool HasBreakText(RecordKind kind) {
  switch (kind) {
    case RecordKind::kGraphBreak:
    case RecordKind::kBreakBlock:
    case RecordKind::kBreakTail:
    case RecordKind::kBareUnsupported:
    case RecordKind::kItemWarning:
    case RecordKind::kException:
      return true;
    default:
      return false;
  }
}

size_t FindFlattenedLine(RecordKind kind, std::string_view text, size_t from) {
  static const LiteralSet words(
      {"Graph Break Reason:", "User code traceback:", "Explanation: ", "Hint: ",
       "Developer debug context:", "For more details about this graph break",
       "from user code:", "Set TORCHDYNAMO_VERBOSE", "Set TORCH_LOGS=", "File \""});
  if (!HasBreakText(kind)) return kNotFound;
  size_t at = words.Find(text, from);
  while (at != kNotFound &&
         (at == 0 || !IsBlankChar(text[at - 1]) || Trim(text.substr(0, at)).empty())) {
    at = words.Find(text, at + 1);
  }
  return at;
}

bool IsOneLine(RecordKind kind, std::string_view text) {
  switch (kind) {
    case RecordKind::kPerfHint:
    case RecordKind::kIgnoredMode:
    case RecordKind::kXlaProfiler:
      return true;
    case RecordKind::kCudagraph:
      return !HasText(text, "Found from") && !HasText(text, "stack trace");
    case RecordKind::kWarning:
      return !Trim(text).ends_with("Warning:");
    default:
      return false;
  }
}

bool ContinuesPrefixed(const Record& record, std::string_view text, PrefixMatch match) {
  const std::string_view trimmed = TrimLeft(text);
  const bool same_prefix = match == PrefixMatch::kSame;
  switch (record.kind) {
    case RecordKind::kRecompile:
      // A line with another id or tag belongs to another message even if it looks alike.
      return same_prefix && (IsRecompileLine(text) || trimmed.empty() || IsStack(record, text));
    case RecordKind::kLimit:
      if (trimmed.starts_with("torch._dynamo hit config.")) return false;
      // The function begins a block whose first line was left out.
      if (trimmed.starts_with("function: ") && record.head().starts_with("function: "))
        return false;
      return same_prefix || (match == PrefixMatch::kSameId && IsLimitLine(text));
    case RecordKind::kGraphBreak:
    case RecordKind::kBreakBlock:
    case RecordKind::kBreakTail:
      return same_prefix && !trimmed.starts_with("Graph break in user code at ") &&
             !trimmed.starts_with("Graph break (");
    case RecordKind::kItemWarning:
      return same_prefix && !trimmed.starts_with("Graph break from `Tensor.item()`");
    case RecordKind::kAutotune:
      return same_prefix && ContinuesAutotune(record, text);
    case RecordKind::kGuardError:
    case RecordKind::kWontConvert:
    case RecordKind::kConstraints:
    case RecordKind::kException:
    case RecordKind::kBreakReason:
    case RecordKind::kSkippedFrame:
      return same_prefix;
    case RecordKind::kCudagraph:
      return same_prefix && ContinuesCudagraph(record, text);
    default:
      return false;
  }
}

bool ContinuesBare(const Record& record, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  if (record.kind == RecordKind::kXlaFallback) return ContinuesXlaFallback(record, text);
  if (BeginsAnother(record, text)) return false;
  switch (record.kind) {
    case RecordKind::kNone:
      return false;
    case RecordKind::kRecompile:
      return trimmed.empty() || IsRecompileLine(text);
    case RecordKind::kLimit:
      if (record.last_text().starts_with("To diagnose") ||
          record.last_text().starts_with("to diagnose")) {
        return false;
      }
      return trimmed.empty() || IsLimitLine(text) || IsFrameLine(text) ||
             IsUnderFrame(record, text);
    case RecordKind::kGraphBreak:
    case RecordKind::kItemWarning:
    case RecordKind::kBreakBlock:
    case RecordKind::kBreakTail:
      return ContinuesBreak(record, text);
    case RecordKind::kBareUnsupported:
      return ContinuesUnsupported(record, text);
    case RecordKind::kProfilerReport:
      return ContinuesProfilerReport(record, text);
    case RecordKind::kOldExplanation:
      return trimmed.empty() || trimmed == "Break reasons:" || IsFrameLine(text) ||
             IsUnderFrame(record, text) || IsNumbered(trimmed);
    case RecordKind::kBreakReason:
      return trimmed.starts_with("Reason: ") || trimmed.starts_with("User Stack:") ||
             trimmed.starts_with("<FrameSummary ") || trimmed.empty() || IsBreakLine(text) ||
             HasText(record.last_text(), "Explanation:");
    case RecordKind::kException:
      return ContinuesException(record, text);
    case RecordKind::kGuardError:
    case RecordKind::kConstraints:
      return trimmed.empty() || Indent(text) > 0 || trimmed.starts_with("- ") ||
             trimmed.starts_with("User stack:") || trimmed.starts_with("Suggested fixes:") ||
             (record.kind == RecordKind::kGuardError &&
              (HasText(trimmed, "ConstraintViolationError") || trimmed.starts_with("Name: ") ||
               trimmed.starts_with("Traceback (most")));
    case RecordKind::kWontConvert:
      return trimmed.empty() || Indent(text) > 0 || trimmed.starts_with("due to:") ||
             trimmed.starts_with("Traceback (most") || trimmed.starts_with("==========") ||
             IsAnyException(text) || IsBreakLine(text) ||
             trimmed.starts_with("The above exception") || record.last_text().ends_with("raised:");
    case RecordKind::kSkippedFrame:
      return trimmed.starts_with("<FrameSummary ") || trimmed.starts_with("Reason: ");
    case RecordKind::kCudagraph:
      return ContinuesCudagraph(record, text);
    case RecordKind::kAutotune:
      return ContinuesAutotune(record, text);
    case RecordKind::kWarning:
      return ContinuesWarning(record, text);
    case RecordKind::kTorchscript:
      return IsFrameLine(text) || IsUnderFrame(record, text);
    case RecordKind::kXlaAnalysis:
      return ContinuesXlaAnalysis(record, text);
    case RecordKind::kXlaMetric:
      return ContinuesXlaMetric(text);
    case RecordKind::kXlaFallback:
    case RecordKind::kPerfHint:
    case RecordKind::kIgnoredMode:
    case RecordKind::kXlaProfiler:
      return false;
  }
  return false;
}

}  // namespace shapewise
