// A table in a report for people: columns as wide as their content, numbers right-aligned.

#ifndef SHAPEWISE_REPORT_TEXT_TABLE_H_
#define SHAPEWISE_REPORT_TEXT_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "report/printed_text.h"

namespace shapewise {

/// Collects rows and prints them. Empty columns are omitted.
class TextTable {
 public:
  enum class Align : uint8_t { kLeft, kRight };
  struct Column {
    std::string heading;
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row with one cell per column.
  void Row(std::vector<std::string> cells, TextStyle style = TextStyle::kPlain) {
    rows_.push_back({std::move(cells), style});
  }

  /// Prints the headings, unless all are empty, and the rows, indented by `indent`. Text in the
  /// last column wraps within its column.
  void Print(PrintedText& page, size_t indent) const;

 private:
  struct Cells {
    std::vector<std::string> texts;
    TextStyle style;
  };

  void PrintRow(PrintedText& page, size_t indent, const std::vector<size_t>& widths,
                const Cells& row) const;

  std::vector<Column> columns_;
  std::vector<Cells> rows_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_TABLE_H_
