// Finds the lowest of many straight lines at a cost.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_LINE_QUEUE_H_
#define SHAPEWISE_ANALYZER_BUCKETS_LINE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shapewise {

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

#endif  // SHAPEWISE_ANALYZER_BUCKETS_LINE_QUEUE_H_
