// What the solvers of a line share: layers of a recurrence, one per number of buckets, and the
// lowest of many straight lines.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_
#define SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shapewise {

/// Relative difference of two sums that may be due to rounding.
inline constexpr double kRounding = 1e-14;

using Layer = std::vector<double>;

/// Computes `after` from `before`, with the origin of each element.
using NextLayer = llvm::function_ref<void(const Layer& before, Layer& after, uint32_t* origin)>;

/// The origins of each element of each layer, for backtracking. Only one block of layers has its
/// origins in memory. For the others, the layer before each block is stored, and origins are
/// recomputed from it: all layers except those of the last block are computed twice.
class LayerTable {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;

  /// `next` must be deterministic and outlive the table. `most_bytes`: limit on origins in memory.
  LayerTable(Layer first, size_t most_layers, NextLayer next, size_t most_bytes = kMostBytes)
      : next_(next),
        last_(std::move(first)),
        spare_(last_.size()),
        block_(std::clamp(most_bytes / sizeof(uint32_t) / last_.size(), size_t{1},
                          std::max(most_layers, size_t{1}))),
        origins_(std::make_unique_for_overwrite<uint32_t[]>(block_ * last_.size())) {}

  /// Adds one layer and returns it.
  const Layer& Add() {
    if (count_ % block_ == 0) begins_.push_back(last_);
    in_memory_ = count_ / block_;
    next_(last_, spare_, Row(count_));
    std::swap(last_, spare_);
    ++count_;
    return last_;
  }

  size_t count() const { return count_; }

  /// The origins of the elements of layer `layer` (counted from 0). Call in descending order after
  /// the last Add().
  const uint32_t* Origins(size_t layer) {
    if (layer / block_ != in_memory_) {
      in_memory_ = layer / block_;
      last_ = begins_[in_memory_];
      for (size_t again = in_memory_ * block_; again <= layer; ++again) {
        next_(last_, spare_, Row(again));
        std::swap(last_, spare_);
      }
    }
    return Row(layer);
  }

 private:
  uint32_t* Row(size_t layer) { return origins_.get() + ((layer % block_) * last_.size()); }

  NextLayer next_;
  Layer last_;
  Layer spare_;
  size_t block_;  ///< layers in a block
  size_t count_ = 0;
  size_t in_memory_ = 0;  ///< block whose origins are in memory
  std::unique_ptr<uint32_t[]> origins_;
  std::vector<Layer> begins_;  ///< the layer before each block
};

/// Lines before + (w - weight) * c, one for each place where a bucket ended: `before` is the cost
/// of the stops up to there, `weight` their total weight. Lines must be added with weights that do
/// not fall; lines that are never the lowest are dropped, so the rest is sorted by the costs c at
/// which each is lowest.
///
/// Lines are compared by products of differences without cancellation: an error corresponds to a
/// relative rounding error of a cost.
class LineQueue {
 public:
  explicit LineQueue(size_t most_lines)
      : lines_(std::make_unique_for_overwrite<Line[]>(most_lines)) {}

  void Clear() { first_ = end_ = 0; }
  bool IsEmpty() const { return first_ == end_; }

  void Add(double weight, double before, uint32_t stop) {
    while (end_ - first_ > 1) {
      const Line& last = lines_[end_ - 1];
      const Line& other = lines_[end_ - 2];
      if ((before - last.before) * (last.weight - other.weight) >
          (last.before - other.before) * (weight - last.weight)) {
        break;
      }
      --end_;
    }
    lines_[end_++] = {.weight = weight, .before = before, .stop = stop};
  }

  struct Answer {
    double cost;
    uint32_t stop;
  };
  /// The lowest line at cost `cost`, where `weight` is the total up to the querying stop. Costs
  /// must not fall between calls; constant time. The queue must not be empty.
  Answer Least(double weight, double cost) {
    while (end_ - first_ > 1 && !IsLessThanNext(first_, cost)) ++first_;
    return At(first_, weight, cost);
  }
  /// The same at any cost, by bisection; must not be mixed with Least.
  Answer Find(double weight, double cost) const {
    size_t low = first_;
    size_t high = end_ - 1;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (IsLessThanNext(middle, cost)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return At(low, weight, cost);
  }

 private:
  struct Line {
    double weight;
    double before;
    uint32_t stop;
  };
  bool IsLessThanNext(size_t line, double cost) const {
    const Line& now = lines_[line];
    const Line& next = lines_[line + 1];
    return next.before - now.before > (next.weight - now.weight) * cost;
  }
  Answer At(size_t line, double weight, double cost) const {
    const Line& least = lines_[line];
    return {.cost = least.before + ((weight - least.weight) * cost), .stop = least.stop};
  }

  std::unique_ptr<Line[]> lines_;
  size_t first_ = 0;
  size_t end_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_
