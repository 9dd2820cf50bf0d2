// facts -> the rule of each -> one rule per place -> findings in order, with their FoldKeys.

#include "check/judge_facts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "check/fact_text.h"
#include "check/fixes.h"
#include "check/fold_findings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "rules/identity.h"
#include "source/fact_trees.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

constexpr std::string_view kIdentityKind = "code";
constexpr double kPercent = 100;

struct Left {
  RunCondition condition;
  double share;
};

// Measured on transformers 5.4.0 and 23 other packages, of which is known where Dynamo breaks and
// which compile whole. Training and evaluation are not here: --mode selects between them.
constexpr Left kLeft[] = {
    // Labels, caches and switches are not passed in plain inference: code under such a condition
    // alone never broke, and it occurs in files that compile completely.
    {RunCondition::kArgument, 0.45},
    // Masks and images may be left out, and mostly are not: most breaks of vision models stand
    // here.
    {RunCondition::kInput, 0.65},
    // fp16 alone asks for clamping, and few still train in it.
    {RunCondition::kDtype, 0.4},
    // Settings have defaults.
    {RunCondition::kSetting, 0.5},
    // What ends in raise runs once.
    {RunCondition::kRaises, 0.1},
    // The first call pays for it, with a break and a compilation; no later one does.
    {RunCondition::kOnce, 0.4},
    // One of several kinds of devices.
    {RunCondition::kDevice, 0.5},
    // Sizes, types, flags: one way of two.
    {RunCondition::kPython, 0.78},
    // Nothing is caught in a run that goes well.
    {RunCondition::kExcept, 0.1},
    // The decorator replaces this code, which is only the fallback.
    {RunCondition::kReplaced, 0.4},
    // The functions of a library are its interface, but few of them are compiled.
    {RunCondition::kUncalled, 0.85},
};

// Settings of what runs in training alone are on as they come: dropout of layers, masking of
// spectrograms. Unless their defaults are known to turn them off.
constexpr double kOnInTraining = 1.5;

/// The factor, 0..1, by which `conditions` (RunCondition) reduce the confidence of a finding under
/// all of them.
double WhatConditionsLeave(uint16_t conditions) {
  double share = 1;
  for (const Left& left : kLeft) {
    if ((conditions & static_cast<uint16_t>(left.condition)) != 0) share *= left.share;
  }
  const uint16_t augments = static_cast<uint16_t>(RunCondition::kTraining) |
                            static_cast<uint16_t>(RunCondition::kSetting);
  const bool is_off = (conditions & static_cast<uint16_t>(RunCondition::kOff)) != 0;
  if ((conditions & augments) == augments && !is_off) share *= kOnInTraining;
  return share;
}

/// A fact with the rule that matches it.
struct Judged {
  const Fact* fact = nullptr;
  const CodeRule* rule = nullptr;
  size_t num_keys = 0;
  uint16_t conditions = 0;  ///< those of all facts of its place with its rule
  uint8_t certainty = 0;
  double confidence = 0;
  FileSpan span;

  /// Whether it is a break where none is allowed.
  bool IsError() const { return fact->in_full_graph && !rule->breaks.empty(); }
  /// Its place.
  auto Place() const { return std::tie(fact->file, span.begin, span.end); }
};

bool Has(const Fact& fact, RunCondition condition) {
  return (fact.conditions & static_cast<uint16_t>(condition)) != 0;
}

bool RunsIn(CodeMode mode, const Fact& fact) {
  if (mode == CodeMode::kTraining) return !Has(fact, RunCondition::kEvaluation);
  if (mode == CodeMode::kEvaluation) return !Has(fact, RunCondition::kTraining);
  return true;
}

void SetConfidence(Judged& judged) {
  judged.confidence = judged.certainty / kPercent * judged.rule->confidence *
                      WhatConditionsLeave(judged.conditions);
}

