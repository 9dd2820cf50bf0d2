#include "ingest/formats/torchscript/module_state.h"

#include <utility>
#include <vector>

#include "support/text_scan.h"

namespace shapewise {
namespace {

using PickleKind = PickleValue::Kind;

// torch._utils._rebuild_tensor_v2(storage, offset, size, stride, requires_grad, ...)
constexpr size_t kStorage = 0;
constexpr size_t kSize = 2;
constexpr size_t kStride = 3;
constexpr size_t kRequiresGrad = 4;
// ("storage", torch.FloatStorage, key, device, number of elements)
constexpr size_t kStorageClass = 1;
constexpr size_t kStorageDevice = 3;
constexpr size_t kStorageParts = 5;
// Most operators of PyTorch reject tensors with more dims; a longer list is not a shape.
constexpr size_t kMaxDims = 64;

}  // namespace

std::string ModuleState::ClassOf(uint32_t value) const {
  if (value == kNoIndex || at(value).kind != PickleKind::kObject || at(value).items.empty())
    return {};
  const PickleValue& named = at(at(value).items.front());
  if (named.kind != PickleKind::kGlobal) return {};
  return std::string(named.module) + "." + std::string(named.text);
}

uint32_t ModuleState::Attribute(uint32_t object, std::string_view name) {
  if (object == kNoIndex || at(object).kind != PickleKind::kObject) return kNoIndex;
  const uint32_t state_index = at(object).state;
  if (state_index == UINT32_MAX) return kNoIndex;
  const auto [entry, is_new] = attributes_.try_emplace(state_index);
  const PickleValue& state = at(state_index);
  if (is_new && state.kind == PickleKind::kDict) {
    for (size_t i = 0; i + 1 < state.items.size(); i += 2) {
      const PickleValue& key = at(state.items[i]);
      if (key.kind != PickleKind::kText) continue;
      entry->second[llvm::StringRef(key.text.data(), key.text.size())] = state.items[i + 1];
    }
  }
  const auto found = entry->second.find(llvm::StringRef(name.data(), name.size()));
  return found == entry->second.end() ? kNoIndex : found->second;
}

uint32_t ModuleState::Element(uint32_t sequence, size_t index) const {
  if (sequence == kNoIndex) return kNoIndex;
  const PickleValue& value = at(sequence);
  const bool is_sequence = value.kind == PickleKind::kTuple || value.kind == PickleKind::kList;
  return is_sequence && index < value.items.size() ? value.items[index] : kNoIndex;
}

uint32_t ModuleState::TensorType(uint32_t value, GraphSet& graphs) const {
  // A parameter wraps a tensor in one more call; PyTorch nests only a few.
  for (int depth = 0; depth < 4 && value != kNoIndex; ++depth) {
    if (at(value).kind != PickleKind::kCall) return kNoIndex;
    const PickleValue& callee = at(at(value).items[0]);
    const uint32_t arguments = at(value).items[1];
    if (callee.text == "_rebuild_parameter") {
      value = Element(arguments, 0);
      continue;
    }
    if (!callee.text.starts_with("_rebuild_tensor")) return kNoIndex;
    ValueType type;
    type.kind = ValueType::Kind::kTensor;
    const auto read_sizes = [&](size_t index, std::vector<ExprId>& sizes) {
      const uint32_t list = Element(arguments, index);
      if (list == kNoIndex || at(list).items.size() > kMaxDims) return false;
      for (const uint32_t item : at(list).items) {
        const bool is_size = at(item).kind == PickleKind::kInt && at(item).integer >= 0;
        sizes.push_back(is_size ? graphs.expressions.Integer(at(item).integer) : ExprId::kNone);
      }
      return true;
    };
    type.has_shape = read_sizes(kSize, type.shape);
    type.has_stride = read_sizes(kStride, type.stride) && type.stride.size() == type.shape.size();
    if (!type.has_stride) type.stride.clear();
    const uint32_t requires_grad = Element(arguments, kRequiresGrad);
    if (requires_grad != kNoIndex && at(requires_grad).kind == PickleKind::kBool) {
      type.requires_grad = at(requires_grad).integer != 0;
    }
    const uint32_t storage = Element(arguments, kStorage);
    if (storage != kNoIndex && at(storage).kind == PickleKind::kPersistentId) {
      const uint32_t id = at(storage).items.front();
      const uint32_t storage_class = Element(id, kStorageClass);
      const uint32_t device = Element(id, kStorageDevice);
      if (device != kNoIndex && at(id).items.size() == kStorageParts) {
        std::string_view name = at(storage_class).text;
        if (name.ends_with("Storage")) name.remove_suffix(std::string_view("Storage").size());
        type.dtype = graphs.strings.Intern(FindDtype(&Dtype::scalar_type, name));
        type.device = graphs.strings.Intern(at(device).text);
      }
    }
    return graphs.InternType(std::move(type));
  }
  return kNoIndex;
}

std::optional<Argument> ModuleState::Literal(uint32_t value, GraphBuilder& builder) const {
  if (value == kNoIndex) return std::nullopt;
  const PickleValue& read = at(value);
  switch (read.kind) {
    case PickleKind::kNone:
      return Argument();
    case PickleKind::kBool:
      return BoolArgument(read.integer != 0);
    case PickleKind::kInt:
      return IntArgument(read.integer);
    case PickleKind::kFloat:
      return FloatArgument(read.number);
    case PickleKind::kText:
      return builder.TextArgument(Argument::Kind::kString, read.text);
    default:
      return std::nullopt;
  }
}

}  // namespace shapewise
