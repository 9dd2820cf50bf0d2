// The output formats of all commands, and parts that several formats of diagnostics share.

#include "report/formats.h"

#include <algorithm>
#include <functional>

#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

constexpr DiagnosticFormat kDiagnosticFormats[] = {{"concise", WriteConcise},
                                                   {"sarif", WriteSarif},
                                                   {"github", WriteGithub},
                                                   {"gitlab", WriteGitlab},
                                                   {"junit", WriteJunit}};

using DiagnosticIndices = std::make_index_sequence<std::size(kDiagnosticFormats)>;

template <size_t index>
void WriteLintAs(const LintResult& result, const Session& session, const ReportOptions& options,
                 llvm::raw_ostream& out) {
  kDiagnosticFormats[index].write(LintDiagnostics(result, session), options, out);
}

template <size_t... index>
std::span<const LintFormat> LintTable(std::index_sequence<index...> /*indices*/) {
  static constexpr LintFormat formats[] = {
      {"text", DocumentFormats<LintResult, Session>::Write<DescribeLint, RenderText>},
      {"json", WriteLintJson},
      {"jsonl", WriteLintJsonl},
      {"perfetto", WriteLintPerfetto},
      {"html", WriteLintHtml},
      {kDiagnosticFormats[index].name, WriteLintAs<index>}...,
      {"markdown", DocumentFormats<LintResult, Session>::Write<DescribeLint, RenderMarkdown>}};
  return formats;
}

/// The worst findings come first: a comment may be cut.
void WriteCheckMarkdown(const CheckResult& result, const CodeTexts& texts,
                        const ReportOptions& options, llvm::raw_ostream& out) {
  CheckResult sorted = result;
  std::ranges::stable_sort(sorted.findings, std::greater(), &CodeFinding::severity);
  RenderMarkdown(DescribeCheck(sorted, texts, options), options, out);
}

template <size_t index>
void WriteCheckAs(const CheckResult& result, const CodeTexts& texts, const ReportOptions& options,
                  llvm::raw_ostream& out) {
  kDiagnosticFormats[index].write(CheckDiagnostics(result, texts), options, out);
}

template <size_t... index>
std::span<const CheckFormat> CheckTable(std::index_sequence<index...> /*indices*/) {
  static constexpr CheckFormat formats[] = {
      {"text", DocumentFormats<CheckResult, CodeTexts>::Write<DescribeCheck, RenderText>},
      {"json", WriteCheckJson},
      {"jsonl", WriteCheckJsonl},
      {"html", DocumentFormats<CheckResult, CodeTexts>::Write<DescribeCheck, RenderHtml>},
      {kDiagnosticFormats[index].name, WriteCheckAs<index>}...,
      {"markdown", WriteCheckMarkdown}};
  return formats;
}

}  // namespace

std::span<const LintFormat> LintFormats() { return LintTable(DiagnosticIndices()); }

std::span<const CheckFormat> CheckFormats() { return CheckTable(DiagnosticIndices()); }

std::span<const AdviceFormat> AdviceFormats() {
  static constexpr auto formats = DocumentFormats<Advice, Session>::FormatsOf<DescribeAdvice>(
      AdviceFormat{"json", WriteAdviceJson});
  return formats;
}

std::span<const AdviceFormat> AdviceEmitters() {
  static constexpr AdviceFormat formats[] = {
      {"patch", WriteAdvicePatch},
      {"env", WriteAdviceEnvironment},
      {"config", WriteAdviceConfig},
      {"markdown", DocumentFormats<Advice, Session>::Write<DescribeAdvice, RenderMarkdown>}};
  return formats;
}

std::span<const BucketFormat> BucketFormats() {
  static constexpr auto formats = DocumentFormats<BucketReport>::FormatsOf<DescribeBuckets>(
      BucketFormat{"json", WriteBucketJson}, BucketFormat{"svg", WriteBucketSvg});
  return formats;
}

std::span<const DiffFormat> DiffFormats() {
  static constexpr auto formats =
      DocumentFormats<DiffResult, DiffEvidence>::FormatsOf<DescribeDiff>(
          DiffFormat{"json", WriteDiffJson});
  return formats;
}

std::span<const GraphFormat> GraphFormats() {
  static constexpr auto formats =
      DocumentFormats<GraphSet, std::vector<GraphReport>>::FormatsOf<DescribeGraphs>(
          GraphFormat{"json", WriteGraphJson}, GraphFormat{"program", WriteGraphProgram});
  return formats;
}

std::span<const GuardFormat> GuardFormats() {
  static constexpr auto formats =
      DocumentFormats<GuardReport, std::vector<std::string>>::FormatsOf<DescribeGuards>(
          GuardFormat{"json", WriteGuardJson});
  return formats;
}

std::span<const ReplayFormat> ReplayFormats() {
  using Replays = DocumentFormats<ReplayReport>;
  using Curves = DocumentFormats<CurveReport>;
  static constexpr ReplayFormat formats[] = {
      {"text", Replays::Write<DescribeReplay, RenderText>,
       Curves::Write<DescribeCurve, RenderText>},
      {"json", WriteReplayJson, WriteCurveJson},
      {"markdown", Replays::Write<DescribeReplay, RenderMarkdown>,
       Curves::Write<DescribeCurve, RenderMarkdown>},
      {"html", Replays::Write<DescribeReplay, RenderHtml>,
       Curves::Write<DescribeCurve, RenderHtml>}};
  return formats;
}

std::span<const TuneFormat> TuneFormats() {
  static constexpr auto formats =
      DocumentFormats<TuneReport>::FormatsOf<DescribeTune>(TuneFormat{"json", WriteTuneJson});
  return formats;
}

std::string_view ServicePath(std::string_view file) {
  while (file.starts_with("./")) {
    file.remove_prefix(2);
    while (file.starts_with('/')) file.remove_prefix(1);
  }
  return file;
}

std::string MessageWithDetails(const Diagnostic& diagnostic) {
  std::vector<std::string> details;
  if (!diagnostic.function.empty()) details.push_back("in " + diagnostic.function);
  details.insert(details.end(), diagnostic.details.begin(), diagnostic.details.end());
  if (!diagnostic.breaks.empty()) {
    details.push_back("breaks the graph: " + llvm::join(diagnostic.breaks, ", "));
  }
  if (details.empty()) return diagnostic.message;
  return diagnostic.message + " (" + llvm::join(details, "; ") + ")";
}

}  // namespace shapewise
