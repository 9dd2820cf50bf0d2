#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "model/guard_readers.h"
#include "model/python_text.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

struct NamedType {
  std::string_view name;
  PythonType type;
};

PythonType TypeNamed(std::string_view name, const NamedType* begin, const NamedType* end) {
  const auto* const found =
      std::find_if(begin, end, [name](const NamedType& known) { return known.name == name; });
  return found == end ? PythonType::kUnknown : found->type;
}

/// Classes by the name that their repr has. All others are classes of objects.
constexpr NamedType kClasses[] = {
    {"NoneType", PythonType::kNone},
    {"bool", PythonType::kBool},
    {"int", PythonType::kInt},
    {"float", PythonType::kFloat},
    {"complex", PythonType::kComplex},
    {"str", PythonType::kStr},
    {"bytes", PythonType::kBytes},
    {"tuple", PythonType::kTuple},
    {"torch.Size", PythonType::kTuple},
    {"list", PythonType::kList},
    {"collections.deque", PythonType::kList},
    {"set", PythonType::kSet},
    {"frozenset", PythonType::kSet},
    {"dict", PythonType::kDict},
    {"mappingproxy", PythonType::kDict},
    {"collections.OrderedDict", PythonType::kDict},
    {"collections.defaultdict", PythonType::kDict},
    {"range", PythonType::kRange},
    {"slice", PythonType::kRange},
    {"torch.dtype", PythonType::kDtype},
    {"torch.device", PythonType::kDevice},
    {"torch.layout", PythonType::kEnum},
    {"torch.memory_format", PythonType::kEnum},
    {"torch.Tensor", PythonType::kTensor},
    {"torch.nn.parameter.Parameter", PythonType::kTensor},
    {"torch.nn.parameter.Buffer", PythonType::kTensor},
    {"function", PythonType::kFunction},
    {"method", PythonType::kFunction},
    {"code", PythonType::kFunction},
    {"builtin_function_or_method", PythonType::kFunction},
    {"method_descriptor", PythonType::kFunction},
    {"wrapper_descriptor", PythonType::kFunction},
    {"module", PythonType::kModule},
    {"type", PythonType::kClass},
    {"abc.ABCMeta", PythonType::kClass},
};

/// What stands before the first bracket of a repr that is spelled as a call.
constexpr NamedType kConstructors[] = {
    {"torch.Size", PythonType::kTuple},  {"deque", PythonType::kList},
    {"set", PythonType::kSet},           {"frozenset", PythonType::kSet},
    {"mappingproxy", PythonType::kDict}, {"OrderedDict", PythonType::kDict},
    {"defaultdict", PythonType::kDict},  {"range", PythonType::kRange},
    {"slice", PythonType::kRange},       {"dtype", PythonType::kDtype},
    {"device", PythonType::kDevice},     {"torch.device", PythonType::kDevice},
};

/// What stands after the "<" of a repr without code of its own.
constexpr NamedType kAngleWords[] = {
    {"class", PythonType::kClass},       {"enum", PythonType::kClass},
    {"flag", PythonType::kClass},        {"function", PythonType::kFunction},
    {"built-in", PythonType::kFunction}, {"bound", PythonType::kFunction},
    {"method", PythonType::kFunction},   {"code", PythonType::kFunction},
    {"module", PythonType::kModule},
};

bool IsDtype(std::string_view name) {
  constexpr std::string_view kFamilies[] = {
      "float", "bfloat", "double", "half",    "int",     "uint",  "long",  "short", "bool",
      "byte",  "char",   "cfloat", "complex", "cdouble", "chalf", "quint", "qint",  "bits",
  };
  return std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [name](std::string_view family) { return name.starts_with(family); });
}

/// np.float32(0.5), as NumPy 2 prints its scalars.
PythonType TypeOfNumpyScalar(std::string_view name) {
  if (name.starts_with("float")) return PythonType::kFloat;
  if (name.starts_with("int") || name.starts_with("uint")) return PythonType::kInt;
  if (name.starts_with("bool") || name.starts_with("True") || name.starts_with("False"))
    return PythonType::kBool;
  if (name.starts_with("str_")) return PythonType::kStr;
  return PythonType::kObject;
}

