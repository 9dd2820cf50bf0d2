// Sizes in the metrics of an inference server, in Prometheus format:
//
//   # TYPE vllm:iteration_tokens_total histogram
//   vllm:iteration_tokens_total_bucket{engine="0",le="8.0",model_name="m"} 120.0
//   vllm:iteration_tokens_total_bucket{engine="0",le="16.0",model_name="m"} 151.0
//   vllm:num_requests_running{engine="0",model_name="m"} 12.0
//
// A histogram counts calls of at most `le`. A file may contain several snapshots.
//
// Source: https://prometheus.io/docs/instrumenting/exposition_formats; vllm/v1/metrics/loggers.py;
// sglang/srt/metrics/collector.py.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ingest/sizes/size_rows.h"

namespace shapewise {
namespace {

// Real servers have fewer series; a hostile input could name millions.
constexpr size_t kMaxSeries = 100'000;

// Without --column the first of these that has calls: sizes that the model ran, then sizes of
// requests.
constexpr std::string_view kPreferred[] = {
    "vllm:iteration_tokens_total", "vllm:request_prompt_tokens", "sglang:prompt_tokens_histogram"};

/// One line. Views point into it.
struct MetricSample {
  std::string_view name;
  std::string_view labels;  ///< the text between the braces
  std::string_view value;
};

bool IsMetricNameChar(char c) { return IsWordChar(c) || c == ':'; }

/// Reads `name{labels} value`; false if `line` has another form.
bool ReadSample(std::string_view line, MetricSample& sample) {
  const auto name_end = std::ranges::find_if_not(line, IsMetricNameChar);
  sample.name = line.substr(0, static_cast<size_t>(name_end - line.begin()));
  line.remove_prefix(sample.name.size());
  if (sample.name.empty()) return false;
  size_t end = 0;
  if (ConsumeFront(line, "{")) {
    end = line.rfind('}');
    if (end == kNotFound) return false;
    sample.labels = line.substr(0, end++);
  } else if (!line.starts_with(' ')) {
    return false;
  }
  const std::string_view rest = Trim(line.substr(end));
  // A time may follow.
  sample.value = rest.substr(0, rest.find(' '));
  return FieldNumber(sample.value).has_value();
}

/// Removes `le="8.0"` from `labels`; false if not found.
bool TakeBound(std::string_view labels, std::string& others, double& bound) {
  const size_t at = labels.starts_with("le=\"") ? 0 : FindText(labels, ",le=\"");
  if (at == kNotFound) return false;
  const std::string_view text = TextBetween(labels.substr(at), "le=\"", "\"");
  others = std::string(labels.substr(0, at)) +
           std::string(labels.substr(std::min(labels.size(), at + text.size() + (at > 0 ? 6 : 5))));
  if (text == "+Inf") {
    bound = HUGE_VAL;
    return true;
  }
  const std::optional<double> number = FieldNumber(text);
  if (number) bound = *number;
  return number.has_value();
}

/// A number that only grows, until its server restarts.
struct MetricCounter {
  double current = 0;
  double before = 0;  ///< its value when the server restarted

  void Set(double value) {
    if (value < current) before += current;
    current = value;
  }
};

class MetricSizes final : public SizeFormReader {
 public:
  explicit MetricSizes(SizeRows& rows) : SizeFormReader(rows) {
    rows_.totals.form = SizeForm::kMetrics;
    rows_.totals.is_ordered = false;
    if (rows_.query.columns.size() > 1) rows_.Fail("metrics contain only one size per input");
  }

  void Finish() override {
    std::vector<std::string> names;
    std::vector<Counts> counts_of;
    for (const auto& [name, metric] : metrics_) {
      Counts counts = SizesOf(metric);
      if (counts.calls.empty()) continue;
      names.push_back(name);
      counts_of.push_back(std::move(counts));
    }
    if (names.empty()) return rows_.Fail("these metrics have no histogram of sizes with a call");
    const size_t index = Choose(names);
    if (index == names.size()) {
      return rows_.Fail(
          (rows_.query.columns.empty()
               ? "several metrics may be the size; name one by --column"
               : "there is no column '" + rows_.query.columns[0] + "' in these metrics") +
          std::string(": they have ") + QuotedNames(names));
    }
    const Counts& counts = counts_of[index];
    rows_.totals.columns = {names[index]};
    rows_.totals.note =
        counts.is_gauge ? names[index] + " at the times at which the metrics were read"
                        : "of each range of " + names[index] +
                              " all calls count with its upper bound, so padding is underestimated";
    if (!counts.is_gauge) rows_.totals.most_real = counts.most_real;
    if (counts.beyond > 0) {
      rows_.totals.note +=
          "; " + std::to_string(counts.beyond) + " above the last bound are left out";
    }
    for (const auto& [size, calls] : counts.calls) {
      rows_.Take({static_cast<int64_t>(size), 1, 1}, calls, 0);
    }
  }

