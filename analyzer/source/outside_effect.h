// The result of a call of a known name.

#ifndef SHAPEWISE_SOURCE_OUTSIDE_EFFECT_H_
#define SHAPEWISE_SOURCE_OUTSIDE_EFFECT_H_

#include "source/outside.h"
#include "source/outside_table.h"

namespace shapewise {

/// Traits that a change of dtype resets.
inline constexpr int kDtypeTraits = Bit(Trait::kMask) | Bit(Trait::kIntegers);

/// A value of a kind, with traits combined by Bit.
constexpr Value MakeValue(ValueKind kind, int traits = 0, uint8_t certainty = 100) {
  return {.kind = kind, .certainty = certainty, .traits = static_cast<uint16_t>(traits)};
}

/// The result of `call` of the name of `row`.
OutsideEffect EffectOfRow(const OutsideCall& call, const OutsideRow& row);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_OUTSIDE_EFFECT_H_
