// A file from the point of view of fixes: lines, indentation, strings, comments and edits.

#ifndef SHAPEWISE_CHECK_FILE_VIEW_H_
#define SHAPEWISE_CHECK_FILE_VIEW_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/tree_index.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "result/code_finding.h"
#include "support/column_counter.h"
#include "syntax/outline.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// The lines of a text, which must outlive this.
class FileLines {
 public:
  explicit FileLines(std::string_view text);

  size_t size() const { return starts_.size(); }
  /// The start of a line, counted from 0; the end of the text for the one after the last.
  size_t Begin(size_t line) const { return line < size() ? starts_[line] : text_.size(); }
  /// The number of the line that contains `offset`, from 0.
  size_t LineOf(size_t offset) const;
  /// Lines and columns, from 1.
  CodeRange RangeOf(FileSpan span) const;

 private:
  std::string_view text_;
  std::vector<uint32_t> starts_;
  mutable ColumnCounter columns_;
};

class FileView {
 public:
  /// `module`: the file's own statements, with places from `module_begin` on. All must outlive
  /// this.
  FileView(std::string_view text, llvm::ArrayRef<const Stmt*> module, size_t module_begin);

  std::string_view text() const { return text_; }
  std::string_view Text(FileSpan span) const { return span.Of(text_); }
  const FileLines& lines() const { return lines_; }
  llvm::ArrayRef<const Stmt*> module() const { return module_; }
  size_t module_begin() const { return module_begin_; }
  /// Made on demand: most findings have no fix.
  const PythonScan& scan() const {
    if (!scan_) scan_ = ScanPython(text_);
    return *scan_;
  }

  /// The line end of the first line.
  std::string_view line_end() const { return line_end_; }
  /// One level of indentation: that of the first indented statement.
  std::string_view indent_unit() const;

  /// The start of the line that contains `offset`.
  size_t LineBegin(size_t offset) const { return lines_.Begin(lines_.LineOf(offset)); }
  /// The end of the line, without its line end.
  size_t LineEnd(size_t offset) const;
  /// The start of the next line, or the end of the text.
  size_t NextLine(size_t offset) const { return lines_.Begin(lines_.LineOf(offset) + 1); }
  /// White space at the start of the line.
  std::string_view IndentOf(size_t offset) const;

  /// Comments that begin in `span`, with their '#'.
  std::vector<std::string_view> CommentsIn(FileSpan span) const;
  /// The text of `span` with `more` inserted before every line but the first, except inside strings
  /// and on empty lines.
  std::string Indented(FileSpan span, std::string_view more) const;

  /// The index of a function of the file, and of the file's own statements; built once.
  const TreeIndex& IndexOf(const Stmt& function) const;
  const TreeIndex& module_index() const;

  /// How a module is imported in the file, or where an import can be added.
  struct ImportPlace {
    bool is_bound = false;         ///< the file has `import module`
    bool is_taken = false;         ///< the file uses the name for something else
    const Stmt* beside = nullptr;  ///< next to which an import can be added; null: nowhere
    bool is_before = false;        ///< in front of `beside`
  };
  const ImportPlace& ImportPlaceOf(std::string_view module) const;

  CodeEdit Edit(FileSpan span, std::string text) const;

 private:
  std::string_view text_;
  llvm::ArrayRef<const Stmt*> module_;
  size_t module_begin_;
  FileLines lines_;
  mutable std::optional<PythonScan> scan_;
  std::string_view line_end_ = "\n";
  mutable llvm::DenseMap<const Stmt*, std::unique_ptr<TreeIndex>> indices_;
  mutable llvm::StringMap<ImportPlace> import_places_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FILE_VIEW_H_
