// Stalls: whether slow steps are periodic, and what else ran then.

#include "timeline/step_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/median.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Tolerances for a distance to be a multiple of the period, relative to the period.
constexpr double kTolerances[] = {0.02, 0.05, 0.1, 0.15};

constexpr int kMaxPeriods = 4;  // in one distance

// A period shorter than this many times the resolution of moments cannot be detected.
constexpr double kMinResolutions = 3;

// This many distances are enough; a day of stalls must not take a minute.
constexpr size_t kMaxDistances = 2000;

/// The number of whole periods in `distance`, within `tolerance`; 0: not 1..kMaxPeriods.
int WholePeriods(double distance, double period, double tolerance) {
  const double periods = std::round(distance / period);
  if (periods < 1 || periods > kMaxPeriods) return 0;
  return std::abs(distance - periods * period) <= tolerance ? static_cast<int>(periods) : 0;
}

/// Probability that an exponential distance with mean `mean` counts as regular. `slack` widens the
/// windows for rounding to whole steps.
double ChanceOfOne(double period, double tolerance, double slack, double mean) {
  double chance = 0;
  for (int k = 1; k <= kMaxPeriods; ++k) {
    const double from = std::max(0.0, k * period - tolerance - slack);
    chance += std::exp(-from / mean) - std::exp(-(k * period + tolerance + slack) / mean);
  }
  return std::min(1.0, chance);
}

/// Candidate periods: the distances themselves, without near-duplicates.
std::vector<double> Candidates(const std::vector<double>& sorted, double shortest) {
  std::vector<double> candidates;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double distance = sorted[i];
    if (distance < shortest) continue;
    if (candidates.empty() || distance > candidates.back() * 1.005) candidates.push_back(distance);
  }
  return candidates;
}

/// The logarithm of the probability of exactly `hits`.
double LogProbability(double hits, double trials, double chance) {
  return std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
         hits * std::log(chance) + (trials - hits) * std::log1p(-chance);
}

struct KernelFunctions {
  std::string_view names;  ///< with spaces around each
  bool reads_maps;         ///< they read the memory maps of a process while holding their lock
  std::string_view what;   ///< what their caller does: "reads /proc/PID/smaps"
};

/// Consecutive unexplained slow steps.
struct Episode {
  uint64_t first = 0;  ///< index of its first step
  uint64_t last = 0;
  double begin = 0;
  double end = 0;
  double excess = 0;  ///< seconds above the median
};

std::vector<Episode> FindEpisodes(const StepSeries& series, const StepTrack& track) {
  std::vector<Episode> episodes;
  for (const SlowStep& slow : track.slow) {
    if (slow.cause != SlowCause::kUnexplained) continue;
    const double excess = slow.seconds - series.median;
    const double end = slow.begin + slow.seconds;
    if (!episodes.empty() && episodes.back().last + 1 == slow.index) {
      Episode& episode = episodes.back();
      episode.last = slow.index;
      episode.end = end;
      episode.excess += excess;
    } else {
      episodes.push_back({slow.index, slow.index, slow.begin, end, excess});
    }
  }
  return episodes;
}

/// The steps in which a function of another process ran.
struct Presence {
  uint64_t stalls = 0;
  uint64_t others = 0;
  double seconds = 0;  ///< of all its stretches
};

/// Counts the steps that overlap a function's spans, in time proportional to its spans, not to the
/// steps.
class StepCounter {
 public:
  StepCounter(const StepSeries& series, const std::vector<Episode>& episodes)
      : series_(series), episodes_(episodes) {
    double latest = -HUGE_VAL;
    for (const TimedStep& step : series.steps) {
      latest = std::max(latest, step.begin + step.seconds);
      ends_.push_back(latest);
    }
    uint64_t stalled = 0;
    for (const Episode& episode : episodes) {
      stalled_before_.push_back(stalled);
      stalled += episode.last - episode.first + 1;
    }
    stalled_before_.push_back(stalled);
  }

