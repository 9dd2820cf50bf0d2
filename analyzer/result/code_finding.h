// The result of `check`: findings with their fixes. The code that they mention.

#ifndef SHAPEWISE_RESULT_CODE_FINDING_H_
#define SHAPEWISE_RESULT_CODE_FINDING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result/finding.h"

namespace shapewise {

/// A range of a file. Lines and columns count from 1, columns in characters; the end is exclusive.
struct CodeRange {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  /// Cell of a notebook, from 1: lines then count within the cell; 0: not a notebook.
  uint32_t cell = 0;

  friend auto operator<=>(const CodeRange&, const CodeRange&) = default;
};

/// A text replacement. Bytes [begin, end) of the file correspond to `range`.
struct CodeEdit {
  CodeRange range;
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

/// A change that fixes a finding.
struct CodeFix {
  bool safe = false;            ///< preserves the meaning of the code; applied by --fix
  std::string title;            ///< "guard the call with torch.compiler.is_compiling()"
  std::vector<CodeEdit> edits;  ///< ascending, without overlap
};

/// Another place related to a finding: a caller of the function, or another site of the same idiom.
struct RelatedPlace {
  std::string file;
  CodeRange range;
  std::string text;  ///< "called from Encoder.forward"
};

/// Which findings a report shows as one (check/fold_findings.h). Ids are local to one
/// analysis.
struct FoldKeys {
  uint32_t id = 0;     ///< 0: no findings are folded into it because of `branches`
  uint32_t idiom = 0;  ///< shared by sites of one idiom; 0: not folded
  /// Ids of the findings that it depends on, by place: branches around it, breaks after which it is
  /// not traced; only the first few are stored.
  std::vector<uint32_t> branches;
};

/// A finding in code.
struct CodeFinding {
  std::string rule;  ///< code: "SWP001"
  std::string name;  ///< "item-call"
  Severity severity = Severity::kWarning;
  double confidence = 0;  ///< 0..1: probability that torch.compile breaks or recompiles here
  std::string file;       ///< as given, with '/' as separator
  CodeRange range;
  std::string function;             ///< "Attention.forward"; empty: outside of functions
  std::string message;              ///< one line, no full stop
  std::string advice;               ///< what to do, one sentence; may be empty
  std::vector<std::string> breaks;  ///< registry ids of the breaks that it causes; empty: none
  bool is_error = false;  ///< its code runs with fullgraph=True, where a break raises an error
  std::vector<std::string> conditions;  ///< RunConditionName of its conditions: "training"
  std::vector<RelatedPlace> related;
  std::optional<CodeFix> fix;
  std::string fingerprint;  ///< 16 hex digits; stable when lines shift
  uint32_t count = 1;       ///< number of sites of one idiom folded into it
  FoldKeys fold;            ///< how a report folds it
  /// Number of fixes of the findings folded into it, safe ones and others.
  uint32_t folded_safe_fixes = 0;
  uint32_t folded_unsafe_fixes = 0;
  /// The findings folded into it; the last places of `related` are theirs.
  std::vector<CodeFinding> folded;
};

/// Code that could not be read or followed.
struct CodeFault {
  std::string file;
  CodeRange range;
  std::string message;  ///< one line, no full stop
  std::string rule;     ///< code of the rule that reports it
  std::string name;     ///< name of the rule
  Severity severity = Severity::kWarning;
  std::string advice;  ///< what to do, one sentence; may be empty
};

/// The result of `check`.
struct CheckResult {
  std::vector<CodeFinding> findings;  ///< by file, place, rule
  std::vector<CodeFault> faults;      ///< syntax errors, by file and place
  std::vector<std::string> unread;    ///< one message per unreadable file
  uint64_t files = 0;                 ///< checked files
  /// Files among them that a change touches; absent without --diff.
  std::optional<uint64_t> changed_files;
  uint64_t functions = 0;     ///< functions in a compiled region
  uint64_t around = 0;        ///< functions left out as code around models
  uint64_t suppressed = 0;    ///< suppressed by comments
  uint64_t known = 0;         ///< suppressed by the baseline
  uint64_t outside_diff = 0;  ///< suppressed by --diff
  uint64_t uncertain = 0;     ///< left out: too uncertain to be shown unasked
  uint64_t not_followed = 0;  ///< left out: places that the analysis did not follow
  /// The findings counted by `suppressed`, by file, place, rule.
  std::vector<CodeFinding> suppressed_findings;
  /// The findings counted by `known`, by file, place, rule.
  std::vector<CodeFinding> known_findings;
};

/// Lines of files and notebook cells. Views are valid as long as this object.
class CodeTexts {
 public:
  /// Adds the text of a file; lines end with "\n", "\r\n" or "\r".
  void AddFile(const std::string& file, std::string text);
  /// Adds the text of a cell. `file_lines`: the line number in the file of each of its lines.
  void AddCell(const std::string& file, uint32_t cell, std::string text,
               std::vector<uint32_t> file_lines);

  bool Has(const std::string& file) const;
  /// Line `line` of the file or cell that `range` refers to, without its end; empty: unknown.
  std::string_view Line(const std::string& file, const CodeRange& range, uint32_t line) const;
  /// `range` of a cell in lines of the file; columns become 0, because columns of a cell do not
  /// exist in the file.
  CodeRange InFile(const std::string& file, const CodeRange& range) const;

 private:
  struct Text {
    std::string text;
    std::vector<std::pair<size_t, size_t>> lines;  // begin, length
    std::vector<uint32_t> file_lines;
  };

  const Text* Find(const std::string& file, uint32_t cell) const;
  void Add(const std::string& file, uint32_t cell, Text text);

  std::map<std::pair<std::string, uint32_t>, Text> texts_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_CODE_FINDING_H_
