// Code fixes: turns a rule's proposal into text edits and applies them.
//
// A rule's "fix" block (analyzer/docs/check.md) is a template, the name of a rewrite in
// analyzer/check/rewrites/, or a list of these of which the first that applies is used. A fix that
// cannot be shown to be correct is rejected: no fix is better than a wrong one.

#ifndef SHAPEWISE_CHECK_FIXES_H_
#define SHAPEWISE_CHECK_FIXES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "result/code_finding.h"
#include "source/fact.h"
#include "support/error.h"
#include "syntax/python_ast.h"

namespace shapewise {

struct NamedRewrite;
struct Precondition;
class FileView;

/// One possible fix, as a rule file defines it.
struct FixTemplate {
  std::optional<bool> safe;  ///< absent: decided by the rewrite; always set for a template
  std::string title;         ///< empty: the rewrite's title
  std::string replace;       ///< what a template replaces: "expression", "statement", ...
  std::string with;          ///< with {placeholders}
  std::vector<const Precondition*> conditions;  ///< all must be met
  const NamedRewrite* rewrite = nullptr;        ///< null: this is a template
};

/// Parses a rule's "fix" value, given as JSON text: a block, or {"first": [block, ...]}, best
/// first. The error names the unknown key or word and the nearest known one.
Expected<std::vector<FixTemplate>> ParseFixes(std::string_view json);

/// The code that contains a fact.
struct FixUnit {
  const Stmt* function = nullptr;  ///< null: the module's own statements
  size_t begin = 0;                ///< start of the function's unit in the file
  size_t outermost = 0;            ///< start of the outermost enclosing function or class
  const Stmt* init = nullptr;      ///< __init__ of its class; null: none
  std::string_view init_text;      ///< the text that offsets in `init` refer to
};

/// The unit of `fact` in `project`.
FixUnit UnitOf(Project& project, const Fact& fact);

/// Creates fixes in one file. The text and the trees must outlive it.
class FixMaker {
 public:
  /// `module`: the module's own statements, with offsets from `module_begin`.
  FixMaker(std::string_view text, llvm::ArrayRef<const Stmt*> module, size_t module_begin);
  FixMaker(Project& project, FileId file);
  ~FixMaker();

  /// The first of `ways` that applies; absent: none does.
  std::optional<CodeFix> Make(llvm::ArrayRef<FixTemplate> ways, const Fact& fact,
                              const FixUnit& unit) const;
  /// Runs the function of the fact without compiling; absent if that could cost more than its
  /// breaks.
  std::optional<CodeFix> MakeKeptOut(const Fact& fact, const FixUnit& unit) const;

 private:
  std::unique_ptr<FileView> file_;
};

/// A text after fixes were applied.
struct FixedText {
  std::string text;
  std::vector<size_t> applied;  ///< indices into the findings, ascending
};

/// Applies the fixes of `findings`, all of one file, to `text`. Of overlapping fixes only the first
/// is applied, and none that leaves a text that does not parse. Unsafe fixes only if allowed.
FixedText ApplyFixes(std::string_view text, llvm::ArrayRef<CodeFinding> findings,
                     bool allow_unsafe);

/// The difference in the format of `git apply`, with three lines of context and original line ends;
/// empty if the texts are equal. `path` is relative to the root of the repository.
std::string UnifiedDiff(std::string_view before, std::string_view after, std::string_view path);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FIXES_H_
