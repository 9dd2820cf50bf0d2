// One graph of an exported program, node by node.

#ifndef SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_GRAPH_H_
#define SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_GRAPH_H_

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/graph_text/graph_builder.h"

namespace shapewise {

/// A union of the schema: an object with the name of the member that is set.
struct ExportedUnion {
  std::string_view tag;          ///< "as_tensor"; empty: no union
  simdjson::dom::element value;  ///< without a union: the element itself
};

/// The member of `element` that is set: the only one, or the first that is not null.
ExportedUnion UnionOf(simdjson::dom::element element);

/// The signature's data about an input.
struct ExportedInput {
  PlaceholderKind kind = PlaceholderKind::kInput;
  std::string source;    ///< "self.fc.weight"; empty: unknown
  std::string constant;  ///< the name of an input passed as a constant
};

/// A graph nested in an argument, with the name of the get_attr node that returns it.
using ExportedSubgraph = std::pair<std::string, simdjson::dom::object>;

/// Reads one Graph of the schema into the graph of `builder` in the form of the original graph:
/// adds what the schema omits (getitem nodes of several results, get_attr nodes of subgraphs).
/// `inputs` may contain fewer or more entries than there are inputs. `hints` are those of the
/// program's symbols so far. Returns the graphs that nodes of this one call, to be read by the
/// caller.
std::vector<ExportedSubgraph> ReadExportedGraph(simdjson::dom::object graph,
                                                const std::vector<ExportedInput>& inputs,
                                                GraphBuilder& builder, SymbolHints& hints);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_GRAPH_H_
