#include <array>
#include <utility>

#include "report/formats.h"
#include "report/html_out.h"
#include "support/enum_name.h"

namespace shapewise {
namespace {

std::string_view ClassOf(TextStyle style) {
  return EnumName<TextStyle::kNote>(style,
                                    {"", "", "faint", "label", "", "", "error", "warning", "note"});
}

void WriteStyled(TextStyle style, std::string_view text, HtmlOut& html) {
  if (style == TextStyle::kStrong) {
    html.Raw("<strong>").Text(text).Raw("</strong>");
  } else if (style == TextStyle::kCode) {
    html.Raw("<code>").Text(text).Raw("</code>");
  } else if (const std::string_view name = ClassOf(style); !name.empty()) {
    html.Raw("<span class=\"").Text(IsSeverity(style) ? "severity " : "").Text(name);
    html.Raw("\">").Text(text).Raw("</span>");
  } else {
    html.Text(text);
  }
}

using Pieces = std::vector<Document::Piece>;

void WritePieces(const Pieces& pieces, size_t begin, HtmlOut& html) {
  for (size_t i = begin; i < pieces.size(); ++i) {
    const Document::Piece& piece = pieces[i];
    if (piece.style == TextStyle::kArrow) continue;  // the list shows it
    if (i > begin && piece.column > 0) html.Raw(" ");
    const bool is_place = i > 0 && pieces[i - 1].style == TextStyle::kArrow;
    WriteStyled(is_place ? TextStyle::kCode : piece.style, piece.text, html);
  }
}

void WriteId(std::string_view id, HtmlOut& html) {
  if (!id.empty()) html.Raw(" id=\"").Text(id).Raw("\"");
}

/// Writes the blocks of a document.
class HtmlRenderer {
 public:
  HtmlRenderer(const Document& document, HtmlOut& html) : document_(document), html_(html) {}

  void operator()(const Document::Blank& /*blank*/) {}

  void operator()(const Document::Title& title) {
    Close(title.kind == Document::TitleKind::kSection ? kSection
          : title.kind == Document::TitleKind::kPart  ? kPart
                                                      : kFold);
    switch (title.kind) {
      case Document::TitleKind::kSection:
        html_.Raw("<section");
        WriteId(title.id, html_);
        html_.Raw(">\n<h2>").Text(title.text).Raw("</h2>\n");
        return Open(kSection);
      case Document::TitleKind::kPart:
        html_.Raw("<article class=\"block\">\n<h3>").Text(title.text).Raw("</h3>\n");
        return Open(kPart);
      case Document::TitleKind::kFolded:
        html_.Raw("<details><summary>").Text(title.text).Raw("</summary>\n");
        return Open(kFold);
    }
  }

  void operator()(const Document::Paragraph& paragraph) {
    if (&paragraph == document_.Headline()) return;
    const bool has_head = !paragraph.pieces.empty() && IsSeverity(paragraph.pieces.front().style);
    if (paragraph.indent > 0) return WriteItem(paragraph);
    Close(kCard);
    if (has_head) {
      html_.Raw("<article class=\"card ").Text(ClassOf(paragraph.pieces.front().style)).Raw("\"");
      WriteId(paragraph.id, html_);
      html_.Raw(">\n<h3>");
      WritePieces(paragraph.pieces, 0, html_);
      html_.Raw("</h3>\n");
      return Open(kCard);
    }
    html_.Raw("<p");
    WriteId(paragraph.id, html_);
    html_.Raw(">");
    WritePieces(paragraph.pieces, 0, html_);
    html_.Raw("</p>\n");
  }

  void operator()(const Document::Code& code) {
    if (code.indent == 0) Close(kCard);
    html_.Code(code.text);
  }

  void operator()(const Document::Line& line) { drawing_ += PlainText(line.pieces) + "\n"; }

  void operator()(const Document::Picture& picture) {
    Close(kCard);
    html_.Made(picture.svg);
  }

