// A table of a report for a person: columns as wide as what is in them, numbers to the right.

#ifndef SHAPEWISE_REPORT_TEXT_TABLE_H_
#define SHAPEWISE_REPORT_TEXT_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "report/printed_text.h"

namespace shapewise {

/// Gathers rows and prints them. Columns in which no row holds a text are left out.
class TextTable {
 public:
  enum class Align : uint8_t { kLeft, kRight };
  struct Column {
    std::string heading;
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void Row(std::vector<std::string> cells, TextStyle style = TextStyle::kPlain) {
    rows_.push_back({std::move(cells), style});
  }

  /// Prints the headings, unless all are empty, and the rows, each from `indent` on. A text in the
  /// last column that is too long for the page goes on under its own beginning.
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
