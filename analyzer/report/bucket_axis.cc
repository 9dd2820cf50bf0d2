#include "report/bucket_axis.h"

#include <algorithm>
#include <cmath>

#include "report/bucket_facts.h"

namespace shapewise {
namespace {

/// If the largest size exceeds the median by this factor, a linear axis shows little but its first
/// columns.
constexpr double kHeavyTail = 8;

}  // namespace

SizeAxis::SizeAxis(const BucketReport& report, size_t dim, size_t columns) {
  bool is_first = true;
  const auto widen = [&](int64_t size) {
    first_ = is_first ? size : std::min(first_, size);
    last_ = is_first ? size : std::max(last_, size);
    is_first = false;
  };
  for (const SizeCount& count : report.histogram.counts) widen(count.sizes[dim]);
  for (const Sizes& sizes : report.boundaries) widen(sizes[dim]);
  const int64_t median = MedianSize(report.histogram, dim);
  is_logarithmic_ = first_ >= 0 && median > 0 &&
                    static_cast<double>(last_) > kHeavyTail * static_cast<double>(median);
  columns_ = std::max<size_t>(columns, 1);
  if (!is_logarithmic_) {
    const auto sizes = static_cast<size_t>(std::max<int64_t>(last_ - first_, 0)) + 1;
    columns_ = std::min(columns_, sizes);
  }
}

double SizeAxis::Place(double size) const {
  // A size of 0 has no logarithm; it is drawn like 1.
  const auto scale = [this](double value) {
    return is_logarithmic_ ? std::log(std::max(value, 1.0)) : value;
  };
  const double begin = scale(static_cast<double>(first_));
  const double end = scale(static_cast<double>(last_) + 1);
  const double share = end > begin ? (scale(size) - begin) / (end - begin) : 1;
  return std::clamp(share, 0.0, 1.0) * static_cast<double>(columns_);
}

size_t SizeAxis::Column(int64_t size) const {
  const double end = End(size);
  const auto column = static_cast<size_t>(std::max(std::ceil(end - 1e-9) - 1, 0.0));
  return std::min(column, columns_ - 1);
}

std::vector<double> CallShares(const SizeHistogram& histogram, size_t dim, const SizeAxis& axis) {
  std::vector<double> shares(axis.columns(), 0.0);
  double total = 0;
  for (const SizeCount& count : histogram.counts) total += static_cast<double>(count.calls);
  if (total <= 0) return shares;
  for (const SizeCount& count : histogram.counts) {
    const double share = static_cast<double>(count.calls) / total;
    const double begin = axis.Begin(count.sizes[dim]);
    const double end = axis.End(count.sizes[dim]);
    const size_t last = axis.Column(count.sizes[dim]);
    if (end - begin < 1e-9) {
      shares[last] += share;
      continue;
    }
    for (auto column = static_cast<size_t>(begin); column <= last; ++column) {
      const double from = std::max(begin, static_cast<double>(column));
      const double to = std::min(end, static_cast<double>(column) + 1);
      shares[column] += share * std::max(to - from, 0.0) / (end - begin);
    }
  }
  return shares;
}

std::vector<int64_t> BoundsOfDim(const BucketReport& report, size_t dim) {
  std::vector<int64_t> bounds;
  for (const Sizes& sizes : report.boundaries) bounds.push_back(sizes[dim]);
  std::ranges::sort(bounds);
  bounds.erase(std::ranges::unique(bounds).begin(), bounds.end());
  return bounds;
}

}  // namespace shapewise
