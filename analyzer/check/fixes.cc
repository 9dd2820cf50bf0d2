#include "check/fixes.h"

#include <algorithm>

#include "check/fix_context.h"
#include "check/fix_template.h"
#include "check/keep_out.h"
#include "check/preconditions.h"
#include "check/rewrites/rewrites.h"
#include "llvm/ADT/STLExtras.h"
#include "syntax/parse_unit.h"

namespace shapewise {
namespace {

std::optional<CodeFix> MakeOne(const FixTemplate& way, const FixContext& context) {
  CodeFix fix;
  for (const Precondition* condition : way.conditions)
    if (!condition->holds(context, fix.edits)) return {};
  fix.safe = way.safe.value_or(false);
  fix.title = way.title;
  if (way.rewrite != nullptr) {
    if (way.rewrite->needs_tensors && !context.HasSureTensors()) return {};
    std::optional<Rewritten> rewritten = way.rewrite->make(context);
    if (!rewritten) return {};
    if (!way.safe) fix.safe = rewritten->is_safe;
    if (fix.title.empty()) fix.title = way.rewrite->title;
    for (CodeEdit& edit : rewritten->edits) fix.edits.push_back(std::move(edit));
  } else {
    std::optional<CodeEdit> edit = FillTemplate(way, context);
    if (!edit) return {};
    fix.edits.push_back(std::move(*edit));
  }
  llvm::stable_sort(fix.edits,
                    [](const CodeEdit& a, const CodeEdit& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < fix.edits.size(); ++i)
    if (fix.edits[i].begin < fix.edits[i - 1].end) return {};
  return fix;
}

/// Whether two edits conflict. Insertions at the same place do not: they are applied in order.
bool Collide(const CodeEdit& a, const CodeEdit& b) {
  if (a.begin == a.end && b.begin == b.end) return false;
  if (a.begin == a.end) return b.begin < a.begin && a.begin < b.end;
  if (b.begin == b.end) return a.begin < b.begin && b.begin < a.end;
  return a.begin < b.end && b.begin < a.end;
}

bool IsSame(const CodeEdit& a, const CodeEdit& b) {
  return a.begin == b.begin && a.end == b.end && a.text == b.text;
}

std::string Apply(std::string_view text, std::vector<const CodeEdit*> edits) {
  llvm::stable_sort(edits, [](const CodeEdit* a, const CodeEdit* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::string result;
  size_t at = 0;
  const CodeEdit* last = nullptr;
  for (const CodeEdit* edit : edits) {
    // Several fixes may need one import.
    if (last != nullptr && edit->begin == edit->end && IsSame(*last, *edit)) continue;
    result += text.substr(at, edit->begin - at);
    result += edit->text;
    at = edit->end;
    last = edit;
  }
  result += text.substr(at);
  return result;
}

size_t NumFaults(std::string_view text) {
  UnitParser parser;
  TreeArena arena;
  return parser.Parse(text, FileSpan{0, text.size()}, arena).faults.size();
}

size_t FirstByte(const CodeFix& fix) {
  // An import added by a fix does not show where the fix is.
  for (const CodeEdit& edit : fix.edits)
    if (edit.begin != edit.end) return edit.begin;
  return fix.edits.empty() ? 0 : fix.edits.front().begin;
}

}  // namespace

FixMaker::FixMaker(std::string_view text, llvm::ArrayRef<const Stmt*> module, size_t module_begin)
    : file_(std::make_unique<FileView>(text, module, module_begin)) {}

FixMaker::~FixMaker() = default;

std::optional<CodeFix> FixMaker::Make(llvm::ArrayRef<FixTemplate> ways, const Fact& fact,
                                      const FixUnit& unit) const {
  if (ways.empty() || fact.statement == nullptr) return {};
  const FixContext context(*file_, fact, unit);
  if (!context.is_found()) return {};
  for (const FixTemplate& way : ways)
    if (std::optional<CodeFix> fix = MakeOne(way, context)) return fix;
  return {};
}

std::optional<CodeFix> FixMaker::MakeKeptOut(const Fact& fact, const FixUnit& unit) const {
  if (fact.statement == nullptr) return {};
  const FixContext context(*file_, fact, unit);
  return context.is_found() ? KeepOut(context) : std::nullopt;
}

FixedText ApplyFixes(std::string_view text, llvm::ArrayRef<CodeFinding> findings,
                     bool allow_unsafe) {
  std::vector<size_t> order;
  for (size_t i = 0; i < findings.size(); ++i) {
    const std::optional<CodeFix>& fix = findings[i].fix;
    if (!fix || fix->edits.empty() || (!fix->safe && !allow_unsafe)) continue;
    const bool is_inside = llvm::all_of(fix->edits, [&](const CodeEdit& edit) {
      return edit.begin <= edit.end && edit.end <= text.size();
    });
    if (is_inside) order.push_back(i);
  }
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return FirstByte(*findings[a].fix) < FirstByte(*findings[b].fix);
  });

  std::vector<const CodeEdit*> edits;
  FixedText fixed;
  for (const size_t i : order) {
    const bool is_free = llvm::all_of(findings[i].fix->edits, [&](const CodeEdit& edit) {
      return llvm::none_of(edits, [&](const CodeEdit* other) { return Collide(edit, *other); });
    });
    if (!is_free) continue;
    for (const CodeEdit& edit : findings[i].fix->edits) edits.push_back(&edit);
    fixed.applied.push_back(i);
  }
  const size_t faults = fixed.applied.empty() ? 0 : NumFaults(text);
  fixed.text = Apply(text, edits);
  if (!fixed.applied.empty() && NumFaults(fixed.text) > faults) {
    // One of the fixes makes the file invalid Python: try each on its own.
    std::vector<const CodeEdit*> kept;
    std::vector<size_t> applied;
    for (const size_t i : fixed.applied) {
      std::vector<const CodeEdit*> tried = kept;
      for (const CodeEdit& edit : findings[i].fix->edits) tried.push_back(&edit);
      if (NumFaults(Apply(text, tried)) > faults) continue;
      kept = std::move(tried);
      applied.push_back(i);
    }
    fixed.applied = std::move(applied);
    fixed.text = Apply(text, kept);
  }
  llvm::sort(fixed.applied);
  return fixed;
}

}  // namespace shapewise
