#include "causes/value_use.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "model/guard_readers.h"
#include "model/python_text.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Calls whose numbers are sizes of the result or fix them, and may be symbols. One call of each
/// family was compiled with ten values of an integer: the second graph served all later ones, of
/// interpolate and upsample the third (2.13).
constexpr std::string_view kSizeCalls =
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d arange as_strided bincount "
    "broadcast_to conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d empty "
    "expand eye fold interpolate narrow new_empty new_ones new_zeros ones pad rand randn randperm "
    "repeat repeat_interleave reshape roll select split_with_sizes tile topk unflatten upsample "
    "view zeros";

/// Calls of which only the first argument is a size; the second is a value to fill in.
constexpr std::string_view kFillCalls = "full new_full";

/// Calls that had a graph for each value of such a number, and dropouts, whose number cannot be a
/// tensor.
constexpr std::string_view kConstantCalls =
    "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d alpha_dropout avg_pool1d "
    "avg_pool2d avg_pool3d chunk diagonal dropout dropout1d dropout2d dropout3d "
    "feature_alpha_dropout fractional_max_pool2d fractional_max_pool3d linspace logspace lp_pool1d "
    "lp_pool2d lp_pool3d max_pool1d max_pool2d max_pool3d one_hot split tensor_split unfold";

/// Calls whose numbers are dims of a tensor.
constexpr std::string_view kDimCalls = "permute transpose";

/// Only the first part of longer lines is read: hand-written lines are shorter, and each occurrence
/// of a name looks back.
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
  if (callee == "range") return ValueUse::kRange;
  if (ContainsWord(kDimCalls, callee)) return ValueUse::kIndex;
  if (ContainsWord(kConstantCalls, callee)) return ValueUse::kConstant;
  const bool is_size =
      ContainsWord(kSizeCalls, callee) || (ContainsWord(kFillCalls, callee) && argument == 0);
  return is_size ? ValueUse::kSize : ValueUse::kUnknown;
}

/// Where the subscript begins that `at` is in, apart from brackets that only group, as in
/// `x[0, (n + 1)]`; kNotFound: it is in none, or in a call or a literal.
size_t SubscriptAround(std::string_view code, size_t at) {
  size_t depth = 0;
  for (size_t i = at; i-- > 0;) {
    const char c = code[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth > 0) {
      --depth;
    } else if (c == '[') {
      return i > 0 && (IsWordChar(code[i - 1]) || code[i - 1] == ']') ? i : kNotFound;
    } else if (c == '{' || !WordBefore(code, i).empty()) {
      return kNotFound;
    }
  }
  return kNotFound;
}

/// The position after what begins at `pos`: a string, a bracket with its contents, or one letter.
size_t AfterItem(std::string_view code, size_t pos) {
  const char c = code[pos];
  if (IsQuote(c)) return AfterLiteral(code, pos);
  return c == '(' || c == '[' || c == '{' ? AfterBracket(code, pos) : pos + 1;
}

/// What the commas of the bracket at `open` separate.
std::vector<std::string_view> PartsOf(std::string_view code, size_t open) {
  std::vector<std::string_view> parts;
  size_t begin = open + 1;
  for (size_t i = begin; i < code.size(); i = AfterItem(code, i)) {
    if (code[i] != ',' && code[i] != ']') continue;
    parts.push_back(code.substr(begin, i - begin));
    if (code[i] == ']') return parts;
    begin = i + 1;
  }
  parts.push_back(code.substr(begin));
  return parts;
}

bool IsSlice(std::string_view subscript) {
  for (size_t i = 0; i < subscript.size(); i = AfterItem(subscript, i)) {
    if (subscript[i] == ':') return true;
  }
  return false;
}

/// The part of the subscript at `open` that `at` is in; empty: none.
std::string_view PartAround(std::string_view code, size_t open, size_t at) {
  for (const std::string_view part : PartsOf(code, open)) {
    const auto begin = static_cast<size_t>(part.data() - code.data());
    if (at >= begin && at < begin + part.size()) return part;
  }
  return {};
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
    // A list literal says nothing about its items.
    const bool is_subscript =
        !callee.empty() || (i > 0 && (code[i - 1] == ']' || code[i - 1] == ')'));
    if (c == '[' && is_subscript) {
      return IsSlice(PartAround(code, i, at)) ? ValueUse::kSize : ValueUse::kIndex;
    }
    const ValueUse use = c == '(' ? UseInCall(callee, argument) : ValueUse::kUnknown;
    if (use != ValueUse::kUnknown) return use;
    argument = 0;
  }
  return ValueUse::kUnknown;
}

struct MathFunction {
  std::string_view name;        ///< in module math
  std::string_view of_tensors;  ///< in module torch
};

