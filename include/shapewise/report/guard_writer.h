// Output formats of a guard analysis. They compute nothing.

#ifndef SHAPEWISE_REPORT_GUARD_WRITER_H_
#define SHAPEWISE_REPORT_GUARD_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/guard_report.h"

namespace shapewise {

/// A format. Stateless; equal reports give equal bytes.
class GuardWriter {
 public:
  virtual ~GuardWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `report`; `inputs` are the names of the inputs. Texts from inputs are escaped for the
  /// format.
  virtual void Write(const GuardReport& report, const std::vector<std::string>& inputs,
                     const ReportOptions& options, llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const GuardWriter*>& GuardWriters();

/// The format called `name`; null: none.
const GuardWriter* FindGuardWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GUARD_WRITER_H_
