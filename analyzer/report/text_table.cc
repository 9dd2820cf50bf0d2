#include "report/text_table.h"

#include <algorithm>

namespace shapewise {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kMaxWidth = 48;  // longer text shifts the rest of its row

}  // namespace

void TextTable::Print(PrintedText& page, size_t indent) const {
  Cells headings{{}, TextStyle::kLabel};
  bool has_headings = false;
  std::vector<size_t> widths;  // 0: not printed
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = 0;
    for (const Cells& row : rows_) width = std::max(width, TextColumns(row.texts[i]));
    if (width > 0) width = std::max(width, TextColumns(columns_[i].heading));
    if (i + 1 < columns_.size()) width = std::min(width, kMaxWidth);
    widths.push_back(width);
    headings.texts.push_back(columns_[i].heading);
    has_headings = has_headings || (width > 0 && !columns_[i].heading.empty());
  }
  if (has_headings) PrintRow(page, indent, widths, headings);
  for (const Cells& row : rows_) PrintRow(page, indent, widths, row);
}

void TextTable::PrintRow(PrintedText& page, size_t indent, const std::vector<size_t>& widths,
                         const Cells& row) const {
  size_t last = indent;  // start of the last printed column
  size_t column = indent;
  for (const size_t width : widths) {
    if (width == 0) continue;
    last = column;
    column += width + kGap;
  }
  page.Begin(indent, last);
  column = indent;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string& text = row.texts[i];
    const size_t own = std::min(TextColumns(text), widths[i]);
    const bool is_right = columns_[i].align == Align::kRight;
    const size_t begin = column + (is_right ? widths[i] - own : 0);
    if (!text.empty()) {
      if (begin > indent) page.Tab(begin);
      page.Add(row.style, text);
    }
    column += widths[i] + kGap;
  }
  page.End();
}

}  // namespace shapewise
