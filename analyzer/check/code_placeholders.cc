#include "check/code_placeholders.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "check/fact_text.h"
#include "support/nearest_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kUnknown = "...";
constexpr std::string_view kBuiltins = "builtins.";

struct Context {
  const Project& project;
  const Fact& fact;
};

std::string Written(const Context& context, const Expr* expr) {
  return ShortText(WrittenAs(context.project, context.fact, expr));
}

std::string ExpressionText(const Context& context) {
  const FileSpan span = SpanOf(context.project, context.fact);
  const std::string_view text = context.project.files()[context.fact.file].text;
  return ShortText(text.substr(span.begin, span.end - span.begin));
}

std::string SubjectText(const Context& context) {
  const Expr* subject = SubjectOf(context.fact);
  return subject != nullptr ? Written(context, subject) : ExpressionText(context);
}

std::string CalleeText(const Context& context) {
  const Expr* expr = context.fact.expr;
  if (expr == nullptr || expr->kind != PythonExprKind::kCall) return {};
  return Written(context, expr->left);
}

std::string NameText(const Context& context) {
  std::string_view name = context.fact.name;
  ConsumeFront(name, kBuiltins);
  return std::string(name);
}

std::string AttributeText(const Context& context) {
  const std::string_view name = context.fact.name;
  return std::string(name.substr(name.rfind('.') + 1));
}

template <size_t kPosition>
std::string ArgumentText(const Context& context) {
  const Expr* expr = context.fact.expr;
  if (expr == nullptr) return {};
  if (expr->kind == PythonExprKind::kSubscript) {
    return kPosition < expr->items.size() ? Written(context, expr->items[kPosition]) : "";
  }
  return kPosition < expr->arguments.size() ? Written(context, expr->arguments[kPosition].value)
                                            : "";
}

std::string FunctionText(const Context& context, FunctionId function) {
  return function == kNoId ? std::string() : context.project.QualifiedName(function);
}

struct CodePlaceholder {
  std::string_view name;
  std::string (*text)(const Context&);
};

constexpr CodePlaceholder kCodePlaceholders[] = {
    {"expression", ExpressionText},
    {"subject", SubjectText},
    {"callee", CalleeText},
    {"name", NameText},
    {"attribute", AttributeText},
    {"argument0", ArgumentText<0>},
    {"argument1", ArgumentText<1>},
    {"argument2", ArgumentText<2>},
    {"argument3", ArgumentText<3>},
    {"function",
     [](const Context& context) { return FunctionText(context, context.fact.function); }},
    {"caller", [](const Context& context) { return FunctionText(context, context.fact.caller); }},
};

const CodePlaceholder* FindPlaceholder(std::string_view name) {
  const auto* const found = std::ranges::find(kCodePlaceholders, name, &CodePlaceholder::name);
  return found == std::end(kCodePlaceholders) ? nullptr : found;
}

/// The word in braces that `text` starts with; empty if it does not.
std::string_view WordInBraces(std::string_view text) {
  if (!text.starts_with('{')) return {};
  size_t end = 1;
  while (end < text.size() && IsWordChar(text[end])) ++end;
  const bool is_closed = end < text.size() && text[end] == '}';
  return is_closed ? text.substr(1, end - 1) : std::string_view();
}

}  // namespace

std::string FillCodePlaceholders(std::string_view text, const Project& project, const Fact& fact) {
  const Context context{project, fact};
  std::string filled;
  while (!text.empty()) {
    const std::string_view word = WordInBraces(text);
    const CodePlaceholder* placeholder = word.empty() ? nullptr : FindPlaceholder(word);
    if (placeholder == nullptr) {
      filled.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    const std::string value = placeholder->text(context);
    filled += value.empty() ? kUnknown : std::string_view(value);
    text.remove_prefix(word.size() + 2);
  }
  return filled;
}

Error CheckCodePlaceholders(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    const std::string_view word = WordInBraces(text);
    if (word.empty() || FindPlaceholder(word) != nullptr) continue;
    std::vector<std::string_view> names;
    for (const CodePlaceholder& placeholder : kCodePlaceholders) names.push_back(placeholder.name);
    return MakeError("unknown placeholder {" + std::string(word) + "}" + DidYouMean(word, names));
  }
  return Error::success();
}

}  // namespace shapewise
