// What torch.compiler.is_compiling() and helpers that ask it return while Dynamo traces.

#ifndef SHAPEWISE_SOURCE_COMPILING_ANSWERS_H_
#define SHAPEWISE_SOURCE_COMPILING_ANSWERS_H_

#include <optional>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "shapewise/source/project.h"
#include "shapewise/syntax/python_ast.h"

namespace shapewise {

/// Answers of functions by what they return, never by what they are called. Not thread-safe.
class CompilingAnswers {
 public:
  explicit CompilingAnswers(Project& project) : project_(project) {}

  /// What a call of the function gives while Dynamo traces; absent: not known, or it may vary.
  std::optional<bool> OfFunction(FunctionId id);

  /// The same of a function outside of the project.
  static std::optional<bool> OfOutside(std::string_view dotted);

 private:
  /// The names that a function imports itself, and the statements that do.
  using LocalImports = llvm::SmallVector<const Stmt*, 2>;

  /// The returns of a body.
  struct Returns {
    bool has_true = false;
    bool has_false = false;
    bool has_unknown = false;
    /// Constants that are returned under a condition of another kind: torch is not installed.
    bool has_other_true = false;
    bool has_other_false = false;
  };

  /// Adds the returns that tracing may come to; false: control does not leave at the end.
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
  bool has_asked_ = false;  ///< what is looked at asks torch whether it traces
  int depth_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_COMPILING_ANSWERS_H_
