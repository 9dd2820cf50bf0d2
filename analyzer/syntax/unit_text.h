// The text of a unit as passed to the parser, and the positions of its bytes in the file.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_UNIT_TEXT_H_
#define SHAPEWISE_ANALYZER_SYNTAX_UNIT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "syntax/outline.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// Ranges of a file as one text. A unit of one range is a view of the file. Between two ranges,
/// `pass` replaces the functions and classes that were removed, so that no block is empty.
class UnitText {
 public:
  /// `ranges` as in UnitParser::Parse; there is at least one.
  UnitText(std::string_view file, llvm::ArrayRef<FileSpan> ranges);

  /// The text to parse.
  std::string_view parsed() const { return parsed_; }

  /// Bytes [begin, end) of parsed(), as offsets from the start of the unit.
  ByteSpan Original(uint32_t begin, uint32_t end) const;
  std::string_view Text(ByteSpan span) const {
    return unit_.substr(span.begin, span.end - span.begin);
  }

 private:
  /// From `parsed` to the next piece, bytes of parsed_ are those of the unit from `original` on.
  struct Piece {
    uint32_t parsed;
    uint32_t original;
  };

  uint32_t Map(uint32_t offset) const;

  std::string_view unit_;  ///< of the file, from the first range to the last
  std::string_view parsed_;
  std::string joined_;  ///< text of several ranges
  std::vector<Piece> pieces_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_UNIT_TEXT_H_
