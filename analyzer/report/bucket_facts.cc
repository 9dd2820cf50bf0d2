#include "report/bucket_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "llvm/Support/FormatVariadic.h"
#include "report/text_finding.h"
#include "result/number_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// Calls, padded elements and real elements by bucket.
struct Served {
  uint64_t calls = 0;
  double padded = 0;
  double real = 0;
};

std::vector<Served> ServedCalls(const BucketReport& report) {
  const std::vector<Sizes>& buckets = report.boundaries;
  std::vector<size_t> by_volume(buckets.size());
  std::iota(by_volume.begin(), by_volume.end(), size_t{0});
  std::ranges::stable_sort(
      by_volume, [&](size_t a, size_t b) { return VolumeOf(buckets[a]) < VolumeOf(buckets[b]); });
  std::vector<Served> served(buckets.size());
  size_t next = 0;  // one dim: counts ascend, so each bucket is visited once
  for (const SizeCount& count : report.histogram.counts) {
    size_t at = report.dims == 1 ? next : 0;
    while (at < by_volume.size() && !Holds(buckets[by_volume[at]], count.sizes)) ++at;
    if (report.dims == 1) next = at;
    if (at == by_volume.size()) continue;
    Served& own = served[by_volume[at]];
    own.calls += count.calls;
    own.padded += static_cast<double>(count.calls) * static_cast<double>(report.histogram.rows) *
                  VolumeOf(buckets[by_volume[at]]);
    own.real += count.real;
  }
  return served;
}

std::string HoldoutNote(const HoldoutCheck& check, bool has_costs) {
  std::string held = "the last " + std::to_string(check.held_calls);
  const uint64_t fitting = check.held_calls - check.out_of_range;
  if (fitting == 0) {
    return "Held out: planned on the first " + Counted(check.planned_calls, "call") +
           ", the plan has no bucket for any of " + held + ".";
  }
  if (check.out_of_range > 0) held = "the " + std::to_string(fitting) + " of " + held + " that fit";
  std::string text =
      "Held out: planned on the first " + Counted(check.planned_calls, "call") + ", the plan ";
  if (has_costs) {
    text += "costs " + PercentText(check.cost_overhead) + " more than no padding on " + held +
            "; as many buckets could cost " + PercentText(check.best_cost_overhead) +
            " more there; it has " + PercentText(check.padding) + " padding, as many could have " +
            PercentText(check.best_padding);
  } else {
    text += "has " + PercentText(check.padding) + " padding on " + held +
            "; as many buckets could have " + PercentText(check.best_padding) + " there";
  }
  return text + ".";
}

/// The padding of calls at their own sizes; 0 unless calls are batches of several lengths.
double PaddingInBatches(const SizeHistogram& calls) {
  double padded = 0;
  for (const SizeCount& size : calls.counts) {
    padded +=
        static_cast<double>(size.calls) * static_cast<double>(calls.rows) * VolumeOf(size.sizes);
  }
  constexpr double kRounding = 1e-9;
  const double share = calls.real > 0 ? (padded / calls.real) - 1 : 0;
  return share > kRounding ? share : 0;
}

/// "9.8 % padding (9.9 % on held-out calls)".
std::string PaddingOfPlan(const BucketReport& report) {
  if (report.is_censored) return "padding unknown, because only cache misses are known";
  if (report.least_padding) return "at least " + PercentText(*report.least_padding) + " padding";
  std::string text = PercentText(report.padding.train) + " padding";
  if (const double inside = PaddingInBatches(report.histogram); inside > 0) {
    text += ", of which " + PercentText(inside) + " is within batches";
  }
  if (report.planned_calls < report.histogram.calls && report.planned_calls > 0) {
    text += " on the first " + Counted(report.planned_calls, "call");
  }
  if (report.holdout && report.holdout->IsExceeded()) {
    return text + " (" + std::to_string(report.holdout->out_of_range) + " of " +
           Counted(report.holdout->held_calls, "held-out call") + " do not fit)";
  }
  if (report.padding.holdout) {
    text += " (" + PercentText(*report.padding.holdout) + " on held-out calls)";
  }
  return text;
}

std::string DriftNote(const SizeDrift& drift) {
  std::string text =
      "Later calls differ from earlier ones: distance " +
      llvm::formatv("{0:F3}, chance alone stays below {1:F3}", drift.distance, drift.noise).str() +
      "; an early plan costs " + PercentText(drift.regret) +
      " more on late calls than a plan made there.";
  if (drift.replan_every_calls) {
    text += " Plan again every " + Counted(*drift.replan_every_calls, "call") + ".";
  }
  return text;
}

}  // namespace

bool HasCosts(const BucketReport& report) {
  return std::ranges::any_of(report.frontier, [](const BucketPoint& point) {
    return std::abs(point.cost_overhead - point.padding.train) > 1e-9;
  });
}

std::string CallsText(const BucketReport& report) {
  const uint64_t calls = report.histogram.calls;
  return report.is_censored ? Counted(calls, "cache miss", "cache misses") : Counted(calls, "call");
}

std::string SizesText(const Sizes& sizes, size_t dims) {
  std::string text = std::to_string(sizes[0]);
  for (size_t dim = 1; dim < std::min(dims, sizes.size()); ++dim) {
    text += "x" + std::to_string(sizes[dim]);
  }
  return text;
}

std::string DimsText(const BucketReport& report) {
  if (report.columns.size() != report.dims) return report.dims == 1 ? "size" : "sizes";
  std::string text = Joined(report.columns, " x ");
  return text.empty() ? "size" : text;
}

