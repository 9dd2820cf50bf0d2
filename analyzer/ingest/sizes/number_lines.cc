// Numbers between commas, semicolons or blanks: a size a line, a size and a count, or columns.
// This is the form of which there may be 10^8 lines.

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ingest/sizes/number_lines.h"
#include "ingest/sizes/size_number.h"
#include "ingest/sizes/size_rows.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

class NumberLines final : public SizeFormReader, private LineSink {
 public:
  NumberLines(SizeRows& rows, std::string name) : rows_(rows), name_(std::move(name)) {}

  LineSink& lines() override { return *this; }

 private:
  void OnLines(std::string_view lines, uint64_t first_line) override {
    const char* at = lines.data();
    const char* const end = at + lines.size();
    for (uint64_t line = first_line; at < end; ++line) {
      if (is_plain_) {
        // Nearly all lines are digits and a newline.
        const char* digit = at;
        uint64_t value = 0;
        while (digit < end && IsDigit(*digit) && digit - at < kMaxDigits) {
          value = value * 10 + static_cast<uint64_t>(*digit++ - '0');
        }
        if (digit > at && (digit == end || *digit == '\n') && value <= uint64_t{kMaxSize}) {
          rows_.Take({static_cast<int64_t>(value), 1, 1}, 1, line);
          at = digit + 1;
          continue;
        }
      }
      const auto* newline =
          static_cast<const char*>(memchr(at, '\n', static_cast<size_t>(end - at)));
      const char* const stop = newline != nullptr ? newline : end;
      OnRow({at, static_cast<size_t>(stop - at)}, line);
      at = stop + 1;
    }
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool) override {
    if (is_first && !piece.starts_with('#'))
      rows_.totals.lines.NoteDamage(line, "it is longer than 1 MiB");
    return piece.size();
  }

  static constexpr int kMaxDigits = 10;

  void OnRow(std::string_view text, uint64_t line) {
    text = Trim(text);
    if (text.empty() || text.starts_with('#') || !rows_.error.empty()) return;
    NumberFields fields;
    const size_t num_fields = SplitNumbers(text, fields);
    if (!is_decided_) Decide(num_fields);
    if (!rows_.error.empty()) return;
    const size_t most = !name_.empty() ? 1 : has_columns_ ? fields.size() : 2;
    if (num_fields > most) return Damaged(line);
    Sizes sizes{1, 1, 1};
    for (size_t dim = 0; dim < num_dims_; ++dim) {
      uint64_t size = 0;
      const std::string_view field = columns_[dim] < num_fields ? fields[columns_[dim]] : "";
      if (const std::string_view why = ParseWholeNumber(field, uint64_t{kMaxSize}, size);
          !why.empty()) {
        return rows_.NoteDamage(line, rows_.totals.columns[dim], why);
      }
      sizes[dim] = static_cast<int64_t>(size);
    }
    uint64_t calls = 1;
    const bool has_count = count_ ? true : !has_columns_ && num_fields == 2;
    if (has_count) {
      const size_t column = count_.value_or(1);
      const std::string_view field = column < num_fields ? fields[column] : "";
      if (const std::string_view why = ParseWholeNumber(field, SizeHistory::kMaxCalls, calls);
          !why.empty()) {
        return rows_.NoteDamage(line, "count", why);
      }
      rows_.totals.is_ordered = false;
      rows_.totals.form = SizeForm::kHistogram;
    }
    rows_.Take(sizes, calls, line);
  }

  void Damaged(uint64_t line) {
    rows_.totals.lines.NoteDamage(line, name_.empty() ? "it is no length, nor a length and a count"
                                                      : "it has more than one field");
  }

  /// The first row tells how many columns there are.
  void Decide(size_t num_fields) {
    is_decided_ = true;
    if (!name_.empty()) {
      rows_.totals.columns = {name_};
      is_plain_ = true;
      return;
    }
    const std::string range =
        num_fields == 1 ? "column 1" : "columns 1 to " + std::to_string(num_fields);
    const auto column = [&](std::string_view wanted) {
      std::string_view digits = wanted;
      const std::optional<uint64_t> number = ConsumeUint(digits);
      if (number && digits.empty() && *number >= 1 && *number <= num_fields) return *number - 1;
      rows_.Fail("there is no column '" + std::string(wanted) +
                 "': its lines are numbers without a header, with " + range);
      return uint64_t{0};
    };
    num_dims_ = 0;
    for (const std::string& wanted : rows_.query.columns) {
      columns_[num_dims_++] = column(wanted);
      rows_.totals.columns.push_back("column " + wanted);
    }
    has_columns_ = num_dims_ > 0;
    if (!rows_.query.count_column.empty()) count_ = column(rows_.query.count_column);
    if (!has_columns_) {
      num_dims_ = 1;
      rows_.totals.columns.emplace_back(kPlainName);
      if (count_ == 0) columns_[0] = 1;
      if (num_fields > 2) {
        rows_.Fail("its lines hold " + std::to_string(num_fields) +
                   " numbers: name the one that is the size, as in --column 1");
      }
    }
    is_plain_ =
        rows_.error.empty() && num_dims_ == 1 && columns_[0] == 0 && !count_ && num_fields == 1;
  }

  SizeRows& rows_;
  std::string name_;
  bool is_decided_ = false;
  bool is_plain_ = false;  // one number a line, as far as the first one tells
  bool has_columns_ = false;
  size_t num_dims_ = 1;
  std::array<size_t, kMaxSizeDims> columns_{};
  std::optional<size_t> count_;
};

}  // namespace

size_t SplitNumbers(std::string_view text, NumberFields& fields) {
  size_t num_fields = 0;
  text = Trim(text);
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(",; \t"), text.size());
    if (num_fields < fields.size()) fields[num_fields] = text.substr(0, end);
    ++num_fields;
    text = TrimLeft(text.substr(end));
    if (text.starts_with(',') || text.starts_with(';')) text = TrimLeft(text.substr(1));
  }
  return num_fields;
}

bool IsNumberRow(std::string_view text) {
  NumberFields fields;
  const size_t num_fields = SplitNumbers(text, fields);
  return num_fields > 0 && num_fields <= fields.size() &&
         std::all_of(fields.begin(), fields.begin() + static_cast<ptrdiff_t>(num_fields), IsNumber);
}

std::unique_ptr<SizeFormReader> NewNumberLines(SizeRows& rows, std::string name) {
  return std::make_unique<NumberLines>(rows, std::move(name));
}

}  // namespace shapewise
