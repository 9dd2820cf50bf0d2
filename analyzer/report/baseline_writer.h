// Writes a baseline: the known causes of a project, in a file stored with its code.

#ifndef SHAPEWISE_REPORT_BASELINE_WRITER_H_
#define SHAPEWISE_REPORT_BASELINE_WRITER_H_

#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "result/finding.h"

namespace shapewise {

/// Writes `findings` as a baseline, schema shapewise.baseline/1, for ReadSavedResult. Each finding
/// is one line, ordered by file, function and the rest of its identity, so that versions of the
/// file can be compared line by line. The result does not depend on the order of `findings`.
void WriteBaseline(std::vector<Finding> findings, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BASELINE_WRITER_H_
