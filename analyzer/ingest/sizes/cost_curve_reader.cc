#include "ingest/size_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "ingest/date_time.h"
#include "ingest/sizes/size_rows.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "model/size_history.h"
#include "support/median.h"

namespace shapewise {
namespace {

using simdjson::dom::object;

constexpr size_t kMaxRows = size_t{1} << 22;

/// The measured quantity, by the names of columns: calls, compilations, and the spread of calls.
enum Mode : size_t {
  kStatic,
  kDynamic,
  kAligned,
  kCaptured,
  kEager,
  kCompile,
  kDynamicCompile,
  kSpread,  // a fraction, not a time
  kNumModes
};

/// "ms" and "seconds" have no other name.
std::optional<Mode> ModeNamed(std::string_view name) {
  return llvm::StringSwitch<std::optional<Mode>>(name)
      .Cases("static", "time", "latency", "duration", "", kStatic)
      .Case("dynamic", kDynamic)
      .Case("aligned", kAligned)
      .Case("captured", kCaptured)
      .Case("eager", kEager)
      .Cases("compile", "static_compile", kCompile)
      .Case("dynamic_compile", kDynamicCompile)
      .Case("spread", kSpread)
      .Default(std::nullopt);
}

/// The meaning of a column, by its name: "size", "static_ms", "time (us)", "eager".
struct Meaning {
  bool is_size = false;
  std::optional<Mode> mode;
  double unit = 1;  // seconds
};

Meaning MeaningOf(std::string_view name) {
  if (IsSizeName(Trim(name))) return {.is_size = true, .mode = {}};
  const UnitName split = SplitUnit(name);
  const std::optional<Mode> mode = ModeNamed(split.stem);
  if (!mode || (split.stem.empty() && !split.seconds)) return {};
  if (mode == kSpread && split.seconds) return {};  // a fraction has no unit
  return {.mode = mode, .unit = split.seconds.value_or(1)};
}

/// Seconds; absent: not a possible duration of a call.
std::optional<double> SecondsOf(std::string_view text, double unit) {
  const std::optional<double> value = FiniteNumber(text);
  return value && *value > 0 ? std::optional(*value * unit) : std::nullopt;
}

class CurveLines final : public WholeLines {
 public:
  using WholeLines::WholeLines;

  std::string error;

  /// Seconds of compilations of a kind; absent: not in the file.
  std::optional<double> CompileSeconds(Mode mode) {
    std::vector<double> seconds;
    for (const auto& [size, times] : times_) llvm::append_range(seconds, times[mode]);
    return Median(seconds);
  }

  CostCurve Curve() {
    CostCurve curve;
    for (auto& [size, times] : times_) {
      CostPoint point;
      point.size = size;
      point.seconds = *Median(times[kStatic]);
      point.dynamic = Median(times[kDynamic]);
      point.aligned = Median(times[kAligned]);
      point.captured = Median(times[kCaptured]);
      point.eager = Median(times[kEager]);
      point.spread = Median(times[kSpread]);
      curve.points.push_back(point);
    }
    return curve;
  }

 private:
  /// Absent for an empty list.
  static std::optional<double> Median(std::vector<double>& numbers) {
    return numbers.empty() ? std::nullopt : std::optional(MedianOf(numbers));
  }

  using Times = std::array<std::vector<double>, kNumModes>;
  /// Fields of a row: the size, and by mode; empty: not given.
  struct Row {
    std::string size;
    std::array<std::string, kNumModes> times;
  };

  void OnLine(std::string_view text, uint64_t line) override {
    if (text.starts_with('#') || !error.empty()) return;
    totals_.NoteLine(text);
    if (!is_decided_) {
      is_decided_ = true;
      is_json_ = text.starts_with('{');
      if (is_json_) return OnJson(text, line);
      delimiter_ = DelimiterOf(text);
      if (!IsNumberRow(text)) return ReadHeader(text);
      if (SplitNumbers(text).size() != 2) {
        error = "without a header its lines hold a size and seconds; this one holds \"" +
                std::string(text.substr(0, 200)) + "\"";
        return;
      }
      columns_ = {MeaningOf("size"), MeaningOf("seconds")};
    }
    if (is_json_) return OnJson(text, line);
    Row row;
    size_t column = 0;
    ForEachField(text, delimiter_, [&](std::string_view field) {
      Put(columns_[column], field, row);
      return ++column < columns_.size();
    });
    Add(row, line);
  }

  void ReadHeader(std::string_view text) {
    const std::vector<std::string> names = FieldsOf(text, delimiter_);
    for (const std::string& name : names) columns_.push_back(MeaningOf(name));
    CheckColumns(columns_, names);
  }

  void OnJson(std::string_view text, uint64_t line) {
    object fields;
    if (!parser_.Parse(text, fields)) {
      return totals_.NoteDamage(line, "it is no JSON object");
    }
    Row row;
    std::vector<Meaning> meanings;
    std::vector<std::string> names;
    for (const auto& [name, value] : fields) {
      meanings.push_back(MeaningOf(name));
      names.emplace_back(name);
      if (!value.is_null()) Put(meanings.back(), simdjson::minify(value), row);
    }
    // The first object decides: without a size and a time the file is of another kind.
    if (columns_.empty()) {
      CheckColumns(meanings, names);
      columns_ = std::move(meanings);
    }
    if (error.empty()) Add(row, line);
  }

