// The output formats of all commands, and parts that several formats of diagnostics share.

#include "report/formats.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "llvm/ADT/StringExtras.h"

namespace shapewise {
extern std::vector<SharedFormat> AllSharedFormats();

namespace {

/// The formats of a result: `own`, such as JSON, those that render the document that `describe`
/// makes of it, and those of the diagnostics that `diagnose` finds in it, if any.
template <typename Format>
struct Formats;
template <typename... Results>
struct Formats<OutputFormat<Results...>> {
  using Format = OutputFormat<Results...>;
  using Describe = Document(const Results&... results, const ReportOptions& options);
  using Diagnose = DiagnosticReport(const Results&... results);

  static std::vector<Format> Of(Describe* describe, std::vector<Format> own,
                                Diagnose* diagnose = nullptr) {
    static const std::vector<SharedFormat> all = [] {
      std::vector<SharedFormat> sorted = AllSharedFormats();
      std::ranges::sort(sorted, {}, &SharedFormat::place);
      return sorted;
    }();
    std::vector<Format> formats = std::move(own);
    for (const SharedFormat& shared : all) {
      if (FindFormat(std::span<const Format>(formats), shared.name) != nullptr) continue;
      Format format{shared.name, nullptr};
      if (shared.render != nullptr) {
        format.write = [shared, describe](const Results&... results, const ReportOptions& options,
                                          llvm::raw_ostream& out) {
          shared.render(describe(results..., options), options, out);
        };
      } else if (diagnose != nullptr) {
        format.write = [shared, diagnose](const Results&... results, const ReportOptions& options,
                                          llvm::raw_ostream& out) {
          shared.write(diagnose(results...), options, out);
        };
      } else {
        continue;
      }
      formats.insert(shared.place == 0 ? formats.begin() : formats.end(), std::move(format));
    }
    return formats;
  }
};

/// The worst findings come first: a comment may be cut.
void WriteCheckMarkdown(const CheckResult& result, const CodeTexts& texts,
                        const ReportOptions& options, llvm::raw_ostream& out) {
  CheckResult sorted = result;
  std::ranges::stable_sort(sorted.findings, std::greater(), [](const CodeFinding& finding) {
    return std::pair(finding.severity, finding.confidence);
  });
  RenderMarkdown(DescribeCheck(sorted, texts, options), options, out);
}

}  // namespace

std::span<const LintFormat> LintFormats() {
  static const auto formats = Formats<LintFormat>::Of(DescribeLint,
                                                      {{"json", WriteLintJson},
                                                       {"jsonl", WriteLintJsonl},
                                                       {"perfetto", WriteLintPerfetto},
                                                       {"html", WriteLintHtml}},
                                                      LintDiagnostics);
  return formats;
}

std::span<const CheckFormat> CheckFormats() {
  static const auto formats = Formats<CheckFormat>::Of(
      DescribeCheck,
      {{"json", WriteCheckJson}, {"jsonl", WriteCheckJsonl}, {"markdown", WriteCheckMarkdown}},
      CheckDiagnostics);
  return formats;
}

std::span<const AdviceFormat> AdviceFormats() {
  static const auto formats =
      Formats<AdviceFormat>::Of(DescribeAdvice, {{"json", WriteAdviceJson}});
  return formats;
}

std::span<const AdviceFormat> AdviceEmitters() {
  static const AdviceFormat formats[] = {{"patch", WriteAdvicePatch},
                                         {"env", WriteAdviceEnvironment},
                                         {"config", WriteAdviceConfig},
                                         *FindFormat(AdviceFormats(), "markdown")};
  return formats;
}

std::span<const BucketFormat> BucketFormats() {
  static const auto formats = Formats<BucketFormat>::Of(
      DescribeBuckets, {{"json", WriteBucketJson}, {"svg", WriteBucketSvg}});
  return formats;
}

std::span<const DiffFormat> DiffFormats() {
  static const auto formats = Formats<DiffFormat>::Of(DescribeDiff, {{"json", WriteDiffJson}});
  return formats;
}

std::span<const GraphFormat> GraphFormats() {
  static const auto formats = Formats<GraphFormat>::Of(
      DescribeGraphs, {{"json", WriteGraphJson}, {"program", WriteGraphProgram}});
  return formats;
}

std::span<const GuardFormat> GuardFormats() {
  static const auto formats = Formats<GuardFormat>::Of(DescribeGuards, {{"json", WriteGuardJson}});
  return formats;
}

std::span<const PredictionFormat> PredictionFormats() {
  static const auto formats = Formats<PredictionFormat>::Of(
      DescribePrediction, {{"json", WritePredictionJson}, {"jsonl", WritePredictionJsonl}});
  return formats;
}

std::span<const ReplayFormat> ReplayFormats() {
  static const auto formats =
      Formats<ReplayFormat>::Of(DescribeReplay, {{"json", WriteReplayJson}});
  return formats;
}

std::span<const CurveFormat> CurveFormats() {
  static const auto formats = Formats<CurveFormat>::Of(DescribeCurve, {{"json", WriteCurveJson}});
  return formats;
}

std::span<const TuneFormat> TuneFormats() {
  static const auto formats = Formats<TuneFormat>::Of(DescribeTune, {{"json", WriteTuneJson}});
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
