// Prints a plan as a Python module for torch.compile. tests/torch/check_bucket_emit.py runs the
// output.

#include <algorithm>
#include <string>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"

namespace shapewise {
namespace {

constexpr std::string_view kPytorchSource =
    "PyTorch 2.13, torch._dynamo.mark_static, mark_dynamic, torch.compiler.set_stance and "
    "torch.compile(isolate_recompiles=)";

std::string PytorchHead(const BucketReport& report, std::string_view what) {
  return "\"\"\"" + std::string(what) + "\"\"\"\n\n" + CommentLines(PlanSummary(report)) +
         CommentLines("Form of this text: " + std::string(kPytorchSource) + ".");
}

std::vector<int64_t> FirstSizes(const std::vector<Sizes>& list) {
  std::vector<int64_t> sizes;
  for (const Sizes& one : list) sizes.push_back(one[0]);
  return sizes;
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
    if (IsPadded(span.kind)) continue;
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

}  // namespace

BucketConsumer PyTorchConsumer() { return {"pytorch", "pytorch", kPytorchSource, PyTorchText}; }

}  // namespace shapewise
