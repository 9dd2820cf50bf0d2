// Functions of torch._prims and Inductor without a schema in a process without Python.

#ifndef SHAPEWISE_REPLAY_PRIMS_H_
#define SHAPEWISE_REPLAY_PRIMS_H_

#include <string_view>

#include "replay/call_arguments.h"

namespace shapewise::replay {

/// "prims.iota.default"; null: none. Prims that ATen has under the same name, such as prims.sin,
/// are not included.
HandFunction FindPrim(std::string_view target);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PRIMS_H_
