#include "model/graph_model.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/Hashing.h"
#include "support/enum_name.h"

namespace shapewise {
namespace {

size_t HashOf(const ValueType& type) {
  llvm::hash_code hash =
      llvm::hash_combine(static_cast<uint8_t>(type.kind), type.has_shape, type.has_stride,
                         static_cast<uint32_t>(type.dtype), static_cast<uint32_t>(type.device),
                         static_cast<uint32_t>(type.expression));
  for (const ExprId size : type.shape) {
    hash = llvm::hash_combine(hash, static_cast<uint32_t>(size));
  }
  for (const ExprId stride : type.stride) {
    hash = llvm::hash_combine(hash, static_cast<uint32_t>(stride));
  }
  return hash;
}

}  // namespace

std::string_view NodeKindName(NodeKind kind) {
  return EnumName<NodeKind::kOperator>(kind, {"placeholder", "get_attr", "call_function",
                                              "call_method", "call_module", "output", "operator"});
}

std::string_view PlaceholderKindName(PlaceholderKind kind) {
  return EnumName<PlaceholderKind::kSelf>(
      kind, {"input", "parameter", "buffer", "constant", "symbol", "tangent", "saved", "self"});
}

size_t CountNodes(const GraphModel& graph) {
  return graph.nodes.size() - (graph.is_torchscript ? graph.placeholders.size() : 0);
}

uint32_t GraphSet::InternType(ValueType type) {
  const size_t hash = HashOf(type);
  const auto [first, last] = types_by_hash_.equal_range(hash);
  const auto same =
      std::find_if(first, last, [&](const auto& entry) { return types[entry.second] == type; });
  if (same != last) return same->second;
  const auto index = static_cast<uint32_t>(types.size());
  types.push_back(std::move(type));
  types_by_hash_.emplace(hash, index);
  return index;
}

}  // namespace shapewise
