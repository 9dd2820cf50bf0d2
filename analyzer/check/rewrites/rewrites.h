// Changes of code that a template cannot write: each in a file of its own, with what has to hold.
//
// A rewrite is asked whether it fits a fact, and answers with edits or with nothing. Nothing is the
// right answer wherever the same result cannot be shown from the code itself.

#ifndef SHAPEWISE_CHECK_REWRITES_REWRITES_H_
#define SHAPEWISE_CHECK_REWRITES_REWRITES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "check/fix_context.h"
#include "llvm/ADT/ArrayRef.h"

namespace shapewise {

struct Rewritten {
  std::vector<CodeEdit> edits;
  bool is_safe = false;  ///< the same results, output and exceptions, in every program
};

struct NamedRewrite {
  std::string_view name;   ///< as rule files write it: "select"
  std::string_view title;  ///< what it does, for a person
  /// Writes what only tensors have: values that are guessed to be tensors are no reason for it.
  bool needs_tensors = false;
  std::optional<Rewritten> (*make)(const FixContext& context) = nullptr;
};

/// All of them, by name.
llvm::ArrayRef<NamedRewrite> Rewrites();

/// Null where there is none with that name.
const NamedRewrite* FindRewrite(std::string_view name);

// One a file; the comment at the head of the file says what it needs.
std::optional<Rewritten> AssertAsync(const FixContext& context);
std::optional<Rewritten> ConstantMessage(const FixContext& context);
std::optional<Rewritten> CopyInsteadOfOut(const FixContext& context);
std::optional<Rewritten> CountNonzero(const FixContext& context);
std::optional<Rewritten> HoistCall(const FixContext& context);
std::optional<Rewritten> KeepAsTensor(const FixContext& context);
std::optional<Rewritten> MaskedReduce(const FixContext& context);
std::optional<Rewritten> MaskedStore(const FixContext& context);
std::optional<Rewritten> RemoveStatement(const FixContext& context);
std::optional<Rewritten> Select(const FixContext& context);
std::optional<Rewritten> StoreByMask(const FixContext& context);
std::optional<Rewritten> UnpackDict(const FixContext& context);
std::optional<Rewritten> WaitAtOnce(const FixContext& context);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_REWRITES_H_
