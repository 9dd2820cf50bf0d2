// Active measurement. The estimate compares a plan with all other plans at once. A challenger saves
// most when our buckets cost their upper bounds and its own cost their lower bounds; calls that
// both serve at the same size cost the same, and a challenger that pads further saves nothing. Few
// places need to be considered for the best challenger: between two measured sizes all lower bounds
// are equal, so the last of these sizes serves the most calls.

#include "buckets/active_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "support/median.h"

namespace shapewise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// How far a rounder size may be from the wanted one, as a share of the known bracket: kernels use
// tiles, so costs step at round sizes.
constexpr double kSnap = 0.125;
constexpr double kMiddle = 0.25;

/// The number of factors of two in a size.
int Roundness(int64_t size) {
  return size <= 0 ? 0 : std::countr_zero(static_cast<uint64_t>(size));
}

}  // namespace

/// The largest amount by which a plan can exceed another one, and that other plan.
struct ActiveCost::Regret {
  double most = 0;
  Stops challenger;
};

Expected<ActiveCost> ActiveCost::Make(SizeLine line, const ActiveCostOptions& options) {
  if (line.stops.empty()) return MakeError("no size to measure");
  return ActiveCost(std::move(line), options);
}

ActiveCost::ActiveCost(SizeLine line, const ActiveCostOptions& options)
    : line_(std::move(line)), options_(options), gap_(kInfinity) {
  options_.max_buckets = std::max<size_t>(options_.max_buckets, 1);
  for (SizeStop& stop : line_.stops) {
    stop.bucket = stop.size;
    ends_ += stop.may_end ? 1 : 0;
  }
  line_.is_monotone = true;
  Update();
}

void ActiveCost::Add(int64_t size, double cost, double spread) {
  const size_t stop = IndexOf(size);
  measured_[stop] = cost;
  spreads_[stop] = spread;
  Update();
}

Error ActiveCost::Refuse(int64_t size) {
  const size_t stop = IndexOf(size);
  if (stop + 1 == line_.stops.size()) {
    return MakeError("size " + std::to_string(size) +
                     " cannot be run, and every plan needs it: it serves the largest calls");
  }
  line_.stops[stop].may_end = false;
  line_.stops[stop].must_end = false;
  Update();
  return Error::success();
}

size_t ActiveCost::IndexOf(int64_t size) const {
  const auto found = std::ranges::lower_bound(line_.stops, size, {}, &SizeStop::size);
  const auto last = static_cast<size_t>(line_.stops.size() - 1);
  return std::min(static_cast<size_t>(found - line_.stops.begin()), last);
}

double ActiveCost::NoiseOfStop(size_t stop) const {
  return std::max(options_.noise, spreads_.at(stop));
}

/// Whether the gap is explained by measurement errors. Each of two compared costs may be off by its
/// error, which no further size would change; the rest of the gap is no larger.
bool ActiveCost::IsGapNoise() const {
  std::vector<double> spreads;
  for (const auto& [stop, spread] : spreads_) spreads.push_back(spread);
  const double noise = MedianOf(spreads);
  return noise > 0 && 1 + gap_ <= (1 + noise) * (1 + noise) * (1 + noise);
}

bool ActiveCost::IsOpen(size_t stop) const {
  return line_.stops[stop].may_end && !measured_.contains(stop);
}

void ActiveCost::Update() {
  next_.reset();
  ending_ = Ending::kGoesOn;
  // Both ends first: every plan needs the largest size, and nothing costs less than the smallest.
  const size_t last = line_.stops.size() - 1;
  size_t first = 0;
  while (first < last && !line_.stops[first].may_end) ++first;
  for (const size_t end : {last, first}) {
    if (measured_.contains(end)) continue;
    next_ = line_.stops[end].size;
    return;
  }
  Bound();
  const Stops guessed = Solve(Guess());
  const Stops safe = Solve(high_);
  const Stops least = Solve(low_);
  const double least_cost = CostOf(least, low_);

  // Use the safer of two plans: the one for the upper bounds, and the one for the guess.
  Regret regret = WorstRegret(safe);
  gap_ = GapOf(safe, regret.most, least_cost);
  const Stops* chosen = &safe;
  if (guessed != safe) {
    Regret other = WorstRegret(guessed);
    const double gap = GapOf(guessed, other.most, least_cost);
    if (gap < gap_) {
      gap_ = gap;
      regret = std::move(other);
      chosen = &guessed;
    }
  }
  SetPlan(*chosen);
  if (gap_ <= options_.gap) {
    ending_ = Ending::kGap;
    return;
  }
  if (IsGapNoise()) {
    ending_ = Ending::kNoise;
    return;
  }
  if (measured_.size() >= options_.measurements) {
    ending_ = Ending::kBudget;
    return;
  }
  const std::optional<size_t> next = ChooseNext(guessed, regret.challenger);
  if (next) {
    next_ = line_.stops[*next].size;
  } else {
    ending_ = Ending::kNothing;
  }
}