  /// Counts each step once, and consecutive stalled steps once in total. `stretches` must be sorted
  /// by start.
  Presence Count(const std::vector<std::pair<double, double>>& stretches) const {
    Presence presence;
    size_t next = 0;  // first step that is not counted yet
    size_t next_episode = 0;
    for (const auto& [begin, end] : stretches) {
      presence.seconds += end - begin;
      const auto from = std::ranges::upper_bound(ends_, begin) - ends_.begin();
      const auto until = std::upper_bound(series_.steps.begin(), series_.steps.end(), end,
                                          [](double moment, const TimedStep& step) {
                                            return moment < step.begin;
                                          }) -
                         series_.steps.begin();
      const size_t first = std::max(next, static_cast<size_t>(from));
      const auto last = static_cast<size_t>(until);  // exclusive end
      if (first >= last) continue;
      const size_t first_episode = EpisodeAt(first);
      const size_t last_episode =
          std::max(first_episode, EpisodeAt(last - 1) + (IsStalled(last - 1) ? 1 : 0));
      presence.stalls += last_episode - std::clamp(next_episode, first_episode, last_episode);
      next_episode = std::max(next_episode, last_episode);
      presence.others += (last - first) - (StalledBefore(last) - StalledBefore(first));
      next = last;
    }
    return presence;
  }

 private:
  /// The index of the first episode that ends at or after `step`.
  size_t EpisodeAt(size_t step) const {
    return static_cast<size_t>(
        std::lower_bound(episodes_.begin(), episodes_.end(), step,
                         [](const Episode& episode, size_t at) { return episode.last < at; }) -
        episodes_.begin());
  }

  bool IsStalled(size_t step) const {
    const size_t episode = EpisodeAt(step);
    return episode < episodes_.size() && episodes_[episode].first <= step;
  }

  /// The number of stalled steps before `step`.
  uint64_t StalledBefore(size_t step) const {
    const size_t episode = EpisodeAt(step);
    uint64_t stalled = stalled_before_[episode];
    if (episode < episodes_.size() && episodes_[episode].first < step) {
      stalled += step - episodes_[episode].first;
    }
    return stalled;
  }

  const StepSeries& series_;
  const std::vector<Episode>& episodes_;
  std::vector<double> ends_;  ///< by step: the latest end of all steps up to it
  std::vector<uint64_t> stalled_before_;
};

// Linux: fs/proc/task_mmu.c, mm/compaction.c, mm/khugepaged.c, kernel/sched/fair.c,
// mm/mempolicy.c, mm/vmscan.c, mm/ksm.c.
constexpr KernelFunctions kKernelFunctions[] = {
    {" smap_gather_stats smaps_pte_range smaps_pte_entry smaps_account smaps_page_accumulate "
     "show_smap show_smaps_rollup ",
     true,
     "reads /proc/PID/smaps, for which the kernel walks every page of a process and holds the lock "
     "of its memory map"},
    {" pagemap_read pagemap_pmd_range ", true, "reads /proc/PID/pagemap page by page"},
    {" show_numa_map gather_pte_stats ", true,
     "reads /proc/PID/numa_maps, for which the kernel walks every page of a process"},
    {" clear_refs_write ", true, "clears the referenced bits of a process's pages"},
    {" compact_zone isolate_migratepages_block ", false, "compacts memory"},
    {" khugepaged khugepaged_scan_mm_slot hpage_collapse_scan_pmd collapse_huge_page ", false,
     "joins pages into huge ones"},
    {" task_numa_work change_prot_numa migrate_misplaced_page ", false,
     "moves pages between memory nodes"},
    {" shrink_node shrink_lruvec balance_pgdat ", false, "reclaims memory"},
    {" ksm_scan_thread ksm_do_scan ", false, "looks for equal pages to share"},
};

/// Null: unknown, or not informative. Ignores suffixes of compiler clones (".isra.0",
/// ".constprop.0") and kernel modules ("[k]").
const KernelFunctions* FindKernelFunction(std::string_view name) {
  const std::string word = " " + std::string(name.substr(0, name.find_first_of(".[ +"))) + " ";
  const auto* found = std::ranges::find_if(kKernelFunctions, [&](const KernelFunctions& functions) {
    return word.size() > 2 && HasText(functions.names, word);
  });
  return found == std::end(kKernelFunctions) ? nullptr : found;
}

}  // namespace

