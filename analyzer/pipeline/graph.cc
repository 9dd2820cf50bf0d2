#include "shapewise/pipeline/graph.h"

#include "shapewise/ingest/graph_reader.h"
#include "shapewise/shapes/padding.h"

namespace shapewise {

void AnalyzeGraphs(const std::vector<std::string>& paths, FileSource& files,
                   GraphAnalysis& analysis) {
  analysis.unread = ReadGraphs(paths, files, analysis.graphs);
  for (size_t graph = 0; graph < analysis.graphs.graphs.size(); ++graph) {
    analysis.reports.push_back(AnalyzePadding(analysis.graphs, graph));
  }
}

}  // namespace shapewise
