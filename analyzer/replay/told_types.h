// Types of inputs that a user tells, where a dump does not: "x=f32[s0, 64]".

#ifndef SHAPEWISE_REPLAY_TOLD_TYPES_H_
#define SHAPEWISE_REPLAY_TOLD_TYPES_H_

#include <string>

#include "replay/constants.h"
#include "replay/program.h"

namespace shapewise::replay {

/// Sets the type of one input of `program` from INPUT=DTYPE[SIZE,...]; a size is a number or the
/// name of a symbol, which need not be known before. Throws std::runtime_error.
void TellType(const std::string& text, const DeviceChoice& devices, Program& program);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_TOLD_TYPES_H_
