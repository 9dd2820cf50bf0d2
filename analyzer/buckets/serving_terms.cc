#include "buckets/serving_terms.h"

#include <algorithm>
#include <cmath>

#include "result/number_text.h"

namespace shapewise {
namespace {

/// Assumed ratio of the compile time of a dynamic graph to that of a static one.
constexpr double kDynamicCompileFactor = 1.5;

CompilePrice PriceOf(double seconds, const std::optional<double>& known, const std::string& file) {
  if (!known) return {seconds, "assumed"};
  return {seconds, file.empty() ? "told" : file};
}

}  // namespace

ServingTerms::ServingTerms(const PlanOptions& options, size_t dims, int64_t rows)
    : options_(options), dims_(dims), rows_(rows) {
  const ServingPrices& prices = options.prices;
  compile_ = prices.compile_seconds.value_or(compile_);
  dynamic_compile_ = prices.dynamic_compile_seconds.value_or(compile_ * kDynamicCompileFactor);
  capture_ = prices.capture_seconds.value_or(0);
  dynamic_slowdown_ = prices.dynamic_slowdown.value_or(dynamic_slowdown_);
}

CompilePrice ServingTerms::StaticCompile() const {
  return PriceOf(compile_, options_.prices.compile_seconds, options_.prices.compile_source);
}

CompilePrice ServingTerms::DynamicCompile() const {
  return PriceOf(dynamic_compile_, options_.prices.dynamic_compile_seconds,
                 options_.prices.dynamic_compile_source);
}

bool ServingTerms::Knows(ServingKind kind) const {
  const ServingPrices& prices = options_.prices;
  const ModeCosts& costs = options_.mode_costs;
  switch (kind) {
    case ServingKind::kBucket:
    case ServingKind::kDynamic:
      return true;
    case ServingKind::kAlignedDynamic:
      return costs.aligned || prices.aligned_slowdown;
    case ServingKind::kCaptured:
      return prices.capture_seconds && (costs.captured || prices.captured_slowdown);
    case ServingKind::kEager:
      return costs.eager || prices.eager_slowdown;
    case ServingKind::kDynamicRange:
      break;
  }
  return false;
}

bool ServingTerms::IsAssumed(ServingKind kind) const {
  return kind == ServingKind::kDynamic && !options_.mode_costs.dynamic &&
         !options_.prices.dynamic_slowdown;
}

double ServingTerms::CallCost(ServingKind kind, const Sizes& sizes) const {
  const ServingPrices& prices = options_.prices;
  const ModeCosts& costs = options_.mode_costs;
  const auto in = [&](const std::optional<CostModel>& measured, double slowdown, const Sizes& at) {
    if (measured) return measured->Of(at, dims_, rows_);
    return options_.cost.Of(at, dims_, rows_) * (1 + slowdown);
  };
  switch (kind) {
    case ServingKind::kDynamic:
      return in(costs.dynamic, dynamic_slowdown_, sizes);
    case ServingKind::kAlignedDynamic: {
      Sizes aligned = sizes;
      for (size_t dim = 0; dim < dims_; ++dim) {
        const int64_t step = options_.limits[std::min(dim, options_.limits.size() - 1)].alignment;
        aligned[dim] = (sizes[dim] + step - 1) / step * step;
      }
      return in(costs.aligned, prices.aligned_slowdown.value_or(0), aligned);
    }
    case ServingKind::kCaptured:
      return in(costs.captured, prices.captured_slowdown.value_or(0), sizes);
    case ServingKind::kEager:
      return in(costs.eager, prices.eager_slowdown.value_or(0), sizes);
    case ServingKind::kBucket:
    case ServingKind::kDynamicRange:
      break;
  }
  return options_.cost.Of(sizes, dims_, rows_);
}

std::optional<size_t> ServingTerms::GraphsInMemory() const {
  const ServingPrices& prices = options_.prices;
  if (!prices.memory_megabytes || !prices.graph_megabytes || *prices.graph_megabytes <= 0) {
    return std::nullopt;
  }
  constexpr double kMost = 1e9;
  // 0.3 / 0.1 is slightly below 3.
  const double graphs = *prices.memory_megabytes / *prices.graph_megabytes * (1 + 1e-12);
  return static_cast<size_t>(std::min(std::floor(graphs), kMost));
}

std::vector<std::string> ServingTerms::Assumptions() const {
  std::vector<std::string> sentences;
  const ServingPrices& prices = options_.prices;
  if (IsInSeconds() && !prices.compile_seconds) {
    sentences.push_back("A static graph compiles in " + SecondsText(compile_) +
                        " (set it with --compile-seconds).");
  }
  if (IsInSeconds() && !prices.dynamic_compile_seconds) {
    sentences.push_back("A dynamic graph compiles in " + SecondsText(dynamic_compile_) +
                        " (set it with --dynamic-compile-seconds).");
  }
  if (IsAssumed(ServingKind::kDynamic)) {
    sentences.push_back("A dynamic graph is " + PercentText(dynamic_slowdown_) +
                        " slower than a static one of the same size (set it with "
                        "--dynamic-slowdown, or a column dynamic of --cost).");
  }
  return sentences;
}

}  // namespace shapewise