std::vector<Judged> MatchAll(Project& project, llvm::ArrayRef<Fact> facts, const CodeRuleSet& rules,
                             CodeMode mode) {
  std::vector<Judged> judged;
  for (const Fact& fact : facts) {
    if (!RunsIn(mode, fact)) continue;
    const CodeRule* rule = rules.Match(project, fact);
    if (rule == nullptr || rule->is_quiet) continue;
    if (rule->is_captured && fact.in_full_graph) continue;
    const FactCondition& condition = rules.ConditionOf(*rule);
    judged.push_back({.fact = &fact,
                      .rule = rule,
                      .num_keys = condition.num_keys,
                      .conditions = ConditionsOf(condition, fact),
                      .certainty = CertaintyOf(condition, fact),
                      .span = SpanOf(project, fact)});
    SetConfidence(judged.back());
  }
  return judged;
}

/// Keeps one fact per place: the most specific, then the one with the highest confidence. Its
/// conditions are those that hold on every path to a fact of its rule. Sorts by file and place.
void KeepOneAPlace(std::vector<Judged>& judged) {
  llvm::stable_sort(judged, [](const Judged& a, const Judged& b) {
    if (a.Place() != b.Place()) return a.Place() < b.Place();
    // Where a break is an error, it comes before what is done with the value.
    if (a.IsError() != b.IsError()) return a.IsError();
    if (a.num_keys != b.num_keys) return a.num_keys > b.num_keys;
    if (a.confidence != b.confidence) return a.confidence > b.confidence;
    return a.rule->code < b.rule->code;
  });
  size_t num_kept = 0;
  for (size_t i = 0; i < judged.size(); ++i) {
    if (num_kept == 0 || judged[num_kept - 1].Place() != judged[i].Place()) {
      judged[num_kept++] = judged[i];
      continue;
    }
    Judged& kept = judged[num_kept - 1];
    if (kept.rule != judged[i].rule) continue;
    kept.conditions &= judged[i].conditions;
    SetConfidence(kept);
  }
  judged.resize(num_kept);
}

/// What the code does with the truth of a value: a key of `advice_for`.
std::string_view StatementOf(const Fact& fact) {
  if (fact.expr != nullptr && fact.expr->kind == PythonExprKind::kCompare &&
      (fact.expr->operators.front() == CompareOperator::kIn ||
       fact.expr->operators.front() == CompareOperator::kNotIn)) {
    return "in";
  }
  if (fact.use == FactUse::kIf && fact.statement->kind == StmtKind::kIf &&
      !fact.statement->body.empty()) {
    const StmtKind last = fact.statement->body.back()->kind;
    if (last == StmtKind::kRaise) return "raise";
    if (last == StmtKind::kBreak || last == StmtKind::kContinue) return "break";
  }
  return FactUseName(fact.use);
}

/// Creates findings with fingerprints; expects them in the order of file and place.
class FindingMaker {
 public:
  FindingMaker(Project& project, const CodeRuleSet& rules)
      : project_(project), rules_(rules), ranges_(project) {}

  CodeFinding Make(const Judged& judged) {
    const Fact& fact = *judged.fact;
    const CodeRule& rule = *judged.rule;
    CodeFinding finding;
    finding.rule = rule.code;
    finding.name = rule.name;
    finding.confidence = judged.confidence;
    finding.severity = rule.severity;
    finding.is_error = judged.IsError();
    // A break on purpose is an error as well where none is allowed.
    if (finding.is_error) finding.severity = std::max(finding.severity, Severity::kWarning);
    if (judged.confidence < kCertainEnough) finding.severity = Severity::kNote;
    finding.file = project_.files()[fact.file].path;
    finding.range = ranges_.RangeOf(fact.file, judged.span);
    if (fact.function != kNoId) finding.function = project_.QualifiedName(fact.function);
    finding.message = FillCodePlaceholders(rule.message, project_, fact);
    finding.advice =
        FillCodePlaceholders(rules_.AdviceFor(rule, StatementOf(fact)), project_, fact);
    finding.breaks.assign(rule.breaks.begin(), rule.breaks.end());
    for (uint32_t bit = 1; bit <= static_cast<uint32_t>(kLastCondition); bit <<= 1) {
      const auto condition = static_cast<RunCondition>(bit);
      if ((judged.conditions & bit) != 0)
        finding.conditions.emplace_back(RunConditionName(condition));
    }
    if (fact.caller != kNoId) finding.related.push_back(CallerOf(fact));
    finding.fix = FixOf(judged);
    finding.fingerprint = FingerprintOf(finding, judged);
    return finding;
  }

