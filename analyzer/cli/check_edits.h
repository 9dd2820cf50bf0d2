// Files that `check` changes: fixes put into place, comments that hold findings back.

#ifndef SHAPEWISE_CLI_CHECK_EDITS_H_
#define SHAPEWISE_CLI_CHECK_EDITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/check_arguments.h"
#include "shapewise/pipeline/code_inputs.h"
#include "shapewise/result/code_finding.h"

namespace shapewise {

/// One file with what stands in it afterwards.
struct EditedFile {
  std::string path;
  std::string before;
  std::string after;
  std::vector<size_t> settled;  ///< findings that it takes away: indices into those of the result
};

/// What `arguments` want changed in the files that `result` speaks of, by path. Notebooks are left
/// as they are.
std::vector<EditedFile> PlanEdits(const CheckArguments& arguments, const CheckResult& result,
                                  const CodeInputs& inputs);

/// Writes the files. Error: one cannot be written, or is not what was read any more.
Error WriteEdits(const std::vector<EditedFile>& edits);

/// Takes out of `result` what `edits` settle; returns how many findings that are.
size_t DropSettled(const std::vector<EditedFile>& edits, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_EDITS_H_
