// Reads graphs that are printed as lists of their nodes: print(graph), Graph.print_tabular.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"
#include "ingest/graph_text/python_graph_reader.h"

namespace shapewise {

/// Reads graphs of the form "graph():", with a node a line:
///   %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})
/// Source: Node.format_node in torch/fx/node.py, releases 2.0 to 2.13.
class PrintGraphReader {
 public:
  /// `python` reads the line "return", which is Python.
  PrintGraphReader(GraphBuilder& builder, PythonGraphReader& python)
      : builder_(builder), arguments_(builder, /*has_percents=*/true), python_(python) {}

  /// Reads the graph whose head is the line of `cursor`, and moves behind it. It is
  /// called `name`. Returns its index.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin, std::string_view name);

 private:
  bool ReadNode(std::string_view text, uint64_t line);
  bool ReadCall(std::string_view text);

  GraphBuilder& builder_;
  ArgumentReader arguments_;
  PythonGraphReader& python_;
  std::string target_storage_;
};

/// Reads tables with the columns opcode, name, target, args, kwargs. Functions stand there as
/// Python shows them ("<built-in function mul>"), without their module.
class TableGraphReader {
 public:
  explicit TableGraphReader(GraphBuilder& builder)
      : builder_(builder), arguments_(builder, /*has_percents=*/false) {}

  /// Reads the table whose head is the line of `cursor`, and moves behind it. The graph is
  /// called `name`. Returns its index; kNoIndex: it is no such table.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin, std::string_view name);

 private:
  bool ReadRow(std::string_view row, uint64_t line);
  bool ReadCells(std::string_view arguments, std::string_view keywords);

  GraphBuilder& builder_;
  ArgumentReader arguments_;
  std::vector<size_t> columns_;  ///< where each begins
  std::string target_storage_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_
