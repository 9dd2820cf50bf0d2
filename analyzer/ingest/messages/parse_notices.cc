// Messages after which the program goes on: CUDA graphs, performance hints of Inductor, warnings,
// and frames that run eagerly as a whole.
//
//   skipping cudagraphs due to mutated inputs (3 instances). Found from :
//      File "/w/t.py", line 90, in mutate
//   CUDAGraph supports dynamic shapes by recording a new graph for each distinct input size. ...
//   Using FallbackKernel: torch.ops.aten.histc.default
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
//
// Sources: torch/_inductor/cudagraph_utils.py, compile_fx.py, graph.py, utils.py,
// select_algorithm.py, releases 2.0 to 2.13.

#include <optional>
#include <string>

#include "ingest/data_tables.h"
#include "ingest/messages/break_text.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "model/break_types.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

/// Warnings about a call that breaks the graph: torch/_dynamo/variables/functions.py since 2.7.
constexpr std::string_view kUntracedFunction =
    "Dynamo does not know how to trace the builtin `|Dynamo cannot trace optree C/C++ function ";

/// Tables of tables/reasons.json.
WordTable<Why> Reasons(std::string_view key) {
  return ReadWordTable(DataTable("reasons"), key, Why::kOther, WhyName);
}

WordTable<PerfHint> Hints(std::string_view key) {
  return ReadWordTable(DataTable("reasons"), key, PerfHint::kOther, PerfHintName);
}

Why WhyOfCudagraph(std::string_view reason) {
  Why best = Why::kOther;
  size_t best_at = kNotFound;
  static const WordTable<Why> reasons = Reasons("cudagraph");
  for (const auto& [words, meaning] : reasons) {
    const size_t at = FindText(reason, words);
    if (at < best_at) {
      best_at = at;
      best = meaning;
    }
  }
  return best;
}

/// The number before `word`: "(3 instances)", "51 distinct sizes".
std::optional<int64_t> NumberBefore(std::string_view text, std::string_view word,
                                    ParsedMessage& parsed) {
  const size_t at = FindText(text, word);
  if (at == kNotFound) return std::nullopt;
  text = TrimRight(text.substr(0, at));
  std::string_view digits = text.substr(text.find_last_not_of("0123456789") + 1);
  return parsed.ConsumeNumber<int64_t>(digits);
}

/// Adds a fact with the message `text`, which may differ between events.
EventDetail& AddChanging(const EventFact& fact, std::string_view text, ParsedMessage& parsed) {
  ParsedFact& added = parsed.Add(fact, FactRole::kUnique);
  added.texts.message = text;
  return added.detail;
}

}  // namespace

void ParseCudagraph(const Record& record, ParsedMessage& parsed) {
  const std::string_view head = Trim(record.line(0));
  CudagraphFact fact;
  if (head.starts_with("skipping cudagraph")) {
    fact.action = CudagraphAction::kSkip;
    const size_t due = FindText(head, "due to ");
    fact.why = WhyOfCudagraph(due == kNotFound ? head : head.substr(due));
    fact.count = NumberBefore(head, " instance", parsed);
  } else if (head.starts_with("CUDAGraph supports dynamic")) {
    fact.action = CudagraphAction::kManySizes;
    std::string hint;
    for (size_t i = 0; i < record.num_lines(); ++i) hint.append(Trim(record.line(i))).append(" ");
    // Prose says that CUDA graphs support dynamic shapes, too.
    if (!HasText(hint, "by recording a new graph")) return;
    fact.count = NumberBefore(hint, " distinct sizes", parsed);
  } else if (head.starts_with("recording cudagraph tree") ||
             head.starts_with("Recording cudagraph tree")) {
    fact.action = CudagraphAction::kRecord;
  } else if (HasText(head, "data pointer changed") || head.starts_with("expected dead indices")) {
    fact.action = CudagraphAction::kRecord;
    fact.why = Why::kRerecordLimit;
  } else {
    fact.action = CudagraphAction::kPartition;
    if (HasText(head, "due to ")) fact.why = WhyOfCudagraph(head);
    fact.count = NumberBefore(head, " partitions", parsed);
    if (!fact.count) fact.count = NumberBefore(head, " graph partitions", parsed);
  }
  parsed.SetUserPlace(InnermostFrame(record, 1), AddChanging(fact, head, parsed));
}

