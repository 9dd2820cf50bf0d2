// The list of forms of dumps, one line each; the first whose Sniff says yes reads the input.

#include "ingest/graph_format.h"

namespace shapewise {

const std::vector<std::unique_ptr<GraphFormat>>& BuiltinGraphFormats() {
  static const std::vector<std::unique_ptr<GraphFormat>> formats = [] {
    std::vector<std::unique_ptr<GraphFormat>> list;
    return list;
  }();
  return formats;
}

}  // namespace shapewise
