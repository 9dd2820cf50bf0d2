// Tables of step times: two columns, a step or a time, and the duration of the step.

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/date_time.h"
#include "ingest/file_rank.h"
#include "ingest/log_format.h"
#include "ingest/sizes/size_rows.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/StringSwitch.h"

namespace shapewise {
namespace {

constexpr size_t kMaxRowBytes = 120;
constexpr double kMaxStepSeconds = 366 * 86400.0;
constexpr double kMaxStepNumber = 1e15;  // whole numbers up to this are exact

// Numbers from here on are times since the Unix epoch: 2001 in seconds, and in milliseconds.
constexpr double kMinEpochSeconds = 1e9;
constexpr double kMinEpochMillis = 1e12;

// This many rows, and nothing else, make a text without a header a table.
constexpr size_t kMinRowsWithoutHeader = 3;

/// The meaning of the first column.
enum class StepColumn : uint8_t {
  kUnnamed,  // no header: the numbers decide
  kStep,     // numbers of steps
  kTime,     // times at the start or end of each step
  kBegin,    // times at which steps start
  kEnd,      // times at which steps end
};

/// The contents of a table's header.
struct StepHeader {
  StepColumn column = StepColumn::kUnnamed;
  double unit = 1;  // seconds per unit of the second column
};

/// One row: the first column, and the duration of the step.
struct StepRow {
  double first = 0;               // a number, or seconds by `clock`
  Clock clock = Clock::kUnknown;  // kUnknown: a plain number
  double seconds = 0;
  uint64_t line = 0;
};

/// The two fields of a row; absent if there are more or fewer.
std::optional<std::pair<std::string_view, std::string_view>> SplitRow(std::string_view line) {
  line = Trim(line);
  if (line.size() > kMaxRowBytes) return std::nullopt;
  const size_t at = line.find_first_of(",;\t");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view second = line.substr(at + 1);
  if (second.find_first_of(",;\t") != std::string_view::npos) return std::nullopt;
  return std::pair{Unquoted(line.substr(0, at)), Unquoted(second)};
}

/// Whether a column called `name` contains the duration of steps.
bool IsDuration(const UnitName& name) {
  if (name.stem.empty()) return name.seconds.has_value();
  return IsOneOf(name.stem,
                 {"time", "duration", "step_time", "steptime", "iter_time", "iteration_time",
                  "elapsed", "latency", "batch_time", "time_per_step", "seconds_per_step"});
}

/// Reads "step,seconds", "time;ms", "iteration\tstep_time_ms". Absent: two columns with other
/// names, or another number of columns.
std::optional<StepHeader> ReadStepHeader(std::string_view line) {
  const auto fields = SplitRow(line);
  if (!fields) return std::nullopt;
  const UnitName first = SplitUnit(fields->first);
  const UnitName duration = SplitUnit(fields->second);
  if (first.seconds || !IsDuration(duration)) return std::nullopt;
  const auto column = llvm::StringSwitch<StepColumn>(first.stem)
                          .Cases("step", "steps", "iter", "iteration", "batch", "index", "i",
                                 "global_step", StepColumn::kStep)
                          .Cases("time", "timestamp", "datetime", "t", StepColumn::kTime)
                          .Cases("start", "begin", "start_time", StepColumn::kBegin)
                          .Cases("end", "end_time", StepColumn::kEnd)
                          .Default(StepColumn::kUnnamed);
  if (column == StepColumn::kUnnamed) return std::nullopt;
  return StepHeader{column, duration.seconds.value_or(1)};
}

/// Reads "12,0.31" or "2026-11-21 03:50:55.2,310" (`unit` is 0.001 then). Absent: not two fields
/// separated by ',', ';' or tab, not plain numbers, a negative duration, or one of more than a
/// year.
std::optional<StepRow> ReadStepRow(std::string_view line, double unit) {
  const auto fields = SplitRow(line);
  if (!fields) return std::nullopt;
  const std::optional<double> duration = FiniteNumber(fields->second);
  if (!duration || *duration < 0 || *duration * unit > kMaxStepSeconds) return std::nullopt;
  StepRow row;
  row.seconds = *duration * unit;
  if (const std::optional<double> number = FiniteNumber(fields->first)) {
    const bool is_millis = *number >= kMinEpochMillis && *number < kMinEpochMillis * 100;
    const bool is_seconds = *number >= kMinEpochSeconds && *number < kMinEpochSeconds * 100;
    row.first = is_millis ? *number * 1e-3 : *number;
    if (is_millis || is_seconds) row.clock = Clock::kEpoch;
    return row;
  }
  std::string_view rest = fields->first;
  if (!ConsumeDateTime(rest, row.first, row.clock) || !rest.empty()) return std::nullopt;
  return row;
}

/// Whether `line` is empty: blank, or a comment after '#'.
bool IsBlankRow(std::string_view line) {
  line = Trim(line);
  return line.empty() || line.front() == '#';
}

bool IsWhole(double number) {
  return number >= 0 && number < kMaxStepNumber && number == std::floor(number);
}

/// Collects the rows; the meaning of the first column may be known only at the end.
class StepTimesReader final : public LogReader {
 public:
  StepTimesReader(Session& session, uint32_t input) : session_(session), input_(input) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    ForEachLine(lines, first_line,
                [&](std::string_view line, uint64_t number) { ReadLine(line, number); });
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool) override {
    if (is_first) session_.stats().Bump(Stat::step_row_unreadable, input_, line);
    return piece.size();
  }

