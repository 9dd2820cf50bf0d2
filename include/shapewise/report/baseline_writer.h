// A baseline: the causes that a project knows of, in a file that it keeps with its code.

#ifndef SHAPEWISE_REPORT_BASELINE_WRITER_H_
#define SHAPEWISE_REPORT_BASELINE_WRITER_H_

#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// Writes `findings` as a baseline, schema shapewise.baseline/1, which ReadSavedResult reads: one
/// line each, by file, function and what else identifies it, so that versions of the file compare
/// well by lines. The same findings give the same bytes in whatever order they come.
void WriteBaseline(std::vector<Finding> findings, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BASELINE_WRITER_H_
