// What `shapewise graph` does between its dumps and its report.

#ifndef SHAPEWISE_PIPELINE_GRAPH_H_
#define SHAPEWISE_PIPELINE_GRAPH_H_

#include <string>
#include <vector>

#include "shapewise/model/graph_model.h"
#include "shapewise/result/graph_report.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// The graphs that were read, and what was found out about each.
struct GraphAnalysis {
  GraphSet graphs;
  std::vector<GraphReport> reports;  ///< one a graph, in the order of GraphSet::graphs
  std::vector<std::string> unread;   ///< one message for each path that could not be read
};

/// What to find out.
struct GraphOptions {
  std::vector<std::string> paths;  ///< as ReadGraphs takes them
  bool with_padding = true;        ///< what padding would do, and advice on alignment
};

/// Reads the dumps and fills `analysis`, which is new.
void AnalyzeGraphs(const GraphOptions& options, FileSource& files, GraphAnalysis& analysis);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_GRAPH_H_
