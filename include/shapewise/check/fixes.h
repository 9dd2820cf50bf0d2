// Fixes of code: what a rule proposes, made into edits of text; and edits put into place.
//
// A rule's "fix" block (analyzer/docs/check.md) is a template, names a rewrite of
// analyzer/check/rewrites/, or has several of them of which the first that fits is taken. What
// cannot be shown to fit is refused: no fix is better than a wrong one.

#ifndef SHAPEWISE_CHECK_FIXES_H_
#define SHAPEWISE_CHECK_FIXES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/source/fact.h"
#include "shapewise/support/error.h"
#include "shapewise/syntax/python_ast.h"

namespace shapewise {

struct NamedRewrite;
struct Precondition;
class FileView;

/// What a template takes the place of.
enum class FixTarget : uint8_t { kExpression, kStatement, kCallee, kReceiver, kArgument0 };

/// One way to fix, as a rule file has it.
struct FixTemplate {
  std::optional<bool> safe;  ///< absent: as the rewrite says; of a template never absent
  std::string title;         ///< empty: that of the rewrite
  FixTarget replace = FixTarget::kExpression;
  std::string with;                             ///< with {placeholders}
  std::vector<const Precondition*> conditions;  ///< all must hold
  const NamedRewrite* rewrite = nullptr;        ///< null: a template
};

/// The value of a rule's "fix" key, as JSON text: a block, or {"first": [block, ...]}, best first.
/// The error names the key or word that is wrong and the nearest that is known.
Expected<std::vector<FixTemplate>> ParseFixes(std::string_view json);

/// The code that a fact stands in.
struct FixUnit {
  const Stmt* function = nullptr;  ///< null: the file's own statements
  size_t begin = 0;                ///< of the function's unit in the file
  size_t outermost = 0;            ///< where the outermost function or class around it begins
  const Stmt* init = nullptr;      ///< __init__ of its class; null: none
  std::string_view init_text;      ///< the text that places in `init` count from
};

/// The unit of `fact` in `project`.
FixUnit UnitOf(Project& project, const Fact& fact);

/// Makes fixes in one file. The text and the trees must outlive it.
class FixMaker {
 public:
  /// `module`: the file's own statements, with places from `module_begin` on.
  FixMaker(std::string_view text, llvm::ArrayRef<const Stmt*> module, size_t module_begin);
  FixMaker(Project& project, FileId file);
  ~FixMaker();

  /// The first of `ways` that fits; absent where none does.
  std::optional<CodeFix> Make(llvm::ArrayRef<FixTemplate> ways, const Fact& fact,
                              const FixUnit& unit) const;

 private:
  std::unique_ptr<FileView> file_;
};

/// A text with fixes put into place.
struct FixedText {
  std::string text;
  std::vector<size_t> applied;  ///< indices into the findings, ascending
};

/// Puts the fixes of `findings`, all of one file, into `text`: the first by place of those that
/// overlap, and none after which the text does not parse any more. Unsafe ones only if allowed.
FixedText ApplyFixes(std::string_view text, llvm::ArrayRef<CodeFinding> findings,
                     bool allow_unsafe);

/// The difference as `git apply` takes it, three lines of context, line ends as they are; empty
/// where the texts are the same. `path` is from the root of the repository.
std::string UnifiedDiff(std::string_view before, std::string_view after, std::string_view path);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FIXES_H_
