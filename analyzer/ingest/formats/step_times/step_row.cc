#include "ingest/formats/step_times/step_row.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

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
constexpr UnitName kUnits[] = {
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
  for (const UnitName& unit : kUnits) {
    if (name == unit.name) return unit.seconds;
    std::string_view stem = name;
    if (!stem.ends_with(unit.name)) continue;
    stem.remove_suffix(unit.name.size());
    if (stem.ends_with('_') && is_duration(stem.substr(0, stem.size() - 1))) return unit.seconds;
  }
  return std::nullopt;
}

std::optional<double> ReadNumber(std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<uint64_t> ReadDigits(std::string_view& text, size_t num_digits) {
  if (text.size() < num_digits) return std::nullopt;
  std::string_view digits = text.substr(0, num_digits);
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) return std::nullopt;
  text.remove_prefix(num_digits);
  return ConsumeUint(digits);
}

/// Days from 1970-01-01 to a day of the Gregorian calendar.
int64_t DaysSinceEpoch(int64_t year, int64_t month, int64_t day) {
  // Years begin in March here, so that the leap day is a year's last.
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t era = shifted / 400;
  const int64_t year_of_era = shifted - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

/// "2026-11-21 03:50:55.23", with 'T' for the blank and a zone ("Z", "+01:00") or none.
bool ReadDateTime(std::string_view text, double& seconds, Clock& clock) {
  const auto year = ReadDigits(text, 4);
  if (!year || *year < 1970 || !ConsumeFront(text, "-")) return false;
  const auto month = ReadDigits(text, 2);
  if (!month || *month < 1 || *month > 12 || !ConsumeFront(text, "-")) return false;
  const auto day = ReadDigits(text, 2);
  if (!day || *day < 1 || *day > 31) return false;
  if (!ConsumeFront(text, " ") && !ConsumeFront(text, "T")) return false;
  const auto hour = ReadDigits(text, 2);
  if (!hour || *hour > 23 || !ConsumeFront(text, ":")) return false;
  const auto minute = ReadDigits(text, 2);
  if (!minute || *minute > 59 || !ConsumeFront(text, ":")) return false;
  const auto second = ReadDigits(text, 2);
  if (!second || *second > 60) return false;
  double fraction = 0;
  if (!text.empty() && (text[0] == '.' || text[0] == ',')) {
    text.remove_prefix(1);
    double place = 0.1;
    if (text.empty() || !IsDigit(text[0])) return false;
    for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), place *= 0.1) {
      fraction += (text[0] - '0') * place;
    }
  }
  const double of_day = static_cast<double>(*hour * 3600 + *minute * 60 + *second) + fraction;
  if (text.empty()) {
    LogTime time;
    time.month = static_cast<uint8_t>(*month);
    time.day = static_cast<uint8_t>(*day);
    time.micros = static_cast<int64_t>(std::llround(of_day * 1e6));
    clock = Clock::kLocal;
    seconds = *LocalSeconds(time);
    return true;
  }
  int64_t zone = 0;
  if (!ConsumeFront(text, "Z")) {
    const bool is_west = text[0] == '-';
    if (!is_west && text[0] != '+') return false;
    text.remove_prefix(1);
    const auto zone_hours = ReadDigits(text, 2);
    ConsumeFront(text, ":");
    const auto zone_minutes = ReadDigits(text, 2);
    if (!zone_hours || !zone_minutes) return false;
    zone = static_cast<int64_t>(*zone_hours * 3600 + *zone_minutes * 60) * (is_west ? -1 : 1);
  }
  if (!text.empty()) return false;
  const int64_t days = DaysSinceEpoch(static_cast<int64_t>(*year), static_cast<int64_t>(*month),
                                      static_cast<int64_t>(*day));
  clock = Clock::kEpoch;
  seconds = static_cast<double>(days * 86400 - zone) + of_day;
  return true;
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
  const std::optional<double> duration = ReadNumber(fields->second);
  if (!duration || *duration < 0 || *duration * unit > kMaxStepSeconds) return std::nullopt;
  StepRow row;
  row.seconds = *duration * unit;
  if (const std::optional<double> number = ReadNumber(fields->first)) {
    row.first = *number;
    if (*number >= kMinEpochMillis && *number < kMinEpochMillis * 100) {
      row.first = *number * 1e-3;
      row.clock = Clock::kEpoch;
    } else if (*number >= kMinEpochSeconds && *number < kMinEpochSeconds * 100) {
      row.clock = Clock::kEpoch;
    }
    return row;
  }
  if (!ReadDateTime(fields->first, row.first, row.clock)) return std::nullopt;
  return row;
}

bool IsBlankRow(std::string_view line) {
  line = Trim(line);
  return line.empty() || line.front() == '#';
}

}  // namespace shapewise
