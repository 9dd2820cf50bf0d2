// Graphs among the payloads of a structured trace (TORCH_TRACE).

#ifndef SHAPEWISE_INGEST_FORMATS_GRAPH_TRACE_GRAPH_TRACE_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_GRAPH_TRACE_GRAPH_TRACE_FORMAT_H_

#include <memory>

#include "ingest/graph_format.h"

namespace shapewise {

/// dynamo_output_graph, aot_forward_graph and their like; symbols are given what create_symbol says
/// of them in the same compilation.
std::unique_ptr<GraphFormat> NewGraphTraceFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_GRAPH_TRACE_GRAPH_TRACE_FORMAT_H_
