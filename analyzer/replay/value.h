// What a statement of a graph takes and makes: c10::IValue, and what it has no kind for.

#ifndef SHAPEWISE_REPLAY_VALUE_H_
#define SHAPEWISE_REPLAY_VALUE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shapewise::replay {

/// A value as Python has it. Copies share tensors and elements.
class Value {
 public:
  enum class Kind : uint8_t {
    kMissing,  ///< no value: of a statement that did not run
    kPlain,    ///< plain(): a tensor, number, truth value, text, device, generator, or None
    kDtype,    ///< a c10::ScalarType as plain()'s integer
    kLayout,   ///< a c10::Layout likewise
    kMemoryFormat,
    kEllipsis,
    kSlice,  ///< items(): start, stop, step
    kList,   ///< items()
    kTuple,  ///< items()
    kDict,   ///< items(): key, value, key, value ...
    kName,   ///< a constant that is not known: plain()'s text
  };

  Value() = default;
  /// Lists and tuples of `plain` become kList and kTuple.
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

  /// Each throws c10::Error if the value is something else; a truth value is a number as well.
  const at::Tensor& AsTensor() const;
  int64_t AsInt() const;
  double AsFloat() const;
  bool AsBool() const;  ///< numbers too, as Python takes them
  at::Scalar AsScalar() const;
  const std::string& AsText() const;
  const std::vector<Value>& AsSequence() const;
  std::vector<int64_t> AsInts() const;        ///< of a list or tuple
  std::vector<at::Tensor> AsTensors() const;  ///< of a list or tuple
  c10::ScalarType AsDtype() const;            ///< of kDtype
  /// As torch.save has it: sequences become tuples. Throws for what has no place in a file.
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

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_VALUE_H_
