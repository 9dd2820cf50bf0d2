// Output formats of results.

#ifndef SHAPEWISE_REPORT_REPORT_WRITER_H_
#define SHAPEWISE_REPORT_REPORT_WRITER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "model/session.h"
#include "result/diagnostic.h"
#include "result/finding.h"

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

/// An output format of the results of one kind. It prints them and computes nothing, so two formats
/// cannot disagree, and equal results give equal bytes.
template <typename... Results>
struct OutputFormat {
  /// Prints `results`. Texts from inputs are escaped for the format: no control bytes in text,
  /// valid UTF-8 in JSON. The caller must check the stream for errors.
  using Function = void(const Results&... results, const ReportOptions& options,
                        llvm::raw_ostream& out);

  std::string_view name;  ///< value of --format or --emit: "text"
  Function* write;
};

/// The format called `name`; null: none.
template <typename Format>
const Format* FindFormat(std::span<const Format> formats, std::string_view name) {
  for (const Format& format : formats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

/// Event indices of the result refer to the session. Memory does not grow with the number of
/// events.
using LintFormat = OutputFormat<LintResult, Session>;

/// The formats of `lint`, the default first.
std::span<const LintFormat> LintFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPORT_WRITER_H_
