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

/// What the words of a reason amount to; the first that occur count. A skip for a mode that is
/// active is an `ignored_mode`. Source: torch/_dynamo/convert_frame.py, eval_frame.py, 2.2 to 2.13.
constexpr Wording<Why> kSkipReasons[] = {
    {"dispatch mode", Why::kDispatchMode},
    {"function mode", Why::kFunctionMode},
    {"no tensor-related objects", Why::kNoTensors},
    {"an error was suppressed", Why::kCompileError},
    {"compilation failed", Why::kCompileError},
    {"empty graph", Why::kEmpty},
    {"no content", Why::kEmpty},
    {"racing is disabled", Why::kDisabled},
    {"recursively disabled", Why::kDisabled},
};

bool IsMode(Why why) { return why == Why::kDispatchMode || why == Why::kFunctionMode; }

/// kNone: the skip is routine.
Why WhyOfSkip(std::string_view reason) {
  return FindWording(kSkipReasons, reason).value_or(Why::kNone);
}

/// "f (reason: no tensor-related objects found in frame, file: /w/t.py)".
void ParseSkippingReason(std::string_view text, ParsedMessage& parsed) {
  const std::string_view reason = TextBetween(text, "(reason: ", ", file: ");
  const Why why = WhyOfSkip(reason);
  if (why == Why::kNone) return;
  const StrId message = parsed.Intern(reason);
  EventDetail& detail =
      parsed
          .Add(IsMode(why) ? EventFact(IgnoredModeFact{.why = why, .message = message})
                           : EventFact(SkippedFrameFact{.why = why, .message = message}))
          .detail;
  std::string_view file = TextBetween(text, ", file: ", "\n");
  if (file.ends_with(")")) file.remove_suffix(1);
  detail.function = parsed.Intern(Trim(text.substr(0, FindText(text, " (reason: "))));
  detail.file = parsed.Intern(file);
}

}  // namespace

void ParseWontConvert(const Record& record, ParsedMessage& parsed) {
  EventDetail& detail = parsed.Add(SkippedFrameFact{.why = Why::kCompileError}).detail;
  SkippedFrameFact& skip = *detail.As<SkippedFrameFact>();
  std::string_view head = TrimLeft(record.line(0));
  ConsumeFront(head, "WON'T CONVERT ");
  parsed.SetFrame(head, detail);
  bool is_inner = false;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    std::string_view name;
    std::string_view message;
    // The last exception of the traceback is the one that was caught; "backend='inductor' raised:"
    // is followed by the text of the one inside.
    if (!is_inner && Indent(line) == 0 && ParseAnyException(line, name, message)) {
      skip.type = parsed.Intern(name);
      skip.message = parsed.Intern(message);
    }
    is_inner = Trim(line).ends_with("raised:");
  }
}

void ParseSkippedFrame(const Record& record, ParsedMessage& parsed) {
  std::string_view head = Trim(record.line(0));
  if (ConsumeFront(head, "skipping: ")) return ParseSkippingReason(head, parsed);
  EventDetail& detail = parsed.Add(SkippedFrameFact()).detail;
  SkippedFrameFact& skip = *detail.As<SkippedFrameFact>();
  CodePlace frame;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    if (ParseFrameSummary(record.line(i), frame)) break;
  }
  if (ConsumeFront(head, "skipping because no torch.*")) {
    skip.why = Why::kNoTensors;
    parsed.SetFrame(head, detail);
  } else if (ConsumeFront(head, "Skipping frame because no content in function call ")) {
    skip.why = Why::kEmpty;
    parsed.SetFrame(head, detail);
  } else if (ConsumeFront(head, "torch.compile intentionally decided to skip the frame ")) {
    skip.why = Why::kOther;
    // "... the frame and fall back to eager." where there is no code object to name.
    if (!head.starts_with("and fall back")) parsed.SetFrame(head, detail);
    for (size_t i = 1; i < record.num_lines(); ++i) {
      std::string_view reason = Trim(record.line(i));
      if (!ConsumeFront(reason, "Reason: ")) continue;
      skip.message = parsed.Intern(reason);
      const Why why = HasText(reason, "disable") ? Why::kDisabled : WhyOfSkip(reason);
      if (why != Why::kNone && !IsMode(why)) skip.why = why;
    }
  } else if (HasText(head, "graph break in a for/while loop")) {
    skip.why = Why::kLoopBreak;
    detail.function = parsed.Intern(frame.function);
    detail.file = parsed.Intern(frame.file);
    parsed.SetUserPlace(frame, detail);
  } else {
    ConsumeFront(head, "Skipping frame ");
    skip.why = Why::kOther;
    skip.message = parsed.Intern(head);
    if (frame.file.empty()) return;
    detail.function = parsed.Intern(frame.function);
    parsed.SetUserPlace(frame, detail);
  }
}

}  // namespace shapewise
