// x[index] and x[index] = value for tensors, lists and dicts.

#ifndef SHAPEWISE_REPLAY_SUBSCRIPTS_H_
#define SHAPEWISE_REPLAY_SUBSCRIPTS_H_

#include "replay/call_arguments.h"

namespace shapewise::replay {

/// operator.getitem(x, index).
Value GetItem(const CallArguments& arguments);

/// operator.setitem(x, index, value): returns x, which dumps use as the statement's value.
Value SetItem(const CallArguments& arguments);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_SUBSCRIPTS_H_
