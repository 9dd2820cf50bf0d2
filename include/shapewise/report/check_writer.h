// Output formats of `check`. They compute nothing.

#ifndef SHAPEWISE_REPORT_CHECK_WRITER_H_
#define SHAPEWISE_REPORT_CHECK_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/result/code_text.h"

namespace shapewise {

/// A format. Stateless; equal results give equal bytes.
class CheckWriter {
 public:
  virtual ~CheckWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `result`; `texts` contains the code that it mentions. Texts from inputs are escaped for
  /// the format.
  virtual void Write(const CheckResult& result, const CodeTexts& texts,
                     const ReportOptions& options, llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const CheckWriter*>& CheckWriters();

/// The format called `name`; null: none.
const CheckWriter* FindCheckWriter(std::string_view name);

/// Prints the number of findings of each rule, most first: as a table, or as one JSON object.
void WriteCheckStatistics(const CheckResult& result, bool as_json, const ReportOptions& options,
                          llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_CHECK_WRITER_H_
