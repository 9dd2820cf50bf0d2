// Types of values as the export schema writes them.

#ifndef SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_TYPES_H_
#define SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_TYPES_H_

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/symbol_index.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// A union of the schema: an object with the name of the member that is set.
struct ExportedUnion {
  std::string_view tag;  ///< "as_tensor"; empty: no union
  simdjson::dom::element value;
};

/// The member of `element` that is set: its only one, or the first that is not null.
ExportedUnion UnionOf(simdjson::dom::element element);

/// "torch.float32" for a ScalarType of the export schema, whose numbers are not those of c10; empty
/// for an unknown one. Likewise "torch.strided", "torch.contiguous_format".
std::string_view ExportedDtype(int64_t number);
std::string_view ExportedLayout(int64_t number);
std::string_view ExportedMemoryFormat(int64_t number);

/// "cuda:0" for {"type": "cuda", "index": 0}.
std::string ExportedDevice(simdjson::dom::element device);

/// Reads types into a graph set; notes hints of symbols in a graph.
class ExportedTypes {
 public:
  ExportedTypes(GraphSet& graphs, GraphModel& graph, uint32_t input)
      : graphs_(graphs), symbols_(graph), input_(input) {}

  /// Index of the type of a TensorMeta, of a SymInt, SymFloat or SymBool.
  uint32_t OfTensor(simdjson::dom::element meta);
  uint32_t OfSymbolic(ValueType::Kind kind, simdjson::dom::element symbolic);
  uint32_t OfObject(std::string_view class_name);
  uint32_t OfNone();

  /// The expression of a SymInt, SymFloat or SymBool, of a number; kNone if it cannot be read.
  ExprId Expression(simdjson::dom::element symbolic);

 private:
  std::vector<ExprId> Sizes(simdjson::dom::element sizes);

  GraphSet& graphs_;
  SymbolIndex symbols_;
  uint32_t input_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_TYPES_H_
