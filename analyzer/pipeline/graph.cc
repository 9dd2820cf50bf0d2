#include "shapewise/pipeline/graph.h"

#include "shapewise/ingest/graph_reader.h"
#include "shapewise/shapes/padding.h"

namespace shapewise {

void AnalyzeGraphs(const GraphOptions& options, FileSource& files, GraphAnalysis& analysis) {
  analysis.unread = ReadGraphs(options.paths, files, analysis.graphs);
  for (size_t graph = 0; graph < analysis.graphs.graphs.size(); ++graph) {
    analysis.reports.push_back(options.with_padding ? AnalyzePadding(analysis.graphs, graph)
                                                    : DescribeGraph(analysis.graphs, graph));
  }
}

}  // namespace shapewise
