// Splits a rule's Markdown file into heading, summary, data, sections and examples.

#ifndef SHAPEWISE_RULES_RULE_FILE_H_
#define SHAPEWISE_RULES_RULE_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/markdown_fences.h"
#include "support/error.h"

namespace shapewise {

/// An example in a rule's file: a log or, for a rule over code, a Python file.
struct RuleExample {
  std::string text;  ///< the original text; for a log, ExpandExampleLog() returns the lines
  bool is_code = false;
  /// The expected findings of this rule, one line each: "log:LINE: SEVERITY[CODE]: MESSAGE", or
  /// "code:LINE: ...". Empty for an example that must not match.
  std::vector<std::string> expect;
  bool fires = false;
  size_t line = 0;  ///< line of the fence in the rule's file
};

/// A "## " section of a rule's file.
struct RuleSection {
  std::string title;
  std::vector<MarkdownBlock> blocks;  ///< without the example fences of Fires and Stays quiet
};

struct RuleFile {
  std::string path;   ///< "rules/guards/varying-dtype.md"
  std::string group;  ///< "guards"
  std::string stem;   ///< "varying-dtype"
  std::string name;   ///< in the heading; equals the stem in a valid file
  std::string code;   ///< in the heading
  std::string summary;
  std::string block;      ///< the JSON text of the ```json rule fence
  size_t block_line = 0;  ///< line of that fence
  std::vector<RuleSection> sections;
  std::vector<RuleExample> examples;

  const RuleSection* FindSection(std::string_view title) const;
};

/// Parses the Markdown of a rule, but not its JSON. Errors name path and line: no heading of the
/// form "name (CODE)", no summary, not exactly one rule block, an unclosed fence, an example under
/// Fires without an expect fence or under Stays quiet with one. Other requirements are checked by
/// tests/unit/rules/rule_files_test.cc.
Expected<RuleFile> ReadRuleFile(std::string_view path, std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_FILE_H_
