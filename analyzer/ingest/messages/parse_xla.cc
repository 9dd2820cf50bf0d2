// PyTorch/XLA's debug text: output of its profiler, its analyses and its metrics reports.
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
//   [MetricsData; step=11]        in the file XLA_METRICS_FILE, to which each step saves a report
//   Metric: CompileTime
//     TotalSamples: 14
//     Accumulator: 41s020ms210.000us
//
// Since 1.9 one fallback handles all operators that are not lowered, so the summary at the
// end of a process names only places; the operators are in the counters of a metrics report:
//
//   pt-xla-profiler: FRAME (count=12):
//   pt-xla-profiler: Unlowered Op: "xla_cpu_fallback"
//   pt-xla-profiler: Python Frames:
//   pt-xla-profiler:   assign (/srv/app/heads.py:88)
//
// In the file of PT_XLA_DEBUG_FILE the lines have no "pt-xla-profiler: ".
//
// Sources: pytorch/xla torch_xla/csrc/debug_util.cpp, torch_xla/csrc/runtime/metrics.cc,
// torch_xla/debug/frame_parser_util.py and metrics_saver.py,
// torch_xla/csrc/function_call_tracker.cpp and aten_cpu_fallback.cpp, v2.1 to v2.9.

#include <array>

#include "ingest/messages/parsers.h"
#include "ingest/messages/wording.h"
#include "llvm/ADT/StringExtras.h"
#include "model/code_owner.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Reads "  mark_step (/x/torch_xla/core/xla_model.py:1055)" as the next frame of a stack. The
/// first is the innermost: often a frame of PyTorch/XLA that was called by the user.
void ReadXlaFrame(std::string_view text, ParsedMessage& parsed, EventDetail& detail,
                  TriggerPlace& trigger) {
  const size_t open = text.rfind(" (");
  if (open == kNotFound) return;
  CodePlace place = SplitFileLine(text.substr(open + 2));
  place.function = Trim(text.substr(0, open));
  if (detail.user_file == StrId::kNone) parsed.SetUserPlace(place, detail);
  if (trigger.file != StrId::kNone || IsLibraryFile(place.file)) return;
  trigger = {parsed.Intern(place.file), place.line, parsed.Intern(place.function)};
}

/// The operators of "Op(s) not lowered: aten::a, aten::b,  Please open a GitHub issue ...".
std::vector<StrId> ReadOperators(std::string_view list, ParsedMessage& parsed) {
  std::vector<StrId> ops;
  list = list.substr(0, FindText(list, "  Please open"));
  for (const llvm::StringRef item : llvm::split(list, ',')) {
    const std::string_view op = Trim(item);
    if (!op.empty() && op.find(' ') == kNotFound) ops.push_back(parsed.Intern(op));
  }
  return ops;
}

/// "Post Compilation Analysis: Graph input size: 0.125000 GB" belongs to the previous compilation.
void ParsePostCompilation(const Record& record, ParsedMessage& parsed) {
  XlaCompileFact part;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    constexpr std::string_view kInputSize = "Graph input size: ";
    const size_t at = FindText(record.line(i), kInputSize);
    if (at == kNotFound) continue;
    std::string_view size = record.line(i).substr(at + kInputSize.size());
    if (const auto gigabytes = ConsumeDecimal(size)) part.graph_input_gb = gigabytes;
  }
  parsed.Add(part, FactRole::kPart);
}

