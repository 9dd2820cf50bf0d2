#include "rules/markdown_fences.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxMarkIndent = 3;  // four blanks start a code block in CommonMark
constexpr size_t kMinBackticks = 3;
constexpr size_t kMaxHeadingLevel = 6;

/// The number of backticks of a fence that begins at `line`; 0: not a fence.
size_t FenceTicks(std::string_view line) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > kMaxMarkIndent) return 0;
  line.remove_prefix(indent);
  const size_t ticks = std::min(line.find_first_not_of('`'), line.size());
  return ticks < kMinBackticks ? 0 : ticks;
}

std::string_view FenceInfo(std::string_view line) {
  line.remove_prefix(line.find('`'));
  line.remove_prefix(std::min(line.find_first_not_of('`'), line.size()));
  return Trim(line);
}

size_t HeadingLevel(std::string_view line) {
  const size_t level = std::min(line.find_first_not_of('#'), line.size());
  const bool is_heading =
      level >= 1 && level <= kMaxHeadingLevel && (level == line.size() || line[level] == ' ');
  return is_heading ? level : 0;
}

/// Adds `line` to the current text block, or starts one.
void AddText(std::string_view line, size_t number, std::vector<MarkdownBlock>& blocks) {
  const bool is_continued = !blocks.empty() && blocks.back().kind == MarkdownKind::kText;
  if (!is_continued) {
    if (Trim(line).empty()) return;
    blocks.push_back({.kind = MarkdownKind::kText, .line = number, .info = {}, .text = {}});
  }
  blocks.back().text.append(line).push_back('\n');
}

}  // namespace

std::vector<MarkdownBlock> ReadMarkdown(std::string_view text) {
  std::vector<MarkdownBlock> blocks;
  size_t open_ticks = 0;  // backticks of the open fence; 0: none
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);

    const size_t ticks = FenceTicks(line);
    if (open_ticks > 0) {
      if (ticks >= open_ticks && FenceInfo(line).empty()) {
        blocks.back().is_closed = true;
        open_ticks = 0;
      } else {
        blocks.back().text.append(line).push_back('\n');
      }
    } else if (ticks > 0) {
      blocks.push_back({.kind = MarkdownKind::kFence,
                        .line = number,
                        .info = std::string(FenceInfo(line)),
                        .text = {},
                        .is_closed = false});
      open_ticks = ticks;
    } else if (const size_t level = HeadingLevel(line); level > 0) {
      blocks.push_back({.kind = MarkdownKind::kHeading,
                        .line = number,
                        .level = level,
                        .info = {},
                        .text = std::string(Trim(line.substr(level)))});
    } else {
      AddText(line, number, blocks);
    }
  }

  for (MarkdownBlock& block : blocks) {
    if (block.kind != MarkdownKind::kText) continue;
    block.text = TrimRight(block.text);
    block.text.push_back('\n');
  }
  return blocks;
}

}  // namespace shapewise
