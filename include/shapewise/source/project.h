// The Python files of one check, and who is who in them.

#ifndef SHAPEWISE_SOURCE_PROJECT_H_
#define SHAPEWISE_SOURCE_PROJECT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/syntax/outline.h"
#include "shapewise/syntax/parse_unit.h"
#include "shapewise/syntax/python_ast.h"

namespace shapewise {

/// One file. Its text lives as long as the project.
struct SourceFile {
  std::string path;         ///< as the user gave it, '/' between folders
  std::string module;       ///< dotted name, as imports of the project say it; empty: none
  std::string_view text;    ///< UTF-8
  Outline outline;
  bool is_checked = true;   ///< false: read only because a checked file imports it
};

/// One function of a file, or the module's own statements.
struct SourceFunction {
  uint32_t file = 0;
  std::string_view name;        ///< "forward"; "<module>" for the statements of a module
  std::string qualified_name;   ///< "Attention.forward"
  int32_t in_class = -1;        ///< index of a SourceClass; -1: none
  size_t begin = 0;             ///< of its unit in the file's text: add to places of the tree
};

/// One class of a file.
struct SourceClass {
  uint32_t file = 0;
  std::string_view name;
  int32_t outlined = -1;        ///< index into Outline::classes
};

/// A place in a file as people count: from 1, columns in characters (code points).
struct SourcePlace {
  uint32_t line = 0;
  uint32_t column = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_PROJECT_H_
