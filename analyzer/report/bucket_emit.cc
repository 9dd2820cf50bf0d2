// Shared parts of texts to paste, and the list of their formats.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "report/bucket_facts.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "support/embedded_file.h"
#include "support/terminal_text.h"
#include "support/text_list.h"

namespace shapewise {

std::span<const EmbeddedFile> EmittedTemplates();

namespace {

constexpr size_t kColumns = 88;
/// torch._dynamo.config.accumulated_recompile_limit in PyTorch 2.13.
constexpr size_t kAccumulatedLimit = 256;

std::string WrappedTuple(std::string_view head, const std::vector<std::string>& items) {
  std::string text(head);
  if (items.empty()) return text + " = ()\n";
  text += " = (\n";
  std::string line;
  for (const std::string& item : items) {
    if (!line.empty() && 5 + line.size() + item.size() + 2 > kColumns) {
      text.append("    ").append(line).append("\n");
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item + ",";
  }
  return text.append("    ").append(line).append("\n)\n");
}

std::string PlanJson(const BucketReport& report) {
  const Json plan = {{"schema", "shapewise.bucket-plan/1"},
                     {"columns", report.columns},
                     {"mode", BucketModeName(report.mode)},
                     {"boundaries", ListJson(report.boundaries, SizesJson, report.dims)},
                     {"served", ListJson(report.served, ServedJson)},
                     {"recompile_limit", report.recompile_limit}};
  return plan.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

std::string TemplateText(std::string_view name) {
  for (const EmbeddedFile& file : EmittedTemplates()) {
    if (llvm::StringRef(file.path).contains("/" + std::string(name) + "."))
      return std::string(file.text);
  }
  return {};
}

using TemplateValues = std::vector<std::pair<std::string_view, std::string>>;

/// Replaces the placeholders of `values`, in one pass: a value may contain anything.
std::string Filled(std::string_view text, const TemplateValues& values) {
  std::string filled;
  while (!text.empty()) {
    const size_t begin = std::min(text.find('@'), text.size());
    filled += text.substr(0, begin);
    text.remove_prefix(begin);
    const size_t end = text.find('@', 1);
    const auto value = std::ranges::find(values, text.substr(0, end).substr(text.empty() ? 0 : 1),
                                         &TemplateValues::value_type::first);
    if (end == std::string_view::npos || value == values.end()) {
      filled += text.substr(0, 1);
      text.remove_prefix(std::min<size_t>(text.size(), 1));
      continue;
    }
    const bool is_line_begin = filled.empty() || filled.back() == '\n';
    filled += value->second;
    text.remove_prefix(end + 1);
    if (is_line_begin && text.starts_with('\n')) text.remove_prefix(1);
  }
  return filled;
}

/// `text` as comment lines of at most 88 columns that start with `prefix`.
std::string CommentLines(std::string_view text, std::string_view prefix = "# ") {
  // Some non-ASCII characters end a line in YAML, or hide one.
  std::string printable = MakePrintable(text);
  std::erase_if(printable, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  for (char& c : printable) {
    if (static_cast<unsigned char>(c) >= 0x7F || c == '\t') c = '?';
  }
  std::string lines;
  std::string_view rest = printable;
  while (!rest.empty()) {
    const size_t room = kColumns - prefix.size();
    size_t end = rest.size();
    if (end > room) {
      end = rest.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) end = std::min(rest.find(' ', 1), rest.size());
    }
    lines.append(prefix).append(rest.substr(0, end)).append("\n");
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return lines;
}

/// Describes the sizes of a plan for the header of a text: "11 buckets of length, planned on 19366
/// calls: 9.8 % padding".
std::string PlanSummary(const BucketReport& report) {
  std::string text = HeadlineText(report);
  if (report.histogram.calls > 0) {
    text += "; " + DimsText(report) + " of " + Counted(report.histogram.calls, "call");
  }
  if (report.is_censored) text += ", from a log of misses only: not the sizes of all calls";
  return text + ".";
}

/// The text of emitted/<name>.py.in, with each "@PLACEHOLDER@" replaced by its value, and "@part@"
/// by another such text. One that is a whole line is replaced by whole lines, or none.
std::string FilledTemplate(std::string_view name,
                           const std::vector<std::pair<std::string_view, std::string>>& values) {
  TemplateValues parts;
  for (const std::string_view part : {"pad", "call", "warm_up"}) {
    parts.emplace_back(part, TemplateText(part));
  }
  return Filled(Filled(TemplateText(name), parts), values);
}

std::vector<int64_t> FirstSizes(const std::vector<Sizes>& list) {
  std::vector<int64_t> sizes;
  for (const Sizes& one : list) sizes.push_back(one[0]);
  return sizes;
}

/// The sizes of a plan for one dim, ascending; empty if the plan has several dims.
std::vector<int64_t> LineSizes(const BucketReport& report) {
  return report.dims == 1 ? FirstSizes(report.boundaries) : std::vector<int64_t>();
}

/// "NAME: tuple[int, ...] = (...)", wrapped to 88 columns.
std::string PythonTuple(std::string_view name, const std::vector<int64_t>& items) {
  std::vector<std::string> texts;
  for (const int64_t item : items) texts.push_back(std::to_string(item));
  return WrappedTuple(std::string(name) + ": tuple[int, ...]", texts);
}

/// The same for buckets of `dims` dims: "NAME: tuple[tuple[int, ...], ...] = (...)".
std::string PythonTuple(std::string_view name, const std::vector<Sizes>& items, size_t dims) {
  std::vector<std::string> texts;
  for (const Sizes& item : items) {
    texts.push_back("(" + Joined(std::span(item).first(dims), ", ") + ")");
  }
  return WrappedTuple(std::string(name) + ": tuple[tuple[int, ...], ...]", texts);
}

/// Raises Dynamo's limits so that `limit` graphs of one function fit, and two for each of
/// `buckets`.
std::string PythonLimits(size_t limit, size_t buckets) {
  limit = std::max(limit, 2 * buckets);
  const auto raise = [](std::string_view name, size_t to) {
    const std::string option = "torch._dynamo.config." + std::string(name);
    return option + " = max(\n    " + option + ", " + std::to_string(to) + "\n)\n";
  };
  std::string text =
      "# Twice the buckets: where another dim varies as well, each gets a second graph.\n" +
      raise("recompile_limit", limit);
  if (limit > kAccumulatedLimit) text += raise("accumulated_recompile_limit", limit);
  return text;
}

constexpr std::string_view kHfSource =
    "transformers 5.23, DataCollatorWithPadding, PreTrainedTokenizerBase.pad and StaticCache "
    "(huggingface.co/docs/transformers)";

std::string HfHead(const BucketReport& report, std::string_view what) {
  return "\"\"\"" + std::string(what) + "\"\"\"\n\n" + CommentLines(PlanSummary(report)) +
         CommentLines("Form of this text: " + std::string(kHfSource) + ".") +
         CommentLines(
             "The sizes are taken to be the lengths of sequences in tokens; of batches, that of "
             "the longest.");
}

std::string HuggingFaceText(const BucketReport& report) {
  if (report.dims != 1) {
    return CommentLines(PlanSummary(report)) +
           CommentLines("Nothing to paste: a collator pads the length only, and this plan has " +
                        std::to_string(report.dims) + " dims (" + DimsText(report) +
                        "). Use --emit pytorch, or plan with the column of the length.");
  }
  const std::string alignment = "ALIGNMENT = " + std::to_string(report.alignment) + "\n";
  if (report.boundaries.empty() || report.mode == BucketMode::kDynamic) {
    return FilledTemplate(
        "hf_dynamic",
        {{"HEAD", HfHead(report, "One dynamic graph for all lengths.")}, {"ALIGNMENT", alignment}});
  }
  std::string head = HfHead(report, "Pads batches to a few lengths, each with a static graph.");
  if (report.mode == BucketMode::kMixed) {
    head += CommentLines(
        "The plan leaves some lengths to a dynamic graph, which a collator cannot: this is the "
        "best set of buckets alone. --emit pytorch has the whole plan.");
  }
  return FilledTemplate(
      "hf_buckets", {{"HEAD", head},
                     {"BUCKETS", PythonTuple("BUCKETS", LineSizes(report))},
                     {"ALIGNMENT", alignment},
                     {"LIMITS", PythonLimits(report.recompile_limit, report.boundaries.size())}});
}

constexpr std::string_view kPytorchSource =
    "PyTorch 2.13, torch._dynamo.mark_static, mark_dynamic, torch.compiler.set_stance and "
    "torch.compile(isolate_recompiles=)";

std::string PytorchHead(const BucketReport& report, std::string_view what) {
  return "\"\"\"" + std::string(what) + "\"\"\"\n\n" + CommentLines(PlanSummary(report)) +
         CommentLines("Form of this text: " + std::string(kPytorchSource) + ".");
}

/// The compile order; without one, the plan from its largest bucket down.
std::vector<Sizes> WarmUp(const BucketReport& report) {
  if (!report.warm_up.empty()) return report.warm_up;
  return {report.boundaries.rbegin(), report.boundaries.rend()};
}

std::string LineText(const BucketReport& report) {
  return FilledTemplate(
      "line",
      {{"HEAD", PytorchHead(report, "Pads to a few sizes, each with a static graph of its own.")},
       {"BUCKETS", PythonTuple("BUCKETS", LineSizes(report))},
       {"WARM_UP", PythonTuple("WARM_UP", FirstSizes(WarmUp(report)))},
       {"LIMITS", PythonLimits(report.recompile_limit, report.boundaries.size())},
       {"SIZE", "size: int"},
       {"SIZES", "`size`"},
       {"UNPACKED", "size"},
       {"ITEM", "int"},
       {"VARIABLE", "size"}});
}

std::string JointText(const BucketReport& report) {
  return FilledTemplate(
      "joint",
      {{"HEAD",
        PytorchHead(report, "Pads to a few sets of sizes, each with a static graph of its own.")},
       {"NOTE", CommentLines("Sizes of " + DimsText(report) + ", the cheapest bucket first.")},
       {"BUCKETS", PythonTuple("BUCKETS", CheapestFirst(report), report.dims)},
       {"WARM_UP", PythonTuple("WARM_UP", WarmUp(report), report.dims)},
       {"LIMITS", PythonLimits(report.recompile_limit, report.boundaries.size())},
       {"SIZE", "sizes: tuple[int, ...]"},
       {"SIZES", "`sizes`"},
       {"UNPACKED", "*sizes"},
       {"ITEM", "tuple[int, ...]"},
       {"VARIABLE", "sizes"}});
}

/// Whether mark_dynamic with a range is predicted to work: it raises if the graph has another guard
/// on the size.
bool IsRangeSafe(const BucketReport& report) {
  return std::ranges::any_of(report.simulations, [](const PlanSimulation& simulation) {
    return simulation.policy.find("mark_dynamic(") != std::string::npos &&
           simulation.policy.find("min=") != std::string::npos && simulation.traps.empty() &&
           simulation.eager_calls == 0;
  });
}

std::string DynamicText(const BucketReport& report) {
  const std::string head =
      PytorchHead(report, "One dynamic graph for all sizes.") +
      CommentLines(
          "Without a change of code: TORCH_COMPILE_DYNAMIC_SOURCES=\"L['x']\" names the inputs "
          "whose sizes are dynamic from the first call on; with TORCH_COMPILE_JOB_ID set, a "
          "process "
          "knows from the one before which are.");
  std::string limit;
  const bool has_limit = IsRangeSafe(report) && !report.histogram.counts.empty();
  if (has_limit) {
    const int64_t last = std::max(report.histogram.counts.back().sizes[0],
                                  report.boundaries.empty() ? 0 : report.boundaries.back()[0]);
    limit =
        "\n# Larger sizes are not marked: they would raise.\nMAX_SIZE = " + std::to_string(last) +
        "\n";
  }
  return FilledTemplate("dynamic", {{"HEAD", head},
                                    {"LIMIT", limit},
                                    {"WHEN", has_limit ? "in range(2, MAX_SIZE + 1)" : "> 1"},
                                    {"RANGE", has_limit ? ", min=2, max=MAX_SIZE" : ""}});
}

std::string MixedText(const BucketReport& report) {
  std::vector<Sizes> dynamic;
  for (const ServedSizes& span : report.served) {
    if (IsPaddedKind(span.kind)) continue;
    const bool is_aligned = span.kind == ServingKind::kAlignedDynamic;
    dynamic.push_back({span.first, span.last, is_aligned ? report.alignment : 1});
  }
  std::string head = PytorchHead(
      report, "Pads to a few sizes where calls are many; one dynamic graph for the rest.");
  head += CommentLines("Needs PyTorch 2.13: isolate_recompiles.");
  for (const ServedSizes& span : report.served) {
    if (span.kind != ServingKind::kEager) continue;
    head += CommentLines("The plan leaves sizes " + std::to_string(span.first) + " to " +
                         std::to_string(span.last) +
                         " uncompiled; here the dynamic graph serves them.");
  }
  const std::vector<int64_t> buckets = MixedBuckets(report);
  std::vector<int64_t> order(buckets.rbegin(), buckets.rend());
  for (const Sizes& span : dynamic) order.push_back(span[1]);
  return FilledTemplate("mixed",
                        {{"HEAD", head},
                         {"BUCKETS", PythonTuple("BUCKETS", buckets)},
                         {"DYNAMIC", PythonTuple("DYNAMIC", dynamic, 3)},
                         {"WARM_UP", PythonTuple("WARM_UP", order)},
                         {"LIMITS", PythonLimits(report.recompile_limit, buckets.size())}});
}

std::string PyTorchText(const BucketReport& report) {
  if (report.boundaries.empty() || report.mode == BucketMode::kDynamic) return DynamicText(report);
  if (report.dims != 1) return JointText(report);
  return report.mode == BucketMode::kMixed ? MixedText(report) : LineText(report);
}

constexpr std::string_view kVllmSource =
    "vLLM 0.33.0, vllm/config/compilation.py (CompilationConfig) and vllm/config/vllm.py";
constexpr std::string_view kSglangSource =
    "SGLang 0.5.23, sglang/srt/arg_groups/fields/exec_.py and "
    "sglang/srt/model_executor/cuda_graph_config.py";
constexpr std::string_view kTensorRtSource =
    "TensorRT-LLM 1.3, LLM API reference, DecodeCudaGraphConfig "
    "(nvidia.github.io/TensorRT-LLM)";

std::string ServingHead(const BucketReport& report, std::string_view source) {
  return CommentLines(PlanSummary(report)) +
         CommentLines("Form of this text: " + std::string(source) + ".");
}

/// Why there is nothing to paste; empty: there is.
std::string NothingToPaste(const BucketReport& report, std::string_view program) {
  if (report.dims != 1) {
    return CommentLines("Nothing to paste: " + std::string(program) +
                        " takes sizes of one dim, and this plan has " +
                        std::to_string(report.dims) + " (" + DimsText(report) +
                        "). Plan again with one column.");
  }
  if (report.boundaries.empty()) {
    return CommentLines("Nothing to paste: the plan is one dynamic graph, which " +
                        std::string(program) + " compiles as it is.");
  }
  return {};
}

/// The text for a program that serves one dim: `note` says what a size is, and the template `name`
/// has the rest.
std::string ServingText(const BucketReport& report, std::string_view source, std::string_view note,
                        std::string_view program, std::string_view name,
                        std::string_view separator) {
  const std::string text = ServingHead(report, source) + CommentLines(note);
  const std::string nothing = NothingToPaste(report, program);
  if (!nothing.empty()) return text + nothing;
  const bool is_compiled = report.mode != BucketMode::kDynamic;
  return text +
         FilledTemplate(name,
                        {{"SIZES", Joined(LineSizes(report), separator)},
                         {"COMPILED",
                          is_compiled ? R"(, "compile_sizes": ["cudagraph_capture_sizes"])" : ""}});
}

std::string VllmText(const BucketReport& report) {
  return ServingText(
      report, kVllmSource,
      "A size is the number of tokens of one step, of all requests together: in a step that only "
      "decodes, the number of running requests (times the tokens that each of them decodes). "
      "Lengths of prompts are not that; measure the tokens a step (--cudagraph-metrics reports "
      "them).",
      "vLLM", "vllm", ", ");
}

std::string SglangText(const BucketReport& report) {
  return ServingText(report, kSglangSource, "", "SGLang", "sglang", " ");
}

std::string TensorRtText(const BucketReport& report) {
  return ServingText(
      report, kTensorRtSource,
      "A size is the number of requests that one step decodes. Lengths of sequences are not that: "
      "measure the generation batch a step.",
      "TensorRT-LLM", "trtllm", "\n    - ");
}

constexpr std::string_view kGaudiSource =
    "vllm-gaudi 091bbadd, docs/features/bucketing_mechanism.md and "
    "vllm_gaudi/extension/bucketing/file_strategy.py";

/// "(8, 1024, 0)": batch, query length, blocks of context.
std::string BucketLine(const Sizes& sizes, size_t dims) {
  const int64_t batch = dims >= 2 ? sizes[0] : 1;
  const int64_t query = dims >= 2 ? sizes[1] : sizes[0];
  const int64_t blocks = dims >= 3 ? sizes[2] : 0;
  return "(" + std::to_string(batch) + ", " + std::to_string(query) + ", " +
         std::to_string(blocks) + ")\n";
}

std::string GaudiText(const BucketReport& report) {
  std::string text = ServingHead(report, kGaudiSource);
  if (report.boundaries.empty()) {
    return text + CommentLines(
                      "Nothing to paste: the plan is one dynamic graph, and Gaudi compiles a graph "
                      "for each shape. Plan with --buckets.");
  }
  text += CommentLines("Put this into a file and set VLLM_BUCKETING_FROM_FILE to its path.");
  text += CommentLines(
      "A line is (batch, query length, blocks of context)" +
      (report.dims == 1
           ? ". The sizes are taken to be the query lengths of prompts, one prompt a step, none of "
             "it cached."
       : report.dims == 2 ? ". The sizes are taken to be batch and query length of prompt steps (" +
                                DimsText(report) + "), nothing cached."
                          : ", which the three sizes are taken to be (" + DimsText(report) +
                                "); query length 1 is a decode step."));
  bool has_prompts = false;
  bool has_decodes = false;
  for (const Sizes& sizes : report.boundaries) {
    const int64_t query = report.dims >= 2 ? sizes[1] : sizes[0];
    (query == 1 ? has_decodes : has_prompts) = true;
  }
  if (!has_decodes) {
    text += CommentLines(
        "The file replaces the buckets of both phases: add lines for decode steps, (batch, 1, "
        "blocks); without any vLLM does not start.");
  }
  if (!has_prompts) {
    text += CommentLines(
        "The file replaces the buckets of both phases: add lines for prompts; without any vLLM "
        "does not start.");
  }
  text += CommentLines(
      "Query lengths should be multiples of the block size (--align), and batch times query length "
      "at most --max-num-batched-tokens: other lines are left out.");
  for (const Sizes& sizes : report.boundaries) text += BucketLine(sizes, report.dims);
  return text;
}

/// A program that takes sizes, and the form that it expects.
struct BucketConsumer {
  std::string_view name;    ///< for --emit: "hf"
  std::string_view key;     ///< in a JSON result: "huggingface"
  std::string_view source;  ///< documentation of its form
  /// The text without its header, which says what it is, where it is from, and what it is worth.
  std::string (*text)(const BucketReport& report);
};

/// The programs that texts are for; the plain JSON comes last.
constexpr BucketConsumer kConsumers[] = {
    {"pytorch", "pytorch", kPytorchSource, PyTorchText},
    {"vllm", "vllm", kVllmSource, VllmText},
    {"sglang", "sglang", kSglangSource, SglangText},
    {"trtllm", "trtllm", kTensorRtSource, TensorRtText},
    {"hf", "huggingface", kHfSource, HuggingFaceText},
    {"gaudi", "gaudi", kGaudiSource, GaudiText},
    {"json", "json", "analyzer/docs/buckets.md", PlanJson},
};

}  // namespace

std::span<const BucketFormat> BucketEmitters() {
  static const auto formats = [] {
    std::vector<BucketFormat> list;
    for (const BucketConsumer& to : kConsumers) {
      list.push_back({to.name, [&to](const BucketReport& report, const ReportOptions&,
                                     llvm::raw_ostream& out) { out << to.text(report); }});
    }
    return list;
  }();
  return formats;
}

std::vector<BucketSnippet> BucketSnippets(const BucketReport& report) {
  std::vector<BucketSnippet> snippets;
  for (const BucketConsumer& to : kConsumers) {
    if (to.name == "json") continue;
    snippets.push_back({std::string(to.key), std::string(to.source), to.text(report)});
  }
  return snippets;
}

}  // namespace shapewise
