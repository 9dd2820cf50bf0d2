// Errors of calls that fail.

#ifndef SHAPEWISE_SUPPORT_ERROR_H_
#define SHAPEWISE_SUPPORT_ERROR_H_

#include <string>

#include "llvm/Support/Error.h"

namespace shapewise {

using llvm::Error;
using llvm::Expected;

/// An error with `message`: lower case, no full stop, says where and what was expected.
inline Error MakeError(const std::string& message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", message.c_str());
}

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_ERROR_H_
