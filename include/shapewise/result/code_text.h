// The text of checked files, line by line, for those who print code beside a finding.

#ifndef SHAPEWISE_RESULT_CODE_TEXT_H_
#define SHAPEWISE_RESULT_CODE_TEXT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shapewise/result/code_finding.h"

namespace shapewise {

/// Lines of files and of cells of notebooks. Views live as long as this does.
class CodeTexts {
 public:
  /// The text of a file; lines end with "\n", "\r\n" or "\r".
  void AddFile(const std::string& file, std::string text);
  /// The text of one cell. `file_lines`: where in the file its lines stand, one number each.
  void AddCell(const std::string& file, uint32_t cell, std::string text,
               std::vector<uint32_t> file_lines);

  bool Has(const std::string& file) const;
  /// Line `line` of what `range` of `file` lies in, without its end; empty where it is not known.
  std::string_view Line(const std::string& file, const CodeRange& range, uint32_t line) const;
  /// `range` counted in lines of the file, though it lies in a cell; columns become 0 then, since
  /// those of the cell are none of the file.
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