  void operator()(const Document::Table& table) {
    const std::vector<size_t> shown = table.Shown();
    if (shown.empty()) return;
    Close(kCard);
    const auto class_of = [&](size_t index) -> std::string_view {
      return table.columns[index].align == Document::Table::Align::kRight ? "number" : "text";
    };
    html_.Raw("<div class=\"scroll\"><table class=\"sortable\"");
    WriteId(table.id, html_);
    html_.Raw(">");
    if (!table.caption.empty()) html_.Raw("<caption>").Text(table.caption).Raw("</caption>\n");
    html_.Raw("<thead><tr>");
    for (const size_t index : shown) {
      html_.Raw("<th scope=\"col\" class=\"").Text(class_of(index)).Raw("\">");
      WriteStyled(table.columns[index].style, table.columns[index].heading, html_);
      html_.Raw("</th>");
    }
    html_.Raw("</tr></thead>\n<tbody>\n");
    for (const Document::Table::Cells& row : table.rows) {
      html_.Raw("<tr>");
      const size_t first_heat = row.texts.size() - row.heat.size();
      for (const size_t index : shown) {
        html_.Raw("<td class=\"").Text(class_of(index));
        if (index >= first_heat) {
          const Document::Table::Heat& heat = row.heat[index - first_heat];
          html_.Raw(" heat-").Number(heat.level).Raw("\" title=\"").Text(heat.hint);
        }
        html_.Raw("\">");
        const bool is_styled = row.style == TextStyle::kPlain && !row.texts[index].empty();
        WriteStyled(is_styled ? table.columns[index].style : row.style, row.texts[index], html_);
        html_.Raw("</td>");
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
    EndDrawing();
    Close(kSection);
  }

  /// The first section is open already.
  void Open() { Open(kSection); }

 private:
  /// Elements that contain blocks, from the outermost on.
  enum Element : uint8_t { kSection, kPart, kFold, kCard, kNumElements };

  void Open(Element element) { is_open_[element] = true; }

  /// Closes `outermost` and all that is open in it.
  void Close(Element outermost) {
    CloseLists(0);
    for (size_t element = kNumElements; element-- > outermost;) {
      if (!std::exchange(is_open_[element], false)) continue;
      if (element == kSection) html_.Raw("</section>\n");
      if (element == kFold) html_.Raw("</details>\n");
      if (element == kPart || element == kCard) html_.Raw("</article>\n");
    }
  }

  /// Writes an item of a list. It stays open for deeper ones.
  void WriteItem(const Document::Paragraph& paragraph) {
    const Pieces& pieces = paragraph.pieces;
    const size_t depth = nesting_.Enter(paragraph.indent);
    CloseLists(depth + 1);
    if (items_.size() == depth + 1) {
      CloseItem();
    } else {
      html_.Raw("<ul>");
      items_.push_back(false);
    }
    const bool is_row =
        pieces.size() > 1 && pieces[0].style == TextStyle::kLabel && pieces[1].column > 0;
    items_.back() = is_row;
    if (is_row) {
      html_.Raw("<li class=\"row\">");
      WriteStyled(TextStyle::kLabel, pieces[0].text, html_);
      html_.Raw("<div>");
    } else {
      html_.Raw("<li>");
    }
    WritePieces(pieces, is_row ? 1 : 0, html_);
  }

  void CloseItem() {
    if (items_.back()) html_.Raw("</div>");
    html_.Raw("</li>\n");
  }

  void CloseLists(size_t depth) {
    while (items_.size() > depth) {
      CloseItem();
      html_.Raw("</ul>\n");
      items_.pop_back();
    }
    if (depth == 0) nesting_.Clear();
  }

  void EndDrawing() {
    const std::string drawing = std::exchange(drawing_, {});
    if (drawing.empty()) return;
    CloseLists(0);
    html_.Code(drawing, /*is_drawing=*/true);
  }

  const Document& document_;
  HtmlOut& html_;
  Nesting nesting_;
  std::array<bool, kNumElements> is_open_{};
  std::vector<bool> items_;  // of open lists: whether the open one is a row with a label
  std::string drawing_;      // lines that are not written yet
};

void WriteNavigation(const Document& document, HtmlOut& html) {
  html.Raw(
      "<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n"
      "<nav aria-label=\"Sections\"><span class=\"brand\">shapewise ");
  html.Text(document.command()).Raw("</span>\n");
  for (const Document::Block& block : document.blocks()) {
    const auto* const title = std::get_if<Document::Title>(&block);
    if (title == nullptr || title->id.empty()) continue;
    html.Raw("<a href=\"#").Text(title->id).Raw("\">").Text(title->text).Raw("</a>\n");
  }
  html.Raw("<button type=\"button\" id=\"theme\" hidden>Dark</button></nav>\n");
}

}  // namespace

void RenderHtml(const Document& document, const ReportOptions& options, llvm::raw_ostream& out) {
  HtmlOut html(out);
  const Document::Paragraph* const headline = document.Headline();
  const std::string title = "shapewise " + document.command();
  const std::string script = HtmlScript();
  WriteHtmlHead(headline == nullptr ? title : title + ": " + PlainText(headline->pieces), script,
                html);
  WriteNavigation(document, html);
  html.Raw("<main>\n<section id=\"verdict\">\n<h1>");
  headline == nullptr ? (void)html.Text(title) : WritePieces(headline->pieces, 0, html);
  html.Raw("</h1>\n");
  HtmlRenderer renderer(document, html);
  renderer.Open();
  renderer.Render();
  html.Raw("</main>\n<footer>Written by shapewise ").Text(options.tool_version);
  html.Raw(". Predictions and estimates are marked; everything else is from the input.</footer>\n");
  if (!document.data().empty()) {
    html.Raw("<script type=\"application/json\" id=\"data\">");
    html.Json(document.data()).Raw("</script>\n");
  }
  html.Raw("<script>").Made(script).Raw("</script>\n</body>\n</html>\n");
}

extern SharedFormat HtmlFormat() { return {.place = 7, .name = "html", .render = RenderHtml}; }

}  // namespace shapewise
