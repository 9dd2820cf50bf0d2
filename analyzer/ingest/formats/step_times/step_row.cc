#include "ingest/formats/step_times/step_row.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "ingest/date_time.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxRowBytes = 120;
constexpr double kMaxStepSeconds = 366 * 86400.0;

// Numbers from here on are moments by the Unix epoch: 2001 in seconds, and in milliseconds.
constexpr double kMinEpochSeconds = 1e9;
constexpr double kMinEpochMillis = 1e12;

struct UnitName {
  std::string_view name;
  double seconds;
};
constexpr UnitName kStepUnits[] = {
    {"s", 1},
    {"sec", 1},
    {"secs", 1},
    {"seconds", 1},
    {"ms", 1e-3},
    {"msec", 1e-3},
    {"milliseconds", 1e-3},
    {"us", 1e-6},
    {"usec", 1e-6},
    {"microseconds", 1e-6},
    {"ns", 1e-9},
    {"nanoseconds", 1e-9},
};
constexpr std::string_view kDurationNames[] = {
    "time",    "duration", "step_time",  "steptime",      "iter_time",       "iteration_time",
    "elapsed", "latency",  "batch_time", "time_per_step", "seconds_per_step"};
constexpr std::pair<std::string_view, StepColumn> kColumns[] = {
    {"step", StepColumn::kStep},        {"steps", StepColumn::kStep},
    {"iter", StepColumn::kStep},        {"iteration", StepColumn::kStep},
    {"batch", StepColumn::kStep},       {"index", StepColumn::kStep},
    {"i", StepColumn::kStep},           {"global_step", StepColumn::kStep},
    {"time", StepColumn::kTime},        {"timestamp", StepColumn::kTime},
    {"datetime", StepColumn::kTime},    {"t", StepColumn::kTime},
    {"start", StepColumn::kBegin},      {"begin", StepColumn::kBegin},
    {"start_time", StepColumn::kBegin}, {"end", StepColumn::kEnd},
    {"end_time", StepColumn::kEnd},
};

/// The two fields of a row; absent if there are more or fewer.
std::optional<std::pair<std::string_view, std::string_view>> SplitRow(std::string_view line) {
  line = Trim(line);
  if (line.size() > kMaxRowBytes) return std::nullopt;
  const size_t at = line.find_first_of(",;\t");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view second = line.substr(at + 1);
  if (second.find_first_of(",;\t") != std::string_view::npos) return std::nullopt;
  const auto unquote = [](std::string_view field) {
    field = Trim(field);
    const bool is_quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
    return is_quoted ? Trim(field.substr(1, field.size() - 2)) : field;
  };
  return std::pair{unquote(line.substr(0, at)), unquote(second)};
}

std::string LowerName(std::string_view field) {
  std::string name;
  for (const char c : field) {
    if (c >= 'A' && c <= 'Z') {
      name.push_back(static_cast<char>(c - 'A' + 'a'));
    } else {
      name.push_back(c == ' ' || c == '-' ? '_' : c);
    }
  }
  return name;
}

/// Seconds in the unit of a column named `name`: "ms", "step_time_ms", "duration (s)", "time".
std::optional<double> UnitOf(std::string name) {
  if (name.ends_with(')') || name.ends_with(']')) {
    const size_t open = name.find_last_of("([");
    if (open == std::string::npos) return std::nullopt;
    name = name.substr(0, open) + "_" + name.substr(open + 1, name.size() - open - 2);
    name.erase(
        std::unique(name.begin(), name.end(), [](char a, char b) { return a == '_' && b == '_'; }),
        name.end());
  }
  const auto is_duration = [](std::string_view text) {
    return std::find(std::begin(kDurationNames), std::end(kDurationNames), text) !=
           std::end(kDurationNames);
  };
  if (is_duration(name)) return 1.0;
  for (const UnitName& unit : kStepUnits) {
    if (name == unit.name) return unit.seconds;
    std::string_view stem = name;
    if (!stem.ends_with(unit.name)) continue;
    stem.remove_suffix(unit.name.size());
    if (stem.ends_with('_') && is_duration(stem.substr(0, stem.size() - 1))) return unit.seconds;
  }
  return std::nullopt;
}

std::optional<double> ReadStepNumber(std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<StepHeader> ReadStepHeader(std::string_view line) {
  const auto fields = SplitRow(line);
  if (!fields) return std::nullopt;
  const std::optional<double> unit = UnitOf(LowerName(fields->second));
  const std::string first = LowerName(fields->first);
  if (!unit) return std::nullopt;
  for (const auto& [name, column] : kColumns) {
    if (first == name) return StepHeader{column, *unit};
  }
  return std::nullopt;
}

std::optional<StepRow> ReadStepRow(std::string_view line, double unit) {
  const auto fields = SplitRow(line);
  if (!fields) return std::nullopt;
  const std::optional<double> duration = ReadStepNumber(fields->second);
  if (!duration || *duration < 0 || *duration * unit > kMaxStepSeconds) return std::nullopt;
  StepRow row;
  row.seconds = *duration * unit;
  if (const std::optional<double> number = ReadStepNumber(fields->first)) {
    row.first = *number;
    if (*number >= kMinEpochMillis && *number < kMinEpochMillis * 100) {
      row.first = *number * 1e-3;
      row.clock = Clock::kEpoch;
    } else if (*number >= kMinEpochSeconds && *number < kMinEpochSeconds * 100) {
      row.clock = Clock::kEpoch;
    }
    return row;
  }
  std::string_view rest = fields->first;
  if (!ConsumeDateTime(rest, row.first, row.clock) || !rest.empty()) return std::nullopt;
  return row;
}

bool IsBlankRow(std::string_view line) {
  line = Trim(line);
  return line.empty() || line.front() == '#';
}

}  // namespace shapewise
