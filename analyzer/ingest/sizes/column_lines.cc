// Sizes in columns: lines of numbers, of which there may be 10^8, and tables with their quoting.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/sizes/size_fields.h"
#include "ingest/sizes/size_rows.h"

namespace shapewise {
namespace {

/// Numbers between commas, semicolons or blanks: a size a line, a size and a count, or columns.
class NumberLines final : public SizeFormReader {
 public:
  NumberLines(SizeRows& rows, std::string name) : SizeFormReader(rows), name_(std::move(name)) {}

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
      OnLine(Trim({at, static_cast<size_t>(stop - at)}), line);
      at = stop + 1;
    }
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool) override {
    if (is_first && !piece.starts_with('#'))
      rows_.totals.lines.NoteDamage(line, "it is longer than 1 MiB");
    return piece.size();
  }

  void OnLine(std::string_view text, uint64_t line) override {
    if (text.empty() || text.starts_with('#') || !rows_.error.empty()) return;
    const auto fields = SplitNumbers(text);
    if (!is_decided_) Decide(fields.size());
    if (!rows_.error.empty()) return;
    const bool has_columns = !rows_.query.columns.empty() && name_.empty();
    const size_t most = !name_.empty() ? 1 : has_columns ? kMaxColumns : 2;
    if (fields.size() > most) {
      return rows_.totals.lines.NoteDamage(line, name_.empty()
                                                     ? "it is no length, nor a length and a count"
                                                     : "it has more than one field");
    }
    const bool has_count = count_ || (!has_columns && fields.size() == 2);
    rows_.TakeRow(line, has_count ? "count" : "", [&](size_t i, uint64_t largest, uint64_t& value) {
      const bool is_count = i == rows_.totals.columns.size();
      const size_t column = is_count ? count_.value_or(1) : columns_[i];
      return ParseWholeNumber(column < fields.size() ? fields[column] : "", largest, value);
    });
  }

  static constexpr int kMaxDigits = 10;
  // Users do not name columns of wider rows by number.
  static constexpr size_t kMaxColumns = 64;

  /// The first row decides how many columns there are.
  void Decide(size_t num_fields) {
    is_decided_ = true;
    std::vector<std::string>& names = rows_.totals.columns;
    if (!name_.empty()) {
      names = {name_};
      is_plain_ = true;
      return;
    }
    const auto column = [&](std::string_view wanted) {
      std::string_view digits = wanted;
      const std::optional<uint64_t> number = ConsumeUint(digits);
      if (number && digits.empty() && *number >= 1 && *number <= num_fields) return *number - 1;
      rows_.Fail("there is no column '" + std::string(wanted) +
                 "': its lines are numbers without a header, with " +
                 (num_fields == 1 ? "column 1" : "columns 1 to " + std::to_string(num_fields)));
      return uint64_t{0};
    };
    for (const std::string& wanted : rows_.query.columns) {
      columns_[names.size()] = column(wanted);
      names.push_back("column " + wanted);
    }
    if (!rows_.query.count_column.empty()) count_ = column(rows_.query.count_column);
    if (names.empty()) {
      names.emplace_back(kPlainName);
      if (count_ == 0) columns_[0] = 1;
      if (num_fields > 2) {
        rows_.Fail("its lines hold " + std::to_string(num_fields) +
                   " numbers: name the one that is the size, as in --column 1");
      }
    }
    is_plain_ =
        rows_.error.empty() && names.size() == 1 && columns_[0] == 0 && !count_ && num_fields == 1;
  }

  std::string name_;
  bool is_decided_ = false;
  bool is_plain_ = false;  // one number a line, by the first line
  std::array<size_t, kMaxSizeDims> columns_{};
  std::optional<size_t> count_;
};

/// A csv, a tsv or the like, with or without a header.
class TableLines final : public SizeFormReader {
 public:
  TableLines(SizeRows& rows, char delimiter)
      : SizeFormReader(rows, /*keeps_indent=*/true), delimiter_(delimiter) {}

  void Finish() override {
    if (is_open_) NoteOpenQuote();
  }

 private:
  static constexpr size_t kMaxRowBytes = size_t{1} << 20;

  void OnLine(std::string_view text, uint64_t line) override {
    if (!rows_.error.empty() || (text.starts_with('#') && !is_open_)) return;
    const bool was_open = is_open_;
    if (HasText(text, "\"")) is_open_ = EndsInQuotes(text, delimiter_, was_open);
    if (!was_open) {
      first_line_ = line;
      if (is_open_) {
        row_ = text;
      } else {
        OnRow(text, line);
      }
      return;
    }
    if (row_.size() + text.size() > kMaxRowBytes) {
      is_open_ = false;
      row_ = std::string();
      return NoteOpenQuote();
    }
    row_ += '\n';
    row_ += text;
    if (!is_open_) OnRow(row_, first_line_);
  }

