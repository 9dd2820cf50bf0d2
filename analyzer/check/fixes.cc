#include "check/fixes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "check/fix_context.h"
#include "check/preconditions.h"
#include "check/rewrites/rewrites.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "rules/json_fields.h"
#include "source/word_list.h"
#include "syntax/parse_unit.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kTargets[] = {"expression", "statement", "callee", "receiver",
                                         "argument0"};

constexpr std::string_view kPlaceholders[] = {"expression", "statement", "receiver",
                                              "callee",     "arguments", "argument0",
                                              "test",       "message",   "value"};

constexpr std::string_view kFixKeys[] = {"safe", "title", "replace", "with", "if", "rewrite"};

/// Finds the entry of a table with this name.
template <typename Entry>
Error FindNamed(std::string_view what, std::string_view name, llvm::ArrayRef<Entry> table,
                const Entry*& into) {
  std::vector<std::string_view> names;
  for (const Entry& one : table) names.push_back(one.name);
  if (Error error = CheckWord(what, name, names)) return error;
  into = llvm::find_if(table, [&](const Entry& one) { return one.name == name; });
  return Error::success();
}

/// The placeholder that starts at `at`, without its braces; empty if not found.
std::string_view PlaceholderAt(std::string_view text, size_t at) {
  if (text[at] != '{') return "";
  const size_t end = text.find('}', at);
  if (end == std::string_view::npos) return "";
  const std::string_view name = text.substr(at + 1, end - at - 1);
  for (const char c : name)
    if (!llvm::isAlnum(c)) return "";
  return name;
}

Expected<FixTemplate> ParseBlock(const Json& block) {
  FixTemplate way;
  if (!block.is_object()) return MakeError("'fix' has to be an object");
  if (Error error = CheckKeys(block, "key of 'fix'", kFixKeys)) return error;
  for (const auto& [key, value] : block.items()) {
    const bool is_right = key == "safe" ? value.is_boolean()
                          : key == "if" ? value.is_array()
                                        : value.is_string();
    if (!is_right) return MakeError("'" + key + "' of 'fix' has a wrong type");
  }
  if (block.contains("safe")) way.safe = block["safe"].get<bool>();
  way.title = block.value("title", "");
  for (const Json& word : block.value("if", Json::array())) {
    const std::string name = word.is_string() ? word.get<std::string>() : "";
    const Precondition* condition = nullptr;
    if (Error error = FindNamed("word of 'fix'", name, Preconditions(), condition)) return error;
    way.conditions.push_back(condition);
  }
  if (block.contains("rewrite")) {
    const std::string name = block["rewrite"].get<std::string>();
    if (Error error = FindNamed("rewrite of 'fix'", name, Rewrites(), way.rewrite)) return error;
    if (block.contains("with") || block.contains("replace"))
      return MakeError("'fix' has a rewrite and a template");
    return way;
  }
  if (!way.safe || way.title.empty() || !block.contains("with") || !block.contains("replace"))
    return MakeError("'fix' needs 'rewrite', or 'safe', 'title', 'replace' and 'with'");
  way.with = block["with"].get<std::string>();
  way.replace = block["replace"].get<std::string>();
  if (Error error = CheckWord("word of 'fix'", way.replace, kTargets)) return error;
  for (size_t at = 0; at < way.with.size(); ++at) {
    const std::string_view name = PlaceholderAt(way.with, at);
    if (name.empty()) continue;
    if (Error error = CheckWord("placeholder of 'fix'", name, kPlaceholders)) return error;
  }
  return way;
}

/// The part of the code that a placeholder represents; null if it does not exist.
const Expr* PartOf(std::string_view name, const FixContext& context) {
  const Expr* expr = context.fact().expr;
  const Stmt& statement = context.statement();
  if (name == "expression") return expr;
  if (name == "test") return statement.kind == StmtKind::kAssert ? statement.value : nullptr;
  if (name == "message") return statement.message;
  if (name == "value") return statement.kind == StmtKind::kAssign ? statement.value : nullptr;
  if (expr == nullptr) return nullptr;
  if (name == "receiver") {
    const Expr* callee = expr->kind == PythonExprKind::kCall ? expr->left : expr;
    return callee->kind == PythonExprKind::kAttribute ? callee->left : nullptr;
  }
  if (expr->kind != PythonExprKind::kCall) return nullptr;
  if (name == "callee") return expr->left;
  const bool has_first = !expr->arguments.empty() && expr->arguments[0].keyword.empty() &&
                         expr->arguments[0].stars == 0;
  return name == "argument0" && has_first ? expr->arguments[0].value : nullptr;
}

