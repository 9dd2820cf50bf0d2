#include "causes/value_use.h"

#include <algorithm>
#include <string>

#include "shapewise/model/source_ref.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Which arguments of a call make its result another shape.
enum class SizeArguments : uint8_t { kAll, kFirst };

struct KnownCall {
  std::string_view name;
  ValueUse use;
  SizeArguments arguments = SizeArguments::kAll;
};

/// Calls by what their numbers are (schemas of torch.ops.aten and torch.nn.functional, 2.13): sizes
/// of the result, or dims and offsets into a tensor.
constexpr KnownCall kCalls[] = {
    {"adaptive_avg_pool1d", ValueUse::kShape},
    {"adaptive_avg_pool2d", ValueUse::kShape},
    {"adaptive_avg_pool3d", ValueUse::kShape},
    {"adaptive_max_pool1d", ValueUse::kShape},
    {"adaptive_max_pool2d", ValueUse::kShape},
    {"adaptive_max_pool3d", ValueUse::kShape},
    {"arange", ValueUse::kShape},
    {"as_strided", ValueUse::kShape},
    {"avg_pool1d", ValueUse::kShape},
    {"avg_pool2d", ValueUse::kShape},
    {"avg_pool3d", ValueUse::kShape},
    {"bincount", ValueUse::kShape},
    {"broadcast_to", ValueUse::kShape},
    {"chunk", ValueUse::kShape},
    {"conv1d", ValueUse::kShape},
    {"conv2d", ValueUse::kShape},
    {"conv3d", ValueUse::kShape},
    {"conv_transpose1d", ValueUse::kShape},
    {"conv_transpose2d", ValueUse::kShape},
    {"conv_transpose3d", ValueUse::kShape},
    {"empty", ValueUse::kShape},
    {"expand", ValueUse::kShape},
    {"eye", ValueUse::kShape},
    {"fold", ValueUse::kShape},
    {"fractional_max_pool2d", ValueUse::kShape},
    {"fractional_max_pool3d", ValueUse::kShape},
    {"full", ValueUse::kShape, SizeArguments::kFirst},
    {"interpolate", ValueUse::kShape},
    {"lp_pool1d", ValueUse::kShape},
    {"lp_pool2d", ValueUse::kShape},
    {"lp_pool3d", ValueUse::kShape},
    {"max_pool1d", ValueUse::kShape},
    {"max_pool2d", ValueUse::kShape},
    {"max_pool3d", ValueUse::kShape},
    {"narrow", ValueUse::kShape},
    {"new_empty", ValueUse::kShape},
    {"new_full", ValueUse::kShape, SizeArguments::kFirst},
    {"new_ones", ValueUse::kShape},
    {"new_zeros", ValueUse::kShape},
    {"one_hot", ValueUse::kShape},
    {"ones", ValueUse::kShape},
    {"pad", ValueUse::kShape},
    {"permute", ValueUse::kIndex},
    {"rand", ValueUse::kShape},
    {"randn", ValueUse::kShape},
    {"randperm", ValueUse::kShape},
    {"range", ValueUse::kRange},
    {"repeat", ValueUse::kShape},
    {"repeat_interleave", ValueUse::kShape},
    {"reshape", ValueUse::kShape},
    {"roll", ValueUse::kIndex},
    {"select", ValueUse::kIndex},
    {"split", ValueUse::kShape},
    {"split_with_sizes", ValueUse::kShape},
    {"tensor_split", ValueUse::kShape},
    {"tile", ValueUse::kShape},
    {"topk", ValueUse::kShape},
    {"transpose", ValueUse::kIndex},
    {"unflatten", ValueUse::kShape},
    {"unfold", ValueUse::kShape},
    {"upsample", ValueUse::kShape},
    {"view", ValueUse::kShape},
    {"zeros", ValueUse::kShape},
};

/// Longer lines are read so far: nobody writes them, and each occurrence of a name looks back.
constexpr size_t kMaxCodeBytes = 1024;

bool IsArithmetic(char c) { return c == '+' || c == '-' || c == '*' || c == '/' || c == '%'; }

/// The word that ends at `end`, without blanks before it.
std::string_view WordBefore(std::string_view code, size_t end) {
  while (end > 0 && IsBlankChar(code[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsWordChar(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}

/// What `callee` makes of the number in the argument with this index.
ValueUse UseInCall(std::string_view callee, size_t argument) {
  const auto* const call = std::ranges::find(kCalls, callee, &KnownCall::name);
  const bool counts =
      call != std::end(kCalls) && (call->arguments == SizeArguments::kAll || argument == 0);
  return counts ? call->use : ValueUse::kUnknown;
}

/// What the innermost bracket around `at` that says something makes of what stands in it.
ValueUse UseInBrackets(std::string_view code, size_t at) {
  size_t depth = 0;
  size_t argument = 0;
  for (size_t i = at; i-- > 0;) {
    const char c = code[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ',' && depth == 0) ++argument;
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth > 0) {
      --depth;
      continue;
    }
    const std::string_view callee = WordBefore(code, i);
    // A list that is written out says nothing of its items.
    if (c == '[' && !callee.empty()) return ValueUse::kIndex;
    const ValueUse use = c == '(' ? UseInCall(callee, argument) : ValueUse::kUnknown;
    if (use != ValueUse::kUnknown) return use;
    argument = 0;
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
