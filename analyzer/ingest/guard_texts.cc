#include "ingest/guard_texts.h"

#include <algorithm>
#include <utility>

#include "shapewise/model/guard.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// FNV-1a, the same in every run and on every machine.
uint64_t HashOf(std::string_view kind, std::string_view text) {
  uint64_t hash = 14695981039346656037U;
  const auto add = [&hash](std::string_view bytes) {
    for (const char c : bytes) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 1099511628211U;
    }
  };
  add(kind);
  add(":");
  add(text);
  return hash;
}

/// The text up to the first comma outside brackets and quotes; empty if there is none.
std::string_view FirstArgument(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth < 0) return {};
    } else if (c == ',' && depth == 0) {
      return Trim(text.substr(0, i));
    }
  }
  return {};
}

/// Whether `text` is a decimal integer, such as "-3".
/// "___check_type_id(L['x'], 94281711380640), type=<class ...>" -> "L['x']"; empty: no such guard.
std::string_view SourceOfTypeGuard(std::string_view text) {
  return ConsumeFront(text, "___check_type_id(") ? FirstArgument(text) : std::string_view();
}

/// Where the source that begins at `begin` ends: names, attributes and indices, "L['x'][0].w".
size_t EndOfSource(std::string_view text, size_t begin) {
  size_t at = begin;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '[') {
      char quote = 0;
      size_t end = at + 1;
      for (; end < text.size() && (quote != 0 || text[end] != ']'); ++end) {
        if (quote != 0 && text[end] == '\\')
          ++end;
        else if (quote == 0 && (text[end] == '\'' || text[end] == '"'))
          quote = text[end];
        else if (text[end] == quote)
          quote = 0;
      }
      if (end >= text.size()) return begin;
      at = end + 1;
    } else if (IsWordChar(c) || c == '.') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

/// Whether the comment behind a relation names an operator of torch as what asks for it: "# return
/// x.view(n, -1)  # mp/app/m.py:5 in f (_refs/__init__.py:3965 in _reshape_view_helper)". Code that
/// is traced asks through Dynamo's own: "(_dynamo/variables/tensor.py:2606 in evaluate_expr)".
bool IsAskedByOperator(std::string_view text) {
  if (!text.ends_with(')')) return false;
  const size_t open = text.rfind(" (");
  if (open == kNotFound) return false;
  const std::string_view place = text.substr(open + 2);
  return HasText(place, ".py:") && HasText(place, " in ") && !place.starts_with("_dynamo/");
}

}  // namespace

void GuardTextReader::AddTreeLine(std::string_view line) {
  line = TrimLeft(line);
  while (ConsumeFront(line, "| ")) {
  }
  if (line == "+- RootGuardManager") texts_.is_printed = true;
  if (!ConsumeFront(line, "+- ")) return;
  const size_t colon = line.find(':');
  const std::string_view kind = TrimRight(line.substr(0, colon));
  if (!IsLeafKind(kind)) return;
  AddLeaf(kind, colon == kNotFound ? std::string_view() : Trim(line.substr(colon + 1)));
}

void GuardTextReader::AddGuard(std::string_view text) {
  texts_.is_printed = true;
  AddLeaf({}, text);
}

void GuardTextReader::AddLeaf(std::string_view kind, std::string_view text) {
  text = Trim(text);
  if (text.starts_with("check_tensor(") && AddTensor(text)) return;
  if (HasText(text, "_dynamo_") && HasText(text, "_indices'") && AddMark(text)) return;
  if (AddPredicate(text)) return;
  AddOther(kind, text);
}

/// "check_tensor(L['x'], Tensor, DispatchKeySet(..), torch.float32, device=None,
/// requires_grad=False, size=[None, 3], stride=[3, 1])"
bool GuardTextReader::AddTensor(std::string_view text) {
  std::string_view rest = text.substr(std::string_view("check_tensor(").size());
  const std::string_view source = FirstArgument(rest);
  const size_t size = FindText(rest, ", size=[");
  const size_t stride = FindText(rest, "], stride=[", size == kNotFound ? 0 : size);
  const size_t end = FindText(rest, "])", stride == kNotFound ? 0 : stride);
  if (source.empty() || size == kNotFound || stride == kNotFound || end == kNotFound) return false;
  const GuardFailure parsed = ParseGuardFailure(text);
  ShapeGuard guard;
  guard.kind = ShapeGuard::Kind::kTensor;
  guard.source = strings_.Intern(source);
  const size_t sizes = size + std::string_view(", size=").size();
  guard.text = strings_.Intern(rest.substr(sizes, stride + 1 - sizes));
  const size_t strides = stride + std::string_view("], stride=").size();
  guard.stride = strings_.Intern(rest.substr(strides, end + 1 - strides));
  const size_t properties = static_cast<size_t>(source.data() - rest.data()) + source.size();
  guard.properties = strings_.Intern(Trim(rest.substr(properties + 1, size - properties - 1)));
  guard.user_file = strings_.Intern(parsed.user_file);
  guard.user_line = parsed.user_line;
  guard.user_function = strings_.Intern(parsed.user_function);
  guard.code = strings_.Intern(parsed.code);
  Keep(guard);
  return true;
}

