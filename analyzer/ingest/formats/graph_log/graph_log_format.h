// Graphs inside a log: of TORCH_LOGS artifacts, or printed by the program.

#ifndef SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_FORMAT_H_

#include <memory>

#include "ingest/graph_format.h"

namespace shapewise {

/// Any text: what graphs are in it, whatever stands around them and in front of their lines.
std::unique_ptr<GraphFormat> NewGraphLogFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_FORMAT_H_
