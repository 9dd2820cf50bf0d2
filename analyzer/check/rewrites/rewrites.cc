#include "check/rewrites/rewrites.h"

#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

constexpr NamedRewrite kRewrites[] = {
    {"assert-async", "check the values in the graph", true, AssertAsync},
    {"copy-instead-of-out", "copy the result instead of out=", true, CopyInsteadOfOut},
    {"count-nonzero", "count with torch.count_nonzero", true, CountNonzero},
    {"function-message", "make the message a function", false, FunctionMessage},
    {"hoist-call", "ask once, when the module is imported", false, HoistCall},
    {"keep-as-tensor", "keep the number in a tensor", true, KeepAsTensor},
    {"masked-reduce", "reduce what torch.where leaves", true, MaskedReduce},
    {"masked-store", "copy through torch.where", true, MaskedStore},
    {"product-in-python", "multiply sizes in Python", false, ProductInPython},
    {"remove-statement", "remove the statement", false, RemoveStatement},
    {"select", "compute both sides and select with torch.where", true, Select},
    {"store-by-mask", "store through the mask itself", true, StoreByMask},
    {"unpack-dict", "pass the arguments without a dict", false, UnpackDict},
    {"wait-at-once", "run the collective without async_op", false, WaitAtOnce},
};

}  // namespace

std::optional<Rewritten> Only(std::optional<CodeEdit> edit) {
  if (!edit) return {};
  return Rewritten{{std::move(*edit)}, false};
}

std::optional<Rewritten> WithImport(const FixContext& context, std::string_view module,
                                    std::optional<CodeEdit> edit) {
  std::optional<std::vector<CodeEdit>> edits = context.Import(module);
  if (!edit || !edits) return {};
  edits->push_back(std::move(*edit));
  return Rewritten{std::move(*edits), false};
}

llvm::ArrayRef<NamedRewrite> Rewrites() { return kRewrites; }

}  // namespace shapewise
