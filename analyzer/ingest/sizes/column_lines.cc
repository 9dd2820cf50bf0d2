// Sizes in columns: lines of numbers, of which there may be 10^8, and tables with quotes.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "ingest/sizes/size_rows.h"

namespace shapewise {
namespace {

/// Rows of numbers with any separators, or a csv, a tsv or similar, with or without a header.
class ColumnLines final : public SizeFormReader {
 public:
  /// kAnyDelimiter: rows of numbers.
  ColumnLines(SizeRows& rows, char delimiter)
      : SizeFormReader(rows, /*keeps_indent=*/true), delimiter_(delimiter) {}

  void Finish() override {
    if (is_open_) NoteOpenQuote();
  }

 private:
  static constexpr size_t kMaxRowBytes = size_t{1} << 20;
  static constexpr int kMaxDigits = 10;

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
      PassOn({at, static_cast<size_t>(stop - at)}, line);
      at = stop + 1;
    }
  }

  void OnLine(std::string_view text, uint64_t line) override {
    if (!rows_.error.empty() || (text.starts_with('#') && !is_open_)) return;
    if (delimiter_ == kAnyDelimiter) return OnRow(Trim(text), line);
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
    if (columns_.empty() && Decide(row)) return;
    if (!rows_.error.empty()) return;
    std::array<std::string_view, kMaxSizeDims + 1> fields;
    size_t num_fields = 0;
    ForEachField(row, delimiter_, [&](std::string_view field) {
      for (size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i] == num_fields) fields[i] = field;
      }
      return ++num_fields <= last_column_;
    });
    if (max_fields_ > 0 && num_fields > max_fields_) {
      return rows_.totals.lines.NoteDamage(line, max_fields_ == 1
                                                     ? "it has more than one field"
                                                     : "it is no length, nor a length and a count");
    }
    const bool has_count = !is_count_optional_ || num_fields > 1;
    rows_.TakeRow(line, has_count ? count_name_ : "",
                  [&](size_t i, uint64_t most, uint64_t& value) {
                    return ParseWholeNumber(fields[i], most, value);
                  });
  }

  /// Chooses the columns by the first row. True: it is a header.
  bool Decide(std::string_view row) {
    std::vector<std::string> names = FieldsOf(row, delimiter_);
    has_header_ = delimiter_ != kAnyDelimiter && HasHeader(names);
    if (!has_header_) {
      for (size_t i = 0; i < names.size(); ++i) names[i] = "column " + std::to_string(i + 1);
    }
    std::optional<size_t> count;
    if (!rows_.query.count_column.empty()) count = ColumnNamed(rows_.query.count_column, names);
    for (const std::string& wanted : rows_.query.columns) {
      columns_.push_back(ColumnNamed(wanted, names));
    }
    const bool is_list = delimiter_ == kAnyDelimiter && columns_.empty() && names.size() <= 2;
    if (is_list) {
      if (names.size() == 2 && !count) {
        rows_.totals.note =
            "each line was read as a size and its count; for the second number as the size, "
            "--column 2";
      }
      // A second number is the count of the first, in the rows that have it.
      is_count_optional_ = !count;
      max_fields_ = 2;
      columns_ = {count == 0 ? size_t{1} : size_t{0}};
      names.resize(2, "count");
      names[columns_[0]] = kPlainName;
      if (!count) count = 1;
    } else if (columns_.empty()) {
      ChooseSize(names);
    }
    if (!rows_.error.empty()) return true;
    for (const size_t column : columns_) rows_.totals.columns.push_back(names[column]);
    if (!count && has_header_) count = FindCountColumn(names, columns_, columns_.size());
    if (has_header_ && names.size() == 1) max_fields_ = 1;
    is_plain_ = is_count_optional_ || (max_fields_ == 1 && columns_.size() == 1 && !count);
    if (count) {
      count_name_ = names[*count];
      columns_.push_back(*count);
    }
    last_column_ = std::max(*std::ranges::max_element(columns_), max_fields_);
    return has_header_;
  }

  /// A header has no number in the columns of sizes; if no columns are given, in no column.
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
    if (has_header_ && names.size() == 1) return columns_.push_back(0);
    if (has_header_) {
      if (const auto size = FindSizeColumn(names, rows_.query.count_column)) {
        return columns_.push_back(*size);
      }
    }
    rows_.Fail("which column contains the sizes is unknown: there are " + Described(names) +
               "; select one with --column");
  }

  size_t ColumnNamed(const std::string& wanted, const std::vector<std::string>& names) {
    // Users do not know the placeholder names for a missing header.
    const std::vector<std::string> none(names.size());
    const size_t column = FindColumn(wanted, has_header_ ? names : none);
    if (column == names.size()) {
      rows_.Fail("there is no column '" + wanted + "': it has " + Described(names));
    }
    return column;
  }

  std::string Described(const std::vector<std::string>& names) const {
    if (has_header_) return QuotedNames(names);
    const std::string last = std::to_string(names.size());
    return (names.size() == 1 ? "column 1" : "columns 1 to " + last) + ", without a header";
  }

  char delimiter_;
  std::string row_;  // an incomplete row, with newlines in a quoted field
  bool is_open_ = false;
  uint64_t first_line_ = 0;  // of the row
  bool has_header_ = false;
  bool is_plain_ = false;        // one number per line, with few exceptions
  std::vector<size_t> columns_;  // of the sizes, then of the count; empty: before the first row
  std::string count_name_;
  bool is_count_optional_ = false;
  size_t max_fields_ = 0;   // 0: any number
  size_t last_column_ = 0;  // columns after this one are not split
};

}  // namespace

std::unique_ptr<SizeFormReader> NewColumnLines(SizeRows& rows, char delimiter) {
  return std::make_unique<ColumnLines>(rows, delimiter);
}

}  // namespace shapewise
