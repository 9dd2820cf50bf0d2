
#include <algorithm>
#include <iterator>

#include "model/guard_readers.h"
#include "model/python_text.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// ---------------------------------------------------------------------------------------------
// Calls

// The position of the compared value in a guard.
enum class Expects : uint8_t { kNothing, kRightSide };

// A guard that consists of, or begins with, a call of `function`.
struct CallForm {
  std::string_view function;
  GuardClass guard_class;
  int source_argument;  // index of the argument that is the source, from 0; -1: none
  Expects expects;
};

constexpr std::string_view kCheckTensors = "___check_tensors";

constexpr CallForm kCallForms[] = {
    {"___check_type_id", GuardClass::kType, 0, Expects::kNothing},
    {"___check_fake_script_type", GuardClass::kType, 0, Expects::kNothing},
    {"TYPE_MISMATCH", GuardClass::kType, 0, Expects::kNothing},
    {"isinstance", GuardClass::kType, 0, Expects::kNothing},
    {"___check_obj_id", GuardClass::kIdentity, 0, Expects::kNothing},

    {"len", GuardClass::kLength, 0, Expects::kRightSide},
    {"___tuple_iterator_len", GuardClass::kLength, 0, Expects::kRightSide},
    {"___normalize_range_iter", GuardClass::kOther, 0, Expects::kRightSide},
    {"___normalize_count_iter", GuardClass::kOther, 0, Expects::kRightSide},

    {"hasattr", GuardClass::kKeys, 0, Expects::kNothing},
    {"___dict_contains", GuardClass::kKeys, 1, Expects::kNothing},
    {"set.__contains__", GuardClass::kKeys, 0, Expects::kNothing},
    {"frozenset.__contains__", GuardClass::kKeys, 0, Expects::kNothing},
    {"dict.__contains__", GuardClass::kKeys, 0, Expects::kNothing},
    {"___dict_version", GuardClass::kKeys, 0, Expects::kNothing},
    {"___key_to_id", GuardClass::kKeys, 0, Expects::kNothing},
    {"___dict_param_key_ids", GuardClass::kKeys, 0, Expects::kNothing},
    {"___dict_const_keys", GuardClass::kKeys, 0, Expects::kRightSide},

    {"check_overlapping", GuardClass::kAliasing, -1, Expects::kNothing},
    {"check_no_aliasing", GuardClass::kAliasing, -1, Expects::kNothing},
    {"___check_no_aliasing", GuardClass::kAliasing, -1, Expects::kNothing},

    {"___check_current_backend", GuardClass::kBackend, -1, Expects::kNothing},
    {"___skip_backend_check", GuardClass::kBackend, -1, Expects::kNothing},
    {"___current_backend", GuardClass::kBackend, -1, Expects::kNothing},

    {"___check_global_state", GuardClass::kGlobalState, -1, Expects::kNothing},
    {"___check_torch_function_mode_stack", GuardClass::kGlobalState, -1, Expects::kNothing},
    {"___get_torch_function_mode_stack_at", GuardClass::kGlobalState, -1, Expects::kNothing},
    {"___compile_config_hash", GuardClass::kGlobalState, -1, Expects::kRightSide},
    {"___is_grad_enabled", GuardClass::kGlobalState, -1, Expects::kNothing},
    {"___are_deterministic_algorithms_enabled", GuardClass::kGlobalState, -1, Expects::kNothing},
    {"___is_torch_function_enabled", GuardClass::kGlobalState, -1, Expects::kNothing},
    {"___is_in_inference_mode", GuardClass::kGlobalState, -1, Expects::kNothing},

    {"check_tensor", GuardClass::kOther, 0, Expects::kNothing},
    // All tensors of the call: sizes, strides, dtypes, devices. Before 2.2.
    {kCheckTensors, GuardClass::kOther, 0, Expects::kNothing},
    // The dict of a module, in 2.1: the number is that of the guard.
    {"__nn_module_guard_", GuardClass::kOther, 0, Expects::kNothing},
};

