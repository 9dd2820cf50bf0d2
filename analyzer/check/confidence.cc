#include "check/confidence.h"

#include <vector>

#include "check/code_rule_set.h"
#include "source/fact.h"

namespace shapewise {
namespace {

struct Left {
  RunCondition condition;
  double share;
};

// Measured on transformers 5.4.0 and 23 other packages, of which is known where Dynamo breaks and
// which compile whole. Training and evaluation are not here: --mode selects between them.
constexpr Left kLeft[] = {
    // Labels, caches and switches are not passed in plain inference: code under such a condition
    // alone never broke, and it occurs in files that compile completely.
    {RunCondition::kArgument, 0.45},
    // Masks and images may be left out, and mostly are not: most breaks of vision models stand
    // here.
    {RunCondition::kInput, 0.65},
    // fp16 alone asks for clamping, and few still train in it.
    {RunCondition::kDtype, 0.4},
    // Settings have defaults.
    {RunCondition::kSetting, 0.5},
    // What ends in raise runs once.
    {RunCondition::kRaises, 0.1},
    // The first call pays for it, with a break and a compilation; no later one does.
    {RunCondition::kOnce, 0.4},
    // One of several kinds of devices.
    {RunCondition::kDevice, 0.5},
    // Sizes, types, flags: one way of two.
    {RunCondition::kPython, 0.78},
    // Nothing is caught in a run that goes well.
    {RunCondition::kExcept, 0.1},
    // The decorator replaces this code, which is only the fallback.
    {RunCondition::kReplaced, 0.4},
    // The functions of a library are its interface, but few of them are compiled.
    {RunCondition::kUncalled, 0.85},
};

// Settings of what runs in training alone are on as they come: dropout of layers, masking of
// spectrograms. Unless their defaults are known to turn them off.
constexpr double kOnInTraining = 1.5;

// Of 383 notes about graph breaks with less confidence than kCertainEnough, 19 were at a break of
// these packages; of 571 findings with more, 218. All 81 findings in programs that torch compiles
// again and again (tests/torch/recompile_risks) have at least 0.22.
constexpr double kLikelyRecompile = 0.2;

}  // namespace

double WhatConditionsLeave(uint16_t conditions) {
  double share = 1;
  for (const Left& left : kLeft) {
    if ((conditions & static_cast<uint16_t>(left.condition)) != 0) share *= left.share;
  }
  const uint16_t augments = static_cast<uint16_t>(RunCondition::kTraining) |
                            static_cast<uint16_t>(RunCondition::kSetting);
  const bool is_off = (conditions & static_cast<uint16_t>(RunCondition::kOff)) != 0;
  if ((conditions & augments) == augments && !is_off) share *= kOnInTraining;
  return share;
}

bool IsUncertain(const CodeFinding& finding) {
  return finding.confidence < (finding.breaks.empty() ? kLikelyRecompile : kCertainEnough);
}

void LeaveOutUncertain(CheckResult& result) {
  result.uncertain += std::erase_if(result.findings, IsUncertain);
  result.not_followed += std::erase_if(
      result.faults, [](const CodeFault& fault) { return fault.rule == kNotFollowedCode; });
}

}  // namespace shapewise
