#include "ingest/formats/step_times/step_times_reader.h"

#include <algorithm>
#include <cmath>

#include "ingest/file_rank.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr double kMaxStepNumber = 1e15;  // whole numbers up to there are exact

bool IsWhole(double number) {
  return number >= 0 && number < kMaxStepNumber && number == std::floor(number);
}

}  // namespace

void StepTimesReader::OnLines(std::string_view lines, uint64_t first_line) {
  uint64_t number = first_line;
  while (!lines.empty()) {
    const size_t newline = FindText(lines, "\n");
    const size_t end = std::min(newline, lines.size());
    ReadLine(lines.substr(0, end), number);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++number;
  }
}

size_t StepTimesReader::OnPiece(std::string_view piece, uint64_t line, bool is_first, bool) {
  if (is_first) session_.stats().Bump(Stat::step_row_unreadable, input_, line);
  return piece.size();
}

void StepTimesReader::ReadLine(std::string_view line, uint64_t number) {
  if (IsBlankRow(line)) return;
  if (!is_begun_) {
    is_begun_ = true;
    if (const std::optional<StepHeader> header = ReadStepHeader(line)) {
      header_ = *header;
      return;
    }
  }
  const std::optional<StepRow> row = ReadStepRow(line, header_.unit);
  if (!row) {
    session_.stats().Bump(Stat::step_row_unreadable, input_, number);
  } else if (rows_.size() >= kMaxStepsOfInput) {
    session_.stats().Bump(Stat::spans_too_many, input_, number);
  } else {
    rows_.push_back({*row, number});
  }
}

/// Whether the first column counts steps.
bool StepTimesReader::HasStepNumbers() const {
  if (header_.column != StepColumn::kUnnamed) return header_.column == StepColumn::kStep;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].row.clock != Clock::kUnknown || !IsWhole(rows_[i].row.first)) return false;
    if (i > 0 && rows_[i].row.first <= rows_[i - 1].row.first) return false;
  }
  return true;
}

/// Whether moments are those at which steps end: the distance to the row before is the duration
/// then, and to the row behind otherwise. Programs look at the clock when a step is over, so that
/// this is the answer where both fit alike.
bool StepTimesReader::HasEndTimes() const {
  if (header_.column == StepColumn::kBegin) return false;
  if (header_.column == StepColumn::kEnd) return true;
  double error_of_end = 0;
  double error_of_begin = 0;
  for (size_t i = 1; i < rows_.size(); ++i) {
    const double distance = rows_[i].row.first - rows_[i - 1].row.first;
    error_of_end += std::abs(distance - rows_[i].row.seconds);
    error_of_begin += std::abs(distance - rows_[i - 1].row.seconds);
  }
  return error_of_end <= error_of_begin;
}

void StepTimesReader::Finish() {
  const bool has_numbers = HasStepNumbers();
  const bool has_ends = !has_numbers && HasEndTimes();
  const int32_t rank = RankInFileName(session_.input(input_).name);
  for (const PlacedRow& placed : rows_) {
    Span span;
    span.kind = SpanKind::kStep;
    span.input = input_;
    span.line = placed.line;
    span.rank = rank;
    span.seconds = placed.row.seconds;
    if (has_numbers) {
      if (IsWhole(placed.row.first)) span.number = static_cast<int64_t>(placed.row.first);
    } else {
      span.clock = placed.row.clock == Clock::kUnknown ? Clock::kRelative : placed.row.clock;
      span.begin = placed.row.first - (has_ends ? placed.row.seconds : 0);
    }
    session_.AddSpan(span);
  }
}

}  // namespace shapewise
