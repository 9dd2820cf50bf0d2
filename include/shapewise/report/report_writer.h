// Output formats of results. A writer computes nothing, so two formats of one result cannot
// disagree.

#ifndef SHAPEWISE_REPORT_REPORT_WRITER_H_
#define SHAPEWISE_REPORT_REPORT_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/session.h"
#include "shapewise/result/diagnostic.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// Output options. A format ignores those that do not apply to it.
struct ReportOptions {
  std::string tool_version;                ///< program version, for formats that print it: "0.1.0"
  bool with_events = false;                ///< json: include every event
  bool all = false;                        ///< text: every finding, without a limit
  bool color = false;                      ///< text: use ANSI colors
  uint32_t width = 100;                    ///< text: width in columns
  bool ascii = false;                      ///< text: ASCII-only drawings
  std::vector<DiagnosticRule> rules = {};  ///< sarif: known rules, by code
  /// text: explanations of rules, by code; empty: none
  std::vector<RuleProse> prose = {};
};

/// A format. Stateless; equal results give equal bytes.
class ReportWriter {
 public:
  virtual ~ReportWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `result`, whose event indices refer to `session`. Texts from inputs are escaped for the
  /// format: no control bytes in text, valid UTF-8 in JSON. Memory does not grow with the number of
  /// events. The caller must check the stream for errors.
  virtual void Write(const LintResult& result, const Session& session, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const ReportWriter*>& BuiltinWriters();

/// The format called `name`; null: none.
const ReportWriter* FindWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPORT_WRITER_H_
