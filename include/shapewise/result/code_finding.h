// What `check` says of code: findings with their fixes.

#ifndef SHAPEWISE_RESULT_CODE_FINDING_H_
#define SHAPEWISE_RESULT_CODE_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/result/finding.h"

namespace shapewise {

/// A range of a file: lines and columns from 1, columns in characters; the end is behind the last
/// one.
struct CodeRange {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  uint32_t cell = 0;  ///< of a notebook, from 1: lines are then those of the cell; 0: no notebook

  friend auto operator<=>(const CodeRange&, const CodeRange&) = default;
};

/// One replacement of text. Bytes [begin, end) of the file are what `range` names.
struct CodeEdit {
  CodeRange range;
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

/// A change that takes a finding away.
struct CodeFix {
  bool safe = false;            ///< keeps what the code means; applied by --fix
  std::string title;            ///< "guard the call with torch.compiler.is_compiling()"
  std::vector<CodeEdit> edits;  ///< ascending, without overlap
};

/// Another place that belongs to a finding: who calls the function, or the other sites of one
/// idiom.
struct RelatedPlace {
  std::string file;
  CodeRange range;
  std::string text;  ///< "called from Encoder.forward"
};

/// Which findings a report shows as one (shapewise/check/fold_findings.h). Ids are those of one
/// analysis.
struct FoldKeys {
  uint32_t id = 0;     ///< 0: nothing is folded into it because of `branches`
  uint32_t idiom = 0;  ///< the same for the sites of one idiom; 0: it is not folded
  /// Ids of the branches that it depends on, outermost first; of many only the first few.
  std::vector<uint32_t> branches;
};

/// One finding in code.
struct CodeFinding {
  std::string rule;  ///< code: "SWP001"
  std::string name;  ///< "item-call"
  Severity severity = Severity::kWarning;
  double confidence = 0;  ///< 0..1: that torch.compile breaks or compiles again here
  std::string file;       ///< as given, '/' between folders
  CodeRange range;
  std::string function;                 ///< "Attention.forward"; empty: outside of functions
  std::string message;                  ///< one line, no full stop
  std::string advice;                   ///< what to do, one sentence; may be empty
  std::vector<std::string> breaks;      ///< registry ids that it leads to; empty: no break
  std::vector<std::string> conditions;  ///< RunConditionName of what it needs: "training"
  std::vector<RelatedPlace> related;
  std::optional<CodeFix> fix;
  std::string fingerprint;  ///< 16 hex digits; the same when lines shift
  uint32_t count = 1;       ///< how many sites of one idiom are folded into it
  FoldKeys fold;            ///< how a report folds it
};

/// What could not be read or followed of the code.
struct CodeFault {
  std::string file;
  CodeRange range;
  std::string message;  ///< one line, no full stop
  std::string rule;     ///< code of the rule that tells it
  std::string name;     ///< the rule's
  Severity severity = Severity::kWarning;
  std::string advice;  ///< what to do, one sentence; may be empty
};

/// The whole answer of `check`.
struct CheckResult {
  std::vector<CodeFinding> findings;             ///< by file, place, rule
  std::vector<CodeFault> faults;                 ///< syntax errors, by file and place
  std::vector<std::string> unread;               ///< one message a file that could not be read
  uint64_t files = 0;                            ///< checked
  uint64_t functions = 0;                        ///< in a compiled region
  uint64_t suppressed = 0;                       ///< by comments
  uint64_t known = 0;                            ///< suppressed by the baseline
  uint64_t outside_diff = 0;                     ///< suppressed by --diff
  std::vector<CodeFinding> suppressed_findings;  ///< what `suppressed` counts, by file, place, rule
  std::vector<CodeFinding> known_findings;       ///< what `known` counts, likewise
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_CODE_FINDING_H_