std::vector<BucketUse> ServedUses(const BucketReport& report) {
  std::vector<BucketUse> uses;
  auto size = report.histogram.counts.begin();
  for (size_t i = 0; i < report.served.size(); ++i) {
    const ServedSizes& span = report.served[i];
    const int64_t last = LastServed(report.served, i);
    uint64_t calls = 0;
    double real = 0;
    for (; size != report.histogram.counts.end() && size->sizes[0] <= last; ++size) {
      calls += size->calls;
      real += size->real;
    }
    BucketUse use{.sizes = {span.last, 1, 1}, .calls = calls, .padding = {}};
    if (IsPaddedKind(span.kind) && real > 0) {
      const auto rows = static_cast<double>(report.histogram.rows);
      use.padding = (static_cast<double>(calls) * rows * static_cast<double>(span.last) / real) - 1;
    }
    uses.push_back(use);
  }
  return uses;
}

std::vector<BucketUse> BucketUses(const BucketReport& report) {
  if (report.mode == BucketMode::kMixed && !report.served.empty()) {
    const std::vector<BucketUse> all = ServedUses(report);
    std::vector<BucketUse> padded;
    for (size_t i = 0; i < all.size(); ++i) {
      if (IsPaddedKind(report.served[i].kind)) padded.push_back(all[i]);
    }
    return padded;
  }
  const std::vector<Served> served = ServedCalls(report);
  const bool are_counted = report.calls_a_bucket.size() == report.boundaries.size();
  std::vector<BucketUse> uses;
  for (size_t i = 0; i < report.boundaries.size(); ++i) {
    BucketUse use;
    use.sizes = report.boundaries[i];
    if (are_counted) use.calls = report.calls_a_bucket[i];
    if (!are_counted && report.dims == 1) use.calls = served[i].calls;
    if (use.calls == served[i].calls && served[i].real > 0) {
      use.padding = served[i].padded / served[i].real - 1;
    }
    uses.push_back(use);
  }
  return uses;
}

int64_t MedianSize(const SizeHistogram& histogram, size_t dim) {
  std::map<int64_t, uint64_t> calls;
  uint64_t total = 0;
  for (const SizeCount& count : histogram.counts) {
    calls[count.sizes[dim]] += count.calls;
    total += count.calls;
  }
  uint64_t seen = 0;
  for (const auto& [size, number] : calls) {
    seen += number;
    if (seen >= total - total / 2) return size;
  }
  return 0;
}

std::vector<int64_t> MixedBuckets(const BucketReport& report) {
  std::vector<int64_t> sizes;
  for (const ServedSizes& span : report.served) {
    if (IsPaddedKind(span.kind)) sizes.push_back(span.last);
  }
  if (report.served.empty()) {
    for (const Sizes& boundary : report.boundaries) sizes.push_back(boundary[0]);
  }
  std::ranges::sort(sizes);
  return sizes;
}

std::vector<Sizes> CheapestFirst(const BucketReport& report) {
  const auto cost = [&](size_t i) {
    if (report.cost_a_bucket.size() == report.boundaries.size()) return report.cost_a_bucket[i];
    return VolumeOf(report.boundaries[i]);
  };
  std::vector<size_t> order(report.boundaries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return cost(a) < cost(b); });
  std::vector<Sizes> sorted;
  for (const size_t i : order) sorted.push_back(report.boundaries[i]);
  return sorted;
}

const LadderComparison* HeadlineLadder(const BucketReport& report) {
  for (const LadderComparison& ladder : report.ladders) {
    if (ladder.same_waste_buckets > 0 && ladder.same_waste_buckets < ladder.used) return &ladder;
  }
  return nullptr;
}

std::string HeadlineText(const BucketReport& report) {
  const size_t count = report.boundaries.size();
  const std::string padding = PaddingOfPlan(report);
  if (report.mode == BucketMode::kDynamic) {
    return count == 0 ? "One dynamic graph for all sizes"
                      : "One dynamic graph for all sizes; " + Counted(count, "bucket") +
                            " would have " + padding;
  }
  if (count == 0) return "No bucket";
  if (report.mode == BucketMode::kStatic) {
    return "All calls padded to " + SizesText(report.boundaries.back(), report.dims) + ": " +
           padding;
  }
  if (report.mode == BucketMode::kMixed) {
    const auto mix = std::ranges::find(report.outcomes, BucketMode::kMixed, &ModeOutcome::mode);
    const std::string name =
        mix != report.outcomes.end()
            ? mix->name
            : Counted(MixedBuckets(report).size(), "bucket") + " and a dynamic graph for the rest";
    return name + ": " + padding;
  }
  return Counted(count, "bucket") + ": " + padding;
}

std::string LadderHeadline(const BucketReport& report) {
  const LadderComparison* ladder = HeadlineLadder(report);
  if (ladder == nullptr) return {};
  return ladder->name + "'s " + Counted(ladder->used, "size") + " have " +
         PercentText(ladder->padding.train) + ": same waste with " +
         Counted(ladder->same_waste_buckets, "graph") + " instead of " +
         std::to_string(ladder->used);
}

std::vector<std::string> BucketNotes(const BucketReport& report) {
  std::vector<std::string> notes;
  if (report.out_of_range > 0) {
    notes.push_back(Counted(report.out_of_range, "call") +
                    " larger than the largest bucket: they need a way of their own (a dynamic "
                    "graph, or none).");
  }
  if (report.holdout) notes.push_back(HoldoutNote(*report.holdout, HasCosts(report)));
  if (report.drift && report.drift->is_drifting) notes.push_back(DriftNote(*report.drift));
  return notes;
}

}  // namespace shapewise
