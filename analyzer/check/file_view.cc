#include "check/file_view.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

/// Whether `statement` is `import name` or `import name.more`; both bind the module itself.
bool ImportsModule(const Stmt& statement, std::string_view name) {
  if (statement.kind != StmtKind::kImport) return false;
  return llvm::any_of(statement.imports, [&](const ImportedName& imported) {
    return imported.as.empty() ? imported.name.substr(0, imported.name.find('.')) == name
                               : imported.as == name && imported.name == name;
  });
}

std::string_view IndentAt(std::string_view text, size_t begin) {
  const size_t end = std::min(text.find_first_not_of(" \t\f", begin), text.size());
  return text.substr(begin, end - begin);
}

}  // namespace

FileLines::FileLines(std::string_view text) : text_(text) {
  const std::vector<size_t> starts = LineStarts(text);
  starts_.assign(starts.begin(), starts.end());
}

size_t FileLines::LineOf(size_t offset) const {
  const auto next = std::ranges::upper_bound(starts_, offset);
  return static_cast<size_t>(std::max<ptrdiff_t>(next - starts_.begin(), 1)) - 1;
}

CodeRange FileLines::RangeOf(FileSpan span) const {
  const auto line = static_cast<uint32_t>(LineOf(span.begin));
  const auto end_line = static_cast<uint32_t>(LineOf(span.end));
  CodeRange range{.line = line + 1, .end_line = end_line + 1};
  range.column = columns_.Count(text_, Begin(line), span.begin) + 1;
  range.end_column = columns_.Count(text_, Begin(end_line), span.end) + 1;
  return range;
}

FileView::FileView(std::string_view text, llvm::ArrayRef<const Stmt*> module, size_t module_begin)
    : text_(text), module_(module), module_begin_(module_begin), lines_(text) {
  const size_t first_end = text_.find_first_of("\r\n");
  if (first_end != std::string_view::npos)
    line_end_ = text_.substr(first_end, text_.substr(first_end, 2) == "\r\n" ? 2 : 1);
}

std::string_view FileView::indent_unit() const {
  for (const FileSpan& line : scan().logical_lines) {
    const std::string_view indent = IndentOf(line.begin);
    if (!indent.empty()) return indent;
  }
  return "    ";
}

size_t FileView::LineEnd(size_t offset) const {
  size_t end = NextLine(offset);
  const size_t begin = LineBegin(offset);
  if (end > begin && text_[end - 1] == '\n') --end;
  if (end > begin && text_[end - 1] == '\r') --end;
  return end;
}

std::string_view FileView::IndentOf(size_t offset) const {
  return IndentAt(text_, LineBegin(offset));
}

std::vector<std::string_view> FileView::CommentsIn(FileSpan span) const {
  std::vector<std::string_view> found;
  const std::vector<FileSpan>& comments = scan().comments;
  auto it = std::lower_bound(comments.begin(), comments.end(), span.begin,
                             [](const FileSpan& comment, size_t at) { return comment.begin < at; });
  for (; it != comments.end() && it->begin < span.end; ++it) found.push_back(Text(*it));
  return found;
}

std::string FileView::Indented(FileSpan span, std::string_view more) const {
  std::string result;
  size_t at = span.begin;
  while (at < span.end) {
    const size_t next = std::min(NextLine(at), span.end);
    if (at != span.begin) {
      const FileSpan* string = SpanAt(scan().strings, at);
      const bool is_inside = string != nullptr && string->begin < at;
      if (!is_inside && LineEnd(at) > at) result += more;
    }
    result += text_.substr(at, next - at);
    at = next;
  }
  return result;
}

const TreeIndex& FileView::IndexOf(const Stmt& function) const {
  std::unique_ptr<TreeIndex>& index = indices_[&function];
  if (index == nullptr) {
    const Stmt* const body[] = {&function};
    index = std::make_unique<TreeIndex>(body);
  }
  return *index;
}

const TreeIndex& FileView::module_index() const {
  std::unique_ptr<TreeIndex>& index = indices_[nullptr];
  if (index == nullptr) index = std::make_unique<TreeIndex>(module_);
  return *index;
}

const FileView::ImportPlace& FileView::ImportPlaceOf(std::string_view module) const {
  const auto [entry, is_new] = import_places_.try_emplace(llvm::StringRef(module));
  ImportPlace& place = entry->second;
  if (!is_new) return place;
  const Stmt* last_import = nullptr;  // the last import at the head of the file
  const Stmt* before = nullptr;       // the first import of the same package
  for (const Stmt* statement : module_) {
    const bool is_import =
        statement->kind == StmtKind::kImport || statement->kind == StmtKind::kImportFrom;
    if (ImportsModule(*statement, module)) {
      place.is_bound = true;
    } else if (ImportsName(*statement, module)) {
      place.is_taken = true;
    }
    if (!is_import) continue;
    last_import = statement;
    const std::string_view from = statement->kind == StmtKind::kImportFrom && statement->dots == 0
                                      ? statement->text.substr(0, statement->text.find('.'))
                                      : "";
    if (from == module && before == nullptr) before = statement;
  }
  place.is_taken |= !module_index().StoresOf(module).empty();
  place.beside = before != nullptr ? before : last_import;
  place.is_before = before != nullptr;
  return place;
}

CodeEdit FileView::Edit(FileSpan span, std::string text) const {
  return {
      .range = lines_.RangeOf(span), .begin = span.begin, .end = span.end, .text = std::move(text)};
}

}  // namespace shapewise
