// The objects of a TorchScript archive: modules and their tensors in data.pkl.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_MODULE_STATE_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_MODULE_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/formats/torchscript/pickle_reader.h"
#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "model/graph_model.h"

namespace shapewise {

/// Reads objects of one pickle. Tensors have a shape and a type; their values are never read.
class ModuleState {
 public:
  explicit ModuleState(Pickle pickle) : pickle_(std::move(pickle)) {}

  uint32_t root() const { return pickle_.root; }

  /// "__torch__.Net" for an object of that class; empty for anything else.
  std::string ClassOf(uint32_t value) const;

  /// The attribute `name` of an object; kNoIndex if not found.
  uint32_t Attribute(uint32_t object, std::string_view name);

  /// The element `index` of a tuple or list; kNoIndex if not found.
  uint32_t Element(uint32_t sequence, size_t index) const;

  /// Index of the type of a tensor; kNoIndex if `value` is not a tensor.
  uint32_t TensorType(uint32_t value, GraphSet& graphs) const;

  /// A number, a string, a bool or None; absent for anything else.
  std::optional<Argument> Literal(uint32_t value, GraphBuilder& builder) const;

 private:
  const PickleValue& at(uint32_t value) const { return pickle_.values[value]; }

  Pickle pickle_;
  // By state, which several objects may share.
  llvm::DenseMap<uint32_t, llvm::StringMap<uint32_t>> attributes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_MODULE_STATE_H_
