// The documents and JSON of all results, and what several formats share.

#ifndef SHAPEWISE_REPORT_FORMATS_H_
#define SHAPEWISE_REPORT_FORMATS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/document.h"
#include "report/report.h"
#include "result/code_finding.h"

namespace shapewise {

using RenderFunction = void(const Document& document, const ReportOptions& options,
                            llvm::raw_ostream& out);

/// Prints diagnostics. Suppressed ones are printed only by sarif, and marked there.
using DiagnosticWriter = void(const DiagnosticReport& report, const ReportOptions& options,
                              llvm::raw_ostream& out);

/// A format of several commands. It is one file of formats/, github.cc, with a function named after
/// it, `extern SharedFormat GithubFormat()`: the build finds it there, and nothing else names it.
struct SharedFormat {
  int place = 0;                      ///< in help; 0: the default
  std::string_view name;              ///< value of --format
  RenderFunction* render = nullptr;   ///< prints the document of any command, or ...
  DiagnosticWriter* write = nullptr;  ///< ... the diagnostics of lint and check
};

Document DescribeLint(const LintResult& result, const Session& session,
                      const ReportOptions& options);
LintFormat::Function WriteLintJson;
LintFormat::Function WriteLintJsonl;
LintFormat::Function WriteLintPerfetto;
LintFormat::Function WriteLintHtml;

Document DescribeCheck(const CheckResult& result, const CodeTexts& texts,
                       const ReportOptions& options);
CheckFormat::Function WriteCheckJson;
CheckFormat::Function WriteCheckJsonl;

/// "2 warnings and 1 note"; "no findings".
std::string SeveritiesText(const std::vector<Diagnostic>& diagnostics);

/// A condition in words: "only in training" for "training".
std::string ConditionText(std::string_view condition);

/// "model.py:3:7", "notebook.ipynb:cell 2:3:7", or the known part of it.
std::string CodePlaceText(const std::string& file, const CodeRange& range);

/// The path as services expect it: relative to their folder, without "./".
std::string_view ServicePath(std::string_view file);

/// The message with details in brackets, in one line: "x is read as a number (Encoder.forward; only
/// in training; breaks the graph: GB0124)".
std::string MessageWithDetails(const Diagnostic& diagnostic);

Document DescribeAdvice(const Advice& result, const Session& session, const ReportOptions& options);
AdviceFormat::Function WriteAdviceJson;
AdviceFormat::Function WriteAdvicePatch;
AdviceFormat::Function WriteAdviceEnvironment;
AdviceFormat::Function WriteAdviceConfig;

/// A saving in words: "3 of 4 compiles, 2.1 s of compiling"; empty: unknown.
std::string SavingText(const std::optional<Saving>& saving);

Document DescribeBuckets(const BucketReport& result, const ReportOptions& options);
BucketFormat::Function WriteBucketJson;
BucketFormat::Function WriteBucketSvg;

Document DescribeDiff(const DiffResult& result, const DiffEvidence& evidence,
                      const ReportOptions& options);
DiffFormat::Function WriteDiffJson;

Document DescribeGraphs(const GraphSet& result, const std::vector<GraphReport>& reports,
                        const ReportOptions& options);
GraphFormat::Function WriteGraphJson;
GraphFormat::Function WriteGraphProgram;

/// Counts the calls in `graph`, by name of the callee.
std::vector<std::pair<std::string_view, size_t>> CountOperators(const GraphSet& graphs,
                                                                const GraphModel& graph);

/// The type of the first value of `node`; null: no value, or unknown.
const ValueType* TypeOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node);

/// The type of `value`; null: unknown.
const ValueType* TypeOfValue(const GraphSet& graphs, const GraphModel& graph, uint32_t value);

/// The name of the first value of `node`, or of its callee if it produces none.
std::string_view NameOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node);

Document DescribeGuards(const GuardReport& result, const std::vector<std::string>& inputs,
                        const ReportOptions& options);
GuardFormat::Function WriteGuardJson;

Document DescribePrediction(const PredictionReport& result, const ReportOptions& options);
PredictionFormat::Function WritePredictionJson;
PredictionFormat::Function WritePredictionJsonl;
ScenarioFormat ScenarioJsonFormat();
ScenarioFormat ScenarioJsonlFormat();

Document DescribeReplay(const ReplayReport& result, const ReportOptions& options);
ReplayFormat::Function WriteReplayJson;
Document DescribeCurve(const CurveReport& result, const ReportOptions& options);
CurveFormat::Function WriteCurveJson;

Document DescribeTune(const TuneReport& result, const ReportOptions& options);
TuneFormat::Function WriteTuneJson;

/// For a terminal: wrapped to its width, optionally in color.
RenderFunction RenderText;

/// GitHub's Markdown, such as for a comment on a pull request.
RenderFunction RenderMarkdown;

/// `text` as plain text in Markdown: no markup, no HTML, no line breaks.
std::string MarkdownText(std::string_view text);

/// `text` as inline code in Markdown.
std::string MarkdownCode(std::string_view text);

/// A page without script.
RenderFunction RenderHtml;

/// The nesting of indented paragraphs, for formats that have lists instead of columns.
class Nesting {
 public:
  /// The depth of a paragraph that follows the others, from 0; `indent` is not 0.
  size_t Enter(size_t indent);
  void Clear() { open_.clear(); }
  size_t depth() const { return open_.size(); }

 private:
  std::vector<size_t> open_;  // indents of the paragraphs above it
};

/// Adds the first few lines of `range`, with carets in `style` below it. Long lines are shortened
/// to the context of the range; lines of more than 4 KiB are only mentioned. Adds nothing if the
/// text is unknown.
void AddCodeFrame(const CodeTexts& texts, const std::string& file, const CodeRange& range,
                  TextStyle style, size_t width, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_FORMATS_H_
