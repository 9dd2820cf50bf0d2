// The forms in which a comparison of two runs can be printed. They compute nothing.

#ifndef SHAPEWISE_REPORT_DIFF_WRITER_H_
#define SHAPEWISE_REPORT_DIFF_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/session.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/diff.h"

namespace shapewise {

/// Where the event indices of findings lead. A session without events: nowhere.
struct DiffEvidence {
  const Session& before;
  const Session& after;
};

/// One form. Stateless; the same result gives the same bytes.
class DiffWriter {
 public:
  virtual ~DiffWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `result`. Texts that came from an input are made harmless for where they go.
  virtual void Write(const DiffResult& result, const DiffEvidence& evidence,
                     const ReportOptions& options, llvm::raw_ostream& out) const = 0;
};

/// Every form, the default first. They live as long as the program.
const std::vector<const DiffWriter*>& DiffWriters();

/// The form called `name`; null if there is none.
const DiffWriter* FindDiffWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIFF_WRITER_H_
