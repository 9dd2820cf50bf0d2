#include "report/printed_text.h"

#include <array>

#include "llvm/Support/Unicode.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

// Indexed by TextStyle. Only the 8 basic colors, because users adapt those to their background.
constexpr std::array<std::string_view, 9> kEscapes = {
    "",            // kPlain
    "\x1b[1m",     // kStrong
    "\x1b[2m",     // kFaint
    "\x1b[34m",    // kLabel
    "\x1b[36m",    // kCode
    "\x1b[34m",    // kArrow
    "\x1b[1;31m",  // kError
    "\x1b[1;33m",  // kWarning
    "\x1b[1;36m",  // kNote
};

}  // namespace

size_t TextColumns(std::string_view text) {
  const int columns =
      llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(text.data(), text.size()));
  // Negative: some character has no known width, such as one of a newer Unicode version.
  return columns >= 0 ? static_cast<size_t>(columns) : text.size();
}

PrintedText& PrintedText::Begin(size_t indent, size_t hanging) {
  out_.indent(static_cast<unsigned>(indent));
  column_ = indent;
  hanging_ = hanging;
  blanks_ = 0;
  is_line_start_ = true;
  return *this;
}

PrintedText& PrintedText::Add(TextStyle style, std::string_view text) {
  const std::string printable = MakePrintable(text);
  std::string_view rest = printable;
  while (!rest.empty()) {
    const size_t word = rest.find_first_of(" \t");
    if (word != 0) word_.push_back({style, std::string(rest.substr(0, word))});
    if (word == std::string_view::npos) break;
    PlaceWord();
    ++blanks_;
    rest.remove_prefix(word + 1);
  }
  return *this;
}

PrintedText& PrintedText::Tab(size_t column) {
  PlaceWord();
  blanks_ = column > column_ ? column - column_ : 1;
  return *this;
}

void PrintedText::PlaceWord() {
  if (word_.empty()) return;
  size_t columns = 0;
  for (const Document::Piece& piece : word_) columns += TextColumns(piece.text);
  if (!is_line_start_ && column_ + blanks_ + columns > width_) {
    NewLine();
    out_.indent(static_cast<unsigned>(hanging_));
    column_ = hanging_;
    blanks_ = 0;
  }
  // Blanks between words of one style keep the style, which saves escapes.
  if (word_.front().style != style_) SetStyle(TextStyle::kPlain);
  out_.indent(static_cast<unsigned>(blanks_));
  column_ += blanks_ + columns;
  for (const Document::Piece& piece : word_) Put(piece);
  word_.clear();
  blanks_ = 0;
  is_line_start_ = false;
}

void PrintedText::Put(const Document::Piece& piece) {
  SetStyle(piece.style);
  out_ << piece.text;
}

void PrintedText::SetStyle(TextStyle style) {
  if (style == style_) return;
  if (color_ && style_ != TextStyle::kPlain) out_ << kReset;
  if (color_) out_ << kEscapes[static_cast<size_t>(style)];
  style_ = style;
}

void PrintedText::NewLine() {
  // Pagers color line by line.
  SetStyle(TextStyle::kPlain);
  out_ << "\n";
}

void PrintedText::End() {
  PlaceWord();
  NewLine();
}

void PrintedText::Columns(std::vector<Document::Piece> pieces) {
  while (!pieces.empty()) {
    std::string& last = pieces.back().text;
    last.erase(last.find_last_not_of(' ') + 1);
    if (!last.empty()) break;
    pieces.pop_back();
  }
  for (const Document::Piece& piece : pieces) Put({piece.style, MakePrintable(piece.text)});
  NewLine();
}

void PrintedText::Lines(size_t indent, TextStyle style, std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) {
      out_.indent(static_cast<unsigned>(indent));
      Put({style, MakePrintable(line)});
    }
    NewLine();
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace shapewise
