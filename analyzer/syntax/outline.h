// Finds functions and classes of a Python file without parsing it, or its strings, comments and
// logical lines.
//
// Most functions of a project never run inside a compiled region. The outline takes one pass over
// the bytes and lists the parts of a file; only relevant ones are parsed (parse_unit.h).

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

  /// Its bytes of `text`.
  std::string_view Of(std::string_view text) const { return text.substr(begin, end - begin); }
  friend bool operator==(const FileSpan&, const FileSpan&) = default;
};

/// A function that is not inside another function.
struct OutlinedFunction {
  std::string_view name;
  FileSpan span;          ///< whole lines: from its first decorator to the end of its body
  int32_t in_class = -1;  ///< index into Outline::classes; -1: none
  bool has_decorators = false;
};

/// A class that is not inside a function.
struct OutlinedClass {
  std::string_view name;
  FileSpan span;          ///< whole lines: from its first decorator to the end of its body
  int32_t in_class = -1;  ///< the enclosing class; -1: none
  /// The rest of `span` without nested functions and classes: decorators, head, attributes.
  std::vector<FileSpan> own;
};

/// A syntax error visible without parsing: an unclosed bracket or string at the end of the file, a
/// closing bracket without an opening one, a dedent to a column that does not exist.
struct OutlineFault {
  size_t offset = 0;
  std::string_view message;  ///< "'(' is never closed"; lives as long as the program
};

/// The functions and classes of a file.
struct Outline {
  std::vector<OutlinedFunction> functions;  ///< in file order
  std::vector<OutlinedClass> classes;       ///< in file order
  std::vector<FileSpan> module;             ///< lines outside of functions and classes
  std::vector<OutlineFault> faults;
};

/// The outline of `text`: UTF-8, with or without a BOM, any line ends. Views point into `text`.
/// Every byte belongs to exactly one of: a function, a class's own lines, the module's lines.
Outline OutlinePython(std::string_view text);

/// Byte offsets of the starts of lines in `text`; the first is 0. "\r\n", "\n" and
/// "\r" end lines.
std::vector<size_t> LineStarts(std::string_view text);

/// Where the strings, comments and logical lines of a file are, as its lexer finds them.
struct PythonScan {
  /// Closed ones, with prefix and quotes; strings nested in an f-string are not listed separately.
  std::vector<FileSpan> strings;
  std::vector<FileSpan> comments;  ///< from '#' to the end of the line
  /// From the first character of a statement to the end of its last line, including lines joined by
  /// brackets, strings and backslashes. `a; b` is one.
  std::vector<FileSpan> logical_lines;
};

/// Scans `text`, which may be anything, in linear time.
PythonScan ScanPython(std::string_view text);

/// The span of `spans`, in ascending order, that contains `offset` strictly inside or at its start;
/// null if not found.
const FileSpan* SpanAt(const std::vector<FileSpan>& spans, size_t offset);

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_OUTLINE_H_
