#include "check/file_view.h"

#include <algorithm>

namespace shapewise {
namespace {

/// Characters of UTF-8 text: bytes that begin one.
uint32_t CountCharacters(std::string_view text) {
  return static_cast<uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string_view IndentAt(std::string_view text, size_t begin) {
  const size_t end = std::min(text.find_first_not_of(" \t\f", begin), text.size());
  return text.substr(begin, end - begin);
}

}  // namespace

FileView::FileView(std::string_view text, llvm::ArrayRef<const Stmt*> module, size_t module_begin)
    : text_(text),
      module_(module),
      module_begin_(module_begin),
      line_starts_(LineStarts(text)),
      scan_(ScanPython(text)) {
  const size_t first_end = text_.find_first_of("\r\n");
  if (first_end != std::string_view::npos)
    line_end_ = text_.substr(first_end, text_.substr(first_end, 2) == "\r\n" ? 2 : 1);
  for (const FileSpan& line : scan_.logical_lines) {
    const std::string_view indent = IndentOf(line.begin);
    if (indent.empty()) continue;
    indent_unit_ = indent;
    break;
  }
}

size_t FileView::LineOf(size_t offset) const {
  const auto it = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return it == line_starts_.begin() ? 0 : static_cast<size_t>(it - line_starts_.begin()) - 1;
}

size_t FileView::LineEnd(size_t offset) const {
  size_t end = NextLine(offset);
  const size_t begin = LineBegin(offset);
  if (end > begin && text_[end - 1] == '\n') --end;
  if (end > begin && text_[end - 1] == '\r') --end;
  return end;
}

size_t FileView::NextLine(size_t offset) const {
  const size_t next = LineOf(offset) + 1;
  return next < line_starts_.size() ? line_starts_[next] : text_.size();
}

std::string_view FileView::IndentOf(size_t offset) const {
  return IndentAt(text_, LineBegin(offset));
}

std::vector<std::string_view> FileView::CommentsIn(FileSpan span) const {
  std::vector<std::string_view> found;
  auto it = std::lower_bound(scan_.comments.begin(), scan_.comments.end(), span.begin,
                             [](const FileSpan& comment, size_t at) { return comment.begin < at; });
  for (; it != scan_.comments.end() && it->begin < span.end; ++it) found.push_back(Text(*it));
  return found;
}

std::string FileView::Indented(FileSpan span, std::string_view more) const {
  std::string result;
  size_t at = span.begin;
  while (at < span.end) {
    const size_t next = std::min(NextLine(at), span.end);
    if (at != span.begin) {
      const FileSpan* string = SpanAt(scan_.strings, at);
      const bool is_inside = string != nullptr && string->begin < at;
      if (!is_inside && LineEnd(at) > at) result += more;
    }
    result += text_.substr(at, next - at);
    at = next;
  }
  return result;
}

CodeRange FileView::RangeOf(FileSpan span) const {
  const size_t first = LineBegin(span.begin);
  const size_t last = LineBegin(span.end);
  CodeRange range;
  range.line = static_cast<uint32_t>(LineOf(span.begin)) + 1;
  range.column = CountCharacters(text_.substr(first, span.begin - first)) + 1;
  range.end_line = static_cast<uint32_t>(LineOf(span.end)) + 1;
  range.end_column = CountCharacters(text_.substr(last, span.end - last)) + 1;
  return range;
}

CodeEdit FileView::Edit(FileSpan span, std::string text) const {
  CodeEdit edit;
  edit.range = RangeOf(span);
  edit.begin = span.begin;
  edit.end = span.end;
  edit.text = std::move(text);
  return edit;
}

}  // namespace shapewise
