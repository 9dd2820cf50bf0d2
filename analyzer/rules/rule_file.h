// A rule's Markdown file, taken apart: heading, summary, data, sections, examples.

#ifndef SHAPEWISE_RULES_RULE_FILE_H_
#define SHAPEWISE_RULES_RULE_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/markdown_fences.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// One example of a rule's file: a log or, for a rule over code, a file of Python.
struct RuleExample {
  std::string text;  ///< as it stands there; of a log, ExpandExampleLog() gives the lines
  bool is_code = false;
  /// What this rule finds in it, one line each: "log:LINE: SEVERITY[CODE]: MESSAGE", or "code:LINE:
  /// ...". Empty for an example that stays quiet.
  std::vector<std::string> expect;
  bool fires = false;
  size_t line = 0;  ///< of the fence in the rule's file
};

/// One "## " part of a rule's file.
struct RuleSection {
  std::string title;
  std::vector<MarkdownBlock> blocks;  ///< the example fences of Fires and Stays quiet left out
};

struct RuleFile {
  std::string path;   ///< "rules/guards/varying-dtype.md"
  std::string group;  ///< "guards"
  std::string stem;   ///< "varying-dtype"
  std::string name;   ///< of the heading; a complete file has the stem there
  std::string code;   ///< of the heading
  std::string summary;
  std::string block;      ///< the JSON text of the ```json rule fence
  size_t block_line = 0;  ///< of that fence
  std::vector<RuleSection> sections;
  std::vector<RuleExample> examples;

  const RuleSection* FindSection(std::string_view title) const;
};

/// Reads the Markdown of a rule; its JSON is not looked into. Errors name path and line: no heading
/// of the form "name (CODE)", no summary, not exactly one rule block, an open fence, an example
/// under Fires without its expect or under Stays quiet with one. What else makes a file complete is
/// held by tests/unit/rules/rule_files_test.cc.
Expected<RuleFile> ReadRuleFile(std::string_view path, std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_FILE_H_
