// Reads a graph as print(graph) shows it.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_PRINT_GRAPH_READER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_PRINT_GRAPH_READER_H_

#include <cstdint>

#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"
#include "ingest/graph_text/statement_parser.h"

namespace shapewise {

/// Reads graphs of the form "graph():", with a node a line:
///   %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})
/// Source: Node.format_node in torch/fx/node.py, releases 2.0 to 2.13.
class PrintGraphReader {
 public:
  explicit PrintGraphReader(GraphBuilder& builder)
      : builder_(builder), parser_(builder, ValueSpelling::kPercentNames), statements_(builder) {}

  /// Reads the graph whose head is the line of `cursor`, and moves behind it. It is
  /// called `name`. Returns its index.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin, std::string_view name);

 private:
  bool ReadNode(std::string_view text, uint64_t line);
  bool ReadCall(std::string_view text);

  GraphBuilder& builder_;
  ArgumentParser parser_;
  StatementParser statements_;  ///< reads the line "return", which is Python
  std::string target_storage_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_PRINT_GRAPH_READER_H_
