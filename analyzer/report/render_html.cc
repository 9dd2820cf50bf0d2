#include <utility>

#include "report/html_assets.h"
#include "report/html_out.h"
#include "report/render.h"

namespace shapewise {
namespace {

void WritePiece(const Document::Piece& piece, HtmlOut& html) {
  switch (piece.style) {
    case TextStyle::kArrow:  // the list shows it
      return;
    case TextStyle::kPlain:
      html.Text(piece.text);
      return;
    case TextStyle::kStrong:
      html.Raw("<strong>").Text(piece.text).Raw("</strong>");
      return;
    case TextStyle::kFaint:
    case TextStyle::kLabel:
      html.Raw("<span class=\"faint\">").Text(piece.text).Raw("</span>");
      return;
    case TextStyle::kCode:
      html.Raw("<code>").Text(piece.text).Raw("</code>");
      return;
    case TextStyle::kError:
      html.Raw("<span class=\"severity error\">").Text(piece.text).Raw("</span>");
      return;
    case TextStyle::kWarning:
      html.Raw("<span class=\"severity warning\">").Text(piece.text).Raw("</span>");
      return;
    case TextStyle::kNote:
      html.Raw("<span class=\"severity\">").Text(piece.text).Raw("</span>");
      return;
  }
}

/// Writes the blocks of a document. Lists stay open for deeper ones.
class HtmlRenderer {
 public:
  HtmlRenderer(const Document& document, HtmlOut& html) : document_(document), html_(html) {}

  void operator()(const Document::Blank& /*blank*/) {}

  void operator()(const Document::Title& title) {
    BeginBlock();
    CloseSection();
    is_folded_ = title.is_folded;
    if (is_folded_) {
      html_.Raw("<details><summary>").Text(title.text).Raw("</summary>\n");
    } else {
      html_.Raw("<h2>").Text(title.text).Raw("</h2>\n");
    }
  }

  void operator()(const Document::Paragraph& paragraph) {
    if (paragraph.indent == 0) {
      BeginBlock();
      html_.Raw("<p>");
      WritePieces(paragraph.pieces);
      html_.Raw("</p>\n");
      return;
    }
    const size_t depth = nesting_.Enter(paragraph.indent);
    while (open_lists_ > depth + 1) CloseList();
    if (open_lists_ == depth + 1) {
      html_.Raw("</li>\n<li>");
    } else {
      html_.Raw("<ul><li>");
      ++open_lists_;
    }
    WritePieces(paragraph.pieces);
  }

  void operator()(const Document::Code& code) {
    if (open_lists_ == 0) BeginBlock();
    html_.Code(code.text);
  }

  void operator()(const Document::Line& line) { drawing_ += PlainText(line.pieces) + "\n"; }

  void operator()(const Document::Table& table) {
    const std::vector<size_t> shown = table.Shown();
    if (shown.empty()) return;
    BeginBlock();
    const auto is_right = [&](size_t index) {
      return table.columns[index].align == Document::Table::Align::kRight;
    };
    html_.Raw("<div class=\"scroll\"><table><thead><tr>");
    for (const size_t index : shown) {
      if (is_right(index)) {
        html_.Raw("<th scope=\"col\" class=\"number\">");
      } else {
        html_.Raw("<th scope=\"col\">");
      }
      html_.Text(table.columns[index].heading).Raw("</th>");
    }
    html_.Raw("</tr></thead>\n<tbody>\n");
    for (const Document::Table::Cells& row : table.rows) {
      html_.Raw("<tr>");
      for (const size_t index : shown) {
        is_right(index) ? html_.NumberCell(row.texts[index]) : html_.Cell(row.texts[index]);
      }
      html_.Raw("</tr>\n");
    }
    html_.Raw("</tbody></table></div>\n");
  }

  void Render() {
    for (const Document::Block& block : document_.blocks()) {
      if (!std::holds_alternative<Document::Line>(block)) EndDrawing();
      std::visit(*this, block);
    }
    BeginBlock();
    CloseSection();
  }

 private:
  void WritePieces(const std::vector<Document::Piece>& pieces) {
    for (const Document::Piece& piece : pieces) {
      if (piece.column > 0) html_.Raw(" ");
      WritePiece(piece, html_);
    }
  }

  void CloseList() {
    html_.Raw("</li></ul>\n");
    --open_lists_;
  }

  void BeginBlock() {
    while (open_lists_ > 0) CloseList();
    nesting_.Clear();
    EndDrawing();
  }

  void CloseSection() {
    if (std::exchange(is_folded_, false)) html_.Raw("</details>\n");
  }

  void EndDrawing() {
    const std::string drawing = std::exchange(drawing_, {});
    if (drawing.empty()) return;
    BeginBlock();
    html_.Code(drawing);
  }

  const Document& document_;
  HtmlOut& html_;
  Nesting nesting_;
  size_t open_lists_ = 0;
  std::string drawing_;  // lines that are not written yet
  bool is_folded_ = false;
};

}  // namespace

void RenderHtml(const Document& document, const ReportOptions& options, llvm::raw_ostream& out) {
  HtmlOut html(out);
  WriteHtmlHead("shapewise " + document.command(), /*script=*/"", html);
  html.Raw("<main>\n<h1>shapewise ").Text(document.command()).Raw("</h1>\n");
  HtmlRenderer(document, html).Render();
  html.Raw("</main>\n<footer>Written by shapewise ").Text(options.tool_version);
  html.Raw(".</footer>\n</body>\n</html>\n");
}

}  // namespace shapewise