void ActiveCost::Bound() {
  const size_t count = line_.stops.size();
  low_.assign(count, 0);
  high_.assign(count, kInfinity);
  is_monotone_ = true;
  // A size that costs more than a larger one is skipped: calls use the larger one, so its cost says
  // nothing about sizes in between.
  std::map<size_t, double> lows;
  double high = kInfinity;
  for (auto at = measured_.rbegin(); at != measured_.rend(); ++at) {
    const double noise = NoiseOfStop(at->first);
    const double own_low = at->second / (1 + noise);
    const double own_high = at->second * (1 + noise);
    const bool falls = own_low > high;
    is_monotone_ = is_monotone_ && !falls;
    if (!falls) lows[at->first] = own_low;
    high = std::min(high, own_high);
    high_[at->first] = high;
  }
  for (size_t i = count; i-- > 1;) high_[i - 1] = std::min(high_[i - 1], high_[i]);
  for (const auto& [stop, low] : lows) low_[stop] = low;
  for (size_t i = 1; i < count; ++i) low_[i] = std::max(low_[i], low_[i - 1]);
}

/// Linear between measured sizes, and never falling.
std::vector<double> ActiveCost::Guess() const {
  std::vector<double> costs(line_.stops.size());
  double behind = kInfinity;
  size_t right = line_.stops.size() - 1;
  double right_cost = 0;
  for (auto at = measured_.rbegin(); at != measured_.rend(); ++at) {
    const size_t left = at->first;
    behind = std::min(behind, at->second);
    if (left == line_.stops.size() - 1) {
      costs[left] = behind;
    } else {
      const auto from = static_cast<double>(line_.stops[left].size);
      const auto to = static_cast<double>(line_.stops[right].size);
      for (size_t i = left; i < right; ++i) {
        const double share = (static_cast<double>(line_.stops[i].size) - from) / (to - from);
        costs[i] = behind + share * (right_cost - behind);
      }
    }
    right = left;
    right_cost = behind;
  }
  for (size_t i = 0; i < right; ++i) costs[i] = right_cost;
  return costs;
}

/// The best plan at these costs, which must not fall.
ActiveCost::Stops ActiveCost::Solve(const std::vector<double>& costs) const {
  SizeLine line = line_;
  for (size_t i = 0; i < costs.size(); ++i) line.stops[i].cost = costs[i];
  const std::vector<BucketSet> sets = ExactFrontier(line, options_.max_buckets);
  const BucketSet* best = nullptr;
  double best_cost = kInfinity;
  for (const BucketSet& set : sets) {
    const double cost = set.cost + options_.price * static_cast<double>(set.sizes.size());
    if (cost < best_cost) {
      best_cost = cost;
      best = &set;
    }
  }
  Stops stops;
  if (best == nullptr) return {line_.stops.size() - 1};
  for (const int64_t size : best->sizes) stops.push_back(IndexOf(size));
  return stops;
}

double ActiveCost::CostOf(const Stops& plan, const std::vector<double>& costs) const {
  double cost = options_.price * static_cast<double>(plan.size());
  size_t stop = 0;
  for (const size_t end : plan) {
    for (; stop <= end; ++stop) cost += line_.stops[stop].weight * costs[end];
  }
  return cost;
}

ActiveCost::Regret ActiveCost::WorstRegret(const Stops& plan) const {
  // Places where a challenger may end: measured sizes, our sizes, and the last size before each.
  std::vector<bool> is_place(line_.stops.size());
  const auto add = [&](size_t stop) {
    if (line_.stops[stop].may_end) is_place[stop] = true;
    for (size_t before = stop; before-- > 0;) {
      if (!line_.stops[before].may_end) continue;
      is_place[before] = true;
      break;
    }
  };
  for (const auto& [stop, cost] : measured_) add(stop);
  for (const size_t stop : plan) add(stop);
  Stops places;
  for (size_t i = 0; i < is_place.size(); ++i) {
    if (is_place[i]) places.push_back(i);
  }
  // The calls between two places are served by one of our buckets.
  const size_t count = places.size();
  std::vector<double> weights(count);
  std::vector<size_t> ours(count);
  size_t stop = 0;
  size_t bucket = 0;
  for (size_t p = 0; p < count; ++p) {
    for (; stop <= places[p]; ++stop) weights[p] += line_.stops[stop].weight;
    while (plan[bucket] < places[p]) ++bucket;
    ours[p] = plan[bucket];
  }
  const auto saves = [&](size_t mine, size_t theirs) {
    if (mine == theirs) return 0.0;
    const double most = high_[mine] - low_[theirs];
    return mine < theirs ? std::min(0.0, most) : most;
  };
  // most[p]: savings of a challenger whose last bucket so far is at place p.
  const size_t layers = std::min(options_.max_buckets, count);
  std::vector<double> most(count, -kInfinity);
  std::vector<std::vector<size_t>> from(layers, std::vector<size_t>(count, count));
  std::vector<std::vector<double>> saved(count, std::vector<double>(count + 1));
  for (size_t p = 0; p < count; ++p) {
    double sum = 0;
    for (size_t first = p + 1; first-- > 0;) {
      sum += weights[first] * saves(ours[first], places[p]);
      saved[p][first] = sum;  // savings on calls from place `first` to place p
    }
    most[p] = saved[p][0];
  }
  const double price = options_.price;
  Regret worst;
  size_t worst_layer = layers;
  const auto note = [&](size_t layer) {
    const double change = static_cast<double>(plan.size()) - static_cast<double>(layer + 1);
    const double regret = most[count - 1] + price * change;
    if (worst_layer == layers || regret > worst.most) {
      worst.most = regret;
      worst_layer = layer;
    }
  };
  note(0);
  for (size_t layer = 1; layer < std::min(layers, count); ++layer) {
    std::vector<double> next(count, -kInfinity);
    for (size_t p = layer; p < count; ++p) {
      for (size_t before = layer - 1; before < p; ++before) {
        const double value = most[before] + saved[p][before + 1];
        if (value <= next[p]) continue;
        next[p] = value;
        from[layer][p] = before;
      }
    }
    most = std::move(next);
    note(layer);
  }
  worst.most = std::max(worst.most, 0.0);
  for (size_t layer = worst_layer, p = count - 1; p < count; p = from[layer--][p]) {
    worst.challenger.push_back(places[p]);
    if (layer == 0) break;
  }
  std::ranges::reverse(worst.challenger);
  return worst;
}

