#include "check/fact_text.h"

#include <algorithm>

#include "support/nearest_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxCharacters = 60;
constexpr std::string_view kEllipsis = "...";

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

size_t NumCharacters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, StartsCharacter));
}

/// The bytes of the first `count` characters of `text`.
std::string_view FirstCharacters(std::string_view text, size_t count) {
  size_t end = 0;
  while (end < text.size()) {
    if (StartsCharacter(text[end]) && count-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

bool HasBody(const Stmt& stmt) { return !stmt.body.empty() || !stmt.handlers.empty(); }

}  // namespace

size_t UnitBegin(const Project& project, const Fact& fact) {
  if (fact.function != kNoId) return project.function(fact.function).begin;
  const Outline& outline = project.files()[fact.file].outline;
  return outline.module.empty() ? 0 : outline.module.front().begin;
}

FileSpan SpanOf(const Project& project, const Fact& fact) {
  const std::string_view text = project.files()[fact.file].text;
  const size_t unit = UnitBegin(project, fact);
  ByteSpan span;
  if (fact.expr != nullptr) {
    span = fact.expr->span;
  } else if (fact.statement != nullptr) {
    span = fact.statement->span;
  }
  FileSpan place{std::min(unit + span.begin, text.size()), std::min(unit + span.end, text.size())};
  if (fact.expr == nullptr && fact.statement != nullptr && HasBody(*fact.statement)) {
    const std::string_view whole = text.substr(place.begin, place.end - place.begin);
    place.end = place.begin + TrimRight(whole.substr(0, whole.find('\n'))).size();
  }
  return place;
}

const Expr* SubjectOf(const Fact& fact) {
  switch (fact.kind) {
    case FactKind::kCall:
    case FactKind::kIndex:
    case FactKind::kStoreIndex:
    case FactKind::kStoreAttribute:
    case FactKind::kReadAttribute:
      break;
    default:
      return nullptr;
  }
  const Expr* base = fact.expr;
  if (base != nullptr && base->kind == PythonExprKind::kCall) base = base->left;
  if (base == nullptr) return nullptr;
  const bool has_base =
      base->kind == PythonExprKind::kAttribute || base->kind == PythonExprKind::kSubscript;
  return has_base ? base->left : nullptr;
}

std::string_view WrittenAs(const Project& project, const Fact& fact, const Expr* expr) {
  if (expr == nullptr) return {};
  const std::string_view text = project.files()[fact.file].text;
  const size_t begin = std::min(UnitBegin(project, fact) + expr->span.begin, text.size());
  return text.substr(begin, expr->span.end - expr->span.begin);
}

std::string OnOneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = IsBlankChar(c) || c == '\n';
    if (!is_blank) {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string ShortText(std::string_view text) {
  std::string line = OnOneLine(text);
  if (NumCharacters(line) <= kMaxCharacters) return line;
  return std::string(FirstCharacters(line, kMaxCharacters - kEllipsis.size())).append(kEllipsis);
}

CodeRange RangeFinder::NameRangeOf(FunctionId function) {
  const SourceFunction& source = project_.function(function);
  const std::string_view text = project_.files()[source.file].text;
  const std::string head = "def " + std::string(source.name);
  const size_t at = FindText(text, head, source.begin);
  // Only unusual blanks between the two words prevent this; use the start of the unit then.
  const bool is_found = at != std::string_view::npos;
  const size_t begin = is_found ? at : source.begin;
  return RangeOf(source.file, {begin, is_found ? begin + head.size() : begin});
}

namespace {

constexpr std::string_view kUnknown = "...";
constexpr std::string_view kCodePlaceholders[] = {
    "expression", "subject",   "callee",    "name",     "attribute", "argument0",
    "argument1",  "argument2", "argument3", "function", "caller"};

/// The word in braces that `text` starts with, a placeholder or not; empty if it does not.
std::string_view WordInBraces(std::string_view text) {
  if (!ConsumeFront(text, "{")) return {};
  const std::string_view word = text.substr(0, text.find('}'));
  return word.size() < text.size() && std::ranges::all_of(word, IsWordChar) ? word : "";
}

/// The text for a placeholder; empty: the fact has no such part.
std::string TextFor(std::string_view placeholder, const Project& project, const Fact& fact) {
  const auto written = [&](const Expr* expr) { return ShortText(WrittenAs(project, fact, expr)); };
  if (placeholder == "subject") {
    if (const Expr* subject = SubjectOf(fact)) return written(subject);
    placeholder = "expression";
  }
  if (placeholder == "expression") {
    return ShortText(SpanOf(project, fact).Of(project.files()[fact.file].text));
  }
  if (placeholder == "name") {
    std::string_view name = fact.name;
    ConsumeFront(name, "builtins.");
    return std::string(name);
  }
  if (placeholder == "attribute") return std::string(LastName(fact.name));
  if (placeholder == "function" || placeholder == "caller") {
    const FunctionId id = placeholder == "function" ? fact.function : fact.caller;
    return id == kNoId ? "" : project.QualifiedName(id);
  }
  if (fact.expr == nullptr) return {};
  if (placeholder == "callee") {
    return fact.expr->kind == PythonExprKind::kCall ? written(fact.expr->left) : "";
  }
  const auto position = static_cast<size_t>(placeholder.back() - '0');
  if (fact.expr->kind == PythonExprKind::kSubscript) {
    return position < fact.expr->items.size() ? written(fact.expr->items[position]) : "";
  }
  const auto& arguments = fact.expr->arguments;
  return position < arguments.size() ? written(arguments[position].value) : "";
}

}  // namespace

std::string FillCodePlaceholders(std::string_view text, const Project& project, const Fact& fact) {
  std::string filled;
  while (!text.empty()) {
    const std::string_view word = WordInBraces(text);
    if (std::ranges::find(kCodePlaceholders, word) == std::end(kCodePlaceholders)) {
      filled.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    const std::string value = TextFor(word, project, fact);
    filled += value.empty() ? kUnknown : std::string_view(value);
    text.remove_prefix(word.size() + 2);
  }
  return filled;
}

Error CheckCodePlaceholders(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    const std::string_view word = WordInBraces(text);
    if (word.empty() || std::ranges::find(kCodePlaceholders, word) != std::end(kCodePlaceholders))
      continue;
    return MakeError("unknown placeholder {" + std::string(word) + "}" +
                     DidYouMean(word, kCodePlaceholders));
  }
  return Error::success();
}

}  // namespace shapewise
