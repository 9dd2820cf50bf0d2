// Strings, comments and logical lines of Python text, found without parsing it.

#ifndef SHAPEWISE_CHECK_PYTHON_SCAN_H_
#define SHAPEWISE_CHECK_PYTHON_SCAN_H_

#include <string_view>
#include <vector>

#include "shapewise/syntax/outline.h"

namespace shapewise {

struct PythonScan {
  std::vector<FileSpan> strings;   ///< with prefix and quotes; what is nested in an f-string is not
                                   ///< told by itself
  std::vector<FileSpan> comments;  ///< from '#' to the end of the line
  /// From the first character of a statement to the end of the line that ends it: what brackets,
  /// strings and backslashes hold together. `a; b` is one.
  std::vector<FileSpan> logical_lines;
};

/// Scans `text`; takes anything, in linear time.
PythonScan ScanPython(std::string_view text);

/// The span of `spans`, which ascend, that holds `offset` strictly inside or at its begin; null if
/// there is none.
const FileSpan* SpanAt(const std::vector<FileSpan>& spans, size_t offset);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_PYTHON_SCAN_H_
