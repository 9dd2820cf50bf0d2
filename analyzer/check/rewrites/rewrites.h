// Changes of code that a template cannot express.
//
// A rewrite returns the edits for a fact, or nothing if the same result cannot be proved from the
// code itself.

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

/// `edit` alone, which is not safe.
std::optional<Rewritten> Only(std::optional<CodeEdit> edit);

/// The same, with the import of `module` that it needs.
std::optional<Rewritten> WithImport(const FixContext& context, std::string_view module,
                                    std::optional<CodeEdit> edit);

struct NamedRewrite {
  std::string_view name;   ///< as in rule files: "select"
  std::string_view title;  ///< what it does, as text for users
  /// Only valid for tensors: values that are merely guessed to be tensors are not enough.
  bool needs_tensors = false;
  std::optional<Rewritten> (*make)(const FixContext& context) = nullptr;
};

/// All of them, by name.
llvm::ArrayRef<NamedRewrite> Rewrites();

// The comment at each definition lists its requirements.
std::optional<Rewritten> AssertAsync(const FixContext& context);
std::optional<Rewritten> FunctionMessage(const FixContext& context);
std::optional<Rewritten> CopyInsteadOfOut(const FixContext& context);
std::optional<Rewritten> CountNonzero(const FixContext& context);
std::optional<Rewritten> HoistCall(const FixContext& context);
std::optional<Rewritten> KeepAsTensor(const FixContext& context);
std::optional<Rewritten> MaskedReduce(const FixContext& context);
std::optional<Rewritten> MaskedStore(const FixContext& context);
std::optional<Rewritten> ProductInPython(const FixContext& context);
std::optional<Rewritten> RemoveStatement(const FixContext& context);
std::optional<Rewritten> Select(const FixContext& context);
std::optional<Rewritten> StoreByMask(const FixContext& context);
std::optional<Rewritten> UnpackDict(const FixContext& context);
std::optional<Rewritten> WaitAtOnce(const FixContext& context);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_REWRITES_H_
