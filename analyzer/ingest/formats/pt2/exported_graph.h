// One graph of an exported program, node by node.

#ifndef SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_GRAPH_H_
#define SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_GRAPH_H_

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/argument_tree.h"
#include "ingest/symbol_index.h"
#include "llvm/ADT/StringMap.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// A union of the schema: an object with the name of the member that is set.
struct ExportedUnion {
  std::string_view tag;          ///< "as_tensor"; empty: no union
  simdjson::dom::element value;  ///< without a union: the element itself
};

/// The member of `element` that is set: its only one, or the first that is not null.
ExportedUnion UnionOf(simdjson::dom::element element);

/// Reads types into a graph set; notes hints of symbols in a graph.
class ExportedTypes {
 public:
  ExportedTypes(GraphSet& graphs, GraphModel& graph, uint32_t input)
      : graphs_(graphs), symbols_(graph), input_(input) {}

  /// Index of the type of a TensorMeta.
  uint32_t OfTensor(simdjson::dom::element meta);
  /// Index of the type of a SymInt, SymFloat or SymBool.
  uint32_t OfSymbolic(ValueType::Kind kind, simdjson::dom::element symbolic);
  uint32_t OfObject(std::string_view class_name);
  uint32_t OfNone();

 private:
  ExprId Expression(simdjson::dom::element symbolic);
  bool ReadSizes(simdjson::dom::object meta, std::string_view key, std::vector<ExprId>& sizes);

  GraphSet& graphs_;
  SymbolIndex symbols_;
  uint32_t input_;
};

/// What the signature says of an input.
struct ExportedInput {
  PlaceholderKind kind = PlaceholderKind::kInput;
  std::string source;    ///< "self.fc.weight"; empty: unknown
  std::string constant;  ///< the name of an input that was given as a constant
};

/// Reads one Graph of the schema into a GraphModel as the live graph was: what the schema leaves
/// out (getitem nodes of several results, get_attr nodes of subgraphs) is added again.
class ExportedGraphReader {
 public:
  ExportedGraphReader(GraphSet& graphs, GraphModel& graph, uint32_t input)
      : graphs_(graphs), graph_(graph), types_(graphs, graph, input), input_(input) {}

  /// A graph inside of an argument, with the name of the get_attr node that gives it.
  using Subgraph = std::pair<std::string, simdjson::dom::object>;

  /// Reads nodes from `graph`; `inputs` may be fewer or more than there are inputs.
  void Read(simdjson::dom::object graph, const std::vector<ExportedInput>& inputs);

  /// The graphs that nodes of this one call, to be read by the caller.
  const std::vector<Subgraph>& subgraphs() const { return subgraphs_; }

 private:
  void IndexTypes(simdjson::dom::object graph);
  uint32_t TypeOf(std::string_view name);
  uint32_t AddNode(NodeKind kind, std::string_view target);
  uint32_t AddValue(uint32_t node, std::string_view name, uint32_t type);
  std::string UniqueName(std::string_view stem);

  void ReadInput(simdjson::dom::element input, const ExportedInput& told);
  void ReadNode(simdjson::dom::object node);
  void ReadMetadata(simdjson::dom::object node, GraphNode& read);
  std::vector<ArgumentTree> ReadArguments(simdjson::dom::object node);
  void ReadResults(simdjson::dom::object node, uint32_t index);
  void AddElements(uint32_t node, const std::vector<ExportedUnion>& results,
                   std::string_view unused);
  void AddElement(uint32_t aggregate, int64_t position, std::string_view name, uint32_t type);
  void ReadOutputs(simdjson::dom::object graph);

  ArgumentTree ReadTagged(const ExportedUnion& argument);
  ArgumentTree ReadList(std::string_view element_tag, simdjson::dom::element list);
  ArgumentTree ReadNamed(std::string_view name);
  ArgumentTree AddSubgraph(simdjson::dom::element argument);

  GraphSet& graphs_;
  GraphModel& graph_;
  ExportedTypes types_;
  uint32_t input_;
  llvm::StringMap<std::pair<ValueType::Kind, simdjson::dom::element>> metas_;
  llvm::StringMap<uint32_t> values_;        // by name
  llvm::StringMap<uint32_t> last_numbers_;  // of made-up names, by their stem
  std::vector<Subgraph> subgraphs_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_GRAPH_H_
