// The types of values in a dump: "f32[s77, 4][4, 1]cpu", "Sym(s77 + 1)", "torch.Tensor", and in
// TorchScript "Float(2, *, strides=[3, 1], requires_grad=0, device=cpu)".

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_VALUE_TYPES_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_VALUE_TYPES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "model/graph_model.h"

namespace shapewise {

/// The names of a dtype in several places; empty or 0 if it has no name there.
struct Dtype {
  std::string_view name;          ///< "torch.float32"
  std::string_view abbreviation;  ///< "f32"
  std::string_view scalar_type;   ///< "Float"
  int64_t number = 0;             ///< in the schema of torch.export
};

/// Those of tables/graphs.json.
const std::vector<Dtype>& AllDtypes();

/// The name of the dtype whose `field` is `key`; empty if not found.
template <typename Key>
std::string_view FindDtype(Key Dtype::* field, const Key& key) {
  if (key == Key()) return {};
  for (const Dtype& dtype : AllDtypes()) {
    if (dtype.*field == key) return dtype.name;
  }
  return {};
}

/// Removes the brackets of any kind at the start of `text` and returns their contents; false if
/// `text` does not begin with brackets, or they do not close.
bool ConsumeBrackets(std::string_view& text, std::string_view& inside);

/// Offset of `needle` in `text` outside of brackets and quotes; npos if not found.
size_t FindOutsideBrackets(std::string_view text, std::string_view needle);

/// The parts of `text` between its commas outside of brackets and quotes, trimmed. Empty for an
/// empty text.
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text);

/// Parses types; each distinct text once.
class TypeReader {
 public:
  explicit TypeReader(GraphSet& graphs) : graphs_(graphs) {}

  /// The index in GraphSet::types of what `text` says; kNoIndex for the empty text. A size of no
  /// known form is kept as a symbol of that name, and counted at `line` of `input`. Of TorchScript,
  /// a size that is not known ("*") has no expression, one with a name ("SS(-2)") is a symbol;
  /// older releases print sizes and strides in one: "Float(2:3, 3:1)". Source: c10's
  /// operator<<(ostream&, const Type&).
  uint32_t Read(std::string_view text, uint32_t input, uint64_t line);

  /// One size, or a stride.
  ExprId ReadSize(std::string_view text, uint32_t input, uint64_t line);

 private:
  ValueType Parse(std::string_view text, uint32_t input, uint64_t line);
  bool ParseTensor(std::string_view text, ValueType& type, uint32_t input, uint64_t line);
  bool ParseScriptTensor(std::string_view text, ValueType& type);
  ExprId ScriptSize(std::string_view text);

  GraphSet& graphs_;
  llvm::StringMap<uint32_t> known_;
  llvm::StringMap<ExprId> known_sizes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_VALUE_TYPES_H_
