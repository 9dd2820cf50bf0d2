// Frames that run eager as a whole.
//
//   WON'T CONVERT forward /w/t.py line 3
//   due to:
//   Traceback (most recent call last):
//   torch._dynamo.exc.InternalTorchDynamoError: AttributeError: ...
//
//   Skipping frame because there is a graph break in a for/while loop
//   <FrameSummary file /w/t.py, line 5 in loop>
//
//   skipping: f (reason: no tensor-related objects found in frame, file: /w/t.py)

#include "ingest/messages/exception_head.h"
#include "ingest/messages/parsers.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// "forward /w/t.py line 3": function, file and line. Paths may hold blanks, names do not.
void TakeFunctionFileLine(const Record& record, std::string_view text, ParseContext& context,
                          EventDetail& detail) {
  text = Trim(text);
  const size_t blank = text.find(' ');
  detail.function = context.Intern(text.substr(0, blank));
  if (blank == kNotFound) return;
  text = TrimLeft(text.substr(blank));
  size_t line = FindText(text, " line ");
  std::string_view number;
  if (line != kNotFound) {
    number = text.substr(line + 6);
  } else {
    line = text.rfind(' ');
    if (line != kNotFound && line + 1 < text.size() && IsDigit(text[line + 1])) {
      number = text.substr(line + 1);
    } else {
      line = kNotFound;
    }
  }
  detail.file = context.Intern(Trim(text.substr(0, line)));
  detail.function_line = context.ConsumeNumber<uint32_t>(record, number).value_or(0);
}

/// What a reason of "skipping: f (reason: ...)" amounts to; kNone: Dynamo keeping house.
/// Source: torch/_dynamo/convert_frame.py, eval_frame.py, 2.2 to 2.13.
Why WhyOfSkipReason(std::string_view reason) {
  if (HasText(reason, "no tensor-related objects")) return Why::kNoTensors;
  if (HasText(reason, "an error was suppressed") || HasText(reason, "compilation failed")) {
    return Why::kCompileError;
  }
  if (HasText(reason, "empty graph") || HasText(reason, "no content")) return Why::kEmpty;
  if (HasText(reason, "racing is disabled") || HasText(reason, "recursively disabled")) {
    return Why::kDisabled;
  }
  return Why::kNone;
}

/// A skip for a mode that is active: `ignored_mode`, not `skipped_frame`.
Why ModeOfSkipReason(std::string_view reason) {
  if (HasText(reason, "dispatch mode")) return Why::kDispatchMode;
  if (HasText(reason, "function mode")) return Why::kFunctionMode;
  return Why::kNone;
}

void ParseSkippingReason(const Record& record, std::string_view text, ParseContext& context) {
  EventDetail detail;
  const size_t open = FindText(text, " (reason: ");
  detail.function = context.Intern(Trim(text.substr(0, open)));
  std::string_view reason = TextBetween(text, "(reason: ", ", file: ");
  std::string_view file = TextBetween(text, ", file: ", "\n");
  if (file.ends_with(")")) file.remove_suffix(1);
  detail.file = context.Intern(file);
  if (const Why mode = ModeOfSkipReason(reason); mode != Why::kNone) {
    detail.kind = EventKind::kIgnoredMode;
    detail.why = mode;
    detail.message = context.Intern(reason);
    context.Emit(record, detail);
    return;
  }
  detail.kind = EventKind::kSkippedFrame;
  detail.why = WhyOfSkipReason(reason);
  if (detail.why == Why::kNone) return;
  detail.message = context.Intern(reason);
  context.Emit(record, detail);
}

}  // namespace

void ParseWontConvert(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kSkippedFrame;
  detail.why = Why::kCompileError;
  std::string_view head = TrimLeft(record.line(0));
  ConsumeFront(head, "WON'T CONVERT ");
  TakeFunctionFileLine(record, head, context, detail);
  bool is_inner = false;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view name;
    std::string_view message;
    // The last exception of the traceback is the one that was caught; "backend='inductor' raised:"
    // goes on with the text of the one inside.
    if (!is_inner && Indent(record.line(i)) == 0 &&
        ParseAnyException(record.line(i), name, message)) {
      detail.type = context.Intern(name);
      detail.message = context.Intern(message);
    }
    is_inner = Trim(record.line(i)).ends_with("raised:");
  }
  context.Emit(record, detail);
}

void ParseSkippedFrame(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kSkippedFrame;
  std::string_view head = Trim(record.line(0));
  CodePlace frame;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    if (ParseFrameSummary(record.line(i), frame)) break;
  }
  if (ConsumeFront(head, "skipping: ")) {
    ParseSkippingReason(record, head, context);
    return;
  }
  if (ConsumeFront(head, "skipping because no torch.*")) {
    detail.why = Why::kNoTensors;
    TakeFunctionFileLine(record, head, context, detail);
  } else if (ConsumeFront(head, "torch.compile intentionally decided to skip the frame ")) {
    detail.why = Why::kOther;
    const size_t open = FindText(head, " (");
    // "... the frame and fall back to eager." where there is no code object to name.
    if (!head.starts_with("and fall back")) detail.function = context.Intern(head.substr(0, open));
    const std::string_view place = TextBetween(head, " (", ")");
    const size_t line = FindText(place, " line ");
    detail.file = context.Intern(place.substr(0, line));
    std::string_view number = line == kNotFound ? std::string_view() : place.substr(line + 6);
    detail.function_line = context.ConsumeNumber<uint32_t>(record, number).value_or(0);
    for (size_t i = 1; i < record.num_lines(); ++i) {
      std::string_view line_text = Trim(record.line(i));
      if (!ConsumeFront(line_text, "Reason: ")) continue;
      detail.message = context.Intern(line_text);
      const Why why = WhyOfSkipReason(line_text);
      if (why != Why::kNone) detail.why = why;
      if (HasText(line_text, "disable")) detail.why = Why::kDisabled;
    }
  } else if (HasText(head, "graph break in a for/while loop")) {
    detail.why = Why::kLoopBreak;
    detail.function = context.Intern(frame.function);
    detail.file = context.Intern(frame.file);
    context.SetUserPlace(frame, detail);
  } else if (ConsumeFront(head, "Skipping frame because no content in function call ")) {
    detail.why = Why::kEmpty;
    TakeFunctionFileLine(record, head, context, detail);
  } else {
    ConsumeFront(head, "Skipping frame ");
    detail.why = Why::kOther;
    detail.message = context.Intern(head);
    if (!frame.file.empty()) {
      detail.function = context.Intern(frame.function);
      context.SetUserPlace(frame, detail);
    }
  }
  context.Emit(record, detail);
}

}  // namespace shapewise