/// <Mode.FAST: 1>   <Flag.A|B: 3>   <function f at 0x7f>   <app.Net object at 0x7f>
PythonType TypeOfAngleRepr(std::string_view text) {
  size_t end = AfterDottedName(text, 1);
  while (end < text.size() && text[end] == '|') end = AfterDottedName(text, end + 1);
  if (end < text.size() && text[end] == ':') return PythonType::kEnum;
  const std::string_view word = text.substr(1, text.find_first_of(" >", 1) - 1);
  const PythonType type = TypeNamed(word, std::begin(kAngleWords), std::end(kAngleWords));
  return type == PythonType::kUnknown ? PythonType::kObject : type;
}

/// Whether a `:` stands between the first item of the braces and the second: a dict, no set.
bool HasColonInBraces(std::string_view text) {
  for (size_t i = 1; i < text.size();) {
    const char c = text[i];
    if (c == ':') return true;
    if (c == ',' || c == '}') return false;
    if (IsQuote(c)) {
      i = AfterLiteral(text, i);
    } else if (c == '(' || c == '[' || c == '{') {
      i = AfterBracket(text, i);
    } else {
      ++i;
    }
  }
  return false;
}

PythonType TypeOfBracketRepr(std::string_view text) {
  switch (text.front()) {
    case '[':
      return PythonType::kList;
    case '{':
      return text.starts_with("{}") || HasColonInBraces(text) ? PythonType::kDict
                                                              : PythonType::kSet;
    default:
      if (text.starts_with("()")) return PythonType::kTuple;
      // (1+2j), but (n + 1) is an expression
      if (text.ends_with("j)") && IsDigit(text[text.size() - 3])) return PythonType::kComplex;
      return text.find(',') != kNotFound ? PythonType::kTuple : PythonType::kUnknown;
  }
}

/// torch.float32   Mode.FAST   Point(x=1)   frozenset({1})
PythonType TypeOfNamedRepr(std::string_view text) {
  const size_t end = AfterDottedName(text, 0);
  const std::string_view name = text.substr(0, end);
  const bool is_call = end < text.size() && text[end] == '(';
  if (is_call) {
    const PythonType type = TypeNamed(name, std::begin(kConstructors), std::end(kConstructors));
    if (type != PythonType::kUnknown) return type;
  }
  std::string_view rest = name;
  if (ConsumeFront(rest, "np.") || ConsumeFront(rest, "numpy.")) return TypeOfNumpyScalar(rest);
  if (ConsumeFront(rest, "torch.") && !is_call) {
    if (IsDtype(rest)) return PythonType::kDtype;
    return rest.find('.') == kNotFound ? PythonType::kEnum : PythonType::kUnknown;
  }
  if (text == "Ellipsis" || text == "NotImplemented") return PythonType::kObject;
  // Names of classes begin with a capital; so do functions of sympy, whose arguments are sources.
  const bool is_class = text.front() >= 'A' && text.front() <= 'Z' &&
                        !IsOneOf(name, {"Mod", "PythonMod", "FloorDiv", "CleanDiv", "Max", "Min"});
  if (is_class && is_call) return PythonType::kObject;
  const bool is_member = is_class && end == text.size() && name.find('.') != kNotFound;
  return is_member ? PythonType::kEnum : PythonType::kUnknown;
}

// The result of a walk over an expression.
struct Relation {
  bool well_formed = true;    // operands and operators alternate
  bool compares = false;      // it contains a comparison
  bool has_literal = false;   // it contains a string, list or set, which torch's relations never do
  int num_operands = 0;       // number of sources, counting repetitions
  bool one_source = true;     // all sources are the same, apart from numbers of submodules
  bool one_dim = true;        // and refer to the same dim
  bool has_property = false;  // one of them is a size, stride or offset of a tensor
  bool only_settings = true;  // all are numbers of submodules
  SourceRef first;
  std::string_view temporary;      // the first variable that only Dynamo names
  std::string_view lone_argument;  // the only argument among its sources
  bool has_argument = false;

