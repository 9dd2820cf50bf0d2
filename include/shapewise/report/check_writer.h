// The forms in which an answer of `check` can be printed. They compute nothing.

#ifndef SHAPEWISE_REPORT_CHECK_WRITER_H_
#define SHAPEWISE_REPORT_CHECK_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/result/code_text.h"

namespace shapewise {

/// One form. Stateless; the same result gives the same bytes.
class CheckWriter {
 public:
  virtual ~CheckWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `result`; `texts` hold the code that it speaks of. Texts that came from an input are
  /// made harmless for where they go.
  virtual void Write(const CheckResult& result, const CodeTexts& texts,
                     const ReportOptions& options, llvm::raw_ostream& out) const = 0;
};

/// Every form, the default first. They live as long as the program.
const std::vector<const CheckWriter*>& CheckWriters();

/// The form called `name`; null if there is none.
const CheckWriter* FindCheckWriter(std::string_view name);

/// Prints how many findings each rule has, most first: as a table, or as one JSON object.
void WriteCheckStatistics(const CheckResult& result, bool as_json, const ReportOptions& options,
                          llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_CHECK_WRITER_H_
