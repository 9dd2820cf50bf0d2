// Escapes text for Markdown as GitHub and GitLab show it.

#ifndef SHAPEWISE_REPORT_MARKDOWN_TEXT_H_
#define SHAPEWISE_REPORT_MARKDOWN_TEXT_H_

#include <string>
#include <string_view>

namespace shapewise {

/// `text` as plain text: no markup, no HTML, no line breaks.
std::string MarkdownText(std::string_view text);

/// `text` as inline code.
std::string MarkdownCode(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_MARKDOWN_TEXT_H_