// The text after `==`, `!=` or `is` at the front of `text`.
std::string_view RightSide(std::string_view text) {
  text = TrimLeft(text);
  if (!ConsumeFront(text, "==") && !ConsumeFront(text, "!=")) return {};
  return Trim(text);
}

// Sets class, type, source and value of a guard that compares `source` with `value`. What must not
// be that value may be anything.
void SetComparison(std::string_view source, std::string_view value, bool negated,
                   GuardFailure& out) {
  const PythonType type = TypeOfRepr(value);
  out.guard_class = ClassOfValue(type);
  out.source = source;
  if (negated) return;
  out.value_type = type;
  out.expected = value;
}

// A call taken apart; `function` is empty if the text is none.
struct Call {
  std::string_view function;
  std::string_view arguments;  // from the first argument on, without the `(`
  std::string_view rest;       // after the `)`; empty if the text ends before it
};

Call ReadCall(std::string_view code) {
  const size_t open = AfterDottedName(code, 0);
  if (open == 0 || open >= code.size() || code[open] != '(') return {};
  const size_t end = AfterBracket(code, open);
  return {.function = code.substr(0, open),
          .arguments = code.substr(open + 1),
          .rest = end == kNotFound ? std::string_view() : code.substr(end)};
}

// The type that stands behind a call, or that only one type of objects is asked in this way:
//
//   ___check_type_id(n, 140147039752704), type=<class 'float'>   ___dict_contains('a', L['d'])
PythonType TypeInCall(const Call& call, GuardClass guard_class) {
  if (HasText(call.function, "dict_") || call.function.starts_with("dict.")) {
    return PythonType::kDict;
  }
  if (call.function == "set.__contains__" || call.function == "frozenset.__contains__") {
    return PythonType::kSet;
  }
  std::string_view rest = call.rest;
  if (!ConsumeFront(rest, ", type=")) return PythonType::kUnknown;
  const PythonType type = TypeOfClassRepr(rest);
  if (guard_class != GuardClass::kIdentity) return type;
  // Of a class the guard prints the class itself. Constants are compared by value, so that this one
  // is a class.
  switch (type) {
    case PythonType::kNone:
    case PythonType::kBool:
    case PythonType::kInt:
    case PythonType::kFloat:
    case PythonType::kComplex:
    case PythonType::kStr:
    case PythonType::kBytes:
      return PythonType::kClass;
    default:
      return type;
  }
}

bool ParseKnownCall(const Call& call, GuardFailure& out) {
  const auto* const form =
      std::find_if(std::begin(kCallForms), std::end(kCallForms), [&call](const CallForm& known) {
        return call.function == known.function ||
               (known.function.ends_with("_guard_") && call.function.starts_with(known.function));
      });
  if (form == std::end(kCallForms)) return false;
  out.guard_class = form->guard_class;
  size_t pos = 0;
  for (int argument = 0; argument <= form->source_argument && pos != kNotFound; ++argument) {
    out.source = ReadArgument(call.arguments, argument == 0 ? 0 : pos + 1, &pos);
    if (pos != kNotFound && call.arguments[pos] == ')' && argument < form->source_argument)
      pos = kNotFound;
  }
  if (call.function == kCheckTensors) {
    out.value_type = PythonType::kTensor;
    const std::string_view after =
        pos == kNotFound ? std::string_view() : call.arguments.substr(pos);
    if (!after.starts_with(')') && !after.starts_with(", tensor_check_names=")) out.source = {};
    return true;
  }
  if (pos == kNotFound) out.source = {};
  if (form->expects == Expects::kRightSide) out.expected = RightSide(call.rest);
  out.value_type = TypeInCall(call, out.guard_class);

  // hasattr(L['x'], '_dynamo_dynamic_indices') == False: mark_dynamic was called later. It is not a
  // missing attribute of the user's.
  if (call.function == "hasattr" && call.arguments.find("'_dynamo_") != kNotFound) {
    out.guard_class = GuardClass::kOther;
  }
  return true;
}

