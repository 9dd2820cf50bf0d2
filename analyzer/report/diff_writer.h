// Output formats of a comparison of two runs.

#ifndef SHAPEWISE_REPORT_DIFF_WRITER_H_
#define SHAPEWISE_REPORT_DIFF_WRITER_H_

#include <span>

#include "model/session.h"
#include "report/report_writer.h"
#include "result/diff.h"

namespace shapewise {

/// The sessions that event indices of findings refer to; may have no events.
struct DiffEvidence {
  const Session& before;
  const Session& after;
};

using DiffFormat = OutputFormat<DiffResult, DiffEvidence>;

/// The formats of `diff`, the default first.
std::span<const DiffFormat> DiffFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIFF_WRITER_H_
