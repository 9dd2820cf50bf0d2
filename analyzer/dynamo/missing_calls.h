// Calls that a log does not show, because an entry of the run served them.

#ifndef SHAPEWISE_DYNAMO_MISSING_CALLS_H_
#define SHAPEWISE_DYNAMO_MISSING_CALLS_H_

#include "dynamo/call_inputs.h"
#include "dynamo/entry.h"

namespace shapewise {

/// Whether `wide` serves every call that `narrow` serves: both are entries for the first frame of
/// the body of `inputs`, possibly under different policies that change no input. False: it is not
/// known.
bool Covers(const CacheEntry& wide, const CacheEntry& narrow, CallInputs& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_MISSING_CALLS_H_
