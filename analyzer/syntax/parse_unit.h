// Parses Python text into python_ast.h with pyast.

#ifndef SHAPEWISE_SYNTAX_PARSE_UNIT_H_
#define SHAPEWISE_SYNTAX_PARSE_UNIT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "syntax/outline.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// A syntax error in a unit.
struct SyntaxFault {
  ByteSpan span;
  std::string message;  ///< "unexpected 'else'", "missing ':'"
};

/// A parsed unit. It is valid as long as the arena and the text that it was made with.
struct ParsedUnit {
  llvm::ArrayRef<const Stmt*> body;  ///< of a function: one kFunction; of a class: one kClass
  std::vector<SyntaxFault> faults;
};

/// Parses units one at a time and reuses the parser's memory. Not thread-safe: use one per thread.
class UnitParser {
 public:
  UnitParser();
  UnitParser(const UnitParser&) = delete;
  UnitParser& operator=(const UnitParser&) = delete;
  ~UnitParser();

  /// The tree of `ranges` of `text`, which are ascending and whole lines; text between them is
  /// ignored. Offsets count from the start of the first range. Nesting beyond a few hundred levels
  /// becomes kUnreadable. Parsing continues after an error.
  ParsedUnit Parse(std::string_view text, llvm::ArrayRef<FileSpan> ranges, TreeArena& arena);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_PARSE_UNIT_H_
