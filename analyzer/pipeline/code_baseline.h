// Suppresses known findings in code: `check --baseline`.

#ifndef SHAPEWISE_PIPELINE_CODE_BASELINE_H_
#define SHAPEWISE_PIPELINE_CODE_BASELINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "result/code_finding.h"
#include "support/error.h"

namespace shapewise {

/// A known finding.
struct KnownFinding {
  std::string rule;
  std::string file;
  std::string fingerprint;

  friend auto operator<=>(const KnownFinding&, const KnownFinding&) = default;
};

/// Reads a baseline, schema shapewise.check-baseline/1. `name`: of the file, for messages. Error:
/// not a baseline.
Expected<std::vector<KnownFinding>> ReadCodeBaseline(std::string_view text,
                                                     const std::string& name);

/// Writes `findings` as a baseline, one per line and ordered by file, so that versions can be
/// compared line by line.
void WriteCodeBaseline(const std::vector<CodeFinding>& findings, llvm::raw_ostream& out);

/// Moves known findings of `result` to CheckResult::known_findings. Each entry suppresses one
/// finding with its fingerprint, preferably in its file, else in another one, because files are
/// moved. Findings are not folded yet: each site has its own entry. Returns the number of entries
/// that suppress nothing any more.
size_t SuppressKnown(const std::vector<KnownFinding>& known, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_BASELINE_H_
