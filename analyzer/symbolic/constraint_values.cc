#include "symbolic/constraint_domain.h"

#include <algorithm>
#include <cassert>

namespace shapewise::constraints {
namespace {

// After this many steps a domain's bound is left unchanged; the search splits it instead.
constexpr int kMostSteps = 64;

bool IsInfinite(int64_t bound) { return bound == kMinusInfinity || bound == kPlusInfinity; }

// `bound` moved inwards to the nearest value of the residue; infinities stay.
int64_t Align(int64_t bound, int64_t residue, int64_t modulus, bool upwards) {
  if (IsInfinite(bound)) return bound;
  const Wide distance = upwards ? FloorModulo(static_cast<Wide>(residue) - bound, modulus)
                                : -FloorModulo(static_cast<Wide>(bound) - residue, modulus);
  const Wide aligned = bound + distance;
  if (aligned >= kPlusInfinity) return kPlusInfinity;
  if (aligned <= kMinusInfinity) return kMinusInfinity;
  return static_cast<int64_t>(aligned);
}

}  // namespace

size_t ValueSet::num_segments() const {
  size_t count = 0;
  for (const auto& [residue, segments] : classes_) count += segments.size();
  return count;
}

void ValueSet::Add(int64_t anchor, int64_t lower, int64_t upper) {
  assert(lower <= anchor && anchor <= upper);
  const auto residue = static_cast<int64_t>(FloorModulo(anchor, modulus_));
  std::vector<Segment>& segments = classes_[residue];
  Segment added{lower, upper};
  // Segments that overlap or touch the new one are merged into it.
  const auto ends_before = [&](const Segment& segment) {
    return segment.upper != kPlusInfinity && added.lower != kMinusInfinity &&
           static_cast<Wide>(segment.upper) + modulus_ < added.lower;
  };
  const auto begins_after = [&](const Segment& segment) {
    return segment.lower != kMinusInfinity && added.upper != kPlusInfinity &&
           static_cast<Wide>(added.upper) + modulus_ < segment.lower;
  };
  const auto first = std::find_if_not(segments.begin(), segments.end(), ends_before);
  const auto last = std::find_if(first, segments.end(), begins_after);
  for (auto it = first; it != last; ++it) {
    added.lower = std::min(added.lower, it->lower);
    added.upper = std::max(added.upper, it->upper);
  }
  segments.insert(segments.erase(first, last), added);
}

const Segment* ValueSet::SegmentAt(int64_t value) const {
  const auto found = classes_.find(static_cast<int64_t>(FloorModulo(value, modulus_)));
  if (found == classes_.end()) return nullptr;
  const std::vector<Segment>& segments = found->second;
  const auto it = std::ranges::lower_bound(segments, value, {}, &Segment::upper);
  return it != segments.end() && it->lower <= value ? &*it : nullptr;
}

bool ValueSet::Contains(int64_t value) const { return SegmentAt(value) != nullptr; }

bool ValueSet::RemoveFrom(Domain& domain) const {
  if (domain.IsEmpty()) return false;
  bool changed = false;
  const bool is_one_class = domain.modulus % modulus_ == 0;
  // The segment that contains a bound, possibly infinite; for several residues, only a finite
  // bound.
  const auto segment_at_end = [&](int64_t end) -> const Segment* {
    if (!IsInfinite(end)) return SegmentAt(end);
    if (!is_one_class) return nullptr;
    const auto found = classes_.find(static_cast<int64_t>(FloorModulo(domain.remainder, modulus_)));
    if (found == classes_.end()) return nullptr;
    const Segment& outermost = end == kMinusInfinity ? found->second.front() : found->second.back();
    return (end == kMinusInfinity ? outermost.lower : outermost.upper) == end ? &outermost
                                                                              : nullptr;
  };
  for (const bool is_lower : {true, false}) {
    for (int step = 0; step < kMostSteps && !domain.IsEmpty(); ++step) {
      const int64_t end = is_lower ? domain.lower : domain.upper;
      const Segment* segment = segment_at_end(end);
      if (segment == nullptr) break;
      changed = true;
      const int64_t last = !is_one_class ? end : is_lower ? segment->upper : segment->lower;
      if (IsInfinite(last)) {
        domain.lower = 1;
        domain.upper = 0;
      } else if (is_lower) {
        domain.RestrictLower(static_cast<Wide>(last) + 1);
      } else {
        domain.RestrictUpper(static_cast<Wide>(last) - 1);
      }
    }
  }
  return changed;
}

const Segment* ValueSet::SegmentWithin(const Domain& domain) const {
  if (domain.modulus % modulus_ != 0) return nullptr;
  const auto found = classes_.find(static_cast<int64_t>(FloorModulo(domain.remainder, modulus_)));
  if (found == classes_.end()) return nullptr;
  for (const Segment& segment : found->second) {
    if (segment.upper >= domain.lower && segment.lower <= domain.upper) return &segment;
  }
  return nullptr;
}

Interval ValueSet::Hull() const {
  int64_t lower = kPlusInfinity;
  int64_t upper = kMinusInfinity;
  for (const auto& [residue, segments] : classes_) {
    lower = std::min(lower, segments.front().lower);
    upper = std::max(upper, segments.back().upper);
  }
  Interval hull;
  if (lower != kMinusInfinity) hull.lower = lower;
  if (upper != kPlusInfinity) hull.upper = upper;
  return hull;
}

Congruence ValueSet::CommonCongruence() const {
  // One member of each segment, and the distance to its next one.
  uint64_t step = 0;
  std::optional<int64_t> first;
  for (const auto& [residue, segments] : classes_) {
    for (const Segment& segment : segments) {
      const int64_t member = segment.lower != kMinusInfinity  ? segment.lower
                             : segment.upper != kPlusInfinity ? segment.upper
                                                              : residue;
      if (!first) first = member;
      const Wide difference = static_cast<Wide>(member) - *first;
      step = Gcd(step, static_cast<uint64_t>(difference < 0 ? -difference : difference));
      if (segment.lower != segment.upper) step = Gcd(step, static_cast<uint64_t>(modulus_));
    }
  }
  if (step == 0) return {0, *first};
  return {step, static_cast<int64_t>(FloorModulo(*first, step))};
}

bool ValueSet::Fills(const Interval& hull, const Congruence& congruence) const {
  const Wide step = congruence.modulus;
  if (hull.lower && hull.upper) {
    // All members are among those values, so comparing counts suffices.
    Wide members = 0;
    for (const auto& [residue, segments] : classes_) {
      for (const Segment& segment : segments) {
        members += (static_cast<Wide>(segment.upper) - segment.lower) / modulus_ + 1;
      }
    }
    return members == (static_cast<Wide>(*hull.upper) - *hull.lower) / step + 1;
  }
  // Each residue must be one segment from end to end. Infinite sets contain two values that are a
  // modulus apart, so a common step divides the modulus.
  if (modulus_ % step != 0) return false;
  const Wide anchor = congruence.remainder;
  const int64_t lower = hull.lower.value_or(kMinusInfinity);
  const int64_t upper = hull.upper.value_or(kPlusInfinity);
  for (Wide member = anchor; member < anchor + modulus_; member += step) {
    const auto residue = static_cast<int64_t>(FloorModulo(member, modulus_));
    const auto found = classes_.find(residue);
    if (found == classes_.end() || found->second.size() != 1) return false;
    const Segment& segment = found->second.front();
    if (segment.lower != Align(lower, residue, modulus_, /*upwards=*/true)) return false;
    if (segment.upper != Align(upper, residue, modulus_, /*upwards=*/false)) return false;
  }
  return true;
}

}  // namespace shapewise::constraints
