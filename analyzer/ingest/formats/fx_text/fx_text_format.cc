#include <string>

#include "ingest/graph_format.h"
#include "ingest/graph_text/graph_scanner.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

bool SniffFxText(const GraphInput& input) {
  std::string storage;
  const std::string_view front = StripEscapes(input.bytes.substr(0, kGraphSniffBytes), storage);
  return !IsPythonProgram(input.name, front) && HasGraphHead(front);
}

Error ReadFxText(const GraphInput& input, GraphSet& graphs) {
  std::string storage;
  GraphOrigin origin;
  origin.input = input.index;
  GraphScanner(graphs).Scan(StripEscapes(input.bytes, storage), 1, {}, origin);
  return Error::success();
}

}  // namespace

const GraphFormat kFxTextFormat{SniffFxText, ReadFxText};

}  // namespace shapewise
