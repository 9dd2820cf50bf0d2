// Fuzzes the readers of what the program itself wrote or was handed: results, baselines, analyses
// kept in a cache, what git prints of a change. The law: an error names the file; nothing crashes,
// hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pipeline/check.h"
#include "pipeline/code_changes.h"
#include "saved/saved_result.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte says what it is; the rest is the file.
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 0) {
    for (const shapewise::ChangedFile& file : shapewise::ParseDiff(text)) {
      for (const shapewise::ChangedBlock& block : file.blocks) {
        if (block.num_lines == 0 && block.num_removed == 0) std::abort();
      }
    }
  } else if (data[0] % 3 == 1) {
    shapewise::Expected<shapewise::CodeAnalysis> analysis = shapewise::LoadAnalysis(text);
    if (!analysis) llvm::consumeError(analysis.takeError());
  } else {
    shapewise::Expected<shapewise::SavedResult> saved =
        shapewise::ReadSavedResult(text, "old.json");
    if (!saved && !llvm::toString(saved.takeError()).starts_with("old.json")) std::abort();
  }
  return 0;
}
