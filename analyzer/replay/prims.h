// Functions of torch._prims and of Inductor that a process without Python has no schema for.

#ifndef SHAPEWISE_REPLAY_PRIMS_H_
#define SHAPEWISE_REPLAY_PRIMS_H_

#include <string_view>

#include "replay/call_arguments.h"

namespace shapewise::replay {

/// "prims.iota.default"; null: it is none of these. What ATen has under the same name, such as
/// prims.sin, is none.
HandFunction FindPrim(std::string_view target);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PRIMS_H_
