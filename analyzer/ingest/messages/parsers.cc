// Steps that several parsers share.

#include "ingest/messages/parsers.h"

#include <algorithm>

namespace shapewise {

void ParsedMessage::SetFrame(std::string_view text, EventDetail& detail) {
  text = Trim(text);
  // "<resume in f>" is a name with blanks.
  const size_t name_end = text.starts_with("<resume in ") ? text.find('>') : 0;
  const size_t blank = text.find(' ', name_end == kNotFound ? 0 : name_end);
  detail.function = Intern(text.substr(0, blank));
  if (blank == kNotFound) return;
  text = TrimLeft(text.substr(blank));
  const bool is_bracketed = ConsumeFront(text, "(");
  size_t file_end = FindText(text, " line ");
  std::string_view number;
  if (file_end != kNotFound) {
    number = text.substr(file_end + 6);
  } else if (is_bracketed) {
    file_end = text.find(')');
  } else if (const size_t last = text.rfind(' ');
             last != kNotFound && last + 1 < text.size() && IsDigit(text[last + 1])) {
    file_end = last;
    number = text.substr(last + 1);
  }
  detail.file = Intern(Trim(text.substr(0, file_end)));
  detail.function_line = ConsumeNumber<uint32_t>(number).value_or(0);
}

std::vector<CodePlace> FramesIn(const Record& record, size_t begin, size_t end) {
  std::vector<CodePlace> frames;
  for (size_t i = begin; i < std::min(end, record.num_lines()); ++i) {
    if (const auto frame = ParseFrameLine(record.line(i))) frames.push_back(*frame);
  }
  return frames;
}

CodePlace InnermostFrame(const Record& record, size_t begin, size_t end) {
  const std::vector<CodePlace> frames = FramesIn(record, begin, end);
  return frames.empty() ? CodePlace{} : frames.back();
}

}  // namespace shapewise