struct XlaUnit {
  std::string_view suffix;
  double seconds;
};
// Longest first, as printed.
constexpr std::array<XlaUnit, 6> kXlaUnits = {
    {{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};

/// Removes "012ms" from the front of `text` if `unit` follows the number.
std::optional<double> ConsumeField(std::string_view& text, const XlaUnit& unit) {
  std::string_view rest = text;
  const std::optional<double> number = ConsumeDecimal(rest);
  if (!number || !ConsumeFront(rest, unit.suffix)) return std::nullopt;
  if (unit.suffix == "m" && rest.starts_with('s')) return std::nullopt;
  text = rest;
  return number;
}

}  // namespace

void ParseXlaProfiler(const Record& record, ParsedMessage& parsed) {
  std::string_view text = Trim(record.line(0));
  text.remove_prefix(FindText(text, "-profiler: ") + 11);
  if (ConsumeFront(text, "Op(s) not lowered: ")) {
    parsed.Add(
        XlaMetricFact{.metric = parsed.Intern("not_lowered"), .ops = ReadOperators(text, parsed)});
    return;
  }
  const std::optional<int64_t> steps = parsed.NumberAfter(text, "during ");
  if (ConsumeFront(text, "Following metrics too frequent: ")) {
    // "XrtTryFreeMemory (12 counts), XrtCompaction (3 counts), during 10 steps."
    for (size_t open = FindText(text, " ("); open != kNotFound; open = FindText(text, " (")) {
      const auto count = parsed.NumberAfter(text.substr(open), "(");
      const size_t close = text.find(')', open);
      if (!count || close == kNotFound) break;
      const StrId metric = parsed.Intern(Trim(text.substr(0, open)));
      parsed.Add(XlaMetricFact{.metric = metric, .count = count, .steps = steps});
      text = text.substr(close + 1);
      ConsumeFront(text, ",");
    }
    return;
  }
  const size_t too = FindText(text, " too ");
  if (too == kNotFound) return;
  XlaMetricFact fact{.metric = parsed.Intern(text.substr(0, too)),
                     .count = parsed.NumberAfter(text, "too frequent: "),
                     .steps = steps};
  constexpr std::string_view kLongest = "longest instance took ";
  if (const size_t longest = FindText(text, kLongest); longest != kNotFound) {
    fact.seconds = ParseXlaTime(text.substr(longest + kLongest.size()));
  }
  parsed.Add(std::move(fact));
}

void ParseXlaAnalysis(const Record& record, ParsedMessage& parsed) {
  const std::string_view first = TrimLeft(record.line(0));
  if (first.starts_with("Post ")) return ParsePostCompilation(record, parsed);
  ParsedFact fact;
  XlaGraph graph;
  TriggerPlace trigger;
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
      graph.cause = parsed.Intern(text);
      next_is_cause = false;
      any = true;
    } else if (text == "Compilation Cause" || text == "Execution Cause") {
      next_is_cause = true;
    } else if (ConsumeFront(text, "Graph Hash: ")) {
      fact.texts.hash = text;
      any = true;
    } else if (text.starts_with("Number of Graph Input")) {
      // Singular before 2.2.
      graph.graph_inputs = parsed.NumberAfter(text, ": ");
      any = true;
    } else if (text.starts_with("Number of Graph Output")) {
      graph.graph_outputs = parsed.NumberAfter(text, ": ");
    } else if (text.starts_with("Python Frame Triggered Execution")) {
      in_frames = true;
    } else if (in_frames) {
      ReadXlaFrame(text, parsed, fact.detail, trigger);
    }
  }
  if (!any) return;
  if (first.starts_with("Compilation")) {
    fact.detail.fact = XlaCompileFact{.graph = graph, .trigger = trigger};
  } else {
    // What follows an unexpected execution ends the program.
    fact.detail.fact = XlaExecutionFact{graph, trigger, first.starts_with("Unexpected")};
  }
  parsed.facts.push_back(std::move(fact));
}

void ParseXlaMetric(const Record& record, ParsedMessage& parsed) {
  XlaMetricFact fact;
  std::string_view head = Trim(record.line(0));
  if (ConsumeFront(head, "[MetricsData; step=")) {
    // Only mark_step() saves reports: the number of this one is that of the steps.
    parsed.Add(XlaMetricFact{.metric = parsed.Intern("MarkStep"),
                             .count = parsed.ConsumeNumber<int64_t>(head)});
    return;
  }
  fact.metric = parsed.Intern(head.substr(FindText(head, ": ") + 2));
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (ConsumeFront(line, "TotalSamples: ") || ConsumeFront(line, "Value: ")) {
      if (const auto value = parsed.ConsumeNumber<int64_t>(line)) fact.count = value;
    } else if (ConsumeFront(line, "Accumulator: ") || ConsumeFront(line, "Counter: ")) {
      // The documentation's sample says "Counter" where the program prints "Accumulator".
      fact.seconds = ParseXlaTime(line);
    }
  }
  // Other programs print lines of this form; XLA's are always followed by their number.
  if (fact.count) parsed.Add(std::move(fact));
}

void ParseXlaFallback(const Record& record, ParsedMessage& parsed) {
  EventDetail detail;
  TriggerPlace trigger;  // not of a metric
  XlaMetricFact& fact = detail.fact.emplace<XlaMetricFact>();
  fact.metric = parsed.Intern("not_lowered");
  bool any = false;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    std::string_view text = TrimLeft(record.line(i));
    ConsumeFront(text, "pt-xla-profiler:");
    text = Trim(text);
    if (ConsumeFront(text, "FRAME (count=")) {
      fact.count = parsed.ConsumeNumber<int64_t>(text);
    } else if (ConsumeFront(text, "Unlowered Op: \"")) {
      const std::string_view op = text.substr(0, text.find('"'));
      // A value that Python accessed: the profiler's own list excludes it as well.
      if (op.ends_with("_local_scalar_dense")) return;
      any = !op.empty();
      const bool stands_for_any = op == "xla_cpu_fallback" || op == "xla_fallback";
      if (any && !stands_for_any) fact.ops.push_back(parsed.Intern(op));
    } else {
      ReadXlaFrame(text, parsed, detail, trigger);
    }
  }
  if (any) parsed.facts.emplace_back().detail = std::move(detail);
}

std::optional<double> ParseXlaTime(std::string_view text) {
  std::array<std::optional<double>, kXlaUnits.size()> fields;
  for (size_t i = 0; i < kXlaUnits.size(); ++i) fields[i] = ConsumeField(text, kXlaUnits[i]);
  if (!fields.back()) return std::nullopt;

  // From the smallest unit upwards: a field can be corrected only when the rest is known.
  double seconds = *fields.back() * kXlaUnits.back().seconds;
  for (size_t i = kXlaUnits.size() - 1; i-- > 0;) {
    if (!fields[i]) continue;
    const bool was_rounded_up = seconds / kXlaUnits[i].seconds >= 0.5 && *fields[i] >= 1;
    seconds += (*fields[i] - (was_rounded_up ? 1 : 0)) * kXlaUnits[i].seconds;
  }
  return seconds;
}

}  // namespace shapewise
