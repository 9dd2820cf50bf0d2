// Sizes in columns of a csv, a tsv or their kin, with or without a header.

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/calls/whole_lines.h"
#include "ingest/sizes/size_number.h"
#include "ingest/sizes/size_rows.h"
#include "ingest/sizes/table_row.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

class TableLines final : public SizeFormReader, private WholeLines {
 public:
  TableLines(SizeRows& rows, char delimiter)
      : WholeLines(/*keeps_indent=*/true), rows_(rows), delimiter_(delimiter) {}

  LineSink& lines() override { return *this; }

  void Finish() override {
    if (joiner_.IsOpen()) {
      rows_.totals.lines.NoteDamage(joiner_.first_line(), "a quoted field does not end");
    }
  }

 private:
  /// A column that is of use: a dim, or the count behind them.
  struct Wanted {
    size_t column;
    size_t field;  // its place among the wanted ones
  };

  void OnLine(std::string_view text, uint64_t line) override {
    if (!rows_.error.empty() || (text.starts_with('#') && !joiner_.IsOpen())) return;
    switch (joiner_.Add(text, line, delimiter_)) {
      case RowJoiner::State::kOpen:
        return;
      case RowJoiner::State::kTooLong:
        return rows_.totals.lines.NoteDamage(joiner_.first_line(), "a quoted field does not end");
      case RowJoiner::State::kRow:
        break;
    }
    const std::string_view row = joiner_.row();
    if (is_decided_) {
      OnRow(row, joiner_.first_line());
    } else {
      is_decided_ = true;
      Decide(row, joiner_.first_line());
    }
  }

  void OnTooLong(uint64_t line) override {
    rows_.totals.lines.NoteDamage(line, "it is longer than 1 GiB");
  }

  void OnRow(std::string_view row, uint64_t line) {
    std::array<std::string_view, kMaxSizeDims + 1> fields;
    size_t column = 0;
    size_t next = 0;  // of wanted_, which ascends
    ForEachField(row, delimiter_, [&](std::string_view field) {
      for (; next < wanted_.size() && wanted_[next].column == column; ++next) {
        fields[wanted_[next].field] = field;
      }
      ++column;
      return next < wanted_.size();
    });
    Sizes sizes{1, 1, 1};
    for (size_t dim = 0; dim < num_dims_; ++dim) {
      uint64_t size = 0;
      if (const std::string_view why = ParseWholeNumber(fields[dim], uint64_t{kMaxSize}, size);
          !why.empty()) {
        return rows_.NoteDamage(line, rows_.totals.columns[dim], why);
      }
      sizes[dim] = static_cast<int64_t>(size);
    }
    uint64_t calls = 1;
    if (has_count_) {
      if (const std::string_view why =
              ParseWholeNumber(fields[num_dims_], SizeHistory::kMaxCalls, calls);
          !why.empty()) {
        return rows_.NoteDamage(line, count_name_, why);
      }
    }
    rows_.Take(sizes, calls, line);
  }

  /// The first row is a header, or else the first one of data.
  void Decide(std::string_view row, uint64_t line) {
    const std::vector<std::string> fields = FieldsOf(row, delimiter_);
    const bool has_header = HasHeader(fields);
    std::vector<std::string> names = fields;
    if (!has_header) {
      for (size_t i = 0; i < names.size(); ++i) names[i] = "column " + std::to_string(i + 1);
    }
    std::vector<size_t> columns = ColumnsOf(names, has_header);
    if (!rows_.error.empty()) return;
    num_dims_ = columns.size();
    for (const size_t column : columns) rows_.totals.columns.push_back(names[column]);
    if (const std::optional<size_t> count = CountColumn(names, columns, has_header)) {
      has_count_ = true;
      count_name_ = names[*count];
      columns.push_back(*count);
      rows_.totals.is_ordered = false;
      rows_.totals.form = SizeForm::kHistogram;
    }
    for (size_t field = 0; field < columns.size(); ++field) {
      wanted_.push_back({columns[field], field});
    }
    std::ranges::stable_sort(wanted_, {}, &Wanted::column);
    if (!has_header && rows_.error.empty()) OnRow(row, line);
  }

  /// No header holds a number where sizes are; without a wish, nowhere.
  bool HasHeader(const std::vector<std::string>& fields) const {
    for (const std::string& wanted : rows_.query.columns) {
      const size_t column = FindColumn(wanted, fields);
      if (column < fields.size() && IsNumber(fields[column])) return false;
    }
    return !rows_.query.columns.empty() || std::ranges::none_of(fields, IsNumber);
  }

  std::vector<size_t> ColumnsOf(const std::vector<std::string>& names, bool has_header) {
    std::vector<size_t> columns;
    for (const std::string& wanted : rows_.query.columns) {
      columns.push_back(ColumnNamed(wanted, names, has_header));
    }
    if (!columns.empty()) return columns;
    // Without a wish: the only one, or the only one that is called so.
    std::vector<size_t> possible;
    for (size_t i = 0; i < names.size(); ++i) {
      if (has_header && names[i] != rows_.query.count_column && !names[i].empty() &&
          !IsCountName(names[i], names.size() == 2)) {
        possible.push_back(i);
      }
    }
    if (possible.size() != 1) {
      std::erase_if(possible, [&](size_t i) { return !IsSizeName(names[i]); });
    }
    if (possible.size() == 1) return possible;
    rows_.Fail(has_header ? "nothing says which column is the size: it has " + QuotedNames(names) +
                                "; name one, as in --column '" + names.back() + "'"
                          : "nothing says which column is the size: it has " +
                                std::to_string(names.size()) +
                                " without a header; name one, as in --column 1");
    return columns;
  }

  size_t ColumnNamed(const std::string& wanted, const std::vector<std::string>& names,
                     bool has_header) {
    // The names that were made up for want of a header are none that a user knows.
    const std::vector<std::string> none(names.size());
    const size_t column = FindColumn(wanted, has_header ? names : none);
    if (column == names.size()) {
      rows_.Fail("there is no column '" + wanted + "': it has " +
                 (has_header ? QuotedNames(names)
                             : std::to_string(names.size()) +
                                   " without a header, and --column takes their numbers"));
    }
    return column;
  }

  std::optional<size_t> CountColumn(const std::vector<std::string>& names,
                                    const std::vector<size_t>& columns, bool has_header) {
    if (!rows_.query.count_column.empty()) {
      return ColumnNamed(rows_.query.count_column, names, has_header);
    }
    const bool is_alone = names.size() == columns.size() + 1;
    for (size_t i = 0; has_header && i < names.size(); ++i) {
      if (std::ranges::find(columns, i) == columns.end() && IsCountName(names[i], is_alone))
        return i;
    }
    return std::nullopt;
  }

  SizeRows& rows_;
  char delimiter_;
  RowJoiner joiner_;
  bool is_decided_ = false;
  size_t num_dims_ = 1;
  bool has_count_ = false;
  std::string count_name_;
  std::vector<Wanted> wanted_;  // by column
};

}  // namespace

std::unique_ptr<SizeFormReader> NewTableLines(SizeRows& rows, char delimiter) {
  return std::make_unique<TableLines>(rows, delimiter);
}

}  // namespace shapewise
