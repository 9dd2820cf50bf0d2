#include "pipeline/graph.h"

#include "ingest/graph_reader.h"
#include "shapes/padding.h"

namespace shapewise {

void AnalyzeGraphs(const GraphOptions& options, FileSource& files, GraphAnalysis& analysis) {
  analysis.unread = ReadGraphs(options.paths, files, analysis.graphs);
  std::vector<bool> is_part(analysis.graphs.graphs.size(), false);
  for (size_t graph = 0; graph < analysis.graphs.graphs.size(); ++graph) {
    // A graph comes before its subgraphs.
    const bool has_verdict = options.with_padding && !is_part[graph];
    analysis.reports.push_back(has_verdict ? AnalyzePadding(analysis.graphs, graph)
                                           : DescribeGraph(analysis.graphs, graph));
    for (const uint32_t part : analysis.reports.back().parts) is_part[part] = true;
  }
}

}  // namespace shapewise
