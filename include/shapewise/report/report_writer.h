// The forms in which a result can be printed. A writer prints what it is given and computes
// nothing, so two forms of one result cannot disagree.

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

/// How to print. A form ignores what it has no use for.
struct ReportOptions {
  std::string tool_version;                ///< of the program, for forms that name it: "0.1.0"
  bool with_events = false;                ///< json: add every event
  bool all = false;                        ///< text: every finding, however many
  bool color = false;                      ///< text: with ANSI colours
  uint32_t width = 100;                    ///< text: columns of the page
  bool ascii = false;                      ///< text: drawings without characters beyond ASCII
  std::vector<DiagnosticRule> rules = {};  ///< sarif: what is known of rules, by code
  /// text: what rules say beside their findings, by code; empty: nothing.
  std::vector<RuleProse> prose = {};
};

/// One form. Stateless; the same result gives the same bytes.
class ReportWriter {
 public:
  virtual ~ReportWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `result`, whose event indices refer to `session`. Texts that came from an input are
  /// made harmless for where they go: no control bytes in text, valid UTF-8 in JSON. Memory does
  /// not grow with the number of events. Errors of the stream are the caller's to look at.
  virtual void Write(const LintResult& result, const Session& session, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// Every form, the default first. They live as long as the program.
const std::vector<const ReportWriter*>& BuiltinWriters();

/// The form called `name`; null if there is none.
const ReportWriter* FindWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPORT_WRITER_H_
