// The least of many straight lines at one cost after the other: constant time each.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_LINE_QUEUE_H_
#define SHAPEWISE_ANALYZER_BUCKETS_LINE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shapewise {

/// Lines before + (w - weight) * c, one for each place where a bucket ended: `before` is what the
/// stops up to there cost, `weight` what came up to there. Lines have to be added with weights that
/// do not fall, and asked at costs c that do not fall: then the one that is least is found by
/// walking on in those that are least somewhere.
///
/// Lines are compared by products of differences, none of which cancels what decides: an error is
/// that of a relative change of a cost by rounding.
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
  /// The least line at cost `cost`, where `weight` came up to the stop that asks. Not if empty.
  Answer Least(double weight, double cost) {
    while (end_ - first_ > 1) {
      const Line& now = lines_[first_];
      const Line& next = lines_[first_ + 1];
      if (next.before - now.before > (next.weight - now.weight) * cost) break;
      ++first_;
    }
    const Line& least = lines_[first_];
    return {.cost = least.before + ((weight - least.weight) * cost), .stop = least.stop};
  }

 private:
  struct Line {
    double weight;
    double before;
    uint32_t stop;
  };
  std::unique_ptr<Line[]> lines_;
  size_t first_ = 0;
  size_t end_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_LINE_QUEUE_H_
