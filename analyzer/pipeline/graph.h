// The engine of `shapewise graph`: from dumps to a report.

#ifndef SHAPEWISE_PIPELINE_GRAPH_H_
#define SHAPEWISE_PIPELINE_GRAPH_H_

#include <string>
#include <vector>

#include "model/graph_model.h"
#include "result/graph_report.h"
#include "support/text_input.h"

namespace shapewise {

/// The graphs and the report on each.
struct GraphAnalysis {
  GraphSet graphs;
  std::vector<GraphReport> reports;  ///< one per graph, in the order of GraphSet::graphs
  std::vector<std::string> unread;   ///< one message per path that could not be read
};

/// What to analyze.
struct GraphOptions {
  std::vector<std::string> paths;  ///< as for ReadGraphs
  bool with_padding = true;        ///< analyze the effect of padding, with advice on alignment
};

/// Reads the dumps and fills the empty `analysis`.
void AnalyzeGraphs(const GraphOptions& options, FileSource& files, GraphAnalysis& analysis);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_GRAPH_H_
