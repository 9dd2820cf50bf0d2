#include "rules/rule_file.h"

#include <algorithm>
#include <utility>

#include "support/text_scan.h"

namespace shapewise {
namespace {

Error ErrorAt(const RuleFile& file, size_t line, const std::string& what) {
  return MakeError(file.path + ":" + std::to_string(line) + ": " + what);
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!Trim(line).empty()) lines.emplace_back(TrimRight(line));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

/// The first paragraph of `text` as one line.
std::string FirstParagraph(std::string_view text) {
  const size_t end = text.find("\n\n");
  std::string paragraph;
  for (const std::string& line : Lines(text.substr(0, end))) {
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += Trim(line);
  }
  return paragraph;
}

/// rules/guards/varying-dtype.md
void ReadPath(RuleFile& file) {
  std::string_view rest = file.path;
  const size_t slash = rest.find_last_of('/');
  std::string_view stem = rest.substr(slash == rest.npos ? 0 : slash + 1);
  if (stem.ends_with(".md")) stem.remove_suffix(3);
  file.stem = stem;
  if (slash == rest.npos) return;
  rest = rest.substr(0, slash);
  file.group = rest.substr(rest.find_last_of('/') + 1);  // npos + 1 is the start
}

/// # varying-dtype (SWG004)
Error ReadHeading(const MarkdownBlock& block, RuleFile& file) {
  const std::string_view text = block.text;
  const size_t open = text.rfind(" (");
  if (block.kind != MarkdownKind::kHeading || block.level != 1 || open == text.npos || open == 0 ||
      !text.ends_with(')')) {
    return ErrorAt(file, block.line, "expected a heading such as '# varying-dtype (SWG004)'");
  }
  file.name = text.substr(0, open);
  file.code = text.substr(open + 2, text.size() - open - 3);
  return Error::success();
}

/// Reads the fence at `blocks[i]` if it belongs to an example, and the expect fence after it. Sets
/// `i` to the last block read.
Expected<bool> ReadExample(const std::vector<MarkdownBlock>& blocks, size_t& i,
                           std::string_view section, RuleFile& file) {
  const bool fires = section == "Fires";
  if (!fires && section != "Stays quiet") return false;
  const MarkdownBlock& block = blocks[i];
  if (block.kind != MarkdownKind::kFence) return false;
  if (block.info == "expect") {
    return ErrorAt(file, block.line,
                   fires ? "an expect fence has to follow the example it is for"
                         : "an example that stays quiet has nothing to expect");
  }
  const bool is_code = block.info == "python";
  if (!is_code && block.info != "log") return false;

  RuleExample example{
      .text = block.text, .is_code = is_code, .expect = {}, .fires = fires, .line = block.line};
  if (fires) {
    const bool has_expect = i + 1 < blocks.size() && blocks[i + 1].kind == MarkdownKind::kFence &&
                            blocks[i + 1].info == "expect";
    if (!has_expect) {
      return ErrorAt(file, block.line, "expected an expect fence right after this example");
    }
    example.expect = Lines(blocks[++i].text);
    if (example.expect.empty()) {
      return ErrorAt(file, blocks[i].line, "an example that fires has at least one line to expect");
    }
  }
  file.examples.push_back(std::move(example));
  return true;
}

}  // namespace

const RuleSection* RuleFile::FindSection(std::string_view title) const {
  const auto found = std::ranges::find(sections, title, &RuleSection::title);
  return found == sections.end() ? nullptr : &*found;
}

Expected<RuleFile> ReadRuleFile(std::string_view path, std::string_view text) {
  RuleFile file;
  file.path = path;
  ReadPath(file);

  const std::vector<MarkdownBlock> blocks = ReadMarkdown(text);
  for (const MarkdownBlock& block : blocks) {
    if (!block.is_closed) return ErrorAt(file, block.line, "this fence is never closed");
  }
  if (blocks.empty()) return ErrorAt(file, 1, "the file is empty");
  if (Error error = ReadHeading(blocks.front(), file)) return error;
  if (blocks.size() < 2 || blocks[1].kind != MarkdownKind::kText) {
    return ErrorAt(file, blocks.front().line + 1, "expected a summary under the heading");
  }
  file.summary = FirstParagraph(blocks[1].text);

  for (size_t i = 2; i < blocks.size(); ++i) {
    const MarkdownBlock& block = blocks[i];
    if (block.kind == MarkdownKind::kHeading && block.level == 2) {
      file.sections.push_back({.title = block.text, .blocks = {}});
      continue;
    }
    if (block.kind == MarkdownKind::kFence && block.info == "json rule") {
      if (file.block_line != 0) return ErrorAt(file, block.line, "a second ```json rule block");
      file.block = block.text;
      file.block_line = block.line;
      continue;
    }
    if (file.sections.empty()) {
      return ErrorAt(file, block.line, "expected the ```json rule block or a '## ' section here");
    }
    Expected<bool> is_example = ReadExample(blocks, i, file.sections.back().title, file);
    if (!is_example) return is_example.takeError();
    if (!*is_example) file.sections.back().blocks.push_back(block);
  }
  if (file.block_line == 0) return ErrorAt(file, 1, "no ```json rule block");
  return file;
}

}  // namespace shapewise
