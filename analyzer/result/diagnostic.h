// A message at a place, as printed by formats for editors and CI services, from any command.

#ifndef SHAPEWISE_RESULT_DIAGNOSTIC_H_
#define SHAPEWISE_RESULT_DIAGNOSTIC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/code_finding.h"

namespace shapewise {

/// Why a diagnostic is suppressed.
enum class Silence : uint8_t {
  kNone,      ///< not suppressed
  kComment,   ///< a comment in the code
  kBaseline,  ///< a baseline file
};

/// A message at a place.
struct Diagnostic {
  std::string rule;  ///< "SWP001"
  std::string name;  ///< "item-call"
  Severity severity = Severity::kWarning;
  std::string message;  ///< one line, no full stop
  std::string file;     ///< empty: the file is unknown
  CodeRange range;      ///< line 0: the whole file; column 0: the whole line
  std::string function;
  std::string help;                  ///< what to do, one sentence; may be empty
  std::vector<std::string> details;  ///< more facts, a few words each
  std::vector<std::string> breaks;   ///< registry ids
  std::optional<double> confidence;  ///< 0..1; absent: not a guess
  std::vector<RelatedPlace> related;
  std::optional<CodeFix> fix;
  std::string fingerprint;
  Silence silence = Silence::kNone;
  bool is_repeat = false;  ///< another place of an earlier diagnostic; not counted in the verdict
  /// Where a log shows it first, for formats that need a file; empty: no log was read.
  std::string log;
  uint32_t log_line = 0;
};

/// A rule as formats print it.
struct DiagnosticRule {
  std::string code;
  std::string name;
  Severity severity = Severity::kWarning;
  std::string summary;  ///< one sentence
  std::string manual;   ///< Markdown
};

/// Explanations in a rule's file: why its causes are costly, and what to do.
struct RuleProse {
  struct Part {
    bool is_code = false;
    std::string text;  ///< whole lines; one paragraph of prose, or one list item
  };
  struct Section {
    std::string title;  ///< "Why it costs"
    std::vector<Part> parts;
  };
  std::string code;  ///< of the rule
  std::vector<Section> sections;
};

/// The diagnostics of one command.
struct DiagnosticReport {
  std::string command;                  ///< "check", "lint"
  std::string verdict;                  ///< one line: "2 warnings and 1 note in 12 files"
  std::vector<Diagnostic> diagnostics;  ///< in reading order
  std::vector<std::string> remarks;     ///< what was left out and why, one sentence each
  std::vector<std::string> unread;      ///< one message per unreadable input
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_DIAGNOSTIC_H_
