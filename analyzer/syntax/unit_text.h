// The text of a unit as tree-sitter gets it.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_UNIT_TEXT_H_
#define SHAPEWISE_ANALYZER_SYNTAX_UNIT_TEXT_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "shapewise/syntax/outline.h"
#include "shapewise/syntax/parse_unit.h"
#include "syntax/logical_lines.h"

namespace shapewise {

/// A unit without what its tree does not hold, and which byte of the file each of its bytes is.
///
/// A parser of a grammar spends its time by token and by byte, and most bytes of a file say nothing
/// to it. So comments and blank lines are left out, a level of indentation is one blank, and a
/// plain string, a name, and names with dots between them are folded: each becomes a name of two
/// letters, and whoever meets it looks at the file's text. What tree-sitter's grammar does not know
/// is put into words that it knows: parameters of types, `except A, B, C`, t-strings. Brackets and
/// strings that nothing closes are closed, so that an error stays small. Where ranges have a gap,
/// `pass` stands for what was taken out, so that no block is empty.
class UnitText : private LineObserver {
 public:
  /// Replaces what was there. `ranges` as in UnitParser::Parse.
  void Build(std::string_view text, llvm::ArrayRef<FileSpan> ranges,
             std::vector<SyntaxFault>& faults);

  const std::string& text() const { return text_; }

  /// A logical line of text().
  struct Line {
    uint32_t begin = 0;  ///< of its first token
    uint32_t end = 0;    ///< behind its last
    uint32_t level = 0;  ///< of blocks around it
    bool opens_block = false;
  };
  llvm::ArrayRef<Line> lines() const { return lines_; }

  /// Where [begin, end) of text() stands: bytes from the begin of the unit.
  ByteSpan Original(uint32_t begin, uint32_t end) const {
    const uint32_t first = std::min(Map(begin, hint_), unit_bytes_);
    if (end <= begin) return {first, first};
    size_t hint = hint_;
    // The last line may have got an end that it has not in the file.
    return {first, std::min(Map(end - 1, hint) + 1, unit_bytes_)};
  }

 private:
  friend class LogicalLineReader<UnitText>;

  /// From `parsed` on, up to the next piece, bytes of text_ are those of the unit from `original`.
  struct Piece {
    uint32_t parsed;
    uint32_t original;
  };

  // What the reader of lines tells.
  void Begin(const LogicalLine& line);
  void Nothing(const char* begin, const char* end);
  void String(const StringLiteral& literal);
  void Fault(LineFault fault, const char* at);
  void Missing(const char* at, std::string_view text);

  void AddGap(const char* begin, const char* end);
  void EndLine(const LogicalLine& line);
  void AddLine();
  uint32_t PlaceOf(const char* at) const { return static_cast<uint32_t>(at - unit_); }
  void Flush(const char* to);
  void BeginPiece(const char* at);
  void SeparateName();
  void AddLiteral(const StringLiteral& literal);
  void AddNumber(std::string_view number);
  uint32_t Map(uint32_t parsed, size_t& hint) const;

  /// Makes `type(x).y = z` no alias of types and `match(x)` no match: such a word gets a letter
  /// that no keyword has. Names are taken from the file's text, not from this.
  void HideSoftKeyword();
  /// Blanks the parameters of types in `def f[T](x)` and `class C[T]:`.
  void BlankTypeParameters();
  /// Makes `except *A` be `except* A`, and `except A, B` be `except (A, B)`.
  void RewriteExcept();

  std::string text_;
  std::vector<Line> lines_;
  std::vector<Piece> pieces_;
  mutable size_t hint_ = 0;  ///< the piece of the begin that was asked for last

  const char* unit_ = nullptr;  ///< byte 0 of the unit
  uint32_t unit_bytes_ = 0;
  const char* given_ = nullptr;  ///< what stands before it is in text_, or left out
  const char* first_ = nullptr;  ///< token of this line
  size_t string_end_ = 0;        ///< in text_, of the last string of this line; npos: none
  bool is_folded_ = false;       ///< that string is one token
  size_t line_begin_ = 0;        ///< of this line in text_
  size_t line_piece_ = 0;        ///< its first in pieces_
  bool opens_block_ = false;     ///< the line before ends in ":"
  llvm::SmallVector<uint32_t, 32> columns_;
  std::vector<SyntaxFault>* faults_ = nullptr;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_UNIT_TEXT_H_
