// Python text -> python_ast.h, by pyast.

#ifndef SHAPEWISE_SYNTAX_PARSE_UNIT_H_
#define SHAPEWISE_SYNTAX_PARSE_UNIT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "shapewise/syntax/outline.h"
#include "shapewise/syntax/python_ast.h"

namespace shapewise {

/// What could not be read of a unit.
struct SyntaxFault {
  ByteSpan span;
  std::string message;  ///< "unexpected 'else'", "missing ':'"
};

/// One unit, read. Everything in it lives as long as the arena and the text that it was made with.
struct ParsedUnit {
  llvm::ArrayRef<const Stmt*> body;  ///< of a function: one kFunction; of a class: one kClass
  std::vector<SyntaxFault> faults;
};

/// Parses one unit after the other; holds the parser's memory. Not thread-safe: one for each
/// thread.
class UnitParser {
 public:
  UnitParser();
  UnitParser(const UnitParser&) = delete;
  UnitParser& operator=(const UnitParser&) = delete;
  ~UnitParser();

  /// The tree of `ranges` of `text`, which ascend and are whole lines; what lies between them is
  /// not there. Places are bytes from the begin of the first range. Nesting beyond a few hundred
  /// levels becomes kUnreadable. What follows a fault is read all the same.
  ParsedUnit Parse(std::string_view text, llvm::ArrayRef<FileSpan> ranges,
                   llvm::BumpPtrAllocator& arena);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_PARSE_UNIT_H_
