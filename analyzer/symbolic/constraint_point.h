// Evaluates constraints at a point.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_POINT_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_POINT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "symbolic/constraint_model.h"

namespace shapewise::constraints {

/// Evaluates constraints for given values of all symbols.
class PointEvaluator {
 public:
  explicit PointEvaluator(const Model& model);

  /// Sets the values, in the order of the model's symbols.
  void MoveTo(std::span<const int64_t> point);
  /// kUnknown: 64-bit overflow. A comparison with an undefined value (a division by zero) does not
  /// hold.
  Truth Holds(uint32_t formula) const;

 private:
  enum class State : uint8_t { kValue, kUndefined, kTooLarge };

  void Set(uint32_t variable, std::optional<Wide> value);
  State StateOf(std::span<const uint32_t> variables) const;

  const Model& model_;
  std::vector<int64_t> values_;
  std::vector<State> states_;
};

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_POINT_H_
