// What has to hold for a template to be put into place: the words of "if" in a rule's "fix".

#ifndef SHAPEWISE_CHECK_PRECONDITIONS_H_
#define SHAPEWISE_CHECK_PRECONDITIONS_H_

#include <string_view>
#include <vector>

#include "check/fix_context.h"
#include "llvm/ADT/ArrayRef.h"

namespace shapewise {

struct Precondition {
  std::string_view name;
  /// Whether it holds; adds edits where it can be made to hold.
  bool (*holds)(const FixContext& context, std::vector<CodeEdit>& edits);
  std::string_view meaning;
};

/// All of them, by name.
llvm::ArrayRef<Precondition> Preconditions();

/// Null where there is none with that name.
const Precondition* FindPrecondition(std::string_view name);

/// Whether the call does nothing but tell people something: print, a logger, a warning.
bool IsTellingCall(const Expr& call);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_PRECONDITIONS_H_
