#include "fix_cases.h"

#include "llvm/Support/Allocator.h"
#include "support/catch.h"
#include "syntax/parse_unit.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

/// The tree of a whole text and what a fact in it needs.
struct Found {
  const Expr* expr = nullptr;
  const Stmt* statement = nullptr;
  const Stmt* function = nullptr;
  const Stmt* outermost = nullptr;
  const Stmt* in_class = nullptr;
};

std::string_view TextOf(std::string_view text, ByteSpan span) {
  return text.substr(span.begin, span.end - span.begin);
}

class Finder {
 public:
  Finder(std::string_view text, std::string_view wanted) : text_(text), wanted_(wanted) {}

  void Look(llvm::ArrayRef<const Stmt*> body, Found around) {
    for (const Stmt* statement : body) {
      Found here = around;
      here.statement = statement;
      if (here.outermost == nullptr &&
          (statement->kind == StmtKind::kClass || statement->kind == StmtKind::kFunction))
        here.outermost = statement;
      if (statement->kind == StmtKind::kClass) here.in_class = statement;
      if (statement->kind == StmtKind::kFunction && here.function == nullptr)
        here.function = statement;
      ForEachExpr(*statement, [&](const Expr& expr, bool) { Look(expr, here); });
      ForEachBlock(*statement, [&](llvm::ArrayRef<const Stmt*> block) { Look(block, here); });
    }
  }

  Found found;

 private:
  void Look(const Expr& expr, Found here) {
    here.expr = &expr;
    if (found.expr == nullptr && TextOf(text_, expr.span) == wanted_) found = here;
    ForEachChild(expr, [&](const Expr& child) { Look(child, here); });
  }

  std::string_view text_;
  std::string_view wanted_;
};

}  // namespace

std::optional<CodeFix> FixOf(std::string_view text, std::string_view json,
                             const HandMadeFact& wanted) {
  TreeArena arena;
  const ParsedUnit unit = ParseUnit(text, FileSpan{0, text.size()}, arena);
  INFO(text);
  REQUIRE(unit.faults.empty());
  Finder finder(text, wanted.at);
  finder.Look(unit.body, {});
  const Found& found = finder.found;
  REQUIRE(found.expr != nullptr);

  Fact fact;
  fact.expr = wanted.is_statement ? nullptr : found.expr;
  fact.statement = found.statement;
  fact.subject = wanted.subject;
  if (fact.subject == Value{}) fact.subject.kind = ValueKind::kTensor;
  fact.name = wanted.name;
  fact.in_try = wanted.in_try;
  FixUnit place;
  place.function = found.function;
  if (found.outermost != nullptr) place.outermost = found.outermost->span.begin;
  if (found.in_class != nullptr) {
    for (const Stmt* method : found.in_class->body)
      if (method->text == "__init__") place.init = method;
    place.init_text = text;
  }
  llvm::Expected<std::vector<FixTemplate>> ways = ParseFixes(json);
  REQUIRE(static_cast<bool>(ways));
  const FixMaker maker(text, unit.body, 0);
  return maker.Make(*ways, fact, place);
}

std::string Fixed(std::string_view text, std::string_view json, const HandMadeFact& fact) {
  CodeFinding finding;
  finding.fix = FixOf(text, json, fact);
  if (!finding.fix) return "refused";
  const FixedText fixed = ApplyFixes(text, finding, /*allow_unsafe=*/true);
  if (fixed.applied.empty()) return "does not parse";
  return fixed.text;
}

}  // namespace shapewise
