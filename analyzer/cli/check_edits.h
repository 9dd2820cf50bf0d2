// Changes files for `check`: applies fixes, and adds comments that suppress findings.

#ifndef SHAPEWISE_CLI_CHECK_EDITS_H_
#define SHAPEWISE_CLI_CHECK_EDITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/check_arguments.h"
#include "pipeline/code_inputs.h"
#include "result/code_finding.h"

namespace shapewise {

/// A file with its new content.
struct EditedFile {
  std::string path;
  std::string before;
  std::string after;
  std::vector<size_t> settled;  ///< indices of the findings in the result that the edits resolve
};

/// The changes that `arguments` request in the files of `result`, by path. Notebooks are not
/// changed.
std::vector<EditedFile> PlanEdits(const CheckArguments& arguments, const CheckResult& result,
                                  const CodeInputs& inputs);

/// Writes the files. Error: a file cannot be written, or changed since it was read.
Error WriteEdits(const std::vector<EditedFile>& edits);

/// Removes from `result` the findings that `edits` resolve; returns their number.
size_t DropSettled(const std::vector<EditedFile>& edits, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_EDITS_H_