// The keys of a dict, all of them or one by position:
//
//   list(dict.keys(L['d'])) == ['a', 'b']   set(L['d'].keys()) == {'a'}   str(L['d'].keys()) ==
//   '..' list(dict.keys(d))[0] == 'a'
bool ParseKeysCall(const Call& call, GuardFailure& out) {
  if (call.function != "list" && call.function != "set" && call.function != "str" &&
      call.function != "tuple") {
    return false;
  }
  size_t after = kNotFound;
  std::string_view keys = ReadArgument(call.arguments, 0, &after);
  if (after == kNotFound) return false;
  std::string_view dict;
  if (ConsumeFront(keys, "dict.keys(")) {
    dict = ReadArgument(keys, 0, &after);
  } else if (keys.ends_with(".keys()")) {
    dict = keys.substr(0, keys.size() - std::string_view(".keys()").size());
  }
  if (dict.empty()) return false;
  std::string_view rest = call.rest;
  if (rest.starts_with('[')) {
    const size_t end = AfterBracket(rest, 0);
    rest = end == kNotFound ? std::string_view() : rest.substr(end);
  }
  // list(dict.keys(d))[0].name == 'a' refers to the key itself.
  if (!rest.empty() && !IsBlankChar(rest.front())) return false;
  out.guard_class = GuardClass::kKeys;
  out.value_type = PythonType::kDict;
  out.source = dict;
  out.expected = RightSide(rest);
  return true;
}

// A constant compared through its base type: int(n) == 1, str(L['x'].device) == 'cpu'
bool ParseCastCall(const Call& call, GuardFailure& out) {
  constexpr std::string_view kCasts[] = {"int", "float", "bool", "str", "bytes", "complex"};
  if (std::find(std::begin(kCasts), std::end(kCasts), call.function) == std::end(kCasts)) {
    return false;
  }
  size_t after = kNotFound;
  const std::string_view source = ReadArgument(call.arguments, 0, &after);
  const std::string_view value = RightSide(call.rest);
  if (after == kNotFound || value.empty() || !IsSource(source) || ParseSource(source).IsLayout()) {
    return false;
  }
  SetComparison(source, value, /*negated=*/false, out);
  if (source.ends_with(".device")) {
    out.guard_class = GuardClass::kDevice;
    out.value_type = PythonType::kDevice;
  }
  return true;
}

// A float or complex that was NaN, or must not be:
//
//   __math_isnan(t)   (type(t) is float and __math_isnan(t))   not math.isnan(L['t'])
bool ParseNan(std::string_view code, bool negated, GuardFailure& out) {
  constexpr std::string_view kIsNan = "isnan(";
  const size_t call = code.find(kIsNan);
  if (call == kNotFound) return false;
  const size_t begin = code.find_last_not_of("abcdefghijklmnopqrstuvwxyz_.", call);
  if (begin != kNotFound && code[begin] != ' ' && code[begin] != '(') return false;  // in a literal
  size_t after = kNotFound;
  out.guard_class = GuardClass::kFloat;
  out.value_type = HasText(code, " is complex ") ? PythonType::kComplex : PythonType::kFloat;
  out.source = ReadArgument(code, call + kIsNan.size(), &after);
  if (!negated) out.expected = "nan";
  return true;
}

// ---------------------------------------------------------------------------------------------
// Other forms

// Global state, written as code:
//
//   utils_device.CURRENT_DEVICE == None        torch.autograd.forward_ad._current_level == 0
//   torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == None
bool ParseGlobalState(std::string_view code, GuardFailure& out) {
  const bool of_torch = code.starts_with("torch.") && !code.starts_with("torch.sym_");
  if (!of_torch && !code.starts_with("utils_device.")) return false;
  out.guard_class = GuardClass::kGlobalState;
  const size_t equals = FindText(code, " == ");
  if (equals != kNotFound) out.expected = RightSide(code.substr(equals));
  return true;
}