/// The text for a placeholder. `indent`: additional indentation of the statement. `is_tight`: a
/// dot, a bracket or an operator is next to it.
std::optional<std::string> TextOf(std::string_view name, const FixContext& context,
                                  std::string_view indent, bool is_tight) {
  if (name == "statement")
    return context.file().Indented(context.Place(context.statement().span), indent);
  if (name == "arguments") {
    const Expr* call = context.Call();
    if (call == nullptr) return {};
    if (call->arguments.empty()) return "";
    return std::string(context.Text(
        ByteSpan{call->arguments.front().span.begin, call->arguments.back().span.end}));
  }
  const Expr* part = PartOf(name, context);
  if (part == nullptr) return {};
  return is_tight ? context.Operand(*part) : std::string(context.Text(*part));
}

/// One line of a template.
std::optional<std::string> FillLine(std::string_view line, const FixContext& context,
                                    std::string_view indent) {
  std::string result;
  for (size_t at = 0; at < line.size(); ++at) {
    const std::string_view name = PlaceholderAt(line, at);
    if (name.empty()) {
      result += line[at];
      continue;
    }
    const size_t end = at + name.size() + 2;
    const bool is_tight = end < line.size() && (line[end] == '.' || line[end] == '[');
    std::optional<std::string> text = TextOf(name, context, indent, is_tight);
    if (!text) return {};
    result += *text;
    at = end - 1;
  }
  return result;
}

std::optional<CodeEdit> FillStatement(const FixTemplate& way, const FixContext& context) {
  const Stmt& statement = context.statement();
  const std::string_view unit = context.file().indent_unit();
  // After a colon, the statement moves one level deeper than the line that contains it.
  const bool is_after_colon = context.PlacementOf(statement) == Placement::kAfterColon;
  std::vector<std::string> lines;
  llvm::SmallVector<llvm::StringRef, 4> wanted;
  llvm::StringRef(way.with).split(wanted, '\n');
  for (const llvm::StringRef line : wanted) {
    const llvm::StringRef rest = line.ltrim(' ');
    std::string indent;
    for (size_t level = 0; level < (line.size() - rest.size()) / 4; ++level) indent += unit;
    const std::string deeper = is_after_colon ? std::string(unit) + indent : indent;
    std::optional<std::string> text = FillLine(rest, context, deeper);
    if (!text) return {};
    lines.push_back(indent + *text);
  }
  return context.ReplaceStatements(statement, statement, std::move(lines));
}

/// The edit of a template, without those of its preconditions; absent if it cannot be applied.
std::optional<CodeEdit> FillTemplate(const FixTemplate& way, const FixContext& context) {
  if (way.replace == "statement") return FillStatement(way, context);
  const Expr* target = PartOf(way.replace, context);
  if (target == nullptr) return {};
  std::optional<std::string> text = FillLine(way.with, context, "");
  if (!text) return {};
  const std::vector<const Expr*>& path = context.expressions();
  const Expr* parent = target == context.fact().expr ? context.Parent() : nullptr;
  const bool is_argument =
      parent != nullptr && parent->kind == PythonExprKind::kCall && parent->left != path.back();
  if (parent != nullptr && !is_argument && llvm::StringRef(way.with).contains(" if "))
    text = "(" + *text + ")";
  return context.ReplaceExpr(*target, std::move(*text));
}

