#include "llvm/ADT/STLExtras.h"
#include "report/formats.h"
#include "report/printed_text.h"

namespace shapewise {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kMaxWidth = 48;  // longer text shifts the rest of its row

/// A column of a table, and where it begins.
struct TableColumn {
  size_t index;
  size_t begin;
  size_t width;
};

std::vector<TableColumn> Places(const Document::Table& table) {
  std::vector<TableColumn> places;
  size_t begin = table.indent;
  for (const size_t index : table.Shown()) {
    size_t width = TextColumns(table.columns[index].heading);
    for (const Document::Table::Cells& row : table.rows) {
      width = std::max(width, TextColumns(row.texts[index]));
    }
    if (index + 1 < table.columns.size()) width = std::min(width, kMaxWidth);
    places.push_back({index, begin, width});
    begin += width + kGap;
  }
  return places;
}

void PrintRow(const Document::Table& table, const std::vector<TableColumn>& places,
              const Document::Table::Cells& row, PrintedText& page) {
  // Text in the last column wraps within it.
  page.Begin(table.indent, places.back().begin);
  for (const auto& [index, begin, width] : places) {
    const std::string& text = row.texts[index];
    if (text.empty()) continue;
    const bool is_right = table.columns[index].align == Document::Table::Align::kRight;
    const size_t column = begin + (is_right ? width - std::min(TextColumns(text), width) : 0);
    if (column > table.indent) page.Tab(column);
    page.Add(row.style, text);
  }
  page.End();
}

/// Prints blocks on a page.
class TextRenderer {
 public:
  explicit TextRenderer(PrintedText& page) : page_(page) {}

  void operator()(const Document::Blank& /*blank*/) { page_.BlankLine(); }

  void operator()(const Document::Title& title) {
    page_.BlankLine();
    page_.Begin(0, 2).Add(TextStyle::kStrong, title.text).End();
  }

  void operator()(const Document::Paragraph& paragraph) {
    page_.Begin(paragraph.indent, paragraph.hanging);
    if (paragraph.is_item) page_.Add("- ");
    for (const Document::Piece& piece : paragraph.pieces) {
      if (piece.column > 0) page_.Tab(piece.column);
      page_.Add(piece.style, piece.text);
    }
    page_.End();
  }

  void operator()(const Document::Code& code) { page_.Lines(code.indent, code.style, code.text); }

  void operator()(const Document::Line& line) { page_.Columns(line.pieces); }

  void operator()(const Document::Picture& /*picture*/) {}

  void operator()(const Document::Table& table) {
    const std::vector<TableColumn> places = Places(table);
    if (places.empty()) return;
    Document::Table::Cells headings{{}, TextStyle::kLabel};
    for (const Document::Table::Column& column : table.columns)
      headings.texts.push_back(column.heading);
    const bool has_headings = llvm::any_of(
        places, [&](const TableColumn& place) { return !headings.texts[place.index].empty(); });
    if (has_headings) PrintRow(table, places, headings, page_);
    for (const Document::Table::Cells& row : table.rows) PrintRow(table, places, row, page_);
  }

 private:
  PrintedText& page_;
};

}  // namespace

void RenderText(const Document& document, const ReportOptions& options, llvm::raw_ostream& out) {
  PrintedText page(out, options.width, options.color);
  for (const Document::Block& block : document.blocks()) std::visit(TextRenderer(page), block);
}

extern SharedFormat TextFormat() { return {.place = 0, .name = "text", .render = RenderText}; }

}  // namespace shapewise