  /// Forgets everything that refers to trees.
  void ForgetTrees() { fix_maker_.reset(); }

  /// The fix of a fact in a function that is better not compiled at all; absent: it has a use.
  std::optional<CodeFix> KeepOut(const Fact& fact) {
    return FixMakerOf(fact).MakeKeptOut(fact, UnitOf(project_, fact));
  }

 private:
  std::optional<CodeFix> FixOf(const Judged& judged) {
    const llvm::ArrayRef<FixTemplate> ways = rules_.FixesOf(*judged.rule);
    if (ways.empty()) return std::nullopt;
    return FixMakerOf(*judged.fact).Make(ways, *judged.fact, UnitOf(project_, *judged.fact));
  }

  const FixMaker& FixMakerOf(const Fact& fact) {
    // Findings come file by file.
    if (fix_maker_ == nullptr || fixed_file_ != fact.file) {
      fix_maker_ = std::make_unique<FixMaker>(project_, fact.file);
      fixed_file_ = fact.file;
    }
    return *fix_maker_;
  }

  RelatedPlace CallerOf(const Fact& fact) {
    const SourceFunction& caller = project_.function(fact.caller);
    return {.file = project_.files()[caller.file].path,
            .range = ranges_.NameRangeOf(fact.caller),
            .text = "called from " + project_.QualifiedName(fact.caller)};
  }

  /// Fingerprints only use properties that do not change when lines move; equal code in one
  /// function is numbered.
  std::string FingerprintOf(const CodeFinding& finding, const Judged& judged) {
    const std::string_view text = project_.files()[judged.fact->file].text;
    Identity identity;
    identity.kind = kIdentityKind;
    identity.function = finding.function;
    identity.file = llvm::sys::path::filename(finding.file).str();
    identity.type = finding.rule;
    identity.source =
        OnOneLine(text.substr(judged.span.begin, judged.span.end - judged.span.begin));
    identity.dim = num_equals_[{judged.fact->file, identity}]++;
    return Fingerprint(identity);
  }

  Project& project_;
  const CodeRuleSet& rules_;
  RangeFinder ranges_;
  std::unique_ptr<FixMaker> fix_maker_;  ///< of `fixed_file_`
  FileId fixed_file_ = kNoId;
  std::map<std::pair<FileId, Identity>, int32_t> num_equals_;
};

/// The class whose methods share an idiom; functions outside of classes share theirs per file.
std::pair<FileId, ClassId> FoldOf(const Project& project, const CodeRule& rule, const Fact& fact) {
  const bool is_in_class = fact.function != kNoId && rule.fold == kFoldInClass;
  return {fact.file, is_in_class ? project.function(fact.function).in_class : kNoId};
}

/// A finding and its source.
struct Made {
  CodeFinding finding;
  const Judged* judged = nullptr;
};

/// The bytes controlled by an `if` or `while` on a tensor; empty for anything else.
FileSpan DecidedBy(const Project& project, const Made& made) {
  const Fact& fact = *made.judged->fact;
  const bool is_branch = fact.kind == FactKind::kTruth && fact.statement != nullptr &&
                         (fact.use == FactUse::kIf || fact.use == FactUse::kWhile);
  if (!is_branch || made.finding.severity == Severity::kNote) return {};
  return {.begin = made.judged->span.end,
          .end = UnitBegin(project, fact) + fact.statement->span.end};
}

/// Breaks depend on the outermost reported branch. If there are more than this, all of which would
/// have to be suppressed to matter, the inner ones are ignored.
constexpr size_t kMaxBranches = 8;

/// The names whose values derive from the result of one statement, as far as a check uses them.
class DerivedNames {
 public:
  DerivedNames(const Stmt& first, const Stmt& test)
      : first_(first), test_(test), names_({AssignedName(first)}) {}