/// Functions of one number that round to no int, which a size could need.
constexpr MathFunction kMathFunctions[] = {
    {"acos", "acos"},       {"asin", "asin"},     {"asinh", "asinh"},     {"acosh", "acosh"},
    {"atan", "atan"},       {"atanh", "atanh"},   {"cos", "cos"},         {"cosh", "cosh"},
    {"degrees", "rad2deg"}, {"erf", "erf"},       {"exp", "exp"},         {"expm1", "expm1"},
    {"fabs", "abs"},        {"lgamma", "lgamma"}, {"log", "log"},         {"log10", "log10"},
    {"log1p", "log1p"},     {"log2", "log2"},     {"radians", "deg2rad"}, {"sin", "sin"},
    {"sinh", "sinh"},       {"sqrt", "sqrt"},     {"tan", "tan"},         {"tanh", "tanh"},
};

/// Whether the statement `code` decides what is run next.
bool IsCondition(std::string_view code) {
  const std::string_view first = code.substr(0, std::min(code.find_first_of(" \t("), code.size()));
  return first == "if" || first == "while" || first == "elif" || first == "assert";
}

ValueUse UseAt(std::string_view code, size_t begin, size_t end) {
  if (const ValueUse use = UseInBrackets(code, begin); use != ValueUse::kUnknown) return use;
  if (IsCondition(code) || HasText(code, " if ")) return ValueUse::kBranch;
  while (end < code.size() && IsBlankChar(code[end])) ++end;
  // The name before the dot belongs to the value: self in "self.steps".
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
  // A condition asked for the value, even if it has another name there.
  ValueUse found = IsCondition(code) ? ValueUse::kBranch : ValueUse::kUnknown;
  for (size_t at = FindWord(code, name); at != kNotFound;
       at = FindWord(code, name, at + name.size())) {
    found = std::max(found, UseAt(code, at, at + name.size()));
  }
  // "for name in self.names:" runs once for each item.
  const size_t loop = code.starts_with("for ") ? FindText(code, " in ") : kNotFound;
  // The name of a variable of a closure is not known; what is counted in a loop is its value.
  const bool is_counted =
      name == "cell_contents" && loop != kNotFound && HasText(code.substr(loop), "range(");
  if (is_counted || (loop != kNotFound && FindWord(code, name, loop) != kNotFound)) {
    found = std::max(found, ValueUse::kRange);
  }
  return found;
}

std::string_view FlagDefault(std::string_view code, std::string_view name) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  for (size_t at = FindWord(code, name); !name.empty() && at != kNotFound;
       at = FindWord(code, name, at + name.size())) {
    std::string_view rest = code.substr(at + name.size());
    std::string_view before = code.substr(0, at);
    if (before.empty() || !IsQuote(before.back()) || !rest.starts_with(before.back())) continue;
    rest.remove_prefix(1);
    before.remove_suffix(1);
    if (!before.ends_with(".get(")) continue;
    const size_t close = rest.find(')');
    if (close == kNotFound) continue;
    std::string_view value = rest.substr(0, close);
    ConsumeFront(value, ",");
    value = Trim(value);
    const std::string_view after = TrimLeft(rest.substr(close + 1));
    const bool is_operand = IsOneOf(after.substr(0, after.find(' ')), {"and", "or", "else"});
    size_t begin = before.rfind('.');
    while (begin > 0 && (IsWordChar(before[begin - 1]) || before[begin - 1] == '.')) --begin;
    const bool is_tested = IsOneOf(WordBefore(before, begin), {"if", "elif", "not", "and", "or"});
    if (!is_tested || (!is_operand && !after.starts_with(':'))) continue;
    if (value.empty() || value == "None") return "False";
    if (value == "True" || value == "False") return value;
  }
  return {};
}

bool AsksPresence(std::string_view code, std::string_view name) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  for (size_t at = FindWord(code, name); !name.empty() && at != kNotFound;
       at = FindWord(code, name, at + name.size())) {
    std::string_view rest = code.substr(at + name.size());
    std::string_view before = code.substr(0, at);
    const bool is_key =
        !before.empty() && IsQuote(before.back()) && rest.starts_with(before.back());
    if (is_key) {
      rest.remove_prefix(1);
      before.remove_suffix(1);
      if (rest.starts_with(" in ") || rest.starts_with(" not in ")) return true;
      if (!FlagDefault(code, name).empty()) continue;
      const bool is_looked_up = before.ends_with(".get(") || before.ends_with(".pop(") ||
                                HasText(before, "getattr(") || HasText(before, "hasattr(");
      const std::string_view argument =
          TrimLeft(rest.substr(std::min(rest.size(), rest.find_first_not_of(','))));
      if (is_looked_up && (argument.starts_with(')') || argument.starts_with("None)"))) return true;
    }
    while (!rest.empty() && (rest[0] == ']' || rest[0] == ')')) rest.remove_prefix(1);
    if (!ConsumeFront(rest, " is ")) continue;
    ConsumeFront(rest, "not ");
    if (rest.starts_with("None")) return true;
  }
  return false;
}

