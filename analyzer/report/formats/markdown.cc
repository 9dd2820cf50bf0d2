#include <algorithm>
#include <utility>

#include "report/formats.h"
#include "report/html_out.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

// GitHub rejects comments of more than 65,536 characters.
constexpr size_t kMostBytes = 60'000;
constexpr size_t kMostTextBytes = 3000;  // of one text, so that a long one leaves room for others

/// Text with one look.
struct StyledRun {
  char markup = 0;  // '*', '`', or 0 for none
  std::string text;
};

char MarkupOf(TextStyle style) {
  switch (style) {
    case TextStyle::kStrong:
    case TextStyle::kError:
    case TextStyle::kWarning:
    case TextStyle::kNote:
      return '*';
    case TextStyle::kCode:
      return '`';
    default:
      return 0;
  }
}

/// Text in which words between backticks are code.
std::string MarkdownProse(std::string_view text) {
  std::string prose;
  while (!text.empty()) {
    const size_t open = text.find('`');
    const size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) break;
    prose += MarkdownText(text.substr(0, open));
    const std::string_view code = text.substr(open + 1, close - open - 1);
    prose += code.empty() ? MarkdownText("``") : MarkdownCode(code);
    text.remove_prefix(close + 1);
  }
  return prose + MarkdownText(text);
}

std::string MarkedUp(const StyledRun& run) {
  // Markup does not begin before a blank, or end after one.
  const size_t begin = std::min(run.text.find_first_not_of(' '), run.text.size());
  const size_t end = run.text.find_last_not_of(' ') + 1;
  if (begin >= end) return run.text;
  const std::string core = ClipMiddle(run.text.substr(begin, end - begin), kMostTextBytes);
  std::string text = run.markup == '`' ? MarkdownCode(core) : MarkdownProse(core);
  if (run.markup == '*') text = "**" + text + "**";
  return run.text.substr(0, begin) + text + run.text.substr(end);
}

std::string Inline(const std::vector<Document::Piece>& pieces) {
  std::vector<StyledRun> runs;
  for (const Document::Piece& piece : pieces) {
    if (piece.style == TextStyle::kArrow) continue;  // the list shows it
    const bool is_place = &piece != pieces.data() && (&piece - 1)->style == TextStyle::kArrow;
    const char markup = is_place ? '`' : MarkupOf(piece.style);
    if (piece.column > 0 && !runs.empty() && !runs.back().text.ends_with(' ')) {
      const bool is_label = (&piece - 1)->style == TextStyle::kLabel;
      runs.push_back({0, is_label ? ": " : " "});
    }
    if (runs.empty() || runs.back().markup != markup) runs.push_back({markup, {}});
    runs.back().text += piece.text;
  }
  std::string text;
  for (const StyledRun& run : runs) text += MarkedUp(run);
  // A dash at the beginning of a line would make it an item of a list.
  return text.starts_with('-') ? "\\" + text : text;
}

class MarkdownRenderer {
 public:
  explicit MarkdownRenderer(const Document& document)
      : document_(document), most_bytes_(document.all() ? std::string::npos : kMostBytes) {}

  void operator()(const Document::Blank& /*blank*/) {}

  void operator()(const Document::Title& title) {
    CloseFold();
    BeginBlock();
    is_folded_ = title.kind == Document::TitleKind::kFolded;
    out_ << (is_folded_                                 ? "<details><summary>"
             : title.kind == Document::TitleKind::kPart ? "##### "
                                                        : "#### ")
         << MarkdownText(title.text) << (is_folded_ ? "</summary>\n" : "\n");
  }

  void operator()(const Document::Paragraph& paragraph) {
    if (&paragraph == document_.Headline()) return;
    const std::string text = Inline(paragraph.pieces);
    if (paragraph.indent == 0) {
      BeginBlock();
      out_ << text << "\n";
      return;
    }
    if (!std::exchange(is_list_, true)) out_ << "\n";
    const size_t depth = nesting_.Enter(paragraph.indent);
    out_.indent(static_cast<unsigned>(2 * depth)) << "- " << text << "\n";
  }

  void operator()(const Document::Code& code) {
    if (!is_list_) BeginBlock();
    Fence(code.text, "");
  }

  void operator()(const Document::Line& line) { drawing_ += PlainText(line.pieces) + "\n"; }

  void operator()(const Document::Picture& /*picture*/) {}

