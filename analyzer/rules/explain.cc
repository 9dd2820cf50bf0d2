#include "rules/explain.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "rules/rule_file.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kCodeIndent = "    ";

/// "warning, since shapewise 0.1, for torch >=2.0"
std::string FactsLine(const RuleHead& rule) {
  std::string line(SeverityName(rule.severity));
  line.append(", since shapewise ").append(rule.since);
  if (!rule.torch.empty()) line.append(", for torch ").append(rule.torch);
  return line;
}

std::string Underlined(std::string_view title) {
  return std::string(title) + "\n" + std::string(title.size(), '-') + "\n";
}

/// `block` as terminal text, without surrounding blank lines.
std::string BlockText(const MarkdownBlock& block) {
  if (block.kind == MarkdownKind::kHeading) return block.text + "\n";
  if (block.kind == MarkdownKind::kText) return block.text;
  std::string text;
  for (std::string_view rest = block.text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.empty()) text.append(kCodeIndent).append(line);
    text.push_back('\n');
  }
  return text;
}

std::string FactRow(std::string_view label, std::string_view text) {
  constexpr size_t kLabelColumns = 10;
  return std::string(label) + std::string(kLabelColumns - label.size(), ' ') + std::string(text) +
         "\n";
}

/// The meaning of a registry code; the code itself if unknown.
std::string InWords(std::string_view code, std::string_view words) {
  return words.empty() ? std::string(code) : std::string(words);
}

std::string FixWords(const RegistryEntry& entry, const BreakRegistry& registry) {
  llvm::SmallVector<llvm::StringRef, 2> codes;
  llvm::StringRef(entry.fix).split(codes, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return Joined(codes, "; for some cases: ", [&](llvm::StringRef code) {
    return InWords(code, registry.FixText(std::string_view(code.data(), code.size())));
  });
}

std::string HintWords(const RegistryEntry& entry, const BreakRegistry& registry) {
  std::string text;
  for (size_t i = 0; i < entry.hint.size(); ++i) {
    const std::string_view code = std::string_view(entry.hint).substr(i, 1);
    if (!text.empty()) text += "; ";
    text += InWords(code, registry.HintText(code));
  }
  return text;
}

/// Splits `text` into paragraphs and list items.
void AddParagraphs(std::string_view text, std::vector<RuleProse::Part>& parts) {
  bool begins = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) {
      begins = true;
      continue;
    }
    if (begins || line.starts_with("- ")) parts.push_back({});
    parts.back().text.append(line).push_back('\n');
    begins = false;
  }
}

}  // namespace

std::string RuleManual(const RuleHead& rule) {
  Expected<RuleFile> file = ReadRuleFile(rule.path, rule.markdown);
  // It was parsed before, or there would be no rule; but an error must not end the program.
  if (!file) return llvm::toString(file.takeError());

  std::string text = std::string(rule.name) + " (" + std::string(rule.code) + ")\n\n" +
                     std::string(rule.summary) + "\n\n";
  text += FactsLine(rule) + "\n";
  for (const RuleSection& section : file->sections) {
    // The sections Fires and Stays quiet often contain only logs for tests.
    if (section.blocks.empty()) continue;
    text.append("\n").append(Underlined(section.title));
    for (const MarkdownBlock& block : section.blocks) text.append("\n").append(BlockText(block));
  }
  return text;
}

RuleProse ProseOf(const RuleHead& rule) {
  RuleProse prose;
  prose.code = rule.code;
  Expected<RuleFile> file = ReadRuleFile(rule.path, rule.markdown);
  // It was parsed before, or there would be no rule.
  if (!file) {
    llvm::consumeError(file.takeError());
    return prose;
  }
  for (const char* title : {"Why it costs", "What to do"}) {
    const RuleSection* section = file->FindSection(title);
    if (section == nullptr) continue;
    RuleProse::Section section_prose{title, {}};
    for (const MarkdownBlock& block : section->blocks) {
      if (block.kind == MarkdownKind::kText) AddParagraphs(block.text, section_prose.parts);
      if (block.kind == MarkdownKind::kFence) section_prose.parts.push_back({true, block.text});
    }
    if (!section_prose.parts.empty()) prose.sections.push_back(std::move(section_prose));
  }
  return prose;
}

std::string BreakManual(const RegistryEntry& entry, const BreakRegistry& registry,
                        const Rule* rule) {
  std::string text = std::string(entry.id) + ": " + std::string(entry.type) + "\n\n";
  if (!entry.category.empty()) {
    text += FactRow("category", InWords(entry.category, registry.CategoryText(entry.category)));
  }
  if (!entry.fix.empty()) text += FactRow("fix", FixWords(entry, registry));
  if (!entry.hint.empty()) text += FactRow("hint", HintWords(entry, registry));
  if (!entry.alias.empty()) text += FactRow("now", entry.alias);
  if (rule == nullptr) return text;
  text += FactRow("rule", std::string(rule->code) + " " + std::string(rule->name));
  return text.append("\n").append(RuleManual(*rule));
}

}  // namespace shapewise
