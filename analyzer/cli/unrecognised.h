// What to say of inputs in which nothing was recognised.

#ifndef SHAPEWISE_CLI_UNRECOGNISED_H_
#define SHAPEWISE_CLI_UNRECOGNISED_H_

#include "shapewise/model/session.h"

namespace shapewise {

/// Says on stderr which inputs were of no use. True if there is at least one that was.
bool CheckRecognised(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_UNRECOGNISED_H_
