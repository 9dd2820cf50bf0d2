// The text of checked files, line by line, for printing code next to findings.

#ifndef SHAPEWISE_RESULT_CODE_TEXT_H_
#define SHAPEWISE_RESULT_CODE_TEXT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result/code_finding.h"

namespace shapewise {

/// Lines of files and notebook cells. Views are valid as long as this object.
class CodeTexts {
 public:
  /// Adds the text of a file; lines end with "\n", "\r\n" or "\r".
  void AddFile(const std::string& file, std::string text);
  /// Adds the text of a cell. `file_lines`: the line number in the file of each of its lines.
  void AddCell(const std::string& file, uint32_t cell, std::string text,
               std::vector<uint32_t> file_lines);

  bool Has(const std::string& file) const;
  /// Line `line` of the file or cell that `range` refers to, without its end; empty: unknown.
  std::string_view Line(const std::string& file, const CodeRange& range, uint32_t line) const;
  /// `range` of a cell in lines of the file; columns become 0, because columns of a cell do not
  /// exist in the file.
  CodeRange InFile(const std::string& file, const CodeRange& range) const;

 private:
  struct Text {
    std::string text;
    std::vector<std::pair<size_t, size_t>> lines;  // begin, length
    std::vector<uint32_t> file_lines;
  };

  const Text* Find(const std::string& file, uint32_t cell) const;
  void Add(const std::string& file, uint32_t cell, Text text);

  std::map<std::pair<std::string, uint32_t>, Text> texts_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_CODE_TEXT_H_