  void NoteOpenQuote() {
    rows_.totals.lines.NoteDamage(first_line_, "a quoted field does not end");
  }

  void OnRow(std::string_view row, uint64_t line) {
    if (!is_decided_ && Decide(row)) return;
    if (!rows_.error.empty()) return;
    std::array<std::string_view, kMaxSizeDims + 1> fields;
    const size_t last = *std::ranges::max_element(columns_);
    size_t column = 0;
    ForEachField(row, delimiter_, [&](std::string_view field) {
      for (size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i] == column) fields[i] = field;
      }
      return ++column <= last;
    });
    rows_.TakeRow(line, count_name_, [&](size_t i, uint64_t most, uint64_t& value) {
      return ParseWholeNumber(fields[i], most, value);
    });
  }

  /// Chooses the columns by the first row. True: it is a header.
  bool Decide(std::string_view row) {
    is_decided_ = true;
    std::vector<std::string> names = FieldsOf(row, delimiter_);
    has_header_ = HasHeader(names);
    if (!has_header_) {
      for (size_t i = 0; i < names.size(); ++i) names[i] = "column " + std::to_string(i + 1);
    }
    for (const std::string& wanted : rows_.query.columns) {
      columns_.push_back(ColumnNamed(wanted, names));
    }
    if (columns_.empty()) ChooseSize(names);
    if (!rows_.error.empty()) return has_header_;
    for (const size_t column : columns_) rows_.totals.columns.push_back(names[column]);
    std::optional<size_t> count;
    if (!rows_.query.count_column.empty()) {
      count = ColumnNamed(rows_.query.count_column, names);
    } else if (has_header_) {
      count = FindCountColumn(names, columns_, columns_.size());
    }
    if (count && rows_.error.empty()) {
      count_name_ = names[*count];
      columns_.push_back(*count);
    }
    return has_header_;
  }

  /// No header holds a number where sizes are; if no column is named, nowhere.
  bool HasHeader(const std::vector<std::string>& fields) const {
    const std::vector<std::string>& columns = rows_.query.columns;
    const auto is_number = [](const std::string& field) { return FieldNumber(field).has_value(); };
    if (columns.empty()) return std::ranges::none_of(fields, is_number);
    return std::ranges::none_of(columns, [&](const std::string& wanted) {
      const size_t column = FindColumn(wanted, fields);
      return column < fields.size() && is_number(fields[column]);
    });
  }

  void ChooseSize(const std::vector<std::string>& names) {
    if (has_header_) {
      if (const auto size = FindSizeColumn(names, rows_.query.count_column)) {
        return columns_.push_back(*size);
      }
    }
    rows_.Fail("nothing says which column is the size: it has " + Described(names) +
               (has_header_ ? "; name one, as in --column '" + names.back() + "'"
                            : "; name one, as in --column 1"));
  }

  size_t ColumnNamed(const std::string& wanted, const std::vector<std::string>& names) {
    // Users do not know the names that stand in for a missing header.
    const std::vector<std::string> none(names.size());
    const size_t column = FindColumn(wanted, has_header_ ? names : none);
    if (column == names.size()) {
      rows_.Fail("there is no column '" + wanted + "': it has " + Described(names) +
                 (has_header_ ? "" : ", and --column takes their numbers"));
    }
    return column;
  }

  std::string Described(const std::vector<std::string>& names) const {
    return has_header_ ? QuotedNames(names) : std::to_string(names.size()) + " without a header";
  }

  char delimiter_;
  std::string row_;  // an unfinished one, whose quoted field holds newlines
  bool is_open_ = false;
  uint64_t first_line_ = 0;  // of the row
  bool is_decided_ = false;
  bool has_header_ = false;
  std::string count_name_;
  std::vector<size_t> columns_;  // of the sizes, then of the count
};

}  // namespace

std::unique_ptr<SizeFormReader> NewNumberLines(SizeRows& rows, std::string name) {
  return std::make_unique<NumberLines>(rows, std::move(name));
}

std::unique_ptr<SizeFormReader> NewTableLines(SizeRows& rows, char delimiter) {
  return std::make_unique<TableLines>(rows, delimiter);
}

}  // namespace shapewise