  void CheckColumns(const std::vector<Meaning>& columns, const std::vector<std::string>& names) {
    const bool has_size = std::ranges::any_of(columns, &Meaning::is_size);
    const bool has_time = std::ranges::any_of(
        columns, [](const Meaning& meaning) { return meaning.mode == Mode::kStatic; });
    if (has_size && has_time) return;
    error = std::string("no column contains the ") + (has_size ? "seconds" : "size") + ": it has " +
            QuotedNames(names) +
            "; expected size (or length, tokens) and seconds (or static, time; _ms, _us in the "
            "name), and may be dynamic, aligned, captured, eager, compile_seconds, "
            "dynamic_compile_seconds, spread";
  }

  /// If two columns have one meaning, the first is used.
  void Put(const Meaning& meaning, std::string_view field, Row& row) {
    if (meaning.is_size && row.size.empty()) row.size = field;
    if (!meaning.mode || !row.times[*meaning.mode].empty()) return;
    row.times[*meaning.mode] = field;
    units_[*meaning.mode] = meaning.unit;
  }

  void Add(const Row& row, uint64_t line) {
    uint64_t size = 0;
    if (const std::string_view why = ParseWholeNumber(row.size, uint64_t{kMaxSize}, size);
        !why.empty()) {
      return totals_.NoteDamage(line, "size " + std::string(why));
    }
    const std::optional<double> seconds = SecondsOf(row.times[kStatic], units_[kStatic]);
    if (!seconds) return totals_.NoteDamage(line, "its time is no number above zero");
    if (totals_.records == kMaxRows) {
      return totals_.NoteDamage(line, "there are more rows than can be held");
    }
    Times& times = times_[static_cast<int64_t>(size)];
    times[kStatic].push_back(*seconds);
    for (size_t mode = kDynamic; mode < kSpread; ++mode) {
      if (const std::optional<double> other = SecondsOf(row.times[mode], units_[mode])) {
        times[mode].push_back(*other);
      }
    }
    const std::optional<double> spread = FiniteNumber(row.times[kSpread]);
    if (spread && *spread >= 0 && *spread <= 1) times[kSpread].push_back(*spread);
    ++totals_.records;
  }

  bool is_decided_ = false;
  bool is_json_ = false;
  char delimiter_ = ',';
  std::vector<Meaning> columns_;
  std::array<double, kNumModes> units_{1, 1, 1, 1, 1, 1, 1, 1};
  JsonParser parser_;
  std::map<int64_t, Times> times_;
};

constexpr size_t kMaxLadder = size_t{1} << 20;

/// All numbers of a small text, with any separators.
class LadderLines final : public WholeLines {
 public:
  using WholeLines::WholeLines;

  std::vector<int64_t> sizes;
  std::string error;  // the first

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    if (text.starts_with('#') || !error.empty()) return;
    bool may_be_header = std::exchange(is_first_, false);
    std::string_view unread;
    size_t num_read = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of(",;[]() \t"), text.size());
      const std::string_view token = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (token.empty()) continue;
      uint64_t size = 0;
      if (ParseWholeNumber(token, uint64_t{kMaxSize}, size).empty()) {
        sizes.push_back(static_cast<int64_t>(size));
        ++num_read;
      } else {
        unread = token;
        may_be_header &= !FieldNumber(token);
      }
    }
    if (!unread.empty() && (num_read > 0 || !may_be_header)) {
      error = "line " + std::to_string(line) + ": '" + std::string(unread.substr(0, 40)) +
              "' is no size";
    }
    if (sizes.size() > kMaxLadder) error = "it holds more than a million sizes";
  }

  bool is_first_ = true;
};

}  // namespace

Expected<CostCurveFile> ReadCostCurve(const std::string& path, FileSource& files) {
  JsonLineTotals totals;
  CurveLines lines(totals);
  if (Error error = ReadUndamaged(path, files, lines)) return error;
  if (!lines.error.empty()) return MakeError(path + ": " + lines.error);
  if (totals.records == 0) {
    return MakeError(path + ": no timed size in it" + totals.DescribeDamage() +
                     "; expected columns size and seconds");
  }
  return CostCurveFile{.curve = lines.Curve(),
                       .compile_seconds = lines.CompileSeconds(kCompile),
                       .dynamic_compile_seconds = lines.CompileSeconds(kDynamicCompile),
                       .lines = std::move(totals)};
}

Expected<std::vector<int64_t>> ReadSizeLadder(const std::string& path, FileSource& files) {
  JsonLineTotals totals;
  LadderLines lines(totals);
  if (Error error = ReadUndamaged(path, files, lines)) return error;
  if (totals.damaged > 0) lines.error = "a line is longer than 1 GiB";
  if (lines.error.empty() && lines.sizes.empty()) {
    lines.error = "no size in it; expected a list of sizes between commas, blanks or newlines";
  }
  if (!lines.error.empty()) return MakeError(path + ": " + lines.error);
  std::ranges::sort(lines.sizes);
  const auto repeated = std::ranges::unique(lines.sizes);
  lines.sizes.erase(repeated.begin(), repeated.end());
  return std::move(lines.sizes);
}

}  // namespace shapewise
