#include "report/diagnostic_writers.h"

#include <algorithm>
#include <functional>

#include "llvm/ADT/StringExtras.h"
#include "report/builtin_writers.h"
#include "report/diagnostics.h"

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
