#include "ingest/formats/torchscript/pickle_reader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

namespace shapewise {
namespace {

using PickleKind = PickleValue::Kind;

// Far more than data.pkl of the largest model has: some ten values a parameter.
constexpr size_t kMaxValues = size_t{2} << 20;

/// A machine with a stack and a memo, as a pickle expects it; every step makes one value at most
/// and takes the time of what it takes from the stack.
class PickleMachine {
 public:
  explicit PickleMachine(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  Expected<Pickle> Run() {
    while (!is_done_) {
      if (rest_.empty()) return Fail("ends before its last value");
      const char opcode = rest_.front();
      rest_.remove_prefix(1);
      if (!Step(opcode)) return Fail(why_);
      if (pickle_.values.size() > kMaxValues || stack_.size() > kMaxValues) {
        return Fail("holds more values than any model");
      }
    }
    return std::move(pickle_);
  }

 private:
  static constexpr uint32_t kMark = UINT32_MAX;

  Error Fail(const char* why) const {
    return MakeError("the pickle " + std::string(why) + ", at byte " +
                     std::to_string(size_ - rest_.size()));
  }

  // --- bytes

  /// The next `count` bytes; false if there are fewer.
  bool Take(uint64_t count, std::string_view& bytes) {
    if (count > rest_.size()) {
      why_ = "is cut: it announces more bytes than there are";
      return false;
    }
    bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
  }
  template <typename Number>
  bool TakeNumber(Number& number) {
    std::string_view bytes;
    if (!Take(sizeof(Number), bytes)) return false;
    uint64_t bits = 0;  // little-endian
    for (size_t i = sizeof(Number); i-- > 0;) bits = bits << 8 | static_cast<uint8_t>(bytes[i]);
    number = static_cast<Number>(bits);
    return true;
  }
  template <typename Size>
  bool TakeCounted(std::string_view& bytes) {
    Size size = 0;
    return TakeNumber(size) && Take(size, bytes);
  }
  bool TakeLine(std::string_view& line) {
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {
      why_ = "is cut within a line";
      return false;
    }
    line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  // --- values

  bool Push(PickleValue value) {
    stack_.push_back(static_cast<uint32_t>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
    return true;
  }
  bool PushKind(PickleKind kind) {
    PickleValue value;
    value.kind = kind;
    return Push(std::move(value));
  }
  bool PushInt(int64_t integer, PickleKind kind = PickleKind::kInt) {
    PickleValue value;
    value.kind = kind;
    value.integer = integer;
    return Push(std::move(value));
  }
  bool PushText(PickleKind kind, std::string_view text) {
    PickleValue value;
    value.kind = kind;
    value.text = text;
    return Push(std::move(value));
  }
  bool PushFloat(double number) {
    PickleValue value;
    value.kind = PickleKind::kFloat;
    value.number = number;
    return Push(std::move(value));
  }
  bool PushGlobal(std::string_view module, std::string_view name) {
    PickleValue value;
    value.kind = PickleKind::kGlobal;
    value.module = module;
    value.text = name;
    return Push(std::move(value));
  }
  /// A value of `kind` made of the top `count` values.
  bool PushGroup(PickleKind kind, size_t count) {
    if (!HasTop(count)) return false;
    PickleValue value;
    value.kind = kind;
    value.items.assign(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return Push(std::move(value));
  }
  /// A value of `kind` made of all values above the last mark, which goes, too.
  bool PushMarked(PickleKind kind) {
    PickleItems items;
    if (!PopMarked(items) || !Count(items.size())) return false;
    PickleValue value;
    value.kind = kind;
    value.items = std::move(items);
    return Push(std::move(value));
  }

  // --- the stack

  /// Whether the top `count` entries are values.
  bool HasTop(size_t count) {
    const size_t floor = marks_.empty() ? 0 : marks_.back() + 1;
    if (stack_.size() >= floor + count) return true;
    why_ = "takes values that it has not put there";
    return false;
  }
  bool Pop(uint32_t& value) {
    if (!HasTop(1)) return false;
    value = stack_.back();
    stack_.pop_back();
    return true;
  }
  bool PopMarked(PickleItems& values) {
    if (marks_.empty()) {
      why_ = "takes values that it has not put there";
      return false;
    }
    values.assign(stack_.begin() + static_cast<ptrdiff_t>(marks_.back()) + 1, stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return true;
  }
  PickleValue& Top() { return pickle_.values[stack_.back()]; }

  /// Counts items of lists and dicts; false: too many.
  bool Count(size_t num_items) {
    num_items_ += num_items;
    if (num_items_ <= kMaxValues) return true;
    why_ = "holds more values than any model";
    return false;
  }

  /// Adds `items` to the value on top, if it holds any.
  bool Append(llvm::ArrayRef<uint32_t> items) {
    if (!HasTop(1) || !Count(items.size())) return false;
    Top().items.insert(Top().items.end(), items.begin(), items.end());
    return true;
  }
  bool AppendTop(size_t count) {
    if (!HasTop(count + 1)) return false;
    const PickleItems items(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return Append(items);
  }
  bool AppendMarked() {
    PickleItems items;
    return PopMarked(items) && Append(items);
  }

  bool Remember(uint64_t key) {
    if (!HasTop(1)) return false;
    memo_[key] = stack_.back();
    if (memo_.size() <= kMaxValues) return true;
    why_ = "holds more values than any model";
    return false;
  }
  bool Recall(uint64_t key) {
    const auto at = memo_.find(key);
    if (at == memo_.end()) {
      why_ = "refers to a value that it has not kept";
      return false;
    }
    stack_.push_back(at->second);
    return true;
  }

  // --- numbers as text and as bytes

  static std::optional<int64_t> Decimal(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  /// An int of any length, little-endian, two's complement.
  bool PushLong(std::string_view bytes) {
    if (bytes.size() > sizeof(int64_t)) return PushText(PickleKind::kBigInt, bytes);
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    const bool is_negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
    if (is_negative && bytes.size() < sizeof(int64_t)) value |= ~uint64_t{0} << 8 * bytes.size();
    return PushInt(static_cast<int64_t>(value));
  }
  bool PushDecimal(std::string_view line) {
    if (line.ends_with('L')) line.remove_suffix(1);
    if (line == "00" || line == "01") return PushInt(line == "01" ? 1 : 0, PickleKind::kBool);
    const std::optional<int64_t> value = Decimal(line);
    return value ? PushInt(*value) : PushText(PickleKind::kBigInt, line);
  }

  bool Step(char opcode);
  bool StepNumber(char opcode);
  bool StepGroup(char opcode);
  bool StepText(char opcode);
  bool StepMemo(char opcode);
  bool StepCall(char opcode);

  std::string_view rest_;
  const size_t size_;
  Pickle pickle_;
  std::vector<uint32_t> stack_;        // values, and kMark for marks
  std::vector<size_t> marks_;          // where in the stack they lie
  std::map<uint64_t, uint32_t> memo_;  // ordered: the file chooses the keys, and could make a
                                       // table of hashes a list
  size_t num_items_ = 0;
  bool is_done_ = false;
  const char* why_ = "is damaged";
};

/// Opcodes by the letters that Lib/pickle.py gives them.
bool PickleMachine::Step(char opcode) {
  switch (opcode) {
    case '\x80': {  // PROTO
      uint8_t version = 0;
      return TakeNumber(version);
    }
    case '\x95': {  // FRAME
      uint64_t size = 0;
      return TakeNumber(size);
    }
    case '.':  // STOP
      is_done_ = true;
      return Pop(pickle_.root);
    case '(':  // MARK
      marks_.push_back(stack_.size());
      stack_.push_back(kMark);
      return true;
    case '0': {  // POP
      uint32_t ignored = 0;
      if (!marks_.empty() && marks_.back() + 1 == stack_.size()) {
        stack_.pop_back();
        marks_.pop_back();
        return true;
      }
      return Pop(ignored);
    }
    case '1': {  // POP_MARK
      PickleItems ignored;
      return PopMarked(ignored);
    }
    case '2':  // DUP
      if (!HasTop(1)) return false;
      stack_.push_back(stack_.back());
      return true;
    default:
      return StepNumber(opcode);
  }
}

bool PickleMachine::StepNumber(char opcode) {
  switch (opcode) {
    case 'N':  // NONE
      return PushKind(PickleKind::kNone);
    case '\x88':  // NEWTRUE
      return PushInt(1, PickleKind::kBool);
    case '\x89':  // NEWFALSE
      return PushInt(0, PickleKind::kBool);
    case 'K': {  // BININT1
      uint8_t value = 0;
      return TakeNumber(value) && PushInt(value);
    }
    case 'M': {  // BININT2
      uint16_t value = 0;
      return TakeNumber(value) && PushInt(value);
    }
    case 'J': {  // BININT
      int32_t value = 0;
      return TakeNumber(value) && PushInt(value);
    }
    case 'G': {  // BINFLOAT, big-endian
      std::string_view bytes;
      return Take(8, bytes) &&
             PushFloat(std::bit_cast<double>(llvm::support::endian::read64be(bytes.data())));
    }
    default:
      return StepGroup(opcode);
  }
}

bool PickleMachine::StepGroup(char opcode) {
  switch (opcode) {
    case ')':  // EMPTY_TUPLE
      return PushKind(PickleKind::kTuple);
    case ']':  // EMPTY_LIST
      return PushKind(PickleKind::kList);
    case '}':  // EMPTY_DICT
      return PushKind(PickleKind::kDict);
    case '\x8f':  // EMPTY_SET
      return PushKind(PickleKind::kSet);
    case '\x85':  // TUPLE1
      return PushGroup(PickleKind::kTuple, 1);
    case '\x86':  // TUPLE2
      return PushGroup(PickleKind::kTuple, 2);
    case '\x87':  // TUPLE3
      return PushGroup(PickleKind::kTuple, 3);
    case 't':  // TUPLE
      return PushMarked(PickleKind::kTuple);
    case 'l':  // LIST
      return PushMarked(PickleKind::kList);
    case 'd':  // DICT
      return PushMarked(PickleKind::kDict);
    case '\x91':  // FROZENSET
      return PushMarked(PickleKind::kSet);
    case 'a':  // APPEND
      return AppendTop(1);
    case 's':  // SETITEM
      return AppendTop(2);
    case 'e':     // APPENDS
    case 'u':     // SETITEMS
    case '\x90':  // ADDITEMS
      return AppendMarked();
    default:
      return StepText(opcode);
  }
}

bool PickleMachine::StepText(char opcode) {
  std::string_view text;
  switch (opcode) {
    case 'I':  // INT
    case 'L':  // LONG
      return TakeLine(text) && PushDecimal(text);
    case 'F': {  // FLOAT
      if (!TakeLine(text)) return false;
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      return error == std::errc() && end == text.data() + text.size() && PushFloat(number);
    }
    case '\x8a':  // LONG1
      return TakeCounted<uint8_t>(text) && PushLong(text);
    case '\x8b': {  // LONG4, whose size is signed
      int32_t size = 0;
      return TakeNumber(size) && size >= 0 && Take(static_cast<uint64_t>(size), text) &&
             PushLong(text);
    }
    case 'S':  // STRING, in quotes
      if (!TakeLine(text)) return false;
      if (text.size() >= 2) text = text.substr(1, text.size() - 2);
      return PushText(PickleKind::kText, text);
    case 'V':  // UNICODE
      return TakeLine(text) && PushText(PickleKind::kText, text);
    case 'T': {  // BINSTRING, whose size is signed
      int32_t size = 0;
      return TakeNumber(size) && size >= 0 && Take(static_cast<uint64_t>(size), text) &&
             PushText(PickleKind::kText, text);
    }
    case 'U':     // SHORT_BINSTRING
    case '\x8c':  // SHORT_BINUNICODE
      return TakeCounted<uint8_t>(text) && PushText(PickleKind::kText, text);
    case 'X':  // BINUNICODE
      return TakeCounted<uint32_t>(text) && PushText(PickleKind::kText, text);
    case '\x8d':  // BINUNICODE8
      return TakeCounted<uint64_t>(text) && PushText(PickleKind::kText, text);
    case 'C':  // SHORT_BINBYTES
      return TakeCounted<uint8_t>(text) && PushText(PickleKind::kBytes, text);
    case 'B':  // BINBYTES
      return TakeCounted<uint32_t>(text) && PushText(PickleKind::kBytes, text);
    case '\x8e':  // BINBYTES8
    case '\x96':  // BYTEARRAY8
      return TakeCounted<uint64_t>(text) && PushText(PickleKind::kBytes, text);
    default:
      return StepMemo(opcode);
  }
}

bool PickleMachine::StepMemo(char opcode) {
  std::string_view line;
  uint8_t key = 0;
  uint32_t long_key = 0;
  switch (opcode) {
    case '\x94':  // MEMOIZE
      return Remember(memo_.size());
    case 'q':  // BINPUT
      return TakeNumber(key) && Remember(key);
    case 'r':  // LONG_BINPUT
      return TakeNumber(long_key) && Remember(long_key);
    case 'h':  // BINGET
      return TakeNumber(key) && Recall(key);
    case 'j':  // LONG_BINGET
      return TakeNumber(long_key) && Recall(long_key);
    case 'p':    // PUT
    case 'g': {  // GET
      if (!TakeLine(line)) return false;
      const std::optional<int64_t> number = Decimal(line);
      if (!number || *number < 0) return false;
      const auto told = static_cast<uint64_t>(*number);
      return opcode == 'p' ? Remember(told) : Recall(told);
    }
    default:
      return StepCall(opcode);
  }
}

bool PickleMachine::StepCall(char opcode) {
  std::string_view module;
  std::string_view name;
  switch (opcode) {
    case 'c':  // GLOBAL
      return TakeLine(module) && TakeLine(name) && PushGlobal(module, name);
    case '\x93': {  // STACK_GLOBAL
      uint32_t name_value = 0;
      uint32_t module_value = 0;
      if (!Pop(name_value) || !Pop(module_value)) return false;
      const std::deque<PickleValue>& values = pickle_.values;
      if (values[name_value].kind != PickleKind::kText ||
          values[module_value].kind != PickleKind::kText) {
        return false;
      }
      return PushGlobal(values[module_value].text, values[name_value].text);
    }
    case 'R':  // REDUCE
      return PushGroup(PickleKind::kCall, 2);
    case '\x81':  // NEWOBJ
      return PushGroup(PickleKind::kObject, 2);
    case '\x92':  // NEWOBJ_EX
      return PushGroup(PickleKind::kObject, 3);
    case 'o':  // OBJ
      return PushMarked(PickleKind::kObject);
    case 'i': {  // INST
      PickleItems arguments;
      if (!TakeLine(module) || !TakeLine(name) || !PopMarked(arguments)) return false;
      if (!PushGlobal(module, name) || !PushGroup(PickleKind::kObject, 1)) return false;
      return Append(arguments);
    }
    case 'b': {  // BUILD
      uint32_t state = 0;
      if (!Pop(state) || !HasTop(1)) return false;
      Top().state = state;
      return true;
    }
    case 'P':  // PERSID
      return TakeLine(name) && PushText(PickleKind::kText, name) &&
             PushGroup(PickleKind::kPersistentId, 1);
    case 'Q':  // BINPERSID
      return PushGroup(PickleKind::kPersistentId, 1);
    default:
      why_ = "has an instruction that is unknown, or that only a running Python can follow";
      return false;
  }
}

bool IsOwnModule(std::string_view module) {
  return module == "torch" || module.starts_with("torch.") || module == "__torch__" ||
         module.starts_with("__torch__.") || module == "collections";
}

}  // namespace

Expected<Pickle> ReadPickle(std::string_view bytes) { return PickleMachine(bytes).Run(); }

bool LooksLikePickle(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

std::string ForeignCall(const Pickle& pickle) {
  for (const PickleValue& value : pickle.values) {
    if (value.kind != PickleKind::kCall && value.kind != PickleKind::kObject) continue;
    if (value.items.empty()) return "an object of no class";
    const PickleValue& callee = pickle.values[value.items.front()];
    if (callee.kind != PickleKind::kGlobal) return "the result of another call";
    if (IsOwnModule(callee.module)) continue;
    return std::string(callee.module) + "." + std::string(callee.text);
  }
  return {};
}

}  // namespace shapewise
