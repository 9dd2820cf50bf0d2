// Output formats of a comparison of two runs. They compute nothing.

#ifndef SHAPEWISE_REPORT_DIFF_WRITER_H_
#define SHAPEWISE_REPORT_DIFF_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/session.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/diff.h"

namespace shapewise {

/// The sessions that event indices of findings refer to; may have no events.
struct DiffEvidence {
  const Session& before;
  const Session& after;
};

/// A format. Stateless; equal results give equal bytes.
class DiffWriter {
 public:
  virtual ~DiffWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `result`. Texts from inputs are escaped for the format.
  virtual void Write(const DiffResult& result, const DiffEvidence& evidence,
                     const ReportOptions& options, llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const DiffWriter*>& DiffWriters();

/// The format called `name`; null: none.
const DiffWriter* FindDiffWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIFF_WRITER_H_