  void Finish() override {
    const bool has_numbers = HasStepNumbers();
    const bool has_ends = !has_numbers && HasEndTimes();
    const int32_t rank = RankInFileName(session_.input(input_).name);
    for (const StepRow& row : rows_) {
      Span span;
      span.kind = SpanKind::kStep;
      span.input = input_;
      span.line = row.line;
      span.rank = rank;
      span.seconds = row.seconds;
      if (has_numbers) {
        if (IsWhole(row.first)) span.number = static_cast<int64_t>(row.first);
      } else {
        span.clock = row.clock == Clock::kUnknown ? Clock::kRelative : row.clock;
        span.begin = row.first - (has_ends ? row.seconds : 0);
      }
      session_.AddSpan(span);
    }
  }

  uint64_t torch_lines() const override { return rows_.size(); }

 private:
  void ReadLine(std::string_view line, uint64_t number) {
    if (IsBlankRow(line)) return;
    if (!std::exchange(is_begun_, true)) {
      if (const std::optional<StepHeader> header = ReadStepHeader(line)) {
        header_ = *header;
        return;
      }
    }
    std::optional<StepRow> row = ReadStepRow(line, header_.unit);
    if (!row || rows_.size() >= kMaxStepsOfInput) {
      session_.stats().Bump(row ? Stat::spans_too_many : Stat::step_row_unreadable, input_, number);
      return;
    }
    row->line = number;
    rows_.push_back(*row);
  }

  /// Whether the first column counts steps.
  bool HasStepNumbers() const {
    if (header_.column != StepColumn::kUnnamed) return header_.column == StepColumn::kStep;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].clock != Clock::kUnknown || !IsWhole(rows_[i].first)) return false;
      if (i > 0 && rows_[i].first <= rows_[i - 1].first) return false;
    }
    return true;
  }

  /// Whether times mark the ends of steps: then the duration is the difference to the previous row,
  /// otherwise to the next one. Programs usually read the clock after a step, so ties mean ends.
  bool HasEndTimes() const {
    if (header_.column == StepColumn::kBegin) return false;
    if (header_.column == StepColumn::kEnd) return true;
    double error_of_end = 0;
    double error_of_begin = 0;
    for (size_t i = 1; i < rows_.size(); ++i) {
      const double distance = rows_[i].first - rows_[i - 1].first;
      error_of_end += std::abs(distance - rows_[i].seconds);
      error_of_begin += std::abs(distance - rows_[i - 1].seconds);
    }
    return error_of_end <= error_of_begin;
  }

  Session& session_;
  const uint32_t input_;
  StepHeader header_;
  bool is_begun_ = false;  // a header or a row was read
  std::vector<StepRow> rows_;
};

/// A header that names both columns with a row of two numbers below it, or only rows of two
/// numbers: a text with any other line is treated as a log.
bool SniffStepTimes(std::string_view head) {
  if (head.size() == kSniffBytes) head = head.substr(0, head.rfind('\n') + 1);  // may split a line
  size_t num_rows = 0;
  bool has_header = false;
  bool is_first = true;
  bool is_table = true;
  ForEachLine(head, 1, [&](std::string_view line, uint64_t) {
    if (IsBlankRow(line)) return;
    if (is_first && ReadStepHeader(line)) {
      has_header = true;
    } else if (ReadStepRow(line, 1)) {
      ++num_rows;
    } else if (!has_header || num_rows == 0) {
      is_table = false;
    }
    is_first = false;
  });
  return is_table && num_rows >= (has_header ? 1 : kMinRowsWithoutHeader);
}

}  // namespace

const LogFormat kStepTimesFormat{"step-times", SniffStepTimes, NewLogReader<StepTimesReader>};

}  // namespace shapewise