double ActiveCost::GapOf(const Stops& plan, double regret, double least) const {
  double gap = kInfinity;
  if (least > 0) {
    gap = std::min(regret / least, CostOf(plan, high_) / least - 1);
  }
  const double rest = CostOf(plan, low_) - regret;
  if (rest > 0) gap = std::min(gap, regret / rest);
  return std::max(gap, 0.0);
}

std::optional<size_t> ActiveCost::ChooseNext(const Stops& guessed, const Stops& challenger) const {
  std::optional<size_t> wanted;
  bool is_guess = false;
  double most = 0;
  const auto consider = [&](const Stops& plan, bool from_guess) {
    size_t stop = 0;
    for (const size_t end : plan) {
      double weight = 0;
      for (; stop <= end; ++stop) weight += line_.stops[stop].weight;
      const double doubt = weight * (high_[end] - low_[end]);
      if (!IsOpen(end) || doubt <= most) continue;
      most = doubt;
      wanted = end;
      is_guess = from_guess;
    }
  };
  consider(guessed, true);
  consider(challenger, false);
  if (!wanted) return std::nullopt;
  return SplitBracket(*wanted, is_guess ? kSnap : -1);
}

/// A size between the measured neighbours of `wanted`: the roundest within `reach` of it (as a
/// share of the bracket); negative: the roundest near the middle.
std::optional<size_t> ActiveCost::SplitBracket(size_t wanted, double reach) const {
  const auto above = measured_.upper_bound(wanted);
  const size_t right = above == measured_.end() ? line_.stops.size() - 1 : above->first;
  const size_t left = above == measured_.begin() ? 0 : std::prev(above)->first;
  const auto from = static_cast<double>(line_.stops[left].size);
  const auto to = static_cast<double>(line_.stops[right].size);
  const double center = reach < 0 ? (from + to) / 2 : static_cast<double>(line_.stops[wanted].size);
  const double radius = (to - from) * (reach < 0 ? kMiddle : reach);
  std::optional<size_t> best;
  const auto distance = [&](size_t stop) {
    return std::abs(static_cast<double>(line_.stops[stop].size) - center);
  };
  for (size_t i = left; i <= right; ++i) {
    if (!IsOpen(i) || distance(i) > radius) continue;
    const int round = Roundness(line_.stops[i].size);
    const bool is_better =
        !best || round > Roundness(line_.stops[*best].size) ||
        (round == Roundness(line_.stops[*best].size) && distance(i) < distance(*best));
    if (is_better) best = i;
  }
  return best ? best : std::optional(wanted);
}

/// Ends each bucket where its cost was measured, if a cheaper, larger size replaces it.
void ActiveCost::SetPlan(const Stops& plan) {
  plan_.sizes.clear();
  plan_.cost = CostOf(plan, high_) - options_.price * static_cast<double>(plan.size());
  for (const size_t stop : plan) {
    size_t place = stop;
    const auto own = measured_.find(stop);
    if (own != measured_.end()) {
      for (auto at = std::next(own); at != measured_.end(); ++at) {
        if (at->second < measured_.at(place)) place = at->first;
      }
    }
    const int64_t size = line_.stops[place].size;
    if (plan_.sizes.empty() || plan_.sizes.back() < size) plan_.sizes.push_back(size);
  }
}

}  // namespace shapewise
