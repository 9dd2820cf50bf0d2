// Parses Python text into python_ast.h with pyast.

#ifndef SHAPEWISE_SYNTAX_PARSE_UNIT_H_
#define SHAPEWISE_SYNTAX_PARSE_UNIT_H_

#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
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

/// The tree of `ranges` of `text`, which are ascending and whole lines; text between them is
/// ignored. Offsets count from the start of the first range. Nesting beyond a few hundred levels
/// becomes kUnreadable. Parsing continues after an error. Thread-safe.
ParsedUnit ParseUnit(std::string_view text, llvm::ArrayRef<FileSpan> ranges, TreeArena& arena);

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_PARSE_UNIT_H_
