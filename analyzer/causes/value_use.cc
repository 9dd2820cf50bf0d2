#include "causes/value_use.h"

#include <algorithm>
#include <string>

#include "shapewise/model/source_ref.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Calls whose arguments are sizes: what they make has another shape for another value.
constexpr std::string_view kShapeCalls[] = {
    "view",        "reshape",   "expand",    "zeros",     "ones",     "empty",
    "full",        "randn",     "rand",      "repeat",    "split",    "chunk",
    "narrow",      "unflatten", "new_zeros", "new_empty", "new_full", "eye",
    "arange",      "tile",      "unfold",    "topk",      "one_hot",  "repeat_interleave",
    "interpolate", "pad",       "fold",      "permute",   "select",   "roll",
    "bincount",    "upsample"};

/// Parts of the names of further calls whose arguments are sizes: avg_pool1d, max_pool2d, conv3d.
constexpr std::string_view kShapeFamilies[] = {"_pool", "conv1d", "conv2d", "conv3d", "_transpose"};

/// Longer lines are read so far: nobody writes them, and each occurrence of a name looks back.
constexpr size_t kMaxCodeBytes = 1024;

bool IsShapeCall(std::string_view callee) {
  return std::ranges::find(kShapeCalls, callee) != std::end(kShapeCalls) ||
         std::ranges::any_of(kShapeFamilies,
                             [=](std::string_view part) { return HasText(callee, part); });
}

bool IsArithmetic(char c) { return c == '+' || c == '-' || c == '*' || c == '/' || c == '%'; }

/// The word that ends at `end`, without blanks before it.
std::string_view WordBefore(std::string_view code, size_t end) {
  while (end > 0 && IsBlankChar(code[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsWordChar(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}

/// What the innermost bracket around `at` that says something makes of what stands in it.
ValueUse UseInBrackets(std::string_view code, size_t at) {
  size_t depth = 0;
  for (size_t i = at; i-- > 0;) {
    const char c = code[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth > 0) {
      --depth;
      continue;
    }
    const std::string_view callee = WordBefore(code, i);
    // A list that is written out says nothing of its items.
    if (c == '[' && !callee.empty()) return ValueUse::kIndex;
    if (c == '(' && callee == "range") return ValueUse::kRange;
    if (c == '(' && IsShapeCall(callee)) return ValueUse::kShape;
  }
  return ValueUse::kUnknown;
}

ValueUse UseAt(std::string_view code, size_t begin, size_t end) {
  if (const ValueUse use = UseInBrackets(code, begin); use != ValueUse::kUnknown) return use;
  const std::string_view first = code.substr(0, std::min(code.find_first_of(" \t("), code.size()));
  if (first == "if" || first == "while" || first == "elif" || first == "assert" ||
      HasText(code, " if ")) {
    return ValueUse::kBranch;
  }
  while (end < code.size() && IsBlankChar(code[end])) ++end;
  // The name before it belongs to the value: self in "self.steps".
  while (begin > 0 && (IsWordChar(code[begin - 1]) || code[begin - 1] == '.')) --begin;
  while (begin > 0 && IsBlankChar(code[begin - 1])) --begin;
  const bool is_operand = (end < code.size() && IsArithmetic(code[end])) ||
                          (begin > 0 && IsArithmetic(code[begin - 1]));
  return is_operand ? ValueUse::kArithmetic : ValueUse::kUnknown;
}

}  // namespace

ValueUse FindUse(std::string_view code, std::string_view source) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  const std::string_view name = ParseSource(source).LastName();
  if (name.empty()) return ValueUse::kUnknown;
  ValueUse found = ValueUse::kUnknown;
  for (size_t at = code.find(name); at != kNotFound; at = code.find(name, at + name.size())) {
    const size_t end = at + name.size();
    const bool is_whole =
        (at == 0 || !IsWordChar(code[at - 1])) && (end == code.size() || !IsWordChar(code[end]));
    if (is_whole) found = std::max(found, UseAt(code, at, end));
  }
  return found;
}

}  // namespace shapewise
