// Parses the subset of Markdown that rules use to combine data, prose and examples: headings, text
// and fences.

#ifndef SHAPEWISE_RULES_MARKDOWN_FENCES_H_
#define SHAPEWISE_RULES_MARKDOWN_FENCES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

enum class MarkdownKind : uint8_t {
  kHeading,  ///< "## Sources"
  kText,     ///< everything else; blank lines at both ends are dropped
  kFence,    ///< ```log ... ```
};

struct MarkdownBlock {
  MarkdownKind kind = MarkdownKind::kText;
  size_t line = 0;   ///< 1-based line of the heading, the first line of text, or the opening fence
  size_t level = 0;  ///< heading: number of '#'
  std::string info;  ///< fence: text after the backticks: "json rule"
  std::string text;  ///< heading without '#'; otherwise whole lines, each with its '\n'
  bool is_closed = true;  ///< fence: false if the file ends first
};

/// Splits `text` into blocks, in order. A fence opens with at least three backticks after at most
/// three blanks, and closes with a line of at least as many. "\r\n" counts as "\n". Never fails.
std::vector<MarkdownBlock> ReadMarkdown(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_MARKDOWN_FENCES_H_
