// How far apart the clocks of the inputs are.

#ifndef SHAPEWISE_TIMELINE_CLOCK_ALIGNMENT_H_
#define SHAPEWISE_TIMELINE_CLOCK_ALIGNMENT_H_

#include <cstdint>
#include <optional>

#include "shapewise/model/session.h"

namespace shapewise {

/// Unix seconds minus seconds of Clock::kLocal: what a zone and a year make, a whole number of
/// quarters of an hour. Told by compilations that are known by both clocks: those of a structured
/// trace, and compile ids that a log prints with a time and a profile shows with another.
/// Absent when there are none, or when more than half of them contradict.
std::optional<double> FindEpochMinusLocal(const Session& session);

/// `seconds` by `clock` of the input `input`, told by `wanted_clock` of `wanted_input`. Absent when
/// the two cannot be compared: a clock of an input's own goes with that input only.
std::optional<double> ByClock(double seconds, Clock clock, uint32_t input, Clock wanted_clock,
                              uint32_t wanted_input, std::optional<double> epoch_minus_local);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_CLOCK_ALIGNMENT_H_
