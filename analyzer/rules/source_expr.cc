#include "rules/source_expr.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Dicts in which objects of torch and Python keep what is written as an attribute.
constexpr std::string_view kAttributeDicts[] = {"._modules", "._parameters", "._buffers",
                                                ".__dict__"};

bool IsNumber(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsDigit); }

/// Drops ['key'] or ["key"] from the front of `text` and gives the key; absent, and nothing
/// dropped, if it does not start so.
std::optional<std::string_view> ConsumeKey(std::string_view& text) {
  for (const auto& [open, close] : {std::pair{"['", "']"}, std::pair{"[\"", "\"]"}}) {
    if (!text.starts_with(open)) continue;
    const size_t end = text.find(close, 2);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view key = text.substr(2, end - 2);
    text.remove_prefix(end + 2);
    return key;
  }
  return std::nullopt;
}

bool HasAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return HasText(text, part); });
}

/// The bounds of a slice have sources, but nobody can write to them.
bool EndsInSliceBound(std::string_view source) {
  return source.ends_with(".start") || source.ends_with(".stop") || source.ends_with(".step");
}

/// Dynamo names the global that holds a module's import after it: __import_torch_dot_nn.
std::string GlobalName(std::string_view key) {
  if (!ConsumeFront(key, "__import_")) return std::string(key);
  constexpr std::string_view kDot = "_dot_";
  std::string name;
  while (!key.empty()) {
    const bool is_dot = ConsumeFront(key, kDot);
    name.push_back(is_dot ? '.' : key.front());
    if (!is_dot) key.remove_prefix(1);
  }
  return name;
}

/// Takes L['x'] or G['x'] off the front of `text`.
std::optional<std::string> ConsumeVariable(std::string_view& text) {
  const bool is_global = text.starts_with('G');
  if (!is_global && !text.starts_with('L')) return std::nullopt;
  std::string_view rest = text.substr(1);
  const std::optional<std::string_view> key = ConsumeKey(rest);
  if (!key || !IsIdentifier(*key)) return std::nullopt;
  text = rest;
  return is_global ? GlobalName(*key) : std::string(*key);
}

/// Takes ._modules['a'] and its kin off the front of `text`.
std::optional<std::string> ConsumeAttribute(std::string_view& text) {
  for (const std::string_view dict : kAttributeDicts) {
    std::string_view rest = text;
    if (!ConsumeFront(rest, dict)) continue;
    const std::optional<std::string_view> key = ConsumeKey(rest);
    if (!key) continue;
    if (IsIdentifier(*key)) {
      text = rest;
      return std::string(".").append(*key);
    }
    // Containers of modules number their children: Sequential, ModuleList, ParameterList.
    if (IsNumber(*key)) {
      text = rest;
      return std::string("[").append(*key).append("]");
    }
  }
  return std::nullopt;
}

}  // namespace

std::string SourceExpr(std::string_view source) {
  std::string expr;
  while (!source.empty()) {
    const bool is_word_start = expr.empty() || !(IsWordChar(expr.back()) || expr.back() == '.');
    std::optional<std::string> step;
    if (is_word_start) step = ConsumeVariable(source);
    if (!step) step = ConsumeAttribute(source);
    if (step) {
      expr += *step;
    } else {
      expr.push_back(source.front());
      source.remove_prefix(1);
    }
  }
  return expr;
}

bool IsWritable(std::string_view expr) {
  if (expr.empty() || EndsInSliceBound(expr)) return false;
  // Keys may have double quotes; with anything else of that sort it is no name of a program.
  std::string quoted(expr);
  std::ranges::replace(quoted, '"', '\'');
  if (!IsQuotable(quoted)) return false;
  return !HasAny(expr, {"___", "__closure__", "__defaults__", "__kwdefaults__", "__code__", "L[",
                        "G[", "._modules", "._parameters", "._buffers", "<", "(", ";", "=", "#"});
}

std::string DynamicSource(std::string_view source) {
  std::string_view rest = source;
  std::string_view name;
  if (ConsumeFront(rest, "L")) {
    if (const std::optional<std::string_view> key = ConsumeKey(rest)) name = *key;
  }
  if (name.empty()) {
    const auto end = std::find_if_not(source.begin(), source.end(), IsWordChar);
    name = source.substr(0, static_cast<size_t>(end - source.begin()));
    rest = source.substr(name.size());
  }
  const bool is_local = IsIdentifier(name) && name != "G" && name != "L" && name != "self" &&
                        (rest.empty() || rest[0] == '.' || rest[0] == '[');
  if (!is_local || HasAny(name, {"___"}) || EndsInSliceBound(rest)) return "";
  if (HasAny(rest, {"__", "L[", "G[", "._modules", "._parameters", "._buffers", "("})) return "";
  std::string spelled = std::string("L['").append(name).append("']").append(rest);
  std::ranges::replace(spelled, '"', '\'');
  return IsQuotable(spelled) ? spelled : "";
}

}  // namespace shapewise
