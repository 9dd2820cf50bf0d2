// What a project knows of its code already: `check --baseline`.

#ifndef SHAPEWISE_PIPELINE_CODE_BASELINE_H_
#define SHAPEWISE_PIPELINE_CODE_BASELINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// One finding that is known.
struct KnownFinding {
  std::string rule;
  std::string file;
  std::string fingerprint;

  friend auto operator<=>(const KnownFinding&, const KnownFinding&) = default;
};

/// Reads a baseline, schema shapewise.check-baseline/1. `name`: of the file, for messages. Error:
/// it is none.
Expected<std::vector<KnownFinding>> ReadCodeBaseline(std::string_view text,
                                                     const std::string& name);

/// Writes `findings` as a baseline: one a line, ordered by file, so that versions compare well.
void WriteCodeBaseline(const std::vector<CodeFinding>& findings, llvm::raw_ostream& out);

/// Moves what is known out of the findings of `result` into CheckResult::known_findings. Each entry
/// holds back one finding with its fingerprint: one of its file if there is one, else of another
/// file, since files are moved. Findings are not folded yet: each site has an entry of its own.
/// Returns how many entries hold nothing back any more.
size_t HoldBackKnown(const std::vector<KnownFinding>& known, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_BASELINE_H_