 private:
  struct Metric {
    std::map<std::string, std::map<double, MetricCounter>> series;  ///< by labels, then by bound
    std::map<uint64_t, uint64_t> samples;                           ///< of a gauge, by size
    std::map<std::string, MetricCounter> sums;                      ///< of sizes, by labels
  };
  struct Counts {
    std::map<uint64_t, uint64_t> calls;  ///< by size
    uint64_t beyond = 0;
    bool is_gauge = false;
    double most_real = 0;  ///< the elements of `calls` are not more than this
  };

  // Lines with sizes are short.
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool) override { return piece.size(); }

  void OnLine(std::string_view line, uint64_t number) override {
    MetricSample sample;
    if (line.empty() || line.starts_with('#') || !ReadSample(line, sample)) return;
    if (sample.name.ends_with(":num_requests_running") ||
        sample.name.ends_with(":num_running_reqs")) {
      uint64_t size = 0;
      const std::string_view why = ParseWholeNumber(sample.value, uint64_t{kMaxSize}, size);
      if (!why.empty()) return rows_.NoteDamage(number, sample.name, why);
      // An idle server reports 0.
      if (size > 0) ++metrics_[std::string(sample.name)].samples[size];
      return;
    }
    constexpr std::string_view kSum = "_sum";
    if (sample.name.ends_with(kSum)) {
      const std::string_view name = sample.name.substr(0, sample.name.size() - kSum.size());
      const auto metric = metrics_.find(std::string(name));
      const std::optional<double> sum = FiniteNumber(sample.value);
      if (metric != metrics_.end() && sum)
        metric->second.sums[std::string(sample.labels)].Set(*sum);
      return;
    }
    constexpr std::string_view kBucket = "_bucket";
    // Histograms of times do not contain sizes.
    if (!sample.name.ends_with(kBucket) || sample.name.ends_with("_seconds_bucket")) return;
    sample.name.remove_suffix(kBucket.size());
    std::string labels;
    double bound = 0;
    uint64_t calls = 0;
    const bool is_read = TakeBound(sample.labels, labels, bound) && bound >= 0;
    const std::string_view why =
        is_read ? ParseWholeNumber(sample.value, SizeHistory::kMaxCalls, calls) : "has no bound";
    if (!why.empty()) return rows_.NoteDamage(number, sample.name, why);
    auto& series = metrics_[std::string(sample.name)].series[labels];
    if (!series.contains(bound) && ++num_series_ > kMaxSeries) {
      return rows_.Fail("its metrics have more than 100,000 series");
    }
    series[bound].Set(static_cast<double>(calls));
  }

  static Counts SizesOf(const Metric& metric) {
    Counts counts;
    counts.calls = metric.samples;
    counts.is_gauge = metric.series.empty();
    double bounds_sum = 0;
    double beyond_sum = 0;
    for (const auto& [labels, sum] : metric.sums) counts.most_real += sum.before + sum.current;
    for (const auto& [labels, bounds] : metric.series) {
      double below = 0;
      double lower = 0;
      for (const auto& [bound, counter] : bounds) {
        // Calls may have continued while the metrics were read.
        const double until = std::max(below, counter.before + counter.current);
        const auto calls = static_cast<uint64_t>(until - below);
        below = until;
        const double least = std::exchange(lower, bound);
        if (calls == 0 || bound < 1) continue;
        if (bound > static_cast<double>(kMaxSize)) {
          counts.beyond += calls;
          beyond_sum += static_cast<double>(calls) * least;
        } else {
          counts.calls[static_cast<uint64_t>(bound)] += calls;
          bounds_sum += static_cast<double>(calls) * std::floor(bound);
        }
      }
    }
    // Without a sum, or with one that does not fit the ranges, the bounds are all that is known.
    counts.most_real -= beyond_sum;
    if (counts.most_real <= 0 || counts.most_real > bounds_sum) counts.most_real = bounds_sum;
    return counts;
  }

  /// The index of the metric to use; names.size(): none.
  size_t Choose(const std::vector<std::string>& names) const {
    if (!rows_.query.columns.empty()) {
      const std::string& wanted = rows_.query.columns[0];
      const size_t exact = FindColumn(wanted, names);
      if (exact < names.size()) return exact;
      const auto found = std::ranges::find_if(
          names, [&](const std::string& name) { return name.ends_with(":" + wanted); });
      return static_cast<size_t>(found - names.begin());
    }
    for (const std::string_view preferred : kPreferred) {
      const auto found = std::ranges::find(names, preferred);
      if (found != names.end()) return static_cast<size_t>(found - names.begin());
    }
    return names.size() == 1 ? 0 : names.size();
  }

  std::map<std::string, Metric> metrics_;
  size_t num_series_ = 0;
};

}  // namespace

bool IsMetricLine(std::string_view line) {
  MetricSample sample;
  return line.starts_with("# TYPE ") || line.starts_with("# HELP ") ||
         (HasText(line, "=\"") && ReadSample(line, sample));
}

std::unique_ptr<SizeFormReader> NewMetricSizes(SizeRows& rows) {
  return std::make_unique<MetricSizes>(rows);
}

}  // namespace shapewise