  /// Reads the statements of `body` in their order; false: one uses a name for something else than
  /// the check.
  bool Read(llvm::ArrayRef<const Stmt*> body) {
    llvm::SmallVector<std::string_view, 2> assigned_again;
    const bool serves_check = llvm::all_of(body, [&](const Stmt* stmt) {
      if (stmt == &first_ || stmt->span.end <= first_.span.begin) return true;
      if (stmt == &test_) {
        has_read_test_ = Uses(*test_.value);
        return has_read_test_;
      }
      bool uses = false;
      ForEachExpr(*stmt,
                  [&](const Expr& expr, bool is_target) { uses |= !is_target && Uses(expr); });
      const std::string_view target = AssignedName(*stmt);
      if (uses && (has_read_test_ || target.empty())) return false;
      if (uses) {
        names_.push_back(target);
      } else if (llvm::is_contained(names_, target)) {
        llvm::erase_value(names_, target);
        assigned_again.push_back(target);
      }
      bool is_fine = true;
      ForEachBlock(*stmt,
                   [&](llvm::ArrayRef<const Stmt*> block) { is_fine = is_fine && Read(block); });
      return is_fine;
    });
    // After a block that may not have run, a name may still have the value from before.
    llvm::append_range(names_, assigned_again);
    return serves_check;
  }

  /// The name that `stmt` assigns; empty: it is not an assignment to one name.
  static std::string_view AssignedName(const Stmt& stmt) {
    const Expr* target = OnlyTarget(stmt);
    return IsName(target) ? std::string_view(target->text) : "";
  }

  bool has_read_test() const { return has_read_test_; }

 private:
  bool Uses(const Expr& expr) const {
    return AnyExpr(expr, [&](const Expr& part) {
      return IsName(&part) && llvm::is_contained(names_, part.text);
    });
  }

  const Stmt& first_;
  const Stmt& test_;
  llvm::SmallVector<std::string_view, 4> names_;
  bool has_read_test_ = false;
};

/// Whether `test` only raises an error and the result of `first`, an earlier assignment of
/// `function`, only serves to decide it: `values = torch.unique(x)`, `bad = (values > 1).any()`,
/// `if bad: raise`.
bool OnlyServesCheck(const Stmt& function, const Stmt& first, const Stmt& test) {
  const bool only_raises = test.kind == StmtKind::kIf && test.orelse.empty() &&
                           !test.body.empty() && test.body.back()->kind == StmtKind::kRaise;
  if (!only_raises || DerivedNames::AssignedName(first).empty()) return false;
  DerivedNames names(first, test);
  return names.Read(function.body) && names.has_read_test();
}

/// What the checks of a function may depend on.
struct FirstSteps {
  std::vector<const Made*> breaks;  ///< in the order of their places
  size_t num_checks = 0;            ///< that were asked for
};

// A check reads what the lines before it compute. Functions with more checks exist only in
// generated code, where each question costs as much as the function is long.
constexpr size_t kMaxFirstSteps = 8;
constexpr size_t kMaxChecks = 64;

/// The break whose result the check `one` exists for; null: none.
const Made* FirstStepOf(Project& project, const Made& one, FirstSteps& steps) {
  const Fact& fact = *one.judged->fact;
  if (steps.breaks.empty() || fact.function == kNoId || ++steps.num_checks > kMaxChecks) {
    return nullptr;
  }
  const Stmt* function = project.Tree(fact.function);
  if (function == nullptr) return nullptr;
  const size_t num_left = steps.breaks.size() - std::min(steps.breaks.size(), kMaxFirstSteps);
  for (const Made* step : llvm::ArrayRef(steps.breaks).drop_front(num_left)) {
    const Stmt* statement = step->judged->fact->statement;
    if (statement != nullptr && step->finding.severity >= one.finding.severity &&
        OnlyServesCheck(*function, *statement, *fact.statement)) {
      return step;
    }
  }
  return nullptr;
}

