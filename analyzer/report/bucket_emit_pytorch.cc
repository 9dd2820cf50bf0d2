// Prints a plan as a Python module for torch.compile. tests/torch/check_bucket_emit.py runs the
// output.

#include <algorithm>
#include <string>

#include "report/bucket_emit_pytorch_text.h"
#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"

namespace shapewise {
namespace {

constexpr std::string_view kPytorchSource =
    "PyTorch 2.13, torch._dynamo.mark_static, mark_dynamic, torch.compiler.set_stance and "
    "torch.compile(isolate_recompiles=)";

std::string Replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result(text);
  for (size_t at = result.find(what); at != std::string::npos;
       at = result.find(what, at + with.size())) {
    result.replace(at, what.size(), with);
  }
  return result;
}

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
  std::string text =
      PytorchHead(report, "Pads to a few sizes, each with a static graph of its own.");
  text += kImportsPart;
  text +=
      "from bisect import bisect_left\nfrom collections.abc import Callable\n"
      "from typing import Any, TypeVar\n\nimport torch\nimport torch._dynamo\n\n"
      "T = TypeVar(\"T\")\n\n";
  text += PythonTuple("BUCKETS", LineSizes(report));
  text += "# The order in which to compile.\n";
  text += PythonTuple("WARM_UP", FirstSizes(WarmUp(report)));
  text += "\n" + PythonLimits(report.recompile_limit, report.boundaries.size());
  text += kPadPart;
  text += kLinePart;
  text += Replaced(Replaced(Replaced(kCallPart, "@SIZE@", "size: int"), "@SIZES@", "`size`"),
                   "@UNPACKED@", "size");
  text += Replaced(Replaced(kWarmUpPart, "@ITEM@", "int"), "@VARIABLE@", "size");
  return text;
}

std::string JointText(const BucketReport& report) {
  std::string text =
      PytorchHead(report, "Pads to a few sets of sizes, each with a static graph of its own.");
  text += kImportsPart;
  text +=
      "from collections.abc import Callable\nfrom typing import Any, TypeVar\n\n"
      "import torch\nimport torch._dynamo\n\nT = TypeVar(\"T\")\n\n";
  text += CommentLines("Sizes of " + DimsText(report) + ", the cheapest bucket first.");
  text += PythonTuple("BUCKETS", CheapestFirst(report), report.dims);
  text += "# The order in which to compile.\n";
  text += PythonTuple("WARM_UP", WarmUp(report), report.dims);
  text += "\n" + PythonLimits(report.recompile_limit, report.boundaries.size());
  text += kPadPart;
  text += kJointPart;
  text += Replaced(
      Replaced(Replaced(kCallPart, "@SIZE@", "sizes: tuple[int, ...]"), "@SIZES@", "`sizes`"),
      "@UNPACKED@", "*sizes");
  text += Replaced(Replaced(kWarmUpPart, "@ITEM@", "tuple[int, ...]"), "@VARIABLE@", "sizes");
  return text;
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
  std::string text = PytorchHead(report, "One dynamic graph for all sizes.");
  text += CommentLines(
      "Without a change of code: TORCH_COMPILE_DYNAMIC_SOURCES=\"L['x']\" names the inputs whose "
      "sizes are dynamic from the first call on; with TORCH_COMPILE_JOB_ID set, a process knows "
      "from the one before which are.");
  text += kImportsPart;
  text += "import torch\nimport torch._dynamo\n";
  std::string when = "> 1";
  std::string range;
  if (IsRangeSafe(report) && !report.histogram.counts.empty()) {
    const int64_t last = std::max(report.histogram.counts.back().sizes[0],
                                  report.boundaries.empty() ? 0 : report.boundaries.back()[0]);
    text +=
        "\n# Larger sizes are not marked: they would raise.\nMAX_SIZE = " + std::to_string(last) +
        "\n";
    when = "in range(2, MAX_SIZE + 1)";
    range = ", min=2, max=MAX_SIZE";
  }
  text += Replaced(Replaced(kDynamicPart, "@WHEN@", when), "@RANGE@", range);
  return text;
}

std::string MixedText(const BucketReport& report) {
  std::vector<Sizes> dynamic;
  for (const ServedSizes& span : report.served) {
    if (IsPadded(span.kind)) continue;
    const bool is_aligned = span.kind == ServingKind::kAlignedDynamic;
    dynamic.push_back({span.first, span.last, is_aligned ? report.alignment : 1});
  }
  std::string text = PytorchHead(
      report, "Pads to a few sizes where calls are many; one dynamic graph for the rest.");
  text += CommentLines("Needs PyTorch 2.13: isolate_recompiles.");
  for (const ServedSizes& span : report.served) {
    if (span.kind != ServingKind::kEager) continue;
    text += CommentLines("The plan leaves sizes " + std::to_string(span.first) + " to " +
                         std::to_string(span.last) +
                         " uncompiled; here the dynamic graph serves them.");
  }
  text += kImportsPart;
  text +=
      "from bisect import bisect_left\nfrom collections.abc import Callable\n"
      "from typing import Any, Generic, TypeVar\n\nimport torch\nimport torch._dynamo\n\n"
      "T = TypeVar(\"T\")\n\n";
  const std::vector<int64_t> buckets = MixedBuckets(report);
  text += PythonTuple("BUCKETS", buckets);
  text += "# Sizes of the dynamic graph: first, last, and the multiple they are padded to.\n";
  text += PythonTuple("DYNAMIC", dynamic, 3);
  text += "# The order in which to compile.\n";
  std::vector<int64_t> order(buckets.rbegin(), buckets.rend());
  for (const Sizes& span : dynamic) order.push_back(span[1]);
  text += PythonTuple("WARM_UP", order);
  text += "\n" + PythonLimits(report.recompile_limit, buckets.size());
  text += kPadPart;
  text += kMixedPart;
  return text;
}

std::string PyTorchText(const BucketReport& report) {
  if (report.boundaries.empty() || report.mode == BucketMode::kDynamic) return DynamicText(report);
  if (report.dims != 1) return JointText(report);
  return report.mode == BucketMode::kMixed ? MixedText(report) : LineText(report);
}

}  // namespace

BucketConsumer PyTorchConsumer() { return {"pytorch", "pytorch", kPytorchSource, PyTorchText}; }

}  // namespace shapewise
