#include "result/code_finding.h"

#include <algorithm>

namespace shapewise {

void CodeTexts::Add(const std::string& file, uint32_t cell, Text text) {
  const std::string& bytes = text.text;
  const bool has_returns = bytes.find('\r') != std::string::npos;
  size_t begin = 0;
  while (begin <= bytes.size()) {
    size_t end = has_returns ? bytes.find_first_of("\r\n", begin) : bytes.find('\n', begin);
    end = std::min(end, bytes.size());
    text.lines.emplace_back(begin, end - begin);
    const bool is_pair = bytes.compare(end, 2, "\r\n") == 0;
    begin = end + (is_pair ? 2 : 1);
  }
  texts_.insert_or_assign({file, cell}, std::move(text));
}

void CodeTexts::AddFile(const std::string& file, std::string text) {
  Add(file, 0, {std::move(text), {}, {}});
}

void CodeTexts::AddCell(const std::string& file, uint32_t cell, std::string text,
                        std::vector<uint32_t> file_lines) {
  Add(file, cell, {std::move(text), {}, std::move(file_lines)});
}

const CodeTexts::Text* CodeTexts::Find(const std::string& file, uint32_t cell) const {
  const auto found = texts_.find({file, cell});
  return found == texts_.end() ? nullptr : &found->second;
}

bool CodeTexts::Has(const std::string& file) const {
  const auto found = texts_.lower_bound({file, 0});
  return found != texts_.end() && found->first.first == file;
}

std::string_view CodeTexts::Line(const std::string& file, const CodeRange& range,
                                 uint32_t line) const {
  const Text* text = Find(file, range.cell);
  if (text == nullptr || line == 0 || line > text->lines.size()) return {};
  const auto [begin, length] = text->lines[line - 1];
  return std::string_view(text->text).substr(begin, length);
}

CodeRange CodeTexts::InFile(const std::string& file, const CodeRange& range) const {
  const Text* text = range.cell == 0 ? nullptr : Find(file, range.cell);
  if (text == nullptr) return range;
  const auto file_line = [&](uint32_t line) {
    return line == 0 || line > text->file_lines.size() ? 0 : text->file_lines[line - 1];
  };
  return {.line = file_line(range.line), .end_line = file_line(range.end_line)};
}

}  // namespace shapewise