std::optional<StallPeriod> FindStallPeriod(std::span<const double> moments, double resolution) {
  if (moments.size() < kMinStallsForPeriod) return std::nullopt;
  moments = moments.first(std::min(moments.size(), kMaxDistances + 1));
  std::vector<double> distances;
  for (size_t i = 1; i < moments.size(); ++i) distances.push_back(moments[i] - moments[i - 1]);
  const double mean = (moments.back() - moments.front()) / static_cast<double>(distances.size());
  if (!(mean > 0)) return std::nullopt;
  std::vector<double> sorted = distances;
  std::ranges::sort(sorted);

  const double shortest = std::max(resolution * kMinResolutions, mean / 8);
  const std::vector<double> candidates = Candidates(sorted, shortest);
  if (candidates.empty()) return std::nullopt;
  // Periods closer than the tolerance are equivalent; what counts is how many different ones fit
  // between the shortest and the longest.
  const double range = std::log(std::max(2.0, sorted.back() / shortest));

  std::optional<StallPeriod> best;
  for (const double part : kTolerances) {
    for (const double candidate : candidates) {
      const double tolerance = std::max(part * candidate, resolution);
      if (tolerance > 0.25 * candidate) continue;
      std::vector<double> periods;
      uint64_t single = 0;
      double sum = 0;
      int sum_whole = 0;
      for (const double distance : distances) {
        const int whole = WholePeriods(distance, candidate, tolerance);
        if (whole == 0) continue;
        periods.push_back(distance / whole);
        sum += distance;
        sum_whole += whole;
        if (whole == 1) ++single;
      }
      if (periods.size() * 2 < distances.size() || single * 2 < periods.size()) continue;
      const double trials = std::size(kTolerances) * (1 + 2 * range * candidate / tolerance);
      const double one = ChanceOfOne(candidate, tolerance, resolution / 2, mean);
      const double chance = trials * BinomialTail(periods.size(), distances.size(), one);
      if (chance > kMaxChanceOfPeriod || (best && chance >= best->chance)) continue;
      // The mean: the median of moments in whole steps would also be a whole number.
      const double period = sum / sum_whole;
      double deviations = 0;
      for (const double value : periods) deviations += std::abs(value - period);
      best = StallPeriod{period, deviations / static_cast<double>(periods.size()), periods.size(),
                         chance};
    }
  }
  return best;
}

std::optional<int64_t> FindStepPeriod(std::span<const uint64_t> indices) {
  if (indices.size() < kMinStallsForPeriod) return std::nullopt;
  std::vector<double> distances;
  for (size_t i = 1; i < indices.size(); ++i) {
    distances.push_back(static_cast<double>(indices[i] - indices[i - 1]));
  }
  std::vector<double> sorted = distances;
  const double period = std::round(MedianOf(sorted));
  if (period < 2) return std::nullopt;
  const auto is_regular = [&](double distance) {
    return distance >= period && std::fmod(distance, period) == 0;
  };
  const auto regular = static_cast<size_t>(std::ranges::count_if(distances, is_regular));
  if (regular * 10 < distances.size() * 9) return std::nullopt;
  // One distance determines the number; each other one fits by chance with probability 1 /
  // `period`.
  const double chance = -static_cast<double>(regular - 1) * std::log(period);
  if (chance > std::log(kMaxChance)) return std::nullopt;
  return static_cast<int64_t>(period);
}

double BinomialTail(uint64_t hits, uint64_t trials, double chance) {
  if (chance >= 1) return 1;
  if (chance <= 0) return hits == 0 ? 1 : 0;
  if (hits > trials) return 0;
  // Terms decrease from the mean in both directions. Each side is summed away from the mean until
  // the rest is below the precision of the sum.
  constexpr double kPrecision = 1e-18;
  const auto n = static_cast<double>(trials);
  const bool is_above = static_cast<double>(hits) > n * chance;
  double sum = 0;
  if (is_above) {
    for (uint64_t i = hits; i <= trials; ++i) {
      const double term = std::exp(LogProbability(static_cast<double>(i), n, chance));
      sum += term;
      if (term * static_cast<double>(trials - i) <= sum * kPrecision) break;
    }
    return std::min(1.0, sum);
  }
  for (uint64_t i = hits; i > 0; --i) {
    const double term = std::exp(LogProbability(static_cast<double>(i - 1), n, chance));
    sum += term;
    if (term * static_cast<double>(i) <= kPrecision) break;
  }
  return std::max(0.0, 1 - sum);
}

