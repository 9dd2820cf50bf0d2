// Guards on shapes: the sizes, strides, ints and lengths that a cache entry requires, as printed.

#ifndef SHAPEWISE_MODEL_SHAPE_GUARD_H_
#define SHAPEWISE_MODEL_SHAPE_GUARD_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/string_pool.h"

namespace shapewise {

/// One guard of one compilation.
struct ShapeGuard {
  enum class Kind : uint8_t {
    kTensor,    ///< "tensor": check_tensor(...): sizes and strides, None where symbolic
    kRelation,  ///< "relation": a predicate on sizes or symbolic ints
    kValue,     ///< "value": an int that was a constant
    kLength,    ///< "length": of a list, tuple, dict or set
    kMark,      ///< "mark": the dynamic marks (mark_dynamic and similar) that a tensor may have
  };
  Kind kind = Kind::kTensor;
  bool is_zero_one = false;  ///< relation: exists only because 0 and 1 are special
  bool is_duck = false;      ///< relation: only says that two sizes were equal at compile time
  /// Relation: required by an operator, not by code that calls operators.
  bool is_operators = false;
  StrId source{};  ///< "L['x']"; kNone for a relation
  /// tensor: its sizes, "[None, 16]"; relation: the predicate; value, length: the number; mark: the
  /// dims that may be marked, "{0}"; kNone: no dim may be.
  StrId text{};
  StrId stride{};      ///< tensor: "[16, 1]"
  StrId properties{};  ///< tensor: class, dispatch keys, dtype ...; mark: the attribute
  StrId user_file{};   ///< from the comment after it
  uint32_t user_line = 0;
  StrId user_function{};
  StrId code{};

  friend bool operator==(const ShapeGuard&, const ShapeGuard&) = default;
};
/// The word of a kind in results.
std::string_view ShapeGuardKindName(ShapeGuard::Kind kind);

/// A guard on the value of a local variable or part of one, beyond sizes.
struct ValueGuard {
  enum class Kind : uint8_t {
    kConstant,  ///< "constant": it equals `text`: "'sum'", "True", "None", "0.5"
    kType,      ///< "type": its class is `text`: "<class 'list'>"; kNone: not printed
    kOther,     ///< "other": it is inspected in some other way
  };
  Kind kind = Kind::kOther;
  StrId source{};  ///< "L['mode']", "list(dict.keys(L['d']))[0]"
  StrId text{};

  friend bool operator==(const ValueGuard&, const ValueGuard&) = default;
};
/// The word of a kind in results.
std::string_view ValueGuardKindName(ValueGuard::Kind kind);

/// The guards of one compilation, as far as they are printed.
struct GuardTexts {
  std::vector<ShapeGuard> shape;   ///< in printed order
  std::vector<ValueGuard> values;  ///< part of those that `others` represents; in printed order
  /// Hashes of the texts of all other guards, ascending and distinct, to check whether two entries
  /// have the same ones.
  std::vector<uint64_t> others;
  uint32_t left_out = 0;    ///< number of guards beyond kMaxGuards
  bool is_printed = false;  ///< all guards were printed, not only some that failed

  static constexpr size_t kMaxGuards = 4096;  ///< of each list

  friend bool operator==(const GuardTexts&, const GuardTexts&) = default;
};

/// "[None, 16]" -> "None", "16"; brackets within elements are kept together. Empty without
/// brackets around all of it.
std::vector<std::string_view> ListElements(std::string_view list);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SHAPE_GUARD_H_
