// Where functions and classes of a Python file stand, found without parsing them.
//
// Most functions of a project never run inside a compiled region. The outline costs a pass over the
// bytes and says which parts there are; only those that matter are parsed (parse_unit.h).

#ifndef SHAPEWISE_SYNTAX_OUTLINE_H_
#define SHAPEWISE_SYNTAX_OUTLINE_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace shapewise {

/// Bytes [begin, end) of a file.
struct FileSpan {
  size_t begin = 0;
  size_t end = 0;

  friend bool operator==(const FileSpan&, const FileSpan&) = default;
};

/// One function that stands in no other function.
struct OutlinedFunction {
  std::string_view name;
  FileSpan span;          ///< whole lines: from its first decorator to the end of its body
  int32_t in_class = -1;  ///< index into Outline::classes; -1: none
  bool has_decorators = false;
};

/// One class that stands in no function.
struct OutlinedClass {
  std::string_view name;
  FileSpan span;          ///< whole lines: from its first decorator to the end of its body
  int32_t in_class = -1;  ///< the class that it stands in; -1: none
  /// What is left of `span` without functions and classes in it: decorators, head, attributes.
  std::vector<FileSpan> own;
};

/// What cannot be Python, seen without parsing: an open bracket or string at the end of the file, a
/// closing bracket without its opening one, a dedent to a column that nothing has.
struct OutlineFault {
  size_t offset = 0;
  std::string_view message;  ///< "'(' is never closed"; lives as long as the program
};

/// Where the functions and classes of a file stand.
struct Outline {
  std::vector<OutlinedFunction> functions;  ///< in the order of the file
  std::vector<OutlinedClass> classes;       ///< in the order of the file
  std::vector<FileSpan> module;             ///< lines outside of functions and classes
  std::vector<OutlineFault> faults;
};

/// The outline of `text`: UTF-8, with or without a BOM, any line ends. Views point into `text`.
/// Every byte belongs to exactly one of: a function, a class's own lines, the module's lines.
Outline OutlinePython(std::string_view text);

/// Byte offsets at which the lines of `text` begin; the first is 0. "\r\n", "\n" and "\r" end
/// lines.
std::vector<size_t> LineStarts(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_OUTLINE_H_