// ((L['x']._dynamo_dynamic_indices.issubset({0})) if hasattr(L['x'], '_dynamo_dynamic_indices') ...
bool ParseDynamicMark(std::string_view code, GuardFailure& out) {
  constexpr std::string_view kIsSubset = "_indices.issubset(";
  const size_t mark = FindText(code, "._dynamo_");
  const size_t subset = FindText(code, kIsSubset);
  if (mark == kNotFound || subset == kNotFound || subset < mark) return false;
  size_t begin = 0;
  while (begin < mark && code[begin] == '(') ++begin;
  size_t after = kNotFound;
  out.source = code.substr(begin, mark - begin);
  out.expected = ReadArgument(code, subset + kIsSubset.size(), &after);
  return true;
}

// Guards on marks in C++ since 2.12, which do not name the tensor:
//
//   _dynamo_dynamic_indices not a subset: runtime {1} is not a subset of compiled {0}
//   _dynamo_static_indices should be absent but is present on runtime tensor
//   _dynamo_unbacked_bounds mismatch: expected {0: (2, 64)}
//   _dynamo_shape_ids expected {0: 'b'} but attribute is absent on runtime tensor
//   _has_dynamo_dim_marking is present on runtime tensor but was absent at compile time
bool ParseDynamicMarkText(std::string_view code, GuardFailure& out) {
  if (code.starts_with("_has_dynamo_dim_marking ")) return true;
  constexpr std::string_view kMarks[] = {"_indices", "_unbacked_bounds", "_shape_ids"};
  const std::string_view name = code.substr(0, code.find(' '));
  if (!name.starts_with("_dynamo_") ||
      std::ranges::none_of(kMarks, [&](std::string_view mark) { return name.ends_with(mark); })) {
    return false;
  }
  constexpr std::string_view kRuntime = "not a subset: runtime ";
  constexpr std::string_view kCompiled = " is not a subset of compiled ";
  constexpr std::string_view kExpected = " expected ";
  const size_t runtime = FindText(code, kRuntime);
  const size_t compiled = FindText(code, kCompiled);
  const size_t expected = FindText(code, kExpected);
  if (runtime != kNotFound && compiled != kNotFound && runtime < compiled) {
    const size_t begin = runtime + kRuntime.size();
    out.actual = Trim(code.substr(begin, compiled - begin));
    out.expected = Trim(code.substr(compiled + kCompiled.size()));
  } else if (expected != kNotFound) {
    const std::string_view value = code.substr(expected + kExpected.size());
    out.expected = Trim(value.substr(0, value.find(" but attribute is absent")));
  }
  return true;
}

// {k for k, v in L['self'].named_parameters()} == {'weight'}
bool ParseParameterNames(std::string_view code, GuardFailure& out) {
  std::string_view rest = code;
  if (!ConsumeFront(rest, "{k for k, v in ")) return false;
  out.guard_class = GuardClass::kKeys;
  const size_t end = rest.find(".named_parameters()");
  if (end == kNotFound) return true;
  out.source = rest.substr(0, end);
  const size_t close = rest.find('}', end);
  if (close != kNotFound) out.expected = RightSide(rest.substr(close + 1));
  return true;
}

// 'k' in L['d']   'k' not in d
bool ParseMembership(std::string_view code, GuardFailure& out) {
  if (!IsQuote(code.front())) return false;
  const size_t end = AfterLiteral(code, 0);
  if (end == kNotFound) return false;
  std::string_view rest = TrimLeft(code.substr(end));
  if (!ConsumeFront(rest, "in ") && !ConsumeFront(rest, "not in ")) return false;
  rest = Trim(rest);
  if (!IsSource(rest)) return false;
  out.guard_class = GuardClass::kKeys;
  out.source = rest;
  return true;
}

