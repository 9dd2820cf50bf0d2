// Computes the offsets between clocks of inputs.

#ifndef SHAPEWISE_TIMELINE_CLOCK_ALIGNMENT_H_
#define SHAPEWISE_TIMELINE_CLOCK_ALIGNMENT_H_

#include <cstdint>
#include <optional>

#include "model/session.h"

namespace shapewise {

/// Unix seconds minus seconds of Clock::kLocal: the effect of time zone and year, a multiple of a
/// quarter of an hour. Derived from compilations with times by both clocks: those of a structured
/// trace, and compile ids in a log with times that a profile shows, too. Absent if not found, or if
/// more than half of them contradict.
std::optional<double> FindEpochMinusLocal(const Session& session);

/// Converts `seconds` by `clock` of the input `input` to `wanted_clock` of `wanted_input`. Absent:
/// not comparable; an input's own clock is comparable only within that input.
std::optional<double> ByClock(double seconds, Clock clock, uint32_t input, Clock wanted_clock,
                              uint32_t wanted_input, std::optional<double> epoch_minus_local);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_CLOCK_ALIGNMENT_H_