/// Adds the code that always runs after the byte `place` of a function, block by block from the
/// inside out. `is_after_loop`: only after the outermost loop around `place`, if there is one.
void AddAfter(llvm::ArrayRef<const Stmt*> block, uint32_t place, bool is_after_loop,
              llvm::SmallVector<ByteSpan, 4>& spans) {
  for (const Stmt* stmt : block) {
    if (place < stmt->span.begin || place >= stmt->span.end) continue;
    const bool is_loop = stmt->kind == StmtKind::kFor || stmt->kind == StmtKind::kWhile;
    const bool is_unit = stmt->kind == StmtKind::kFunction || stmt->kind == StmtKind::kClass;
    if (is_unit) return;
    if (!is_loop || !is_after_loop) {
      ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> inner) {
        AddAfter(inner, place, is_after_loop, spans);
      });
    }
    spans.push_back({.begin = stmt->span.end, .end = block.back()->span.end});
    return;
  }
}

/// Code of a function that Dynamo does not trace once a break before it was hit.
struct Skipped {
  llvm::SmallVector<ByteSpan, 4> spans;  ///< from the begin of the function
  uint32_t id = 0;                       ///< FoldKeys::id of the break
  Severity severity = Severity::kNote;
  uint16_t conditions = 0;  ///< RunCondition: of the break
};

// The first ones leave little that is traced.
constexpr size_t kMaxSkipped = 8;

/// Adds what is not traced after the break `one`. Dynamo leaves the rest of a function to Python
/// after a break in a `for` or `while`, and where a local is a sparse or nested tensor.
void AddSkipped(Project& project, const Made& one, std::vector<Skipped>& skipped) {
  const Fact& fact = *one.judged->fact;
  const bool is_unwrapped = fact.kind == FactKind::kCall && fact.result.Has(Trait::kSparseOrNested);
  if (one.finding.breaks.empty() || (!fact.in_loop && !is_unwrapped)) return;
  const Stmt* function = project.Tree(fact.function);
  if (function == nullptr || skipped.size() >= kMaxSkipped) return;
  const auto place = static_cast<uint32_t>(one.judged->span.begin - UnitBegin(project, fact));
  Skipped after{.spans = {},
                .id = one.finding.fold.id,
                .severity = one.finding.severity,
                .conditions = one.judged->conditions};
  AddAfter(function->body, place, fact.in_loop, after.spans);
  constexpr uint16_t kOfWholeFunction = static_cast<uint16_t>(RunCondition::kTraining) |
                                        static_cast<uint16_t>(RunCondition::kEvaluation) |
                                        static_cast<uint16_t>(RunCondition::kUncalled);
  // Around a block that may not run, the break may not have been hit.
  const bool always_runs = (after.conditions & ~kOfWholeFunction) == 0;
  if (!always_runs && after.spans.size() > 1) after.spans.truncate(1);
  skipped.push_back(std::move(after));
}

/// Whether `one` is in the code, and the break was hit wherever `one` would be.
bool IsSkipped(const Project& project, const Made& one, const Skipped& skipped) {
  if (skipped.severity < one.finding.severity ||
      (skipped.conditions & ~one.judged->conditions) != 0) {
    return false;
  }
  const size_t place = one.judged->span.begin - UnitBegin(project, *one.judged->fact);
  return llvm::any_of(
      skipped.spans, [&](const ByteSpan& span) { return span.begin <= place && place < span.end; });
}