std::optional<CodeFix> MakeOne(const FixTemplate& way, const FixContext& context) {
  CodeFix fix;
  for (const Precondition* condition : way.conditions) {
    if (!condition->holds(context)) return {};
    if (condition->imports.empty()) continue;
    std::optional<std::vector<CodeEdit>> added = context.Import(condition->imports);
    if (!added) return {};
    llvm::append_range(fix.edits, *added);
  }
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

/// A fix that decorates the function of `context` with `@torch.compiler.disable`. Absent if it is
/// `forward` or a constructor, if other decorators, `async` or `yield` change what a call of it is,
/// or if torch cannot be named there.
std::optional<CodeFix> KeepOut(const FixContext& context) {
  const Stmt* function = context.unit().function;
  if (function == nullptr || function->kind != StmtKind::kFunction || function->is_async) return {};
  if (HasWord<"forward __init__">(function->text)) return {};
  const bool passes_on = llvm::all_of(function->decorators, [](const Expr* decorator) {
    return HasWord<"staticmethod classmethod no_grad inference_mode">(
        DecoratorName(*decorator).text);
  });
  const bool yields = AnyExpr(*function, [](const Expr& expr) {
    return expr.kind == PythonExprKind::kYield || expr.kind == PythonExprKind::kYieldFrom;
  });
  if (!passes_on || yields) return {};
  const FileView& file = context.file();
  const size_t at = function->decorators.empty()
                        ? file.LineBegin(context.Place(function->span).begin)
                        : file.NextLine(context.Place(function->decorators.back()->span).end);
  const std::string_view indent = file.IndentOf(at);
  if (!file.text().substr(at + indent.size()).starts_with("def ")) return {};
  std::string line(indent);
  line.append("@torch.compiler.disable").append(file.line_end());
  std::optional<Rewritten> made =
      WithImport(context, "torch", file.Edit({at, at}, std::move(line)));
  if (!made) return {};
  CodeFix fix;
  fix.title = "run `" + std::string(function->text) + "` without compiling, as one break";
  fix.edits = std::move(made->edits);
  llvm::stable_sort(fix.edits,
                    [](const CodeEdit& a, const CodeEdit& b) { return a.begin < b.begin; });
  return fix;
}

size_t ModuleBegin(const SourceFile& file) {
  return file.outline.module.empty() ? 0 : file.outline.module.front().begin;
}

/// The start of the outermost class or function around function `index` of a file.
size_t OutermostBegin(const SourceFile& file, size_t index) {
  const OutlinedFunction& function = file.outline.functions[index];
  size_t begin = function.span.begin;
  for (int32_t in_class = function.in_class; in_class >= 0;
       in_class = file.outline.classes[static_cast<size_t>(in_class)].in_class)
    begin = file.outline.classes[static_cast<size_t>(in_class)].span.begin;
  return begin;
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
  TreeArena arena;
  return ParseUnit(text, FileSpan{0, text.size()}, arena).faults.size();
}

size_t FirstByte(const CodeFix& fix) {
  // An import added by a fix does not show where the fix is.
  for (const CodeEdit& edit : fix.edits)
    if (edit.begin != edit.end) return edit.begin;
  return fix.edits.empty() ? 0 : fix.edits.front().begin;
}

}  // namespace

Expected<std::vector<FixTemplate>> ParseFixes(std::string_view json) {
  const Json value = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  std::vector<FixTemplate> ways;
  if (value.is_object() && value.size() == 1 && value.contains("first")) {
    if (!value["first"].is_array()) return MakeError("'first' of 'fix' has to be a list");
    for (const Json& block : value["first"]) {
      Expected<FixTemplate> way = ParseBlock(block);
      if (!way) return way.takeError();
      ways.push_back(std::move(*way));
    }
    return ways;
  }
  Expected<FixTemplate> way = ParseBlock(value);
  if (!way) return way.takeError();
  ways.push_back(std::move(*way));
  return ways;
}

FixMaker::FixMaker(Project& project, FileId file)
    : FixMaker(project.files()[file].text, project.ModuleTree(file),
               ModuleBegin(project.files()[file])) {}

FixUnit UnitOf(Project& project, const Fact& fact) {
  const SourceFile& file = project.files()[fact.file];
  FixUnit unit;
  if (fact.function == kNoId) {
    unit.begin = ModuleBegin(file);
    return unit;
  }
  const SourceFunction& function = project.function(fact.function);
  unit.function = project.Tree(fact.function);
  unit.begin = function.begin;
  unit.outermost = OutermostBegin(file, fact.function - file.first_function);
  if (function.in_class != kNoId) {
    const FunctionId init = project.FindMethod(function.in_class, "__init__");
    if (init != kNoId) {
      const SourceFunction& made = project.function(init);
      unit.init = project.Tree(init);
      unit.init_text = project.files()[made.file].text.substr(made.begin);
    }
  }
  return unit;
}

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
