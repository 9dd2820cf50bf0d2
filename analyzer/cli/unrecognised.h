// What to say of inputs in which nothing was recognised.

#ifndef SHAPEWISE_CLI_UNRECOGNISED_H_
#define SHAPEWISE_CLI_UNRECOGNISED_H_

#include <cstddef>

#include "shapewise/model/session.h"

namespace shapewise {

/// How many inputs of no use are named one by one.
inline constexpr size_t kMaxUnrecognised = 5;

/// Says on stderr which inputs were of no use. True if there is at least one that was.
bool CheckRecognised(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_UNRECOGNISED_H_