std::optional<Stall> FindStall(const StepSeries& series, const StepTrack& track) {
  const std::vector<Episode> episodes = FindEpisodes(series, track);
  if (episodes.size() < kMinStallsForPeriod) return std::nullopt;
  std::vector<double> moments;
  std::vector<uint64_t> indices;
  std::vector<double> excesses;
  std::vector<double> distances;
  Stall stall;
  for (const Episode& episode : episodes) {
    // The pause is somewhere in the step: assume half of the step's normal duration before it.
    if (!moments.empty()) distances.push_back(episode.begin - (moments.back() - series.median / 2));
    moments.push_back(episode.begin + series.median / 2);
    indices.push_back(episode.first);
    excesses.push_back(episode.excess);
    stall.total_seconds += episode.excess;
  }
  stall.count = episodes.size();
  stall.distances = distances.size();
  stall.seconds = MedianOf(excesses);
  const std::optional<int64_t> step_period = FindStepPeriod(indices);
  const std::optional<StallPeriod> period = FindStallPeriod(moments, series.median);
  if (!step_period && !period) return std::nullopt;
  if (step_period) {
    stall.is_by_steps = true;
    stall.period_steps = *step_period;
    for (size_t i = 1; i < indices.size(); ++i) {
      const auto distance = static_cast<int64_t>(indices[i] - indices[i - 1]);
      if (distance % *step_period == 0) ++stall.regular;
    }
    stall.chance = kMaxChance;
    for (const double distance : distances) {
      stall.period += distance / static_cast<double>(distances.size());
    }
    for (const double distance : distances) {
      stall.jitter += std::abs(distance - stall.period) / static_cast<double>(distances.size());
    }
  }
  if (!step_period) {
    stall.period = period->period;
    stall.jitter = period->jitter;
    stall.regular = period->regular;
    stall.chance = period->chance;
  }
  return stall;
}

void FindCompany(const StepSeries& series, const StepTrack& track,
                 std::optional<double> epoch_minus_local, const Session& session, Stall& stall) {
  using Stretches = std::vector<std::pair<double, double>>;
  std::map<std::pair<std::string_view, std::string_view>, Stretches> by_function;
  for (const Span& span : session.spans()) {
    if (span.kind != SpanKind::kOtherProcess) continue;
    const std::optional<double> begin =
        ByClock(span.begin, span.clock, span.input, series.clock, series.input, epoch_minus_local);
    if (!begin) continue;
    by_function[{session.text(span.process), session.text(span.name)}].push_back(
        {*begin, *begin + span.seconds});
  }

  const std::vector<Episode> episodes = FindEpisodes(series, track);
  uint64_t stalled_steps = 0;
  for (const Episode& episode : episodes) stalled_steps += episode.last - episode.first + 1;
  const uint64_t others = series.steps.size() - stalled_steps;

  // Smaller is more informative: known functions first, then those rarely seen in other steps, then
  // the innermost, which have the shortest duration.
  using Rank = std::tuple<bool, uint64_t, uint64_t, double>;
  std::optional<Rank> best;
  const StepCounter counter(series, episodes);
  for (auto& [key, stretches] : by_function) {
    std::ranges::sort(stretches);
    const Presence presence = counter.Count(stretches);
    if (presence.stalls * 2 < episodes.size()) continue;
    const double usual = static_cast<double>(presence.others + 1) / static_cast<double>(others + 2);
    const double chance = BinomialTail(presence.stalls, episodes.size(), usual);
    if (chance > kMaxChance) continue;
    const KernelFunctions* known = FindKernelFunction(key.second);
    const Rank rank{known == nullptr, episodes.size() - presence.stalls, presence.others,
                    presence.seconds};
    if (best && rank >= *best) continue;
    best = rank;
    stall.company = StallCompanion{std::string(key.first),
                                   std::string(key.second),
                                   presence.stalls,
                                   presence.others,
                                   others,
                                   known == nullptr ? "" : std::string(known->what),
                                   known != nullptr && known->reads_maps};
  }
}

}  // namespace shapewise
