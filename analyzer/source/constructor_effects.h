// Which code of a constructor only computes values that nothing needs.

#ifndef SHAPEWISE_SOURCE_CONSTRUCTOR_EFFECTS_H_
#define SHAPEWISE_SOURCE_CONSTRUCTOR_EFFECTS_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "source/project.h"

namespace shapewise {

/// Finds out from the text of methods what they may do to their object, each once. Not thread-safe.
class ConstructorEffects {
 public:
  explicit ConstructorEffects(Project& project) : project_(project) {}

  /// Whether `expr` in the method `within`, which constructs an object of the class `of`, may store
  /// an attribute of the object or change a name of the method.
  bool MayChange(const Expr& expr, FunctionId within, ClassId of);

 private:
  friend class OwnUseReader;

  /// What code does to the object, as far as it says so itself.
  struct OwnUses {
    bool may_store = false;
    bool has_alias = false;               ///< the object may get another name
    std::vector<std::string_view> names;  ///< x of each self.x, which may be a method or a property
  };

  const OwnUses& UsesOf(FunctionId method);
  /// Whether one of the methods `names` of `of`, or what it calls, may store an attribute.
  bool AnyMayStore(llvm::ArrayRef<std::string_view> names, ClassId of);
  bool MayStore(FunctionId method, ClassId of);

  Project& project_;
  llvm::DenseMap<FunctionId, std::unique_ptr<OwnUses>> uses_;
  llvm::DenseMap<const Expr*, OwnUses> expr_uses_;
  llvm::DenseMap<std::pair<FunctionId, ClassId>, bool> may_store_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_CONSTRUCTOR_EFFECTS_H_