  void Add(std::string_view text) {
    SourceRef operand = ParseSource(text);
    const bool is_layout = operand.IsLayout();
    if (operand.root == SourceRef::Root::kArgument && text != lone_argument) {
      lone_argument = has_argument || !operand.path.empty() ? std::string_view() : text;
      has_argument = true;
    }
    if (!is_layout) operand.object = text;
    if (temporary.empty() && operand.root == SourceRef::Root::kTemporary) temporary = text;
    // One argument brings a view and the tensor that it is a view of.
    if (constexpr std::string_view kBase = "._base"; is_layout && operand.object.ends_with(kBase)) {
      operand.object.remove_suffix(kBase.size());
    }
    // Next to sizes, the numbers of submodules are settings: symbols under dynamic=True only.
    const bool is_setting = !is_layout && operand.HasMembers();
    if (num_operands++ == 0 || (is_layout && !has_property && only_settings)) {
      first = std::move(operand);
      one_source = one_dim = true;
    } else if (!has_property || !is_setting) {
      one_source = one_source && operand.object == first.object;
      one_dim = one_dim && operand.dim == first.dim;
    }
    only_settings = only_settings && is_setting;
    has_property = has_property || is_layout;
  }
};

bool IsKeywordOperator(std::string_view word) {
  constexpr std::string_view kWords[] = {"and", "or", "not", "in", "is", "if", "else"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// Sympy's comparisons, as printed in 2.0 to 2.5: Eq(L['x'].size()[0], 8)
bool IsComparison(std::string_view function) {
  constexpr std::string_view kFunctions[] = {"Eq", "Ne", "Le", "Lt", "Ge", "Gt"};
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

size_t AfterNumber(std::string_view text, size_t pos) {
  while (pos < text.size()) {
    const bool signed_exponent = (text[pos] == 'e' || text[pos] == 'E') && pos + 1 < text.size() &&
                                 (text[pos + 1] == '-' || text[pos + 1] == '+');
    if (!IsWordByte(text[pos]) && text[pos] != '.') break;
    pos += signed_exponent ? 2 : 1;
  }
  return pos;
}

// Parses
//
//   ((x.size()[0] % 8)) != 0       Ne(Mod(L['x'].size()[0], 8), 0)       0 <= n <= 20
//   y.size()[0] == 2*x.size()[0]   max(1, x.size()[0]) < 8 and 2 <= L['n']
//   ~(Eq(L['x'].size()[0], 5) & Eq(L['x'].size()[2], 2))
//
// Other text, such as the message of an exception, is not well formed. A truncated expression is
// well formed as far as it goes.
Relation WalkRelation(std::string_view text) {
  Relation relation;
  bool wants_operand = true;
  size_t pos = 0;
  while (pos < text.size()) {
    const char c = text[pos];
    if (IsBlankChar(c) || c == ')') {
      ++pos;
      continue;
    }
    if (c == '<' || c == '>' || c == '=' || c == '!') {
      if (wants_operand) break;
      const bool two = pos + 1 < text.size() && text[pos + 1] == '=';
      if (!two && (c == '=' || c == '!')) break;
      relation.compares = true;
      wants_operand = true;
      pos += two ? 2 : 1;
      continue;
    }
    if ((c == '-' || c == '~') && wants_operand) {
      ++pos;
      continue;
    }
    if (c == '+' || c == '-' || c == '*' || c == '/' || c == '%' || c == ',' || c == '&' ||
        c == '|') {
      if (wants_operand) break;
      wants_operand = true;
      ++pos;
      if (pos < text.size() && text[pos] == c && (c == '*' || c == '/')) ++pos;
      continue;
    }
    const size_t name_end = AfterDottedName(text, pos);
    const std::string_view name = text.substr(pos, name_end - pos);
    if (IsKeywordOperator(name)) {
      wants_operand = true;
      pos = name_end;
      continue;
    }
    if (!wants_operand) break;
    if (c == '(') {
      ++pos;
    } else if (IsDigit(c)) {
      wants_operand = false;
      pos = AfterNumber(text, pos);
    } else if (IsQuote(c) || c == '[' || c == '{') {
      wants_operand = false;
      relation.has_literal = true;
      pos = IsQuote(c) ? AfterLiteral(text, pos) : AfterBracket(text, pos);
    } else if (name == "True" || name == "False" || name == "None") {
      wants_operand = false;
      pos = name_end;
    } else if (const size_t end = AfterSource(text, pos); end != pos) {
      wants_operand = false;
      if (end != kNotFound) relation.Add(text.substr(pos, end - pos));
      pos = end;
    } else if (!name.empty() && name_end < text.size() && text[name_end] == '(') {
      relation.compares = relation.compares || IsComparison(name);
      pos = name_end + 1;
    } else {
      break;
    }
    if (pos == kNotFound) return relation;
  }
  relation.well_formed = pos >= text.size();
  return relation;
}

// The number that a size is compared with: 8 for `x.size()[0] == 8`, `8 == x.size()[0]` and
// `Eq(L['x'].size()[0], 8)`. Empty for any other relation.
std::string_view EqualNumber(std::string_view code) {
  std::string_view left;
  std::string_view right;
  std::string_view rest = code;
  if (ConsumeFront(rest, "Eq(")) {
    size_t after = kNotFound;
    left = ReadArgument(rest, 0, &after);
    if (after == kNotFound || rest[after] != ',') return {};
    right = ReadArgument(rest, after + 1, &after);
    if (after != rest.size() - 1) return {};
  } else {
    const size_t equals = FindText(code, " == ");
    if (equals == kNotFound) return {};
    left = Trim(code.substr(0, equals));
    right = Trim(code.substr(equals + 4));
  }
  bool is_integer = false;
  if (IsSource(left) && IsNumber(right, &is_integer)) return right;
  if (IsSource(right) && IsNumber(left, &is_integer)) return left;
  return {};
}

/// Whether it says no more than that a size is 2 or larger:
///   2 <= x.size()[0]   Le(2, L['x'].size()[0])   2 <= x.size()[0] <= 2147483647
/// The upper bound of 32-bit indices is one that a size hardly ever reaches.
bool IsBoundOfTwo(std::string_view code) {
  std::string_view rest = code;
  if (ConsumeFront(rest, "Le(")) {
    size_t after = kNotFound;
    if (ReadArgument(rest, 0, &after) != "2" || after == kNotFound || rest[after] != ',')
      return false;
    const std::string_view bounded = ReadArgument(rest, after + 1, &after);
    return after == rest.size() - 1 && IsSource(bounded);
  }
  if (!ConsumeFront(rest, "2")) return false;
  rest = TrimLeft(rest);
  if (!ConsumeFront(rest, "<=")) return false;
  rest = Trim(rest);
  constexpr std::string_view kUpperBound = "<= 2147483647";
  if (rest.ends_with(kUpperBound))
    rest = TrimRight(rest.substr(0, rest.size() - kUpperBound.size()));
  return IsSource(rest);
}

/// The factors of the product `text`: "a" and "(b // c)" of "(a*(b // c))". Empty: it is none.
std::vector<std::string_view> FactorsOf(std::string_view text) {
  text = WithoutOuterParentheses(Trim(text));
  std::vector<std::string_view> factors;
  while (!text.empty()) {
    size_t end = 0;
    while (end < text.size() && text[end] != '*') {
      const bool is_bracket = text[end] == '(' || text[end] == '[';
      if (!is_bracket && !IsWordByte(text[end]) && text[end] != '.') return {};
      end = is_bracket ? AfterBracket(text, end) : end + 1;
    }
    if (end == 0 || end > text.size()) return {};
    factors.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return factors;
}

/// The size that must not be 1 for `code` to hold, where the other factors are the same on both
/// sides: `x.size()[0]` in "(n*x.size()[0]) != n". Empty for other relations.
std::string_view SizeThatIsNotOne(std::string_view code) {
  const size_t differs = FindText(code, " != ");
  if (differs == kNotFound) return {};
  std::vector<std::string_view> left = FactorsOf(code.substr(0, differs));
  std::vector<std::string_view> right = FactorsOf(code.substr(differs + 4));
  if (left.size() < right.size()) std::swap(left, right);
  constexpr size_t kMaxFactors = 16;
  if (right.empty() || left.size() != right.size() + 1 || left.size() > kMaxFactors) return {};
  for (const std::string_view factor : right) {
    const auto same = std::ranges::find(left, factor);
    if (same == left.end()) return {};
    left.erase(same);
  }
  const bool is_size =
      IsSource(left[0]) && ParseSource(left[0]).property == SourceRef::Property::kSize;
  return is_size ? left[0] : std::string_view();
}

}  // namespace

PythonType TypeOfRepr(std::string_view text) {
  if (text.empty()) return PythonType::kUnknown;
  if (text == "True" || text == "False") return PythonType::kBool;
  if (text == "None") return PythonType::kNone;
  const char first = text.front();
  if (IsQuote(first)) return PythonType::kStr;
  if (first == 'b' && text.size() > 1 && IsQuote(text[1])) return PythonType::kBytes;
  if (first == '<') return text.size() > 1 ? TypeOfAngleRepr(text) : PythonType::kUnknown;
  if (first == '(' || first == '[' || first == '{') return TypeOfBracketRepr(text);
  bool is_integer = false;
  if (IsNumber(text, &is_integer)) return is_integer ? PythonType::kInt : PythonType::kFloat;
  if (text.ends_with('j') && IsNumber(text.substr(0, text.size() - 1), &is_integer)) {
    return PythonType::kComplex;
  }
  return TypeOfNamedRepr(text);
}

PythonType TypeOfClassRepr(std::string_view text) {
  if (text.starts_with("<enum '") || text.starts_with("<flag '")) return PythonType::kEnum;
  if (!ConsumeFront(text, "<class '")) return PythonType::kUnknown;
  const size_t quote = text.find('\'');
  if (quote == kNotFound) return PythonType::kUnknown;
  const PythonType type =
      TypeNamed(text.substr(0, quote), std::begin(kClasses), std::end(kClasses));
  return type == PythonType::kUnknown ? PythonType::kObject : type;
}

GuardClass ClassOfValue(PythonType type) {
  switch (type) {
    case PythonType::kNone:
      return GuardClass::kNone;
    case PythonType::kBool:
      return GuardClass::kBool;
    case PythonType::kInt:
      return GuardClass::kInt;
    case PythonType::kFloat:
      return GuardClass::kFloat;
    case PythonType::kStr:
      return GuardClass::kStr;
    case PythonType::kDtype:
      return GuardClass::kDtype;
    case PythonType::kDevice:
      return GuardClass::kDevice;
    default:
      return GuardClass::kOther;
  }
}

bool IsSource(std::string_view text) {
  return !text.empty() && AfterSource(text, 0) == text.size();
}

bool IsNumber(std::string_view text, bool* is_integer) {
  ConsumeFront(text, "-");
  *is_integer = IsAllDigits(text);
  if (*is_integer || text == "inf" || text == "nan") return true;
  // 0.46035853028297424   1e-05   1.5e+20
  bool digits = false;
  bool exponent = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsDigit(c)) {
      digits = true;
    } else if ((c == 'e' || c == 'E') && digits && !exponent) {
      exponent = true;
      if (i + 1 < text.size() && (text[i + 1] == '-' || text[i + 1] == '+')) ++i;
    } else if (c != '.') {
      return false;
    }
  }
  return digits;
}

bool IsExpressionOverSources(std::string_view text) {
  const Relation relation = WalkRelation(text);
  return relation.well_formed && !relation.has_literal && relation.num_operands > 0;
}

bool ParseRelation(std::string_view code, bool says_zero_one, GuardFailure& out) {
  const Relation relation = WalkRelation(code);
  if (!relation.well_formed || !relation.compares || relation.has_literal) return false;
  out.guard_class = GuardClass::kSymbolic;
  if (relation.num_operands == 0) return true;
  // A bound on a plain int may be the user's own, so there the comment must say it.
  if ((relation.has_property || says_zero_one) && IsBoundOfTwo(code)) {
    out.guard_class = GuardClass::kZeroOne;
  }
  if (const std::string_view size = SizeThatIsNotOne(code); !size.empty()) {
    const SourceRef source = ParseSource(size);
    out.guard_class = GuardClass::kZeroOne;
    out.value_type = PythonType::kTensor;
    out.source = source.object;
    out.dim = source.dim;
    return true;
  }
  if (!relation.one_source) {
    // The other numbers may be constant: what a graph break passes on is not.
    if (!relation.has_property) {
      out.source = relation.temporary.empty() ? relation.lone_argument : relation.temporary;
    }
    return true;
  }
  if (relation.has_property) out.value_type = PythonType::kTensor;
  out.source = relation.first.object;
  if (relation.one_dim) out.dim = relation.first.dim;
  out.expected = EqualNumber(code);
  return true;
}

}  // namespace shapewise
