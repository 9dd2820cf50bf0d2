// The face of this module: the output formats of the results of all commands.

#ifndef SHAPEWISE_REPORT_REPORT_H_
#define SHAPEWISE_REPORT_REPORT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "model/graph_model.h"
#include "model/session.h"
#include "result/advice.h"
#include "result/bucket_report.h"
#include "result/code_finding.h"
#include "result/diagnostic.h"
#include "result/diff.h"
#include "result/finding.h"
#include "result/graph_report.h"
#include "result/guard_report.h"
#include "result/prediction.h"
#include "result/replay_report.h"
#include "result/run_page.h"
#include "result/tune_report.h"
#include "support/error.h"

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
  std::function<Function> write;
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

/// Event indices of the advice refer to the session.
using AdviceFormat = OutputFormat<Advice, Session>;

/// The formats of --format, the default first.
std::span<const AdviceFormat> AdviceFormats();

/// The formats of --emit, which print the actions of the plan as text to paste.
std::span<const AdviceFormat> AdviceEmitters();

/// Writes `findings` as a baseline, schema shapewise.baseline/1, for ReadSavedResult. Each finding
/// is one line, ordered by file, function and the rest of its identity, so that versions of the
/// file can be compared line by line. The result does not depend on the order of `findings`.
void WriteBaseline(std::vector<Finding> findings, llvm::raw_ostream& out);

using BucketFormat = OutputFormat<BucketReport>;

/// The formats of --format, the default first: text, json, svg.
std::span<const BucketFormat> BucketFormats();

/// The formats of --emit: the plan as text to paste, one for each consumer. "json" is in both
/// lists.
std::span<const BucketFormat> BucketEmitters();

/// Text to paste.
struct BucketSnippet {
  std::string consumer;  ///< "pytorch", "vllm", "huggingface" ...
  std::string source;    ///< the documentation or program that defines its form
  std::string text;      ///< ends with a newline
};

/// The output of all emitters except plain JSON, which a JSON result already is.
std::vector<BucketSnippet> BucketSnippets(const BucketReport& report);

/// Prints a result; the texts contain the code that it mentions.
using CheckFormat = OutputFormat<CheckResult, CodeTexts>;

/// The formats of `check`, the default first.
std::span<const CheckFormat> CheckFormats();

/// The number of findings that --fix (`safe`) or only --unsafe-fixes resolves, folded ones
/// included.
uint64_t CountFixes(const CheckResult& result, bool safe);

/// Prints the number of findings of each rule, most first: as a table, or as one JSON object.
void WriteCheckStatistics(const CheckResult& result, bool as_json, const ReportOptions& options,
                          llvm::raw_ostream& out);

/// The sessions that event indices of findings refer to; may have no events.
struct DiffEvidence {
  const Session& before;
  const Session& after;
};

using DiffFormat = OutputFormat<DiffResult, DiffEvidence>;

/// The formats of `diff`, the default first.
std::span<const DiffFormat> DiffFormats();

/// Prints reports, each on one of the graphs.
using GraphFormat = OutputFormat<GraphSet, std::vector<GraphReport>>;

/// The formats of `graph`, the default first.
std::span<const GraphFormat> GraphFormats();

/// Prints a report; the texts are the names of the inputs.
using GuardFormat = OutputFormat<GuardReport, std::vector<std::string>>;

/// The formats of `guards`, the default first.
std::span<const GuardFormat> GuardFormats();

/// Prints one piece of news: as one or two lines of text, or as one line of JSON, {"type":
/// "finding"} with "change" "new" or "worse", or {"type": "alarm"}.
void PrintNews(const RunNews& news, bool as_json, llvm::raw_ostream& out);

/// Writes the page of `result` with further facts on the run. The format "html" of LintFormats() is
/// the same with an empty `page`. Input content is plain text in it and cannot load or run anything
/// (analyzer/docs/html-report.md).
void WritePage(const LintResult& result, const Session& session, const RunPage& page,
               const ReportOptions& options, llvm::raw_ostream& out);

/// The formats of predictions of a run, the default first.
using PredictionFormat = OutputFormat<PredictionReport>;
std::span<const PredictionFormat> PredictionFormats();

/// A format of answers to scenarios, which are printed one at a time: begin, answer for each, end.
struct ScenarioFormat {
  std::string_view name;  ///< value of --format: "text"
  void (*begin)(const ReportOptions& options, llvm::raw_ostream& out);
  void (*answer)(const ScenarioAnswer& answer, const ReportOptions& options,
                 llvm::raw_ostream& out);
  void (*end)(const ScenarioTally& tally, const ReportOptions& options, llvm::raw_ostream& out);
};
/// The formats of answers to scenarios, the default first.
std::span<const ScenarioFormat> ScenarioFormats();

/// The formats of `replay`, the default first: of the policies that were run, and of costs by size.
using ReplayFormat = OutputFormat<ReplayReport>;
std::span<const ReplayFormat> ReplayFormats();
using CurveFormat = OutputFormat<CurveReport>;
std::span<const CurveFormat> CurveFormats();

/// Writes the curve for `shapewise buckets --cost`: one line per size; missing measurements are
/// empty.
void WriteCostFile(const CurveReport& report, llvm::raw_ostream& out);

using TuneFormat = OutputFormat<TuneReport>;

/// The formats of `tune`, the default first.
std::span<const TuneFormat> TuneFormats();

/// A schema in a list.
struct SchemaHead {
  std::string name;   ///< "lint": the "schema" member of the result is "shapewise.lint/1"
  std::string title;  ///< the command that prints such a result
};

/// All schemas by name, parsed for their titles. Thread-safe.
std::span<const SchemaHead> JsonSchemas();

/// The schema called `name`, draft 2020-12, as text that ends with a newline. It is self-contained:
/// shared definitions are included. Error: unknown name; suggests the nearest.
Expected<std::string> JsonSchema(std::string_view name);

/// The result of `check` as diagnostics, for the formats that several commands share. Lines of
/// notebooks become lines of their files, where services show them.
DiagnosticReport CheckDiagnostics(const CheckResult& result, const CodeTexts& texts);

/// The same for `lint`: each finding is placed at the line of code that triggers it, if logged,
/// else at the start of the compiled function. `session`: the session of the result.
DiagnosticReport LintDiagnostics(const LintResult& result, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_REPORT_H_
