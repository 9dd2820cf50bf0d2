// How likely what the code does comes to pass when the model runs.

#ifndef SHAPEWISE_CHECK_CONFIDENCE_H_
#define SHAPEWISE_CHECK_CONFIDENCE_H_

#include <cstdint>

namespace shapewise {

/// Below it a finding may as well be false, and is a note.
inline constexpr double kCertainEnough = 0.5;

/// The share of confidence, 0..1, that `conditions` (RunCondition) leave to a finding under all of
/// them.
double WhatConditionsLeave(uint16_t conditions);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_CONFIDENCE_H_
