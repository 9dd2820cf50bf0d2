// The formats of all commands, one file each, and what several of them share.

#ifndef SHAPEWISE_REPORT_FORMATS_H_
#define SHAPEWISE_REPORT_FORMATS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/render.h"
#include "report/report.h"

namespace shapewise {

DocumentFormats<LintResult, Session>::Describe DescribeLint;
LintFormat::Function WriteLintJson;
LintFormat::Function WriteLintJsonl;
LintFormat::Function WriteLintPerfetto;
LintFormat::Function WriteLintHtml;

// A format is one file <name>_writer.cc, one line here and one in formats.cc, and
// available in all commands with findings.
DiagnosticFormat::Function WriteConcise;
DiagnosticFormat::Function WriteSarif;
DiagnosticFormat::Function WriteGithub;
DiagnosticFormat::Function WriteGitlab;
DiagnosticFormat::Function WriteJunit;

DocumentFormats<CheckResult, CodeTexts>::Describe DescribeCheck;
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

DocumentFormats<Advice, Session>::Describe DescribeAdvice;
AdviceFormat::Function WriteAdviceJson;
AdviceFormat::Function WriteAdvicePatch;
AdviceFormat::Function WriteAdviceEnvironment;
AdviceFormat::Function WriteAdviceConfig;

/// A saving in words: "3 of 4 compiles, 2.1 s of compiling"; empty: unknown.
std::string SavingText(const std::optional<Saving>& saving);

DocumentFormats<BucketReport>::Describe DescribeBuckets;
BucketFormat::Function WriteBucketJson;
BucketFormat::Function WriteBucketSvg;

DocumentFormats<DiffResult, DiffEvidence>::Describe DescribeDiff;
DiffFormat::Function WriteDiffJson;

DocumentFormats<GraphSet, std::vector<GraphReport>>::Describe DescribeGraphs;
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

DocumentFormats<GuardReport, std::vector<std::string>>::Describe DescribeGuards;
GuardFormat::Function WriteGuardJson;

const PredictionFormat& PredictionJsonFormat();
const PredictionFormat& PredictionJsonlFormat();

DocumentFormats<ReplayReport>::Describe DescribeReplay;
OutputFormat<ReplayReport>::Function WriteReplayJson;
DocumentFormats<CurveReport>::Describe DescribeCurve;
OutputFormat<CurveReport>::Function WriteCurveJson;

DocumentFormats<TuneReport>::Describe DescribeTune;
TuneFormat::Function WriteTuneJson;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_FORMATS_H_