void ParseAutotune(const Record& record, ParsedMessage& parsed) {
  AddChanging(PerfHintFact{.hint = PerfHint::kAutotune}, Trim(record.line(0)), parsed);
}

void ParsePerfHint(const Record& record, ParsedMessage& parsed) {
  std::string_view head = Trim(record.line(0));
  // What autotuning leaves out: the error counts, not the kernel.
  constexpr std::string_view kChoice = "for benchmark choice ";
  if (const size_t choice = FindText(head, kChoice); choice != kNotFound) {
    head = head.substr(0, choice + kChoice.size() - 1);
  }
  static const WordTable<PerfHint> hints = Hints("hints");
  const PerfHint hint = FindWords(hints, head).value_or(PerfHint::kOther);
  AddChanging(PerfHintFact{.hint = hint}, head, parsed);
}

void ParseWarning(const Record& record, ParsedMessage& parsed) {
  // "/x/torch/_inductor/compile_fx.py:90: UserWarning: TensorFloat32 tensor cores ...", with the
  // text on the lines below when it begins with a newline.
  static const WordTable<PerfHint> hints = Hints("hint_warnings");
  static const WordTable<Why> modes = Reasons("mode_warnings");
  const std::string_view head = record.line(0);
  const size_t at = FindText(head, "Warning:");
  if (at == kNotFound) return;
  std::string_view text = Trim(head.substr(at + 8));
  if (text.empty() && record.num_lines() > 1) text = Trim(record.line(1));
  if (head.substr(0, at + 7).ends_with("TracerWarning")) {
    const TorchscriptFact fact{.action = TorchscriptAction::kTracerWarning};
    // The place of the warning is the user's line; tqdm bars may be joined before it.
    size_t name = at;
    while (name > 0 && IsWordChar(head[name - 1])) --name;
    std::string_view place = Trim(head.substr(0, name));
    if (place.ends_with(":")) place.remove_suffix(1);
    parsed.SetUserPlace(SplitFileLine(place), AddChanging(fact, text, parsed));
  } else if (const auto hint = FindWords(hints, text)) {
    AddChanging(PerfHintFact{.hint = *hint}, text, parsed);
  } else if (text.starts_with("Graph break due to unsupported builtin")) {
    const StrId type = parsed.Intern(text.substr(0, FindText(text, ". This function")));
    AddChanging(GraphBreakFact{.type = type}, text, parsed);
  } else if (BeginsWithAny(text, kUntracedFunction)) {
    parsed.Add(GraphBreakFact{.type = parsed.Intern(kMarkedAsSkipped),
                              .context = parsed.Intern(WithoutExamples(text))},
               FactRole::kAnnounced);
  } else if (const auto mode = FindWords(modes, text)) {
    AddChanging(IgnoredModeFact{.why = *mode}, text, parsed);
  }
}

void ParseIgnoredMode(const Record& record, ParsedMessage& parsed) {
  // "Profiler function <class '...'> will be ignored"; "Profiler record function" in 2.13.
  const std::string_view head = Trim(record.line(0));
  const Why why = head.starts_with("Profiler ") ? Why::kProfiler : Why::kHooks;
  AddChanging(IgnoredModeFact{.why = why}, head, parsed);
}

namespace {

bool IsMode(Why why) { return why == Why::kDispatchMode || why == Why::kFunctionMode; }

/// kNone: the skip is routine.
Why WhyOfSkip(std::string_view reason) {
  static const WordTable<Why> reasons = Reasons("skip");
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
    // The last exception of the traceback is the one that was caught; "backend='inductor' raised:"
    // is followed by the text of the inner one, which is the news.
    if (is_inner) {
      if (!Trim(line).empty()) skip.message = parsed.Intern(Trim(line));
    } else if (const auto raised = Indent(line) == 0 ? ParseAnyException(line) : std::nullopt) {
      const auto& [name, message] = *raised;
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
  const CodePlace frame = ParseFrameSummary(text).value_or(CodePlace());
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
