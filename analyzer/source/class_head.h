// Reads the bases of a class from its head without parsing it.

#ifndef SHAPEWISE_SOURCE_CLASS_HEAD_H_
#define SHAPEWISE_SOURCE_CLASS_HEAD_H_

#include <string_view>

#include "llvm/ADT/SmallVector.h"

namespace shapewise {

/// Reads the dotted names of the bases of the class at the start of `text`, including decorators.
/// Nearly all classes are this simple; false: this one is not and must be parsed.
bool ReadPlainBases(std::string_view text, llvm::SmallVectorImpl<std::string_view>& bases);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_CLASS_HEAD_H_