/// "hasattr(L['x'], '_dynamo_dynamic_indices') == False", and of an entry that was compiled for a
/// marked tensor "((getattr(L['x'], '_dynamo_dynamic_indices', set()).issubset({0})) if hasattr(...
/// else True)" or, in older releases, "((L['x']._dynamo_dynamic_indices.issubset({0})) if ...".
bool GuardTextReader::AddMark(std::string_view text) {
  const size_t has = FindText(text, "hasattr(");
  if (has == kNotFound) return false;
  const std::string_view arguments = text.substr(has + std::string_view("hasattr(").size());
  const std::string_view source = FirstArgument(arguments);
  const std::string_view attribute = TextBetween(arguments, "'_dynamo_", "'");
  if (source.empty() || attribute.empty()) return false;
  ShapeGuard guard;
  guard.kind = ShapeGuard::Kind::kMark;
  guard.source = strings_.Intern(source);
  guard.properties = strings_.Intern(attribute);
  const std::string_view dims = TextBetween(text, ".issubset(", ")");
  if (dims.empty() && !HasText(text, "== False")) return false;
  guard.text = strings_.Intern(dims);
  Keep(guard);
  return true;
}

bool GuardTextReader::AddPredicate(std::string_view text) {
  const GuardFailure parsed = ParseGuardFailure(text);
  ShapeGuard guard;
  switch (parsed.guard_class) {
    case GuardClass::kSymbolic:
    case GuardClass::kZeroOne:
      guard.kind = ShapeGuard::Kind::kRelation;
      guard.is_zero_one = parsed.guard_class == GuardClass::kZeroOne;
      guard.is_duck = HasText(text, "duck sizing");
      guard.is_operators = IsAskedByOperator(text);
      guard.text = strings_.Intern(parsed.guard);
      break;
    case GuardClass::kInt:
    case GuardClass::kLength:
      if (!IsInteger(parsed.expected) || !HasText(parsed.guard, " == ")) return false;
      guard.kind = parsed.guard_class == GuardClass::kInt ? ShapeGuard::Kind::kValue
                                                          : ShapeGuard::Kind::kLength;
      guard.source = strings_.Intern(parsed.source);
      guard.text = strings_.Intern(parsed.expected);
      if (guard.source == StrId::kNone) return false;
      break;
    default:
      return false;
  }
  guard.user_file = strings_.Intern(parsed.user_file);
  guard.user_line = parsed.user_line;
  guard.user_function = strings_.Intern(parsed.user_function);
  guard.code = strings_.Intern(parsed.code);
  Keep(guard);
  return true;
}

void GuardTextReader::AddOther(std::string_view kind, std::string_view text) {
  if (text.empty()) return;  // A guard on several things is printed as a whole only once.
  const std::string_view guard = ParseGuardFailure(text).guard;
  AddValue(guard);
  if (const std::string_view source = SourceOfTypeGuard(guard); !source.empty()) {
    if (type_guards_.size() < GuardTexts::kMaxGuards) {
      type_guards_.emplace(source, HashOf(kind, guard));
      return;
    }
  }
  if (others_.size() >= GuardTexts::kMaxGuards) {
    ++texts_.left_out;
    return;
  }
  others_.insert(HashOf(kind, guard));
}

/// "L['mode'] == 'sum'", "L['y'] is None", "list(dict.keys(L['d']))[0] == 'a'",
/// "___check_type_id(L['xs'], 94281711380640), type=<class 'list'>", "not
/// ___dict_contains('forward', L['self'].__dict__)".
void GuardTextReader::AddValue(std::string_view guard) {
  const size_t local = FindText(guard, "L[");
  if (local == kNotFound || (local > 0 && IsWordChar(guard[local - 1]))) return;
  if (texts_.values.size() >= GuardTexts::kMaxGuards) {
    ++texts_.left_out;
    return;
  }
  constexpr std::string_view kKeys = "list(dict.keys(";
  size_t begin = local;
  size_t end = EndOfSource(guard, local);
  if (guard.starts_with(kKeys) && guard.substr(end).starts_with("))[")) {
    begin = 0;
    end = EndOfSource(guard, end + 2);
  }
  ValueGuard value;
  value.source = strings_.Intern(guard.substr(begin, end - begin));
  std::string_view rest = guard.substr(end);
  if (begin == 0 && ConsumeFront(rest, " == ")) {
    value.kind = ValueGuard::Kind::kConstant;
    value.text = strings_.Intern(Trim(rest));
  } else if (begin == 0 && rest == " is None") {
    value.kind = ValueGuard::Kind::kConstant;
    value.text = strings_.Intern("None");
  } else if (guard.starts_with("___check_type_id(")) {
    value.kind = ValueGuard::Kind::kType;
    const size_t type = FindText(rest, "type=");
    if (type != kNotFound) value.text = strings_.Intern(rest.substr(type + 5));
  }
  texts_.values.push_back(value);
}

void GuardTextReader::Keep(const ShapeGuard& guard) {
  if (texts_.shape.size() >= GuardTexts::kMaxGuards) {
    ++texts_.left_out;
  } else {
    texts_.shape.push_back(guard);
  }
}

GuardTexts GuardTextReader::Take() {
  // The check of a tensor is one of its type as well: releases print both for some entries.
  for (const ShapeGuard& guard : texts_.shape) {
    if (guard.kind == ShapeGuard::Kind::kTensor) {
      type_guards_.erase(std::string(strings_.text(guard.source)));
    }
  }
  for (const auto& [source, hash] : type_guards_) others_.insert(hash);
  texts_.others.assign(others_.begin(), others_.end());
  others_.clear();
  type_guards_.clear();
  return std::exchange(texts_, {});
}

GuardTexts ReadGuardTree(std::string_view text, StringPool& strings) {
  GuardTextReader reader(strings);
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    reader.AddTreeLine(text.substr(0, newline));
    text.remove_prefix(newline == kNotFound ? text.size() : newline + 1);
  }
  return reader.Take();
}

}  // namespace shapewise
