// Findings for the tests of comparisons.

#ifndef SHAPEWISE_TESTS_UNIT_COMPARE_SAMPLE_FINDINGS_H_
#define SHAPEWISE_TESTS_UNIT_COMPARE_SAMPLE_FINDINGS_H_

#include <string>
#include <utility>

#include "result/finding.h"

namespace shapewise {

/// Gives `finding` the fingerprint that goes with its identity: here, its parts in words.
inline Finding Named(Finding finding) {
  const Identity& identity = finding.identity;
  finding.fingerprint = identity.kind + "|" + identity.function + "|" + identity.file + "|" +
                        identity.type + "|" + identity.guard_class + "|" + identity.source + "|" +
                        std::to_string(identity.dim);
  return finding;
}

/// A recompile of `function` in `file`, which begins at `line`, for the size of `source`.
inline Finding Recompile(std::string function, std::string file, uint32_t line,
                         std::string source) {
  Finding finding;
  finding.rule = "SWS001";
  finding.severity = Severity::kWarning;
  finding.where = {function, "/w/" + file, line};
  finding.cause = Culprit{GuardClass::kSize, source, 0};
  finding.count = 3;
  finding.identity.kind = "recompile";
  finding.identity.function = std::move(function);
  finding.identity.file = std::move(file);
  finding.identity.guard_class = "size";
  finding.identity.source = std::move(source);
  finding.identity.dim = 0;
  return Named(std::move(finding));
}

/// A graph break in `function` of `file` at `line`.
inline Finding Break(std::string function, std::string file, uint32_t line, std::string type) {
  Finding finding;
  finding.rule = "SWB001";
  finding.severity = Severity::kWarning;
  finding.user = {function, "/w/" + file, line};
  finding.count = 1;
  finding.identity.kind = "graph_break";
  finding.identity.function = std::move(function);
  finding.identity.file = std::move(file);
  finding.identity.type = std::move(type);
  return Named(std::move(finding));
}

/// `finding` with another class of guard.
inline Finding WithClass(Finding finding, GuardClass guard_class) {
  finding.cause->guard_class = guard_class;
  finding.identity.guard_class = GuardClassName(guard_class);
  return Named(std::move(finding));
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_COMPARE_SAMPLE_FINDINGS_H_
