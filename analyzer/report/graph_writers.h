// The formats of graphs, one file each, and shared functions.

#ifndef SHAPEWISE_REPORT_GRAPH_WRITERS_H_
#define SHAPEWISE_REPORT_GRAPH_WRITERS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/render.h"
#include "shapewise/report/graph_writer.h"

namespace shapewise {

DocumentFormats<GraphSet, std::vector<GraphReport>>::Describe DescribeGraphs;
GraphFormat::Function WriteGraphJson;
GraphFormat::Function WriteGraphProgram;

/// Counts the calls in `graph`, by name of the callee.
std::vector<std::pair<std::string_view, size_t>> CountOperators(const GraphSet& graphs,
                                                                const GraphModel& graph);

/// The type of the first value of `node`; null: no value, or unknown.
const ValueType* TypeOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node);

/// The type of `value`; null: unknown.
const ValueType* TypeOfValue(const GraphSet& graphs, const GraphModel& graph, uint32_t value);

/// The name of the first value of `node`, or of its callee if it produces none.
std::string_view NameOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GRAPH_WRITERS_H_
