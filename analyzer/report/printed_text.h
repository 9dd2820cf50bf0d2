// Prints text for people: wrapped to the page width, optionally in color, safe for a terminal.

#ifndef SHAPEWISE_REPORT_PRINTED_TEXT_H_
#define SHAPEWISE_REPORT_PRINTED_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "report/document.h"

namespace shapewise {

/// Prints paragraphs. Any text may come from a log: control characters are replaced here, so
/// callers need not escape it.
///
/// \code
///   PrintedText page(out, /*width=*/100, /*color=*/false);
///   page.Begin(/*indent=*/2, /*hanging=*/6).Add(TextStyle::kLabel, "help ").Add(text).End();
///   \endcode
class PrintedText {
 public:
  PrintedText(llvm::raw_ostream& out, size_t width, bool color)
      : out_(out), width_(width), color_(color) {}

  /// Starts a paragraph: its first line is indented by `indent`, the others by `hanging`.
  PrintedText& Begin(size_t indent, size_t hanging);
  PrintedText& Begin(size_t indent) { return Begin(indent, indent); }

  /// Continues the paragraph. Lines break only at blanks, so that paths stay whole.
  PrintedText& Add(TextStyle style, std::string_view text);
  PrintedText& Add(std::string_view text) { return Add(TextStyle::kPlain, text); }

  /// Moves to `column`, or inserts one blank if it is already past.
  PrintedText& Tab(size_t column);

  /// Ends the paragraph and its line.
  void End();

  /// Prints the lines of `text` unchanged, each indented by `indent`.
  void Lines(size_t indent, TextStyle style, std::string_view text);

  /// Prints a line of pieces without wrapping, and without blanks at its end.
  void Columns(std::vector<Document::Piece> pieces);

  void BlankLine() { NewLine(); }

 private:
  void PlaceWord();
  void Put(const Document::Piece& piece);
  void SetStyle(TextStyle style);
  void NewLine();

  llvm::raw_ostream& out_;
  const size_t width_;
  const bool color_;
  TextStyle style_ = TextStyle::kPlain;  // the current terminal style
  size_t hanging_ = 0;
  size_t column_ = 0;
  size_t blanks_ = 0;                  // pending before the current word
  bool is_line_start_ = true;          // no word on this line yet
  std::vector<Document::Piece> word_;  // adjacent pieces without a blank between them
};

/// The number of terminal columns of `text`.
size_t TextColumns(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PRINTED_TEXT_H_