/// Records which findings each break depends on: branches around it that break, the first step of
/// a check, and breaks after which it is not traced. A break with a fix of its own only depends on
/// the first step.
void FindBranches(Project& project, std::vector<Made>& made) {
  struct Open {
    size_t end = 0;
    uint32_t id = 0;
  };
  struct OfFunction {
    // By severity: no finding depends on a branch of lower severity than its own.
    std::map<Severity, std::vector<Open>> branches;
    FirstSteps steps;
    std::vector<Skipped> skipped;
  };
  std::map<std::pair<FileId, FunctionId>, OfFunction> functions;
  // Sorted by place: the code that a branch controls follows it, and ends before the code around
  // it.
  for (Made& one : made) {
    const Fact& fact = *one.judged->fact;
    CodeFinding& finding = one.finding;
    OfFunction& scope = functions[{fact.file, fact.function}];
    auto& open_branches = scope.branches;
    const bool is_break = !finding.breaks.empty() && !finding.fix;
    std::vector<uint32_t>& ids = finding.fold.branches;
    for (auto& [severity, branches] : open_branches) {
      while (!branches.empty() && branches.back().end <= one.judged->span.begin) {
        branches.pop_back();
      }
      if (!is_break || severity < finding.severity) continue;
      const size_t num_taken = std::min(branches.size(), kMaxBranches);
      for (size_t i = 0; i < num_taken; ++i) ids.push_back(branches[i].id);
    }
    const FileSpan decided = DecidedBy(project, one);
    const Made* step = decided.end != 0 ? FirstStepOf(project, one, scope.steps) : nullptr;
    if (step != nullptr) {
      ids.push_back(step->finding.fold.id);
      // Breaks under the check move with it.
      open_branches[finding.severity].push_back({.end = decided.end, .id = ids.back()});
    } else if (!finding.breaks.empty()) {
      scope.steps.breaks.push_back(&one);
    }
    for (const Skipped& skipped : scope.skipped) {
      if (is_break && IsSkipped(project, one, skipped)) ids.push_back(skipped.id);
    }
    AddSkipped(project, one, scope.skipped);
    // Ids increase with the place: the outermost come first.
    llvm::sort(ids);
    ids.resize(std::min(ids.size(), kMaxBranches));
    if (decided.end != 0) {
      open_branches[finding.severity].push_back({.end = decided.end, .id = finding.fold.id});
    }
  }
}

/// Whether a module is called through the function.
bool IsCallOfModule(Project& project, FunctionId id) {
  const SourceFunction& function = project.function(id);
  return function.name == "__call__" && function.in_class != kNoId &&
         project.IsModule(function.in_class);
}

/// Whether the function computes nothing after the statement of `fact`, but may return a name, an
/// attribute or an item.
bool IsAtEnd(Project& project, const Fact& fact) {
  const Stmt* function = project.Tree(fact.function);
  if (function == nullptr || function->body.empty()) return false;
  const Stmt* last = function->body.back();
  if (fact.statement == last) {
    return last->kind == StmtKind::kReturn || last->kind == StmtKind::kAssert;
  }
  const bool is_before = function->body.size() > 1 && last->kind == StmtKind::kReturn &&
                         function->body[function->body.size() - 2] == fact.statement &&
                         fact.statement->kind == StmtKind::kAssign;
  if (!is_before || last->value == nullptr) return false;
  const PythonExprKind kind = last->value->kind;
  return kind == PythonExprKind::kName || kind == PythonExprKind::kAttribute ||
         kind == PythonExprKind::kSubscript;
}

/// Whether little of the function can stay in a graph even if this is its only break: Dynamo leaves
/// a function with a break in a loop to Python; or what follows has sizes that depend on data, or
/// there is nothing.
bool LeavesLittle(Project& project, const Fact& fact) {
  return fact.in_loop || fact.result.Has(Trait::kUnknownSize) || IsAtEnd(project, fact);
}

/// Proposes to run a function without compiling if nothing else removes its breaks, of which it
/// needs several, or one that leaves little. Parts of the model may not run in it.
void KeepOutFunctions(Project& project, const std::unordered_set<FunctionId>& compiled,
                      FindingMaker& maker, std::vector<Made>& made) {
  const auto breaks = [](const Made& one) {
    return !one.finding.breaks.empty() && !one.finding.fix &&
           one.finding.severity != Severity::kNote && one.judged->fact->function != kNoId;
  };
  std::unordered_map<FunctionId, size_t> num_breaks;
  for (const Made& one : made) num_breaks[one.judged->fact->function] += breaks(one) ? 1 : 0;
  for (Made& one : made) {
    const Fact& fact = *one.judged->fact;
    if (!breaks(one) || compiled.contains(fact.function)) continue;
    if (IsCallOfModule(project, fact.function)) continue;
    const bool pays = num_breaks[fact.function] > 1 || LeavesLittle(project, fact);
    if (pays) one.finding.fix = maker.KeepOut(fact);
  }
}

