// Preconditions of a template: the words of "if" in a rule's "fix".

#ifndef SHAPEWISE_CHECK_PRECONDITIONS_H_
#define SHAPEWISE_CHECK_PRECONDITIONS_H_

#include <string_view>
#include <vector>

#include "check/fix_context.h"
#include "llvm/ADT/ArrayRef.h"

namespace shapewise {

struct Precondition {
  std::string_view name;
  /// Whether it holds; may add edits that make it hold.
  bool (*holds)(const FixContext& context, std::vector<CodeEdit>& edits);
  std::string_view meaning;
};

/// All of them, by name.
llvm::ArrayRef<Precondition> Preconditions();

/// Null if not found.
const Precondition* FindPrecondition(std::string_view name);

/// Whether the only effect of the call is to print something: print, a logger, a warning.
bool IsPrintingCall(const Expr& call);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_PRECONDITIONS_H_
