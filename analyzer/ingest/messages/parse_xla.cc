// PyTorch/XLA's debug text: what its profiler, its analyses and its metrics reports print.
//
//   Compilation Analysis: ====...
//   Compilation Analysis: Compilation Cause
//   Compilation Analysis:   user mark_step
//   Compilation Analysis: Graph Info:
//   Compilation Analysis:   Graph Hash: c74c3b91b855b2b123f833b0d5f86943
//   Compilation Analysis: Python Frame Triggered Execution:
//   Compilation Analysis:   mark_step (/x/xla_model.py:1055)
//
//   pt-xla-profiler: CompileTime too frequent: 21 counts during 11 steps
//
//   Metric: CompileTime
//     TotalSamples: 14
//     Accumulator: 41s020ms210.000us
//
// Sources: pytorch/xla torch_xla/csrc/debug_util.cpp and torch_xla/csrc/runtime/metrics.cc, v2.1 to
// v2.9.

#include "ingest/messages/parsers.h"
#include "ingest/messages/xla_frame.h"
#include "ingest/messages/xla_time.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

std::optional<int64_t> NumberAfter(const Record& record, std::string_view text,
                                   std::string_view word, ParseContext& context) {
  const size_t at = FindText(text, word);
  if (at == kNotFound) return std::nullopt;
  std::string_view digits = TrimLeft(text.substr(at + word.size()));
  return context.ConsumeNumber<int64_t>(record, digits);
}

void ParseXlaProfiler(const Record& record, ParseContext& context) {
  std::string_view text = Trim(record.line(0));
  ConsumeFront(text, "pt-xla-profiler: ");
  EventDetail detail;
  detail.kind = EventKind::kXlaMetric;
  const ChangingTexts texts{.message = text, .hash = {}};
  if (ConsumeFront(text, "Op(s) not lowered: ")) {
    detail.metric = context.Intern("not_lowered");
    const size_t end = FindText(text, "  Please open");
    std::string_view list = text.substr(0, end);
    while (!list.empty()) {
      const size_t comma = list.find(',');
      const std::string_view op = Trim(list.substr(0, comma));
      if (!op.empty() && op.find(' ') == kNotFound) detail.ops.push_back(context.Intern(op));
      list = comma == kNotFound ? std::string_view() : list.substr(comma + 1);
    }
    context.Emit(record, detail, texts);
    return;
  }
  if (ConsumeFront(text, "Following metrics too frequent: ")) {
    // "XrtTryFreeMemory (12 counts), XrtCompaction (3 counts), during 10 steps."
    detail.steps = NumberAfter(record, text, "during ", context);
    while (true) {
      const size_t open = FindText(text, " (");
      if (open == kNotFound) break;
      const auto count = NumberAfter(record, text.substr(open), "(", context);
      const size_t close = text.find(')', open);
      if (!count || close == kNotFound) break;
      detail.metric = context.Intern(Trim(text.substr(0, open)));
      detail.count = count;
      context.Emit(record, detail, {.message = SharedMessage(texts.message), .hash = {}});
      text = text.substr(close + 1);
      ConsumeFront(text, ",");
    }
    return;
  }
  const size_t too = FindText(text, " too ");
  if (too == kNotFound) return;
  detail.metric = context.Intern(text.substr(0, too));
  detail.count = NumberAfter(record, text, "too frequent: ", context);
  detail.steps = NumberAfter(record, text, "during ", context);
  constexpr std::string_view kLongest = "longest instance took ";
  if (const size_t longest = FindText(text, kLongest); longest != kNotFound) {
    detail.seconds = ParseXlaTime(text.substr(longest + kLongest.size()));
  }
  context.Emit(record, detail, texts);
}

/// "Post Compilation Analysis: Graph input size: 0.125000 GB" belongs to the compilation before.
void ParsePostCompilation(const Record& record, ParseContext& context) {
  const auto compile = context.last_xla_compile.find(record.origin.rank);
  if (compile == context.last_xla_compile.end()) return;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    constexpr std::string_view kInputSize = "Graph input size: ";
    const size_t at = FindText(record.line(i), kInputSize);
    if (at == kNotFound) continue;
    const std::optional<double> size = ParseDecimal(record.line(i).substr(at + kInputSize.size()));
    if (!size) continue;
    context.session.AmendDetail(compile->second,
                                [&](EventDetail& detail) { detail.graph_input_gb = size; });
  }
  context.last_xla_compile.erase(compile);
}

void ParseXlaAnalysis(const Record& record, ParseContext& context) {
  const std::string_view first = TrimLeft(record.line(0));
  if (first.starts_with("Post ")) return ParsePostCompilation(record, context);
  EventDetail detail;
  detail.kind =
      first.starts_with("Compilation") ? EventKind::kXlaCompile : EventKind::kXlaExecution;
  detail.fatal = first.starts_with("Unexpected");  // what follows it ends the program
  std::string_view hash;
  bool next_is_cause = false;
  bool in_frames = false;
  bool any = false;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    const size_t head = FindText(line, "Analysis: ");
    if (head == kNotFound) continue;
    std::string_view text = Trim(line.substr(head + 10));
    if (text.starts_with("====") || text.starts_with("----")) continue;
    if (next_is_cause) {
      detail.cause = context.Intern(text);
      next_is_cause = false;
      any = true;
    } else if (text == "Compilation Cause" || text == "Execution Cause") {
      next_is_cause = true;
    } else if (ConsumeFront(text, "Graph Hash: ")) {
      hash = text;
      any = true;
    } else if (text.starts_with("Number of Graph Input")) {
      // Singular before 2.2.
      detail.graph_inputs = NumberAfter(record, text, ": ", context);
      any = true;
    } else if (text.starts_with("Number of Graph Output")) {
      detail.graph_outputs = NumberAfter(record, text, ": ", context);
    } else if (text.starts_with("Python Frame Triggered Execution")) {
      in_frames = true;
    } else if (CodePlace place; in_frames && ParseXlaFrame(text, place)) {
      AddXlaFrame(place, context, detail);
    }
  }
  if (!any) return;
  const size_t event = context.Emit(record, detail, {.message = {}, .hash = hash});
  if (detail.kind == EventKind::kXlaCompile) context.last_xla_compile[record.origin.rank] = event;
}

void ParseXlaMetric(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kXlaMetric;
  std::string_view head = Trim(record.line(0));
  if (!ConsumeFront(head, "Metric: ")) ConsumeFront(head, "Counter: ");
  detail.metric = context.Intern(head);
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (ConsumeFront(line, "TotalSamples: ") || ConsumeFront(line, "Value: ")) {
      if (const auto value = context.ConsumeNumber<int64_t>(record, line)) detail.count = value;
    } else if (ConsumeFront(line, "Accumulator: ") || ConsumeFront(line, "Counter: ")) {
      // The documentation's sample says "Counter" where the program prints "Accumulator".
      detail.seconds = ParseXlaTime(line);
    }
  }
  // Other programs print lines of this form; XLA's always have their number below.
  if (detail.count) context.Emit(record, detail);
}

}  // namespace

void ParseXla(const Record& record, ParseContext& context) {
  switch (record.kind) {
    case RecordKind::kXlaProfiler:
      return ParseXlaProfiler(record, context);
    case RecordKind::kXlaAnalysis:
      return ParseXlaAnalysis(record, context);
    default:
      return ParseXlaMetric(record, context);
  }
}

}  // namespace shapewise