/// The functions that are compiled on purpose, or run parts of the model. kNoId, a file's own
/// statements, is no key of LLVM's tables.
std::unordered_set<FunctionId> CompiledFunctions(llvm::ArrayRef<Fact> facts,
                                                 llvm::ArrayRef<FunctionId> known) {
  std::unordered_set<FunctionId> compiled(known.begin(), known.end());
  for (const Fact& fact : facts) {
    const bool is_root = fact.caller == kNoId && !Has(fact, RunCondition::kUncalled);
    if (is_root || fact.runs_modules) compiled.insert(fact.function);
  }
  return compiled;
}

/// Judges the facts of some files after the others, so that only their trees take memory.
class FactJudge {
 public:
  FactJudge(Project& project, const CodeRuleSet& rules, CodeMode mode,
            std::unordered_set<FunctionId> compiled)
      : project_(project),
        rules_(rules),
        mode_(mode),
        compiled_(std::move(compiled)),
        maker_(project, rules) {}

  /// `facts`: all facts of some files.
  void Judge(std::vector<Fact> facts) {
    AttachFacts(project_, facts);
    std::vector<Judged> judged = MatchAll(project_, facts, rules_, mode_);
    KeepOneAPlace(judged);
    std::vector<Made> made;
    made.reserve(judged.size());
    for (const Judged& one : judged) {
      Made& added = made.emplace_back(Made{maker_.Make(one), &one});
      added.finding.fold.id = ++num_made_;
      if (one.rule->fold.empty()) continue;
      const auto number = static_cast<uint32_t>(idioms_.size() + 1);
      added.finding.fold.idiom =
          idioms_.try_emplace({one.rule, FoldOf(project_, *one.rule, *one.fact)}, number)
              .first->second;
    }
    FindBranches(project_, made);
    KeepOutFunctions(project_, compiled_, maker_, made);
    for (Made& one : made) findings_.push_back(std::move(one.finding));
    maker_.ForgetTrees();
    project_.FreeTrees();
  }

  /// By file, place and rule.
  std::vector<CodeFinding> Take() {
    llvm::stable_sort(findings_, [](const CodeFinding& a, const CodeFinding& b) {
      return std::tie(a.file, a.range, a.rule) < std::tie(b.file, b.range, b.rule);
    });
    return std::move(findings_);
  }

 private:
  Project& project_;
  const CodeRuleSet& rules_;
  CodeMode mode_;
  std::unordered_set<FunctionId> compiled_;
  FindingMaker maker_;
  std::map<std::pair<const CodeRule*, std::pair<FileId, ClassId>>, uint32_t> idioms_;
  uint32_t num_made_ = 0;
  std::vector<CodeFinding> findings_;
};

// Bytes of the files that are judged together: freeing trees visits all units of the project.
constexpr size_t kBytesTogether = 1'500'000;

}  // namespace

std::vector<CodeFinding> JudgeFacts(Project& project, llvm::ArrayRef<Fact> facts,
                                    const CodeRuleSet& rules, CodeMode mode,
                                    llvm::ArrayRef<FunctionId> compiled) {
  std::vector<const Fact*> by_file;
  by_file.reserve(facts.size());
  for (const Fact& fact : facts) {
    if (project.files()[fact.file].is_checked) by_file.push_back(&fact);
  }
  llvm::stable_sort(by_file, [](const Fact* a, const Fact* b) { return a->file < b->file; });

  FactJudge judge(project, rules, mode, CompiledFunctions(facts, compiled));
  std::vector<Fact> some;
  size_t num_bytes = 0;
  for (size_t i = 0; i < by_file.size(); ++i) {
    some.push_back(*by_file[i]);
    const FileId file = by_file[i]->file;
    if (i + 1 < by_file.size() && by_file[i + 1]->file == file) continue;
    num_bytes += project.files()[file].text.size();
    if (num_bytes < kBytesTogether && i + 1 < by_file.size()) continue;
    judge.Judge(std::exchange(some, {}));
    num_bytes = 0;
  }
  return judge.Take();
}

}  // namespace shapewise