// L['x'] is None   G['ref']() is not None   L['a'] is L['b']   x is True
bool ParseIs(std::string_view source, std::string_view right, GuardFailure& out) {
  if (!ConsumeFront(right, "is ")) return false;
  right = TrimLeft(right);
  const bool negated = ConsumeFront(right, "not ");
  right = Trim(right);
  if (right == "None" && negated && source.ends_with("()")) {
    out.guard_class = GuardClass::kIdentity;  // a weak reference that must be alive
    out.source = source;
  } else if (right == "None" || right == "True" || right == "False") {
    SetComparison(source, right, negated, out);
  } else {
    out.guard_class = GuardClass::kAliasing;
  }
  return true;
}

// L['x'] == 3; `right` is everything after the source.
bool ParseEquality(std::string_view source, std::string_view right, GuardFailure& out) {
  const bool negated = right.starts_with("!=");
  const std::string_view value = RightSide(right);
  if (value.empty() || ParseSource(source).IsLayout()) return false;
  const PythonType type = TypeOfRepr(value);
  if (negated && type != PythonType::kNone) return false;

  // Tensor properties that Dynamo checks in Python, for example for export.
  struct TensorAttribute {
    std::string_view suffix;
    GuardClass guard_class;
  };
  constexpr TensorAttribute kAttributes[] = {
      {".ndimension()", GuardClass::kNdim},
      {".requires_grad", GuardClass::kRequiresGrad},
      {".raw_repr()", GuardClass::kDispatchKeys},
      {".data_ptr()", GuardClass::kIdentity},
  };
  for (const TensorAttribute& attribute : kAttributes) {
    if (!source.ends_with(attribute.suffix)) continue;
    out.guard_class = attribute.guard_class;
    out.value_type = PythonType::kTensor;
    out.source = source.substr(0, source.size() - attribute.suffix.size());
    // Addresses and raw bits are not useful values.
    if (!attribute.suffix.starts_with(".raw") && !attribute.suffix.starts_with(".data")) {
      out.expected = value;
    }
    return true;
  }

  // Another int, or an expression over one: n == 2*m is a relation.
  if (type == PythonType::kUnknown && IsExpressionOverSources(value)) return false;
  SetComparison(source, value, negated, out);
  return true;
}

}  // namespace

void ParseExpression(std::string_view code, bool says_zero_one, GuardFailure& out) {
  code = WithoutOuterParentheses(code);
  bool negated = false;
  std::string_view positive = code;
  if (ConsumeFront(positive, "not ")) {
    negated = true;
    positive = WithoutOuterParentheses(positive);
  }
  if (positive.empty()) return;
  if (positive == "___guarded_code.valid") {
    out.guard_class = GuardClass::kIdentity;
    return;
  }

  if (ParseNan(positive, negated, out) || ParseDynamicMark(positive, out) ||
      ParseDynamicMarkText(positive, out) || ParseGlobalState(positive, out) ||
      ParseParameterNames(positive, out) || ParseMembership(positive, out)) {
    return;
  }
  const Call call = ReadCall(positive);
  if (!call.function.empty()) {
    if (ParseKnownCall(call, out) || ParseKeysCall(call, out) || ParseCastCall(call, out)) return;
    if (call.function == "type" && call.rest.starts_with(" ")) {
      size_t after = kNotFound;
      out.guard_class = GuardClass::kType;
      out.source = ReadArgument(call.arguments, 0, &after);
      return;
    }
  }

  const size_t end = AfterSource(positive, 0);
  if (end != 0 && end != kNotFound) {
    const std::string_view source = positive.substr(0, end);
    const std::string_view right = Trim(positive.substr(end));
    if (right.empty()) {
      out.source = source;
      if (negated) {  // not L['xs']: the list was empty
        out.guard_class = GuardClass::kLength;
        out.expected = "0";
      }
      return;
    }
    if (ParseIs(source, right, out)) return;
    if (!negated && ParseEquality(source, right, out)) return;
    if (right == "==" || right == "!=") {
      out.source = source;  // truncated before the value
      return;
    }
  }
  ParseRelation(code, says_zero_one, out);
}

}  // namespace shapewise
