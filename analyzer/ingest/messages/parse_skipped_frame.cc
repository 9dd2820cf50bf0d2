// Frames that run eagerly as a whole.
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
//
//   Received signal to skip frame (without graph break): No ops traced for the FX graph. ...
//   Frame info: f (/w/t.py line 3) f                 /w/t.py 3

#include <string>

#include "ingest/data_tables.h"
#include "ingest/messages/exception_head.h"
#include "ingest/messages/parsers.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

bool IsMode(Why why) { return why == Why::kDispatchMode || why == Why::kFunctionMode; }

/// kNone: the skip is routine.
Why WhyOfSkip(std::string_view reason) {
  static const WordTable<Why> reasons =
      ReadWordTable(DataTable("reasons"), "skip", Why::kOther, WhyName);
  return FindWords(reasons, reason).value_or(Why::kOther);
}

/// "f (reason: no tensor-related objects found in frame, file: /w/t.py)". The reason may end with a
/// second line, "Frame info: f (/w/t.py line 3)".
void ParseSkippingReason(std::string_view text, ParsedMessage& parsed) {
  const size_t open = FindText(text, " (reason: ");
  if (open == kNotFound) return;
  std::string_view reason = text.substr(open + 10);
  std::string_view file;
  if (const size_t at = reason.rfind(", file: "); at != kNotFound) {
    file = Trim(reason.substr(at + 8));
    if (file.ends_with(")")) file.remove_suffix(1);
    reason = reason.substr(0, at);
  }
  const Why why = WhyOfSkip(reason);
  if (why == Why::kNone) return;
  const StrId message = parsed.Intern(Trim(reason.substr(0, reason.find('\n'))));
  EventDetail& detail =
      parsed
          .Add(IsMode(why) ? EventFact(IgnoredModeFact{.why = why, .message = message})
                           : EventFact(SkippedFrameFact{.why = why, .message = message}))
          .detail;
  parsed.SetFrame(TextBetween(reason, "Frame info: ", "\n"), detail);
  detail.function = parsed.Intern(Trim(text.substr(0, open)));
  if (!file.empty()) detail.file = parsed.Intern(file);
}

}  // namespace

void ParseWontConvert(const Record& record, ParsedMessage& parsed) {
  EventDetail& detail = parsed.Add(SkippedFrameFact{.why = Why::kCompileError}).detail;
  SkippedFrameFact& skip = *detail.As<SkippedFrameFact>();
  std::string_view head = TrimLeft(record.line(0));
  ConsumeFront(head, "WON'T CONVERT ");
  parsed.SetFrame(head, detail);
  bool is_inner = false;
  bool is_of_fake_tensors = false;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    std::string_view name;
    std::string_view message;
    // The last exception of the traceback is the one that was caught; "backend='inductor' raised:"
    // is followed by the text of the inner one, which is the news.
    if (is_inner) {
      if (!Trim(line).empty()) skip.message = parsed.Intern(Trim(line));
    } else if (Indent(line) == 0 && ParseAnyException(line, name, message)) {
      // "Failed running call_module m(...)" only says where the one before was raised.
      if (is_of_fake_tensors && message.starts_with(kOldFailedFakeRun)) continue;
      is_of_fake_tensors = HasText(line, "torch._subclasses.fake_tensor.");
      skip.type = parsed.Intern(name);
      // An exception without a message was raised from the one before, which says what failed.
      if (!message.empty() || skip.message == StrId::kNone) skip.message = parsed.Intern(message);
    }
    is_inner = Trim(line).ends_with("raised:");
  }
}

void ParseSkippedFrame(const Record& record, ParsedMessage& parsed) {
  std::string text;
  for (size_t i = 0; i < record.num_lines(); ++i) text += std::string(Trim(record.line(i))) + "\n";
  std::string_view head = text;
  if (ConsumeFront(head, "skipping: ")) return ParseSkippingReason(head, parsed);
  EventDetail& detail = parsed.Add(SkippedFrameFact()).detail;
  SkippedFrameFact& skip = *detail.As<SkippedFrameFact>();
  CodePlace frame;
  ParseFrameSummary(text, frame);
  // Before 2.13 the exception with the reason is printed after these words.
  if (!ConsumeFront(head, "Received signal to skip frame (without graph break): ")) {
    ConsumeFront(head, "Skipping frame ");
  }
  const std::string_view first = Trim(head.substr(0, head.find('\n')));
  std::string_view place = first;
  const std::string_view reason = TextBetween(head, "Reason: ", "\n");
  skip.why = WhyOfSkip(reason.empty() ? first : reason);
  if (skip.why == Why::kNone || IsMode(skip.why)) skip.why = Why::kOther;
  if (ConsumeFront(place, "skipping because no torch.*")) {
    skip.why = Why::kNoTensors;
    parsed.SetFrame(place, detail);
  } else if (ConsumeFront(place, "because no content in function call ")) {
    parsed.SetFrame(place, detail);
  } else if (ConsumeFront(place, "torch.compile intentionally decided to skip the frame ")) {
    // "... the frame and fall back to eager." without a code object to name.
    if (!place.starts_with("and fall back")) parsed.SetFrame(place, detail);
    // 2.10 appends name, blanks and place.
    const size_t pad = FindText(reason, "    ");
    skip.message = parsed.Intern(
        pad == kNotFound ? reason : reason.substr(0, reason.substr(0, pad).rfind(' ')));
    if (HasText(reason, "disable")) skip.why = Why::kDisabled;
  } else if (HasText(head, "Frame info: ")) {
    parsed.SetFrame(TextBetween(head, "Frame info: ", "\n"), detail);
    skip.message = parsed.Intern(first);
  } else if (skip.why == Why::kLoopBreak) {
    detail.function = parsed.Intern(frame.function);
    detail.file = parsed.Intern(frame.file);
    parsed.SetUserPlace(frame, detail);
  } else {
    skip.message = parsed.Intern(first);
    if (frame.file.empty()) return;
    detail.function = parsed.Intern(frame.function);
    parsed.SetUserPlace(frame, detail);
  }
}

}  // namespace shapewise
