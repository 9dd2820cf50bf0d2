#include "ingest/formats/torchscript/pickle_reader.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

// Far more than data.pkl of the largest model contains: about ten values per parameter.
constexpr size_t kMaxValues = size_t{2} << 20;

/// A pickle machine with a stack and a memo; every step creates at most one value and takes time
/// proportional to what it pops.
class PickleMachine {
 public:
  explicit PickleMachine(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  Expected<Pickle> Run() {
    while (!is_done_ && why_ == nullptr) {
      const std::string_view opcode = Take(1);
      if (!opcode.empty()) Step(opcode[0]);
      if (std::max({pickle_.values.size(), stack_.size(), memo_.size(), num_items_}) > kMaxValues) {
        why_ = "holds more values than any model";
      }
    }
    if (why_ == nullptr) return std::move(pickle_);
    return MakeError("the pickle " + std::string(why_) + ", at byte " +
                     std::to_string(size_ - rest_.size()));
  }

 private:
  using Kind = PickleValue::Kind;

  /// The next `count` bytes; fails if there are fewer.
  std::string_view Take(uint64_t count) {
    if (count > rest_.size()) {
      why_ = "is cut: it announces more bytes than there are";
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  template <typename Number>
  Number TakeNumber() {
    const std::string_view bytes = Take(sizeof(Number));
    return bytes.empty()
               ? Number()
               : llvm::support::endian::read<Number, llvm::support::little, 1>(bytes.data());
  }
  std::string_view TakeLine() {
    const std::string_view line = Take(std::min(rest_.find('\n'), rest_.size()));
    Take(1);
    return line;
  }

  void PushInt(int64_t integer, Kind kind = Kind::kInt) { Push(kind).integer = integer; }
  PickleValue& Push(Kind kind) {
    stack_.push_back(static_cast<uint32_t>(pickle_.values.size()));
    PickleValue& value = pickle_.values.emplace_back();
    value.kind = kind;
    return value;
  }

  /// Pops the top `count` values; fails if the last mark is among them.
  llvm::SmallVector<uint32_t, 2> Pop(size_t count) {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - floor < count) {
      why_ = "takes values that it has not put there";
      return {};
    }
    llvm::SmallVector<uint32_t, 2> values(stack_.end() - static_cast<ptrdiff_t>(count),
                                          stack_.end());
    stack_.resize(stack_.size() - count);
    return values;
  }
  /// Pops all values above the last mark, and the mark.
  llvm::SmallVector<uint32_t, 2> PopMarked() {
    if (marks_.empty()) return Pop(SIZE_MAX);
    auto values = Pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
  }
  /// A value of `kind` made of `items`.
  void PushGroup(Kind kind, llvm::SmallVector<uint32_t, 2> items) {
    if (why_ != nullptr) return;
    num_items_ += items.size();
    Push(kind).items = std::move(items);
  }
  /// Adds `items` to the value on top.
  void Append(llvm::ArrayRef<uint32_t> items) {
    num_items_ += items.size();
    if (PickleValue* const top = Top()) top->items.append(items.begin(), items.end());
  }
  /// Fails and returns null if nothing is above the last mark.
  PickleValue* Top() {
    const auto top = Pop(1);
    if (why_ != nullptr) return nullptr;
    stack_.push_back(top[0]);
    return &pickle_.values[top[0]];
  }

  void Remember(uint32_t key) {
    if (Top() != nullptr) memo_[key] = stack_.back();
  }
  void Recall(uint32_t key) {
    const auto at = memo_.find(key);
    if (at == memo_.end()) {
      why_ = "refers to a value that it has not kept";
    } else {
      stack_.push_back(at->second);
    }
  }

  // Opcodes by their letters in Lib/pickle.py.
  void Step(char opcode) {
    switch (opcode) {
      case '\x80':  // PROTO
        Take(1);
        return;
      case '.': {  // STOP
        is_done_ = true;
        const auto root = Pop(1);
        if (why_ == nullptr) pickle_.root = root[0];
        return;
      }
      case '(':  // MARK
        return marks_.push_back(stack_.size());
      case 'q':  // BINPUT
        return Remember(TakeNumber<uint8_t>());
      case 'r':  // LONG_BINPUT
        return Remember(TakeNumber<uint32_t>());
      case 'h':  // BINGET
        return Recall(TakeNumber<uint8_t>());
      case 'j':  // LONG_BINGET
        return Recall(TakeNumber<uint32_t>());
      case 'b': {  // BUILD
        const auto state = Pop(1);
        if (PickleValue* const object = why_ == nullptr ? Top() : nullptr) object->state = state[0];
        return;
      }
      case 'a':  // APPEND
        return Append(Pop(1));
      case 's':  // SETITEM
        return Append(Pop(2));
      case 'e':  // APPENDS
      case 'u':  // SETITEMS
        return Append(PopMarked());
      default:
        PushPlain(opcode);
    }
  }

  void PushPlain(char opcode) {
    switch (opcode) {
      case 'N':  // NONE
        Push(Kind::kNone);
        return;
      case '\x88':  // NEWTRUE
      case '\x89':  // NEWFALSE
        return PushInt(opcode == '\x88' ? 1 : 0, Kind::kBool);
      case 'K':  // BININT1
        return PushInt(TakeNumber<uint8_t>());
      case 'M':  // BININT2
        return PushInt(TakeNumber<uint16_t>());
      case 'J':  // BININT
        return PushInt(TakeNumber<int32_t>());
      case '\x8a':  // LONG1
        if (TakeNumber<uint8_t>() != sizeof(int64_t)) why_ = "has a number of unusual size";
        return PushInt(TakeNumber<int64_t>());
      case 'G':  // BINFLOAT, big-endian
        Push(Kind::kFloat).number =
            std::bit_cast<double>(llvm::ByteSwap_64(TakeNumber<uint64_t>()));
        return;
      case 'X':  // BINUNICODE
        Push(Kind::kText).text = Take(TakeNumber<uint32_t>());
        return;
      case 'c': {  // GLOBAL
        PickleValue& global = Push(Kind::kGlobal);
        global.module = TakeLine();
        global.text = TakeLine();
        return;
      }
      default:
        return PushContainer(opcode);
    }
  }

  void PushContainer(char opcode) {
    struct Container {
      char opcode;
      Kind kind;
      int num_items;  // -1: all above the last mark
    };
    static constexpr Container kContainers[] = {
        {')', Kind::kTuple, 0},         // EMPTY_TUPLE
        {'\x85', Kind::kTuple, 1},      // TUPLE1
        {'\x86', Kind::kTuple, 2},      // TUPLE2
        {'\x87', Kind::kTuple, 3},      // TUPLE3
        {'t', Kind::kTuple, -1},        // TUPLE
        {']', Kind::kList, 0},          // EMPTY_LIST
        {'l', Kind::kList, -1},         // LIST
        {'}', Kind::kDict, 0},          // EMPTY_DICT
        {'d', Kind::kDict, -1},         // DICT
        {'R', Kind::kCall, 2},          // REDUCE
        {'\x81', Kind::kObject, 2},     // NEWOBJ
        {'Q', Kind::kPersistentId, 1},  // BINPERSID
    };
    const auto* const found = std::ranges::find(kContainers, opcode, &Container::opcode);
    if (found == std::end(kContainers)) {
      why_ = "has an instruction that LibTorch does not read";
    } else {
      const auto count = static_cast<size_t>(found->num_items);
      PushGroup(found->kind, found->num_items < 0 ? PopMarked() : Pop(count));
    }
  }

  std::string_view rest_;
  const size_t size_;
  Pickle pickle_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;  // heights of the stack
  // Ordered: the file chooses the keys, and could degrade a hash table.
  std::map<uint32_t, uint32_t> memo_;
  size_t num_items_ = 0;
  bool is_done_ = false;
  const char* why_ = nullptr;  // why it failed
};

bool IsOwnModule(std::string_view module) {
  const std::string_view package = module.substr(0, module.find('.'));
  return IsOneOf(package, {"torch", "__torch__"}) || module == "collections";
}

}  // namespace

Expected<Pickle> ReadPickle(std::string_view bytes) { return PickleMachine(bytes).Run(); }

bool LooksLikePickle(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

std::string ForeignCall(const Pickle& pickle) {
  using Kind = PickleValue::Kind;
  for (const PickleValue& value : pickle.values) {
    if (value.kind != Kind::kCall && value.kind != Kind::kObject) continue;
    const PickleValue& callee = pickle.values[value.items.front()];
    if (callee.kind != Kind::kGlobal) return "the result of another call";
    if (IsOwnModule(callee.module)) continue;
    return std::string(callee.module) + "." + std::string(callee.text);
  }
  return {};
}

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
constexpr size_t kMaxTensorDims = 64;

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
      if (list == kNoIndex || at(list).items.size() > kMaxTensorDims) return false;
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