bool BoundsSlice(std::string_view code) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  for (size_t open = code.find('['); open != kNotFound; open = code.find('[', open + 1)) {
    const bool is_subscript = open > 0 && (IsWordChar(code[open - 1]) || code[open - 1] == ']');
    if (!is_subscript) continue;
    for (const std::string_view part : PartsOf(code, open)) {
      const bool names_number =
          std::ranges::any_of(part, [](char c) { return IsWordChar(c) && !IsDigit(c); });
      if (names_number && IsSlice(part)) return true;
    }
  }
  return false;
}

bool PicksCallable(std::string_view code, std::string_view source) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  const std::string_view name = ParseSource(source).LastName();
  if (name.empty()) return false;
  for (size_t open = code.find('['); open != kNotFound; open = code.find('[', open + 1)) {
    const size_t end = AfterBracket(code, open);
    if (end == kNotFound) return false;
    const bool is_subscript = open > 0 && IsWordChar(code[open - 1]);
    const bool is_called = end < code.size() && code[end] == '(';
    if (is_subscript && is_called && Trim(code.substr(open + 1, end - open - 2)) == name) {
      return true;
    }
  }
  return false;
}

bool NamesMember(std::string_view code, std::string_view guard) {
  std::string_view name = TextBetween(guard, "type=<class '", "'>");
  name = name.substr(name.rfind('.') + 1);
  if (name.empty()) return false;
  for (size_t at = FindWord(code, name); at != kNotFound; at = FindWord(code, name, at + 1)) {
    const std::string_view rest = code.substr(at + name.size());
    const bool has_member = rest.size() > 2 && rest[0] == '.' && rest[1] >= 'A' && rest[1] <= 'Z';
    if (has_member && IsOneOf(WordBefore(code, at), {"is", "not"})) return true;
  }
  return false;
}

std::string_view AssignedName(std::string_view code) {
  code = Trim(code);
  const size_t end = AfterDottedName(code, 0);
  const std::string_view rest = TrimLeft(code.substr(end));
  return rest.starts_with('=') && !rest.starts_with("==") ? code.substr(0, end)
                                                          : std::string_view();
}

ValueUse FindUseOfItem(std::string_view code) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  ValueUse found = IsCondition(code) ? ValueUse::kBranch : ValueUse::kUnknown;
  bool makes_int = false;
  for (const std::string_view call : {".item()", "int("}) {
    for (size_t at = code.find(call); at != kNotFound; at = code.find(call, at + 1)) {
      const bool is_method = call[0] == '.';
      if (!is_method && at > 0 && (IsWordChar(code[at - 1]) || code[at - 1] == '.')) continue;
      makes_int |= !is_method;
      found = std::max(found, UseInBrackets(code, at));
    }
  }
  const bool is_kept = found == ValueUse::kUnknown && makes_int && !AssignedName(code).empty();
  return is_kept ? ValueUse::kSize : found;
}

bool MakesTensorOfSize(std::string_view code) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  if (HasText(code, ".item(") || HasText(code, "np.")) return false;
  bool has_size = false;
  for (size_t i = 1; i < code.size(); ++i) {
    const bool is_subscript = code[i] == '[' && (IsWordChar(code[i - 1]) || code[i - 1] == ']');
    if (is_subscript && WordBefore(code, i) != "shape") return false;
    if (code[i] != '(' || UseInCall(WordBefore(code, i), 0) != ValueUse::kSize) continue;
    // A call over several lines is printed up to its bracket.
    const std::string_view sizes = code.substr(i + 1, AfterBracket(code, i) - i - 1);
    has_size |= sizes.empty() ||
                std::ranges::any_of(sizes, [](char c) { return IsWordChar(c) && !IsDigit(c); });
  }
  return has_size;
}

bool PassesOnArguments(std::string_view code, std::string_view name) {
  if (name.empty() || !std::ranges::all_of(name, IsWordChar)) return false;
  const std::string passed = "*" + std::string(name);
  const size_t at = code.find(passed);
  if (at == kNotFound || at == 0 || code.find(", **", at) != at + passed.size()) return false;
  const size_t before = code.find_last_not_of(' ', at - 1);
  return before != kNotFound && (code[before] == '(' || code[before] == ',');
}

bool IsInSubscripts(std::string_view code, std::string_view word) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  if (word.empty()) return false;
  for (size_t at = code.find(word); at != kNotFound; at = code.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool is_part = (IsWordChar(word.front()) && at > 0 && IsWordChar(code[at - 1])) ||
                         (IsWordChar(word.back()) && end < code.size() && IsWordChar(code[end]));
    const size_t open = is_part ? kNotFound : SubscriptAround(code, at);
    if (open == kNotFound) continue;
    const std::string_view own = PartAround(code, open, at);
    const bool is_one_of_several = PartsOf(code, open).size() > 1;
    if (is_one_of_several && !own.empty() && !IsSlice(own)) return true;
  }
  return false;
}

