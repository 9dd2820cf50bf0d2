#include "pipeline/guards.h"

#include <algorithm>

#include "ingest/graph_reader.h"
#include "ingest/reader.h"
#include "redact/redact.h"

namespace shapewise {
namespace {

std::vector<std::string> FindGuardGaps(const GuardAnalysis& analysis) {
  std::vector<std::string> gaps;
  size_t partial = 0;
  size_t entries = 0;
  for (const FunctionGuards& function : analysis.report.functions) {
    entries += function.entries.size();
    partial += static_cast<size_t>(std::ranges::count_if(
        function.entries, [](const GuardedEntryReport& entry) { return !entry.is_whole; }));
  }
  if (!analysis.graphs.graphs.empty()) {
    gaps.emplace_back(
        "A dump shows what its graph requires of sizes, but not the guards of its cache entry.");
  } else if (partial > 0) {
    gaps.push_back("Of " + std::to_string(partial) + " of " + std::to_string(entries) +
                   " entries not all guards are known: logs print only guards that failed unless "
                   "TORCH_LOGS=guards or TORCH_TRACE is set.");
  }
  return gaps;
}

/// Redacts the query in the same way as the inputs.
GuardQuery Redacted(GuardQuery query, Redactor* redactor) {
  if (redactor == nullptr) return query;
  redactor->Redact(TextKind::kExpression, query.function);
  for (SizeChoice& choice : query.sizes) redactor->Redact(TextKind::kExpression, choice.name);
  return query;
}

}  // namespace

void FindGuards(const std::vector<std::string>& paths, const GuardQuery& query, FileSource& files,
                GuardAnalysis& analysis, Redactor* redactor) {
  ReadOptions options;
  options.guard_texts = true;
  options.redactor = redactor;
  analysis.report.unread = ReadInputs(paths, files, analysis.session, options);
  analysis.report.functions = AnalyzeGuards(analysis.session, Redacted(query, redactor));
  if (analysis.report.functions.empty()) {
    std::vector<std::string> dumps;
    for (const std::string& path : paths) {
      if (path != "-") dumps.push_back(path);
    }
    if (!dumps.empty()) {
      // Unreadable inputs were reported above, unless they are rejected as dumps.
      std::vector<std::string> refused = ReadGraphs(dumps, files, analysis.graphs);
      if (redactor != nullptr) {
        std::vector<GraphReport> none;
        RedactGraphs(*redactor, analysis.graphs, none);
        redactor->Redact(TextKind::kProse, refused);
      }
      if (analysis.report.unread.empty() && !analysis.graphs.graphs.empty()) {
        analysis.report.unread = refused;
      }
      analysis.report.functions = AnalyzeGraphGuards(analysis.graphs, Redacted(query, redactor));
    }
  }
  analysis.report.gaps = FindGuardGaps(analysis);
}

}  // namespace shapewise
