#include "ingest/formats/graph_log/graph_log_reader.h"
#include "ingest/graph_format.h"
#include "ingest/graph_text/graph_scanner.h"

namespace shapewise {
namespace {

constexpr size_t kGraphLogSniffBytes = 4096;

// A graph may stand at the end of gigabytes; that it is text is all that can be told here.
bool SniffGraphLog(const GraphInput& input) {
  const std::string_view front = input.bytes.substr(0, kGraphLogSniffBytes);
  return front.find('\0') == std::string_view::npos && !IsPythonProgram(input.name, front);
}

Error ReadGraphLog(const GraphInput& input, GraphSet& graphs) {
  GraphLogReader(graphs, input.index).Read(input.bytes);
  return Error::success();
}

}  // namespace

const GraphFormat kGraphLogFormat{SniffGraphLog, ReadGraphLog};

}  // namespace shapewise
