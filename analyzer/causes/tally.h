// Counts equal values, to find the most frequent one.

#ifndef SHAPEWISE_CAUSES_TALLY_H_
#define SHAPEWISE_CAUSES_TALLY_H_

#include <cstdint>
#include <map>

namespace shapewise {

/// How often each value was added. `Value` needs `<`.
template <typename Value>
class Tally {
 public:
  void Add(const Value& value, uint64_t times = 1) {
    counts_.try_emplace(value, Count{0, counts_.size()}).first->second.times += times;
  }

  bool empty() const { return counts_.empty(); }

  /// The value added most often; ties go to the one added first; a default one when empty.
  Value Best() const {
    Value best{};
    Count best_count{0, 0};
    for (const auto& [value, count] : counts_) {
      const bool is_better = count.times > best_count.times ||
                             (count.times == best_count.times && count.order < best_count.order);
      if (!is_better) continue;
      best = value;
      best_count = count;
    }
    return best;
  }

 private:
  struct Count {
    uint64_t times;
    size_t order;  // of the first addition
  };
  std::map<Value, Count> counts_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_TALLY_H_
