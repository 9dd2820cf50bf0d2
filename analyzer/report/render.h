// The formats that render the document of any command.

#ifndef SHAPEWISE_REPORT_RENDER_H_
#define SHAPEWISE_REPORT_RENDER_H_

#include <string>
#include <string_view>

#include "report/document.h"
#include "report/report.h"

namespace shapewise {

using RenderFunction = void(const Document& document, const ReportOptions& options,
                            llvm::raw_ostream& out);

/// For a terminal: wrapped to its width, optionally in color.
RenderFunction RenderText;

/// GitHub's Markdown, such as for a comment on a pull request.
RenderFunction RenderMarkdown;

/// `text` as plain text in Markdown: no markup, no HTML, no line breaks.
std::string MarkdownText(std::string_view text);

/// `text` as inline code in Markdown.
std::string MarkdownCode(std::string_view text);

/// A page without script.
RenderFunction RenderHtml;

/// The nesting of indented paragraphs, for formats that have lists instead of columns.
class Nesting {
 public:
  /// The depth of a paragraph that follows the others, from 0; `indent` is not 0.
  size_t Enter(size_t indent);
  void Clear() { open_.clear(); }
  size_t depth() const { return open_.size(); }

 private:
  std::vector<size_t> open_;  // indents of the paragraphs above it
};

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RENDER_H_
