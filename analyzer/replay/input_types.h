// Input types given by the user where a dump lacks them: "x=f32[s0, 64]".

#ifndef SHAPEWISE_REPLAY_INPUT_TYPES_H_
#define SHAPEWISE_REPLAY_INPUT_TYPES_H_

#include <string>

#include "replay/constants.h"
#include "replay/program.h"

namespace shapewise::replay {

/// Sets the type of one input of `program` from INPUT=DTYPE[SIZE,...]; a size is a number or the
/// name of a symbol, which may be new. Throws std::runtime_error.
void SetType(const std::string& text, const DeviceChoice& devices, Program& program);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_INPUT_TYPES_H_
