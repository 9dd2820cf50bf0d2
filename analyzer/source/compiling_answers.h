// Results of torch.compiler.is_compiling() and of helpers that call it, while Dynamo traces.

#ifndef SHAPEWISE_SOURCE_COMPILING_ANSWERS_H_
#define SHAPEWISE_SOURCE_COMPILING_ANSWERS_H_

#include <optional>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "source/project.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// Results of functions, derived from what they return, never from their names. Not thread-safe.
class CompilingAnswers {
 public:
  explicit CompilingAnswers(Project& project) : project_(project) {}

  /// The result of the function while Dynamo traces; absent: not known, or not constant.
  std::optional<bool> OfFunction(FunctionId id);

  /// The same for a function outside of the project.
  static std::optional<bool> OfOutside(std::string_view dotted);

 private:
  /// The names that a function imports itself, with the import statements.
  using LocalImports = llvm::SmallVector<const Stmt*, 2>;

  /// The return statements of a body.
  struct Returns {
    bool has_true = false;
    bool has_false = false;
    bool has_unknown = false;
    /// Constants that are returned under an unrelated condition, such as that torch is not
    /// installed.
    bool has_other_true = false;
    bool has_other_false = false;
  };

  /// Adds the returns that tracing may reach; false: control does not leave at the end.
  bool Collect(FileId file, llvm::ArrayRef<const Stmt*> body, bool is_certain,
               LocalImports& imports, Returns& returns);
  std::optional<bool> OfExpr(FileId file, const LocalImports& imports, const Expr& expr);
  std::optional<bool> OfCall(FileId file, const LocalImports& imports, const Expr& call);

  std::optional<bool> Asked(std::optional<bool> answer) {
    has_asked_ |= answer.has_value();
    return answer;
  }

  Project& project_;
  llvm::DenseMap<FunctionId, std::optional<bool>> known_;
  bool has_asked_ = false;  ///< the function calls torch to find out whether it is compiling
  int depth_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_COMPILING_ANSWERS_H_
