// What a dump says of a value: "f32[s77, 4][4, 1]cpu", "Sym(s77 + 1)", "torch.Tensor".

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_TYPE_ANNOTATION_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_TYPE_ANNOTATION_H_

#include <cstdint>
#include <string_view>

#include "llvm/ADT/StringMap.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// "f32" -> "torch.float32"; empty: no such short form.
/// Source: torch/utils/_dtype_abbrs.py, releases 2.0 to 2.13.
std::string_view DtypeOfAbbreviation(std::string_view abbreviation);

/// Reads annotations; each distinct text once.
class TypeAnnotations {
 public:
  explicit TypeAnnotations(GraphSet& graphs) : graphs_(graphs) {}

  /// The index in GraphSet::types of what `text` says; kNoIndex for the empty text. A size of no
  /// known form is kept as a symbol of that name, and counted at `line` of `input`.
  uint32_t Read(std::string_view text, uint32_t input, uint64_t line);

  /// One size, or a stride.
  ExprId ReadSize(std::string_view text, uint32_t input, uint64_t line);

 private:
  ValueType Parse(std::string_view text, uint32_t input, uint64_t line);
  bool ParseTensor(std::string_view text, ValueType& type, uint32_t input, uint64_t line);

  GraphSet& graphs_;
  llvm::StringMap<uint32_t> known_;
  llvm::StringMap<ExprId> known_sizes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_TYPE_ANNOTATION_H_
