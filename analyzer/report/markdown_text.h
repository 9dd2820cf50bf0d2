// Foreign text in Markdown as GitHub and GitLab show it.

#ifndef SHAPEWISE_REPORT_MARKDOWN_TEXT_H_
#define SHAPEWISE_REPORT_MARKDOWN_TEXT_H_

#include <string>
#include <string_view>

namespace shapewise {

/// `text` so that it stands as it is: no markup, no HTML, no line of its own.
std::string MarkdownText(std::string_view text);

/// `text` as code within a line, also within a table.
std::string MarkdownCode(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_MARKDOWN_TEXT_H_
