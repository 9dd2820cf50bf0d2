// How likely the code of a finding is to run when the model runs.

#ifndef SHAPEWISE_CHECK_CONFIDENCE_H_
#define SHAPEWISE_CHECK_CONFIDENCE_H_

#include <cstdint>

#include "result/code_finding.h"

namespace shapewise {

/// Findings with less confidence are as likely to be wrong as right, and are notes.
inline constexpr double kCertainEnough = 0.5;

/// The factor, 0..1, by which `conditions` (RunCondition) reduce the confidence of a finding under
/// all of them.
double WhatConditionsLeave(uint16_t conditions);

/// Whether a finding is mostly wrong, so that it is only shown on request.
bool IsUncertain(const CodeFinding& finding);

/// Removes from `result` what helps only those who ask for it, and counts it there: findings that
/// are mostly wrong, and places that the analysis did not follow to the end.
void LeaveOutUncertain(CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_CONFIDENCE_H_
