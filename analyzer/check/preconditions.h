// Preconditions of a template: the words of "if" in a rule's "fix".

#ifndef SHAPEWISE_CHECK_PRECONDITIONS_H_
#define SHAPEWISE_CHECK_PRECONDITIONS_H_

#include <string_view>

#include "check/fix_context.h"
#include "llvm/ADT/ArrayRef.h"

namespace shapewise {

struct Precondition {
  std::string_view name;
  bool (*holds)(const FixContext& context);
  std::string_view imports = {};  ///< a module that has to be, or can be, imported; empty: none
};

/// All of them, by name.
llvm::ArrayRef<Precondition> Preconditions();

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_PRECONDITIONS_H_