std::string_view AppendedItem(std::string_view code, const SourceRef& list) {
  constexpr std::string_view kAppend = ".append(";
  code = Trim(code).substr(0, kMaxCodeBytes);
  const size_t at = FindText(code, kAppend);
  if (at == kNotFound) return {};
  std::string_view name = list.LastName();
  size_t end_of_name = at;
  const bool is_item = !list.path.empty() && (list.path.back().kind == SourceStep::Kind::kKey ||
                                              list.path.back().kind == SourceStep::Kind::kIndex);
  if (is_item && at > 0 && code[at - 1] == ']') {
    // The line names the dict or list that the item is of.
    SourceRef container = list;
    container.path.pop_back();
    name = container.LastName();
    end_of_name = code.rfind('[', at);
  } else if (is_item) {
    name = list.path.back().name;
  }
  if (name.empty() || end_of_name == kNotFound) return {};
  // The source does not name a variable of an enclosing function.
  if (name != "cell_contents" && WordBefore(code, end_of_name) != name) return {};
  const size_t open = at + kAppend.size() - 1;
  const size_t end = AfterBracket(code, open);
  // A call over several lines is printed up to its bracket.
  return end == code.size() && code.ends_with(')') ? Trim(code.substr(open + 1, end - open - 2))
                                                   : std::string_view();
}

std::vector<std::string_view> OtherOperands(std::string_view code, std::string_view name) {
  constexpr std::string_view kWords =
      "if elif while assert and or not in is else None True False self";
  std::vector<std::string_view> names;
  code = Trim(code).substr(0, kMaxCodeBytes);
  if (!IsCondition(code)) return names;
  for (size_t i = 0; i < code.size();) {
    if (IsQuote(code[i])) {
      i = AfterLiteral(code, i);
    } else if (!IsWordChar(code[i])) {
      ++i;
    } else {
      const size_t end = std::max(AfterDottedName(code, i), i + 1);
      const std::string_view operand = code.substr(i, end - i);
      const bool is_after_dot = i > 0 && code[i - 1] == '.';
      const bool is_called = end < code.size() && (code[end] == '(' || code[end] == '[');
      const bool is_other = operand.substr(operand.rfind('.') + 1) != name &&
                            std::ranges::find(names, operand) == names.end();
      if (!is_after_dot && !is_called && is_other && !IsDigit(operand[0]) &&
          !ContainsWord(kWords, operand)) {
        names.push_back(operand);
      }
      i = end;
    }
  }
  return names;
}

std::vector<std::string_view> IncrementedTargets(std::string_view code) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  std::vector<std::string_view> targets;
  while (!code.empty()) {
    const std::string_view statement = code.substr(0, code.find(';'));
    const std::string_view target = Trim(statement.substr(0, FindText(statement, "+=")));
    const bool is_target = target.size() < Trim(statement).size() && IsSource(target);
    if (is_target) targets.push_back(target);
    code.remove_prefix(std::min(code.size(), statement.size() + 1));
  }
  return targets;
}

void AddMathCalls(std::string_view code, std::string_view source,
                  std::set<std::string_view>& functions) {
  code = Trim(code).substr(0, kMaxCodeBytes);
  const std::string_view name = ParseSource(source).LastName();
  if (name.empty()) return;
  constexpr std::string_view kMath = "math.";
  for (size_t at = code.find(kMath); at != kNotFound; at = code.find(kMath, at + 1)) {
    if (at > 0 && (IsWordChar(code[at - 1]) || code[at - 1] == '.')) continue;
    const size_t begin = at + kMath.size();
    const size_t open = code.find('(', begin);
    if (open == kNotFound) return;
    const std::string_view arguments = code.substr(open, AfterBracket(code, open) - open);
    if (ContainsWord(arguments, name)) functions.insert(code.substr(begin, open - begin));
  }
}

std::string TensorMathText(const std::set<std::string_view>& functions) {
  std::string of_tensors;
  std::string of_numbers;
  bool has_all = true;
  for (const std::string_view function : functions) {
    const auto* const known = std::ranges::find(kMathFunctions, function, &MathFunction::name);
    has_all &= known != std::end(kMathFunctions);
    const std::string_view separator = of_numbers.empty() ? "" : ", ";
    if (has_all) of_tensors.append(separator).append("torch.").append(known->of_tensors);
    of_numbers.append(separator).append("math.").append(function);
  }
  if (of_numbers.empty()) return of_numbers;
  return (has_all ? of_tensors : "functions of torch") + " instead of " + of_numbers;
}

}  // namespace shapewise
