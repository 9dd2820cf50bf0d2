// Fuzzes the whole check of a file of code, a script or a notebook: trees, values, rules, fixes,
// comments that hold findings back. The law: findings lie in the text, what fixes replace too, and
// nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "check/fixes.h"
#include "pipeline/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool is_notebook = bytes.starts_with("{");
  std::optional<shapewise::PythonFile> file = shapewise::CodeInputs::FileOf(
      is_notebook ? "code.ipynb" : "code.py", bytes, /*is_checked=*/true);
  if (!file) return 0;
  const size_t text_bytes = file->text.size();
  shapewise::CodeInputs inputs;
  inputs.files.push_back(std::move(*file));
  inputs.num_files = 1;
  shapewise::CheckOptions options;
  options.jobs = 1;
  const shapewise::CodeAnalysis analysis = llvm::cantFail(shapewise::AnalyzeCode(options, inputs));
  for (const shapewise::CodeFinding& finding : analysis.result.findings) {
    if (finding.range.line == 0 || finding.range.end_line < finding.range.line) std::abort();
    if (!finding.fix) continue;
    size_t end = 0;
    for (const shapewise::CodeEdit& edit : finding.fix->edits) {
      if (edit.begin < end || edit.end < edit.begin || edit.end > text_bytes) std::abort();
      end = edit.end;
    }
  }
  shapewise::ApplyFixes(inputs.files[0].text, analysis.result.findings, /*allow_unsafe=*/true);
  const std::string saved = shapewise::SaveAnalysis(analysis);
  const shapewise::CodeAnalysis loaded = llvm::cantFail(shapewise::LoadAnalysis(saved));
  if (shapewise::SaveAnalysis(loaded) != saved) std::abort();
  return 0;
}
