// Forms for editors and CI services. They print diagnostics, whatever command found them.

#ifndef SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_
#define SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/diagnostic.h"

namespace shapewise {

/// One form. Stateless; the same report gives the same bytes.
class DiagnosticWriter {
 public:
  virtual ~DiagnosticWriter() = default;

  /// The value of --format: "sarif".
  virtual std::string_view name() const = 0;

  /// Prints `report`. Texts that came from an input are made harmless for where they go. Of
  /// diagnostics that somebody silenced only sarif tells, and says so.
  virtual void Write(const DiagnosticReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// Every form: sarif, github, gitlab, junit, markdown. They live as long as the program.
const std::vector<const DiagnosticWriter*>& DiagnosticWriters();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_