  void operator()(const Document::Table& table) {
    const std::vector<size_t> shown = table.Shown();
    if (shown.empty()) return;
    BeginBlock();
    std::string rule = "|";
    std::string heads = "|";
    for (const size_t index : shown) {
      const bool is_right = table.columns[index].align == Document::Table::Align::kRight;
      heads += " " + MarkdownText(table.columns[index].heading) + " |";
      rule += is_right ? " ---: |" : " --- |";
    }
    out_ << heads << "\n" << rule << "\n";
    for (const Document::Table::Cells& row : table.rows) {
      std::string cells = "|";
      for (const size_t index : shown) cells += " " + MarkdownText(row.texts[index]) + " |";
      is_cut_ = text_.size() + cells.size() > most_bytes_;
      if (is_cut_) return;
      out_ << cells << "\n";
    }
  }

  std::string Render() {
    out_ << "### shapewise " << document_.command();
    if (const Document::Paragraph* const headline = document_.Headline()) {
      out_ << ": " << Inline({{TextStyle::kPlain, PlainText(headline->pieces)}});
    }
    out_ << "\n";
    for (const Document::Block& block : document_.blocks()) {
      const size_t before = text_.size();
      if (!std::holds_alternative<Document::Line>(block)) EndDrawing();
      std::visit(*this, block);
      if (text_.size() > most_bytes_) {
        text_.resize(before);
        is_cut_ = true;
      }
      if (is_cut_) break;
    }
    if (!is_cut_) EndDrawing();
    CloseFold();
    if (is_cut_) {
      BeginBlock();
      out_ << "**The rest is cut**, to fit into a comment on GitHub.\n";
    }
    return std::move(text_);
  }

 private:
  void BeginBlock() {
    out_ << "\n";
    is_list_ = false;
    nesting_.Clear();
  }

  void CloseFold() {
    if (!std::exchange(is_folded_, false)) return;
    BeginBlock();
    out_ << "</details>\n";
  }

  /// Writes lines between fences, as part of the open item of a list.
  void Fence(std::string_view text, std::string_view language) {
    const std::string margin(2 * nesting_.depth(), ' ');
    std::string fence = "```";
    while (text.find(fence) != std::string_view::npos) fence += '`';
    out_ << margin << fence << language << "\n";
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      out_ << margin << MakePrintable(line) << "\n";
      text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    out_ << margin << fence << "\n";
  }

  void EndDrawing() {
    if (drawing_.empty()) return;
    BeginBlock();
    Fence(std::exchange(drawing_, {}), "text");
  }

  const Document& document_;
  const size_t most_bytes_;
  std::string text_;
  llvm::raw_string_ostream out_{text_};  // has no buffer
  Nesting nesting_;
  std::string drawing_;  // lines that are not written yet
  bool is_list_ = false;
  bool is_folded_ = false;
  bool is_cut_ = false;
};

}  // namespace

size_t Nesting::Enter(size_t indent) {
  constexpr size_t kStep = 8;  // smaller steps are a matter of layout
  while (!open_.empty() && indent < open_.back() + kStep) open_.pop_back();
  open_.push_back(indent);
  return open_.size() - 1;
}

void RenderMarkdown(const Document& document, const ReportOptions& /*options*/,
                    llvm::raw_ostream& out) {
  out << MarkdownRenderer(document).Render();
}

std::string MarkdownText(std::string_view text) {
  std::string plain;
  for (const char c : MakePrintable(text)) {
    if (std::string_view("&<>").find(c) != std::string_view::npos) {
      plain += EntityOf(c);
    } else if (c == '\n') {
      plain += ' ';
    } else {
      if (std::string_view("\\`*_{}[]()#+!|~@").find(c) != std::string_view::npos) plain += '\\';
      plain += c;
    }
  }
  return plain;
}

std::string MarkdownCode(std::string_view text) {
  // A fence must be longer than any run of backticks in its content.
  size_t longest = 0;
  size_t run = 0;
  std::string code;
  for (const char c : MakePrintable(text)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    code += c == '\n' ? ' ' : c;
  }
  const std::string fence(longest + 1, '`');
  const bool needs_blanks = code.empty() || code.front() == '`' || code.back() == '`';
  return needs_blanks ? fence + " " + code + " " + fence : fence + code + fence;
}

extern SharedFormat MarkdownFormat() {
  return {.place = 6, .name = "markdown", .render = RenderMarkdown};
}

}  // namespace shapewise
