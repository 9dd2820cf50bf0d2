// What forms for editors and CI services print, whatever command found it: one message at one
// place.

#ifndef SHAPEWISE_RESULT_DIAGNOSTIC_H_
#define SHAPEWISE_RESULT_DIAGNOSTIC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/result/code_finding.h"

namespace shapewise {

/// Who asked for silence about a diagnostic.
enum class Silence : uint8_t {
  kNone,      ///< nobody: it is told
  kComment,   ///< a comment in the code
  kBaseline,  ///< a file of what is known
};

/// One message at one place.
struct Diagnostic {
  std::string rule;  ///< "SWP001"
  std::string name;  ///< "item-call"
  Severity severity = Severity::kWarning;
  std::string message;  ///< one line, no full stop
  std::string file;     ///< empty: no file is known
  CodeRange range;      ///< line 0: the file as a whole; column 0: the line as a whole
  std::string function;
  std::string help;                  ///< what to do, one sentence; may be empty
  std::vector<std::string> details;  ///< what else is known of it, a few words each
  std::vector<std::string> breaks;   ///< registry ids
  std::optional<double> confidence;  ///< 0..1; absent: it is no guess
  std::vector<RelatedPlace> related;
  std::optional<CodeFix> fix;
  std::string fingerprint;
  Silence silence = Silence::kNone;
  /// Where a log shows it first, for forms that need a file; empty: no log was read.
  std::string log;
  uint32_t log_line = 0;
};

/// What a form says of a rule beside its findings.
struct DiagnosticRule {
  std::string code;
  std::string name;
  Severity severity = Severity::kWarning;
  std::string summary;  ///< one sentence
  std::string manual;   ///< Markdown
};

/// What the file of a rule says to a person: why its causes cost, and what to do.
struct RuleProse {
  struct Part {
    bool is_code = false;
    std::string text;  ///< whole lines; of prose one paragraph, or one item of a list
  };
  struct Section {
    std::string title;  ///< "Why it costs"
    std::vector<Part> parts;
  };
  std::string code;  ///< of the rule
  std::vector<Section> sections;
};

/// Everything that one run tells.
struct DiagnosticReport {
  std::string command;                  ///< "check", "lint"
  std::string verdict;                  ///< one line: "2 warnings and 1 note in 12 files"
  std::vector<Diagnostic> diagnostics;  ///< in the order in which they are to be read
  std::vector<std::string> remarks;     ///< one sentence each: what was left out, and why
  std::vector<std::string> unread;      ///< one message an input that could not be read
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_DIAGNOSTIC_H_
