// Inputs and results of statements: c10::IValue, and kinds that it lacks.

#ifndef SHAPEWISE_REPLAY_VALUE_H_
#define SHAPEWISE_REPLAY_VALUE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shapewise::replay {

/// A Python value. Copies share tensors and elements.
class Value {
 public:
  enum class Kind : uint8_t {
    kMissing,  ///< no value: the statement did not run
    kPlain,    ///< plain(): a tensor, number, truth value, text, device, generator, or None
    kDtype,    ///< a c10::ScalarType, as plain()'s integer
    kLayout,   ///< a c10::Layout, as plain()'s integer
    kMemoryFormat,
    kEllipsis,
    kSlice,  ///< items(): start, stop, step
    kList,   ///< items()
    kTuple,  ///< items()
    kDict,   ///< items(): key, value, key, value ...
    kName,   ///< an unknown constant: plain()'s text
  };

  Value() = default;
  /// Converts lists and tuples in `plain` to kList and kTuple.
  explicit Value(c10::IValue plain);
  Value(Kind kind, c10::IValue plain) : kind_(kind), plain_(std::move(plain)) {}
  static Value List(std::vector<Value> items) { return {Kind::kList, std::move(items)}; }
  static Value Tuple(std::vector<Value> items) { return {Kind::kTuple, std::move(items)}; }
  static Value Slice(std::vector<Value> items) { return {Kind::kSlice, std::move(items)}; }
  static Value Dict(std::vector<Value> items) { return {Kind::kDict, std::move(items)}; }
  static Value None() { return {Kind::kPlain, c10::IValue()}; }
  static Value Ellipsis() { return {Kind::kEllipsis, c10::IValue()}; }
  static Value Of(at::Tensor tensor) { return {Kind::kPlain, c10::IValue(std::move(tensor))}; }
  static Value Int(int64_t number) { return {Kind::kPlain, c10::IValue(number)}; }
  static Value Float(double number) { return {Kind::kPlain, c10::IValue(number)}; }
  static Value Bool(bool truth) { return {Kind::kPlain, c10::IValue(truth)}; }
  static Value OnDevice(c10::Device device) { return {Kind::kPlain, c10::IValue(device)}; }
  static Value Text(std::string text) { return {Kind::kPlain, c10::IValue(std::move(text))}; }

  Kind kind() const { return kind_; }
  const c10::IValue& plain() const { return plain_; }
  const std::vector<Value>& items() const { return *items_; }

  bool IsMissing() const { return kind_ == Kind::kMissing; }
  bool IsNone() const { return kind_ == Kind::kPlain && plain_.isNone(); }
  bool IsTensor() const { return kind_ == Kind::kPlain && plain_.isTensor(); }
  bool IsInt() const { return kind_ == Kind::kPlain && plain_.isInt(); }
  bool IsBool() const { return kind_ == Kind::kPlain && plain_.isBool(); }
  bool IsFloat() const { return kind_ == Kind::kPlain && plain_.isDouble(); }
  bool IsText() const { return kind_ == Kind::kPlain && plain_.isString(); }
  /// An integer, a float or a truth value.
  bool IsNumber() const { return IsInt() || IsFloat() || IsBool(); }
  bool IsSequence() const { return kind_ == Kind::kList || kind_ == Kind::kTuple; }

  /// These throw c10::Error if the value is something else; a truth value is also a number.
  const at::Tensor& AsTensor() const;
  int64_t AsInt() const;
  double AsFloat() const;
  bool AsBool() const;  ///< also for numbers, as in Python
  at::Scalar AsScalar() const;
  const std::string& AsText() const;
  const std::vector<Value>& AsSequence() const;
  std::vector<int64_t> AsInts() const;        ///< for a list or tuple
  std::vector<at::Tensor> AsTensors() const;  ///< for a list or tuple
  c10::ScalarType AsDtype() const;            ///< for kDtype
  /// In the form of torch.save: sequences become tuples. Throws for values that cannot be saved.
  c10::IValue AsIValue() const;

  /// "tensor", "int", "dtype", "list" ...: for messages.
  std::string KindName() const;

 private:
  Value(Kind kind, std::vector<Value> items)
      : kind_(kind), items_(std::make_shared<const std::vector<Value>>(std::move(items))) {}

  Kind kind_ = Kind::kMissing;
  c10::IValue plain_;
  std::shared_ptr<const std::vector<Value>> items_;
};

/// The tensor of an argument that may be None.
inline std::optional<at::Tensor> OptionalTensor(const Value& value) {
  return value.IsTensor() ? std::optional<at::Tensor>(value.AsTensor()) : std::nullopt;
}

struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;

  /// The argument at `index`, or the one called `name`; None if both are missing. Valid as long as
  /// this.
  const Value& Get(size_t index, std::string_view name = {}) const {
    static const Value none = Value::None();
    if (index < positional.size()) return positional[index];
    for (const auto& [keyword, value] : keywords) {
      if (keyword == name) return value;
    }
    return none;
  }
  size_t size() const { return positional.size(); }
};

/// Runs one call; throws c10::Error or std::runtime_error.
using HandFunction = Value (*)(const CallArguments&);

/// A row of a table of functions.
struct NamedFunction {
  std::string_view target;
  HandFunction function;
};

/// The function called `target` in `table`; null: none.
inline HandFunction FindFunction(std::span<const NamedFunction> table, std::string_view target) {
  const auto row = std::ranges::find(table, target, &NamedFunction::target);
  return row == table.end() ? nullptr : row->function;
}

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_VALUE_H_
