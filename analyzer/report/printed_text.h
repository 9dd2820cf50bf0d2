// Text for a person: wrapped to the width of the page, in colour where wanted, safe for a terminal.

#ifndef SHAPEWISE_REPORT_PRINTED_TEXT_H_
#define SHAPEWISE_REPORT_PRINTED_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// What a piece of text is; each has a look where colours are wanted.
enum class TextStyle : uint8_t {
  kPlain,
  kStrong,  ///< what to read first
  kFaint,   ///< what may be skipped
  kLabel,   ///< what the rest of the line is
  kCode,    ///< text to paste
  kError,   ///< severities
  kWarning,
  kNote,
};

/// Where rows of tables and drawings begin, in columns.
inline constexpr size_t kPageIndent = 2;

/// Prints paragraphs. Every text passed in may come from a log: what could drive a terminal is made
/// harmless here, so callers need not think of it.
///
/// \code
///   PrintedText page(out, /*width=*/100, /*color=*/false);
///   page.Begin(/*indent=*/2, /*hanging=*/6).Add(TextStyle::kLabel, "help ").Add(text).End();
/// \endcode
class PrintedText {
 public:
  PrintedText(llvm::raw_ostream& out, size_t width, bool color)
      : out_(out), width_(width), color_(color) {}

  /// Starts a paragraph: its first line stands at `indent`, the others at `hanging`.
  PrintedText& Begin(size_t indent, size_t hanging);
  PrintedText& Begin(size_t indent) { return Begin(indent, indent); }

  /// Continues the paragraph. Lines break at blanks only, so that paths stay whole.
  PrintedText& Add(TextStyle style, std::string_view text);
  PrintedText& Add(std::string_view text) { return Add(TextStyle::kPlain, text); }

  /// Goes on at `column`, or after one blank where that is past already.
  PrintedText& Tab(size_t column);

  /// Ends the paragraph and its line.
  void End();

  /// Prints the lines of `text` as they are, each at `indent`.
  void Lines(size_t indent, TextStyle style, std::string_view text);

  /// A piece of a line.
  struct Piece {
    TextStyle style;
    std::string text;
  };

  /// Prints a line of pieces as they are, however long: for what stands under one another.
  void Columns(const std::vector<Piece>& pieces);

  void BlankLine() { NewLine(); }

 private:
  void PlaceWord();
  void Put(const Piece& piece);
  void SetStyle(TextStyle style);
  void NewLine();

  llvm::raw_ostream& out_;
  const size_t width_;
  const bool color_;
  TextStyle style_ = TextStyle::kPlain;  // what the terminal is set to
  size_t hanging_ = 0;
  size_t column_ = 0;
  size_t blanks_ = 0;          // asked for before the word that is being gathered
  bool is_line_start_ = true;  // no word on this line yet
  std::vector<Piece> word_;    // pieces without a blank between them
};

/// Columns that `text` takes in a terminal.
size_t TextColumns(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PRINTED_TEXT_H_
