// The forms in which an analysis of guards can be printed. They compute nothing.

#ifndef SHAPEWISE_REPORT_GUARD_WRITER_H_
#define SHAPEWISE_REPORT_GUARD_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/guard_report.h"

namespace shapewise {

/// One form. Stateless; the same report gives the same bytes.
class GuardWriter {
 public:
  virtual ~GuardWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `report`; `inputs` are the names of what was read. Texts that came from an input are
  /// made harmless for where they go.
  virtual void Write(const GuardReport& report, const std::vector<std::string>& inputs,
                     const ReportOptions& options, llvm::raw_ostream& out) const = 0;
};

/// Every form, the default first. They live as long as the program.
const std::vector<const GuardWriter*>& GuardWriters();

/// The form called `name`; null if there is none.
const GuardWriter* FindGuardWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GUARD_WRITER_H_
