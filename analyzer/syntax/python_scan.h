// Strings, comments and logical lines of Python text, found without parsing it.

#ifndef SHAPEWISE_SYNTAX_PYTHON_SCAN_H_
#define SHAPEWISE_SYNTAX_PYTHON_SCAN_H_

#include <string_view>
#include <vector>

#include "syntax/outline.h"

namespace shapewise {

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

#endif  // SHAPEWISE_SYNTAX_PYTHON_SCAN_H_
