#include "model/guard_readers.h"

#include <algorithm>
#include <iterator>

#include "model/python_text.h"
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

}  // namespace shapewise
