// Output formats of graphs.

#ifndef SHAPEWISE_REPORT_GRAPH_WRITER_H_
#define SHAPEWISE_REPORT_GRAPH_WRITER_H_

#include <span>
#include <vector>

#include "model/graph_model.h"
#include "report/report_writer.h"
#include "result/graph_report.h"

namespace shapewise {

/// Prints reports, each on one of the graphs.
using GraphFormat = OutputFormat<GraphSet, std::vector<GraphReport>>;

/// The formats of `graph`, the default first.
std::span<const GraphFormat> GraphFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GRAPH_WRITER_H_
