#include "check/fix_template.h"

#include <nlohmann/json.hpp>

#include "check/preconditions.h"
#include "check/rewrites/rewrites.h"
#include "llvm/ADT/StringExtras.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

struct TargetName {
  std::string_view name;
  FixTarget target;
};

constexpr TargetName kTargets[] = {{"expression", FixTarget::kExpression},
                                   {"statement", FixTarget::kStatement},
                                   {"callee", FixTarget::kCallee},
                                   {"receiver", FixTarget::kReceiver},
                                   {"argument0", FixTarget::kArgument0}};

constexpr std::string_view kPlaceholders[] = {"expression", "statement", "receiver",
                                              "callee",     "arguments", "argument0",
                                              "test",       "message",   "value"};

constexpr std::string_view kFixKeys[] = {"safe", "title", "replace", "with", "if", "rewrite"};

Error UnknownWord(std::string_view what, std::string_view word,
                  llvm::ArrayRef<std::string_view> known) {
  return MakeError("unknown " + std::string(what) + " '" + std::string(word) + "' of 'fix'" +
                   DidYouMean(word, std::span(known.data(), known.size())));
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
  for (const auto& [key, value] : block.items()) {
    if (!llvm::is_contained(kFixKeys, std::string_view(key)))
      return UnknownWord("key", key, kFixKeys);
    const bool is_right = key == "safe" ? value.is_boolean()
                          : key == "if" ? value.is_array()
                                        : value.is_string();
    if (!is_right) return MakeError("'" + key + "' of 'fix' has a wrong type");
  }
  if (block.contains("safe")) way.safe = block["safe"].get<bool>();
  way.title = block.value("title", "");
  for (const Json& word : block.value("if", Json::array())) {
    const std::string name = word.is_string() ? word.get<std::string>() : "";
    const Precondition* condition = FindPrecondition(name);
    if (condition == nullptr) {
      std::vector<std::string_view> known;
      for (const Precondition& one : Preconditions()) known.push_back(one.name);
      return UnknownWord("word", name, known);
    }
    way.conditions.push_back(condition);
  }
  if (block.contains("rewrite")) {
    const std::string name = block["rewrite"].get<std::string>();
    way.rewrite = FindRewrite(name);
    if (way.rewrite == nullptr) {
      std::vector<std::string_view> known;
      for (const NamedRewrite& one : Rewrites()) known.push_back(one.name);
      return UnknownWord("rewrite", name, known);
    }
    if (block.contains("with") || block.contains("replace"))
      return MakeError("'fix' has a rewrite and a template");
    return way;
  }
  if (!way.safe || way.title.empty() || !block.contains("with") || !block.contains("replace"))
    return MakeError("'fix' needs 'rewrite', or 'safe', 'title', 'replace' and 'with'");
  way.with = block["with"].get<std::string>();
  const std::string replace = block["replace"].get<std::string>();
  const auto* target =
      llvm::find_if(kTargets, [&](const TargetName& one) { return one.name == replace; });
  if (target == std::end(kTargets)) {
    std::vector<std::string_view> known;
    for (const TargetName& one : kTargets) known.push_back(one.name);
    return UnknownWord("word", replace, known);
  }
  way.replace = target->target;
  for (size_t at = 0; at < way.with.size(); ++at) {
    const std::string_view name = PlaceholderAt(way.with, at);
    if (!name.empty() && !llvm::is_contained(kPlaceholders, name))
      return UnknownWord("placeholder", name, kPlaceholders);
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
    return callee != nullptr && callee->kind == PythonExprKind::kAttribute ? callee->left : nullptr;
  }
  if (expr->kind != PythonExprKind::kCall) return nullptr;
  if (name == "callee") return expr->left;
  if (name == "argument0" && !expr->arguments.empty() && expr->arguments[0].keyword.empty() &&
      expr->arguments[0].stars == 0)
    return expr->arguments[0].value;
  return nullptr;
}

/// The text for a placeholder. `indent`: additional indentation of the statement. `is_tight`: a
/// dot, a bracket or an operator is next to it.
std::optional<std::string> TextOf(std::string_view name, const FixContext& context,
                                  std::string_view indent, bool is_tight) {
  if (name == "statement")
    return context.file().Indented(context.Place(context.statement().span), indent);
  if (name == "arguments") {
    const Expr* call = context.fact().expr;
    if (call == nullptr || call->kind != PythonExprKind::kCall) return {};
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

std::optional<CodeEdit> FillTemplate(const FixTemplate& way, const FixContext& context) {
  if (way.replace == FixTarget::kStatement) return FillStatement(way, context);
  const Expr* target = PartOf(way.replace == FixTarget::kExpression ? "expression"
                              : way.replace == FixTarget::kCallee   ? "callee"
                              : way.replace == FixTarget::kReceiver ? "receiver"
                                                                    : "argument0",
                              context);
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

}  // namespace shapewise
