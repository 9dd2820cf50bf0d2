// Reads graphs that are printed as lists of their nodes: print(graph), Graph.print_tabular.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"

namespace shapewise {

/// "torch.ops.aten.add.Tensor" -> "aten.add.Tensor", "_operator.mul" -> "operator.mul",
/// "builtins.getattr" -> "getattr".
std::string NormalTarget(std::string_view target);

/// The function in Python's module operator that FX uses for an operator: "operator.add",
/// "operator.iadd".
std::string OperatorFunction(pyast::Operator op, bool is_in_place = false);

/// Reads the nodes of "graph():", one per line:
///   %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})
/// Source: Node.format_node in torch/fx/node.py, releases 2.0 to 2.13.
class ListedNodeReader {
 public:
  explicit ListedNodeReader(GraphBuilder& builder)
      : builder_(builder), arguments_(builder, /*has_percents=*/true) {}

  /// Adds the node in `line`; false: not a node.
  bool Read(std::string_view line);

 private:
  GraphBuilder& builder_;
  ArgumentReader arguments_;
};

/// Reads the table whose head is the line of `cursor`, and moves behind it. Its columns are opcode,
/// name, target, args, kwargs; functions stand there as Python shows them ("<built-in function
/// mul>"), without their module. The graph is called `name`. Returns its index; kNoIndex: it is no
/// such table.
uint32_t ReadGraphTable(LineCursor& cursor, GraphBuilder& builder, const GraphOrigin& origin,
                        std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_
