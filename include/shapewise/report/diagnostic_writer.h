// Output formats for editors and CI services. They print diagnostics of any command.

#ifndef SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_
#define SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/diagnostic.h"

namespace shapewise {

/// A format. Stateless; equal reports give equal bytes.
class DiagnosticWriter {
 public:
  virtual ~DiagnosticWriter() = default;

  /// The value of --format: "sarif".
  virtual std::string_view name() const = 0;

  /// Prints `report`. Texts from inputs are escaped for the format. Suppressed diagnostics are
  /// printed only by sarif, and marked there.
  virtual void Write(const DiagnosticReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// All formats: sarif, github, gitlab, junit, markdown. They live as long as the program.
const std::vector<const DiagnosticWriter*>& DiagnosticWriters();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIAGNOSTIC_WRITER_H_
