// Expressions of TorchScript code.

#include <algorithm>
#include <utility>

#include "ingest/formats/torchscript/code_reader.h"
#include "ingest/formats/torchscript/literal.h"
#include "ingest/formats/torchscript/type_text.h"
#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using ArgumentKind = Argument::Kind;

// Deeper than modules nest; what is called beyond stays a call.
constexpr int kMaxCallDepth = 300;

// Functions of Python that stand for operators. Others keep their name: "prim::print".
constexpr std::pair<std::string_view, std::string_view> kBuiltins[] = {
    {"bool", "aten::Bool"},   {"int", "aten::Int"},       {"float", "aten::Float"},
    {"len", "aten::len"},     {"str", "aten::str"},       {"ord", "aten::ord"},
    {"chr", "aten::chr"},     {"sorted", "aten::sorted"}, {"round", "aten::round"},
    {"print", "prim::Print"}, {"fork", "prim::fork"},     {"wait", "aten::wait"},
};

bool IsNameStart(char c) { return IsWordChar(c) && !IsDigit(c); }

/// The name at the front of `text`, which is dropped; empty if there is none.
std::string_view ConsumeName(std::string_view& text) {
  size_t end = 0;
  if (!text.empty() && IsNameStart(text.front())) {
    while (end < text.size() && IsWordChar(text[end])) ++end;
  }
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  return name;
}

/// "a.b.c" at the front of `text`, which is dropped.
std::string_view ConsumePath(std::string_view& text) {
  std::string_view rest = text;
  ConsumeName(rest);
  while (rest.size() >= 2 && rest.front() == '.' && IsNameStart(rest[1])) {
    rest.remove_prefix(1);
    ConsumeName(rest);
  }
  const std::string_view path = text.substr(0, text.size() - rest.size());
  text = rest;
  return path;
}

/// The number at the front of `text`, which is dropped; empty if there is none.
std::string_view ConsumeNumber(std::string_view& text) {
  size_t end = 0;
  if (end < text.size() && text[end] == '-') ++end;
  const size_t first_digit = end;
  while (end < text.size() && (IsWordChar(text[end]) || text[end] == '.' ||
                               ((text[end] == '-' || text[end] == '+') && text[end - 1] == 'e'))) {
    ++end;
  }
  if (first_digit >= text.size() || (!IsDigit(text[first_digit]) && text[first_digit] != '.')) {
    return {};
  }
  const std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  return number;
}

/// The quoted text at the front of `text`, which is dropped, with its quotes.
std::string_view ConsumeQuoted(std::string_view& text) {
  size_t end = 1;
  while (end < text.size() && text[end] != text.front()) end += text[end] == '\\' ? 2 : 1;
  const std::string_view quoted = text.substr(0, end + 1);
  text.remove_prefix(quoted.size());
  return quoted;
}

void SkipBlanks(std::string_view& text) { text = TrimLeft(text); }

/// Drops a type and the comma behind it: the first argument of annotate and the like.
void SkipType(std::string_view& text) {
  const size_t end = std::min(FindOutside(text, ","), text.size());
  text.remove_prefix(std::min(text.size(), end + 1));
}

}  // namespace

CodeValue CodeReader::Fail() {
  has_failed_ = true;
  return {};
}

CodeValue CodeReader::ReadWhole(std::string_view text) {
  const std::string_view whole = text;
  CodeValue value = ReadExpression(text);
  if (!has_failed_ && Trim(text).empty()) return value;
  has_failed_ = true;
  return CodeValue::Of(graph_.Text(whole));
}

CodeValue CodeReader::ReadExpression(std::string_view& text) {
  if (depth_ > kMaxCodeDepth || has_failed_) return Fail();
  ++depth_;
  SkipBlanks(text);
  CodeValue value;
  if (ConsumeFront(text, "not ")) {
    value = CodeValue::Of(graph_.AddCall("aten::__not__", {ToTree(ReadExpression(text))}));
  } else {
    value = ReadPostfix(text);
  }
  SkipBlanks(text);
  if (ConsumeFront(text, "if ")) {  // a if b else c
    const ArgumentTree condition = ToTree(ReadExpression(text));
    SkipBlanks(text);
    if (!ConsumeFront(text, "else ")) {
      value = Fail();
    } else {
      const ArgumentTree otherwise = ToTree(ReadExpression(text));
      value = CodeValue::Of(graph_.AddCall("prim::If", {condition, ToTree(value), otherwise}));
    }
  }
  --depth_;
  return value;
}

CodeValue CodeReader::ReadPostfix(std::string_view& text) {
  CodeValue value = ReadPrimary(text);
  while (!has_failed_ && !text.empty()) {
    if (text.size() >= 2 && text.front() == '.' && IsNameStart(text[1])) {
      text.remove_prefix(1);
      const std::string_view name = ConsumeName(text);
      value = ConsumeFront(text, "(") ? CallMethod(value, name, ReadList(text, ')'))
                                      : Attribute(value, name);
    } else if (ConsumeFront(text, "[")) {
      std::vector<ArgumentTree> arguments = {ToTree(value)};
      for (ArgumentTree& index : ToTrees(ReadList(text, ']'))) {
        arguments.push_back(std::move(index));
      }
      value = CodeValue::Of(graph_.AddCall("aten::__getitem__", arguments, "item"));
    } else if (ConsumeFront(text, "(")) {
      const std::vector<NamedValue> arguments = ReadList(text, ')');
      // A function may have got a name of its own: "_0 = __torch__.f".
      const bool is_path =
          !value.is_object && value.tree.argument.kind == Argument::Kind::kConstant;
      value = is_path ? CallPath(graph_.graphs().strings.text(value.tree.argument.text), arguments)
                      : CallNamed("prim::CallFunction", {}, {ToTree(value)}, arguments);
    } else {
      break;
    }
  }
  return value;
}

CodeValue CodeReader::ReadPrimary(std::string_view& text) {
  if (text.empty()) return Fail();
  const char first = text.front();
  if (IsNameStart(first)) return ReadName(text);
  if (first == '"' || first == '\'') {
    return CodeValue::Of(ReadLiteral(graph_.graphs(), ConsumeQuoted(text)));
  }
  if (text.starts_with("-inf")) {
    text.remove_prefix(std::string_view("-inf").size());
    return CodeValue::Of(ReadLiteral(graph_.graphs(), "-inf"));
  }
  if (IsDigit(first) || first == '.' || first == '-') {
    const std::string_view number = ConsumeNumber(text);
    if (!number.empty()) return CodeValue::Of(ReadLiteral(graph_.graphs(), number));
    if (!ConsumeFront(text, "-")) return Fail();
    return CodeValue::Of(graph_.AddCall("aten::neg", {ToTree(ReadExpression(text))}));
  }
  if (ConsumeFront(text, "(")) return ReadGroup(text);
  if (ConsumeFront(text, "[")) {
    return CodeValue::Of(ArgumentTree::Group(ArgumentKind::kList, ToTrees(ReadList(text, ']'))));
  }
  if (ConsumeFront(text, "{")) return ReadDict(text);
  return Fail();
}

/// "(x)" is x; "(x,)" and "(x, y)" are tuples.
CodeValue CodeReader::ReadGroup(std::string_view& text) {
  const std::string_view begin = text;
  std::vector<NamedValue> values = ReadList(text, ')');
  std::string_view inner = begin.substr(0, begin.size() - text.size());
  if (inner.ends_with(')')) inner.remove_suffix(1);
  if (values.size() == 1 && !TrimRight(inner).ends_with(',')) return std::move(values[0].value);
  return CodeValue::Of(ArgumentTree::Group(ArgumentKind::kTuple, ToTrees(values)));
}

CodeValue CodeReader::ReadDict(std::string_view& text) {
  std::vector<ArgumentTree> parts;
  while (!has_failed_) {
    SkipBlanks(text);
    if (ConsumeFront(text, "}")) break;
    parts.push_back(ToTree(ReadExpression(text)));
    SkipBlanks(text);
    if (!ConsumeFront(text, ":")) return Fail();
    parts.push_back(ToTree(ReadExpression(text)));
    SkipBlanks(text);
    ConsumeFront(text, ",");
  }
  return CodeValue::Of(ArgumentTree::Group(ArgumentKind::kDict, std::move(parts)));
}

/// Arguments or elements up to `close`, which is dropped.
std::vector<CodeReader::NamedValue> CodeReader::ReadList(std::string_view& text, char close) {
  std::vector<NamedValue> values;
  while (!has_failed_) {
    SkipBlanks(text);
    if (text.empty()) {
      Fail();
      break;
    }
    if (text.front() == close) {
      text.remove_prefix(1);
      break;
    }
    NamedValue value;
    std::string_view after_name = text;
    const std::string_view name = ConsumeName(after_name);
    if (!name.empty() && after_name.starts_with("=") && !after_name.starts_with("==")) {
      value.keyword = name;
      text = after_name.substr(1);
    }
    value.value = ReadExpression(text);
    values.push_back(std::move(value));
    SkipBlanks(text);
    if (!ConsumeFront(text, ",") && !text.starts_with(close)) Fail();
  }
  return values;
}

CodeValue CodeReader::ReadName(std::string_view& text) {
  std::string_view after_name = text;
  const std::string_view name = ConsumeName(after_name);
  if (const CodeValue* const bound = graph_.Find(name)) {
    text = after_name;
    return TakeBound(*bound);
  }
  if (name == "True" || name == "False" || name == "None" || name == "inf" || name == "nan") {
    text = after_name;
    return CodeValue::Of(ReadLiteral(graph_.graphs(), name));
  }
  if (name == "torch" || name == "ops" || name == "__torch__" || name == "CONSTANTS") {
    const std::string_view path = ConsumePath(text);
    return ReadPath(path, text);
  }
  text = after_name;
  if (ConsumeFront(text, "(")) return ReadBuiltin(name, text);
  return CodeValue::Of(graph_.Constant(name));
}

CodeValue CodeReader::ReadPath(std::string_view path, std::string_view& text) {
  std::string_view constant = path;
  if (ConsumeFront(constant, "CONSTANTS.")) return Constant(constant);
  if (!ConsumeFront(text, "(")) return CodeValue::Of(graph_.Constant(path));
  return CallPath(path, ReadList(text, ')'));
}

CodeValue CodeReader::CallPath(std::string_view path, const std::vector<NamedValue>& arguments) {
  if (const CodeFunction* const function = library_.FindFunction(path)) {
    return Inline(*function, nullptr, arguments);
  }
  if (path.starts_with("__torch__")) {
    const bool is_class = library_.FindClass(path) != nullptr;
    return CallNamed(is_class ? "prim::CreateObject" : "prim::CallFunction", path, {}, arguments);
  }
  std::string_view rest = path;
  std::string target;
  if (ConsumeFront(rest, "ops.")) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    target = std::string(rest.substr(0, dot)) +
             "::" + std::string(rest.substr(std::min(rest.size(), dot + 1)));
  } else {
    ConsumeFront(rest, "torch.");
    target = "aten::" + std::string(rest);
  }
  return CallNamed(target, {}, {}, arguments);
}

CodeValue CodeReader::ReadBuiltin(std::string_view name, std::string_view& text) {
  if (name == "annotate" || name == "unchecked_cast") {
    SkipType(text);
    std::vector<NamedValue> arguments = ReadList(text, ')');
    return arguments.size() == 1 ? std::move(arguments[0].value) : Fail();
  }
  if (name == "uninitialized" || name == "isinstance") {
    // A type stands there, which is no expression.
    const size_t close = FindOutside(text, ")");
    if (close == std::string_view::npos) return Fail();
    std::string_view inner = text.substr(0, close);
    text.remove_prefix(close + 1);
    if (name == "uninitialized") return {};
    inner = inner.substr(0, FindOutside(inner, ","));
    return CodeValue::Of(graph_.AddCall("prim::isinstance", {ToTree(ReadExpression(inner))}));
  }
  const std::vector<NamedValue> arguments = ReadList(text, ')');
  const auto text_of = [&](size_t index) {
    const bool is_text = index < arguments.size() && !arguments[index].value.is_object &&
                         arguments[index].value.tree.argument.kind == ArgumentKind::kString;
    return is_text ? graph_.graphs().strings.text(arguments[index].value.tree.argument.text)
                   : std::string_view();
  };
  if (name == "getattr" && arguments.size() == 2 && !text_of(1).empty()) {
    return Attribute(arguments[0].value, text_of(1));
  }
  if (name == "float" && !text_of(0).empty()) {  // float("inf")
    return CodeValue::Of(ReadLiteral(graph_.graphs(), text_of(0)));
  }
  for (const auto& [builtin, target] : kBuiltins) {
    if (name == builtin) return CallNamed(target, {}, {}, arguments);
  }
  return CallNamed("prim::" + std::string(name), {}, {}, arguments);
}

CodeValue CodeReader::Attribute(const CodeValue& owner, std::string_view name) {
  if (!owner.is_object) {
    return CallNamed("prim::GetAttr", name, {owner.tree}, {});
  }
  const CodeObject& object = owner.object;
  // Each name of "a.b.c.d" has the path of the one before in it.
  if (!Spend(object.path.size())) return Fail();
  CodeValue value;
  value.object.path =
      object.path.empty() ? std::string(name) : object.path + "." + std::string(name);
  std::string_view declared;
  if (object.type != nullptr) {
    declared = object.type->fields.lookup(llvm::StringRef(name.data(), name.size()));
  }
  std::string class_name;
  if (state_ != nullptr) {
    value.object.state = state_->Attribute(object.state, name);
    class_name = state_->ClassOf(value.object.state);
    const uint32_t type = state_->TensorType(value.object.state, graph_.graphs());
    if (type != kNoIndex) {
      return CodeValue::Of(GetAttribute(value.object.path, name, type));
    }
    if (state_->ReadLiteral(value.object.state, graph_.graphs(), value.tree)) return value;
  }
  if (class_name.empty() && declared.starts_with("__torch__.")) class_name = declared;
  if (!class_name.empty() || object.type == nullptr) {
    // Of an object whose code is not at hand, an attribute may be a module or a tensor: its use
    // will tell.
    value.is_object = true;
    value.object.type = library_.FindClass(class_name);
    return value;
  }
  return CodeValue::Of(
      GetAttribute(value.object.path, name, InternTypeText(graph_.graphs(), declared)));
}

ArgumentTree CodeReader::GetAttribute(const std::string& path, std::string_view name,
                                      uint32_t type) {
  const uint32_t node = graph_.AddNode(path);
  graph_.graph().nodes[node].kind = NodeKind::kGetAttr;
  return graph_.AddResult(node, name, type);
}

CodeValue CodeReader::Constant(std::string_view name) {
  std::string_view digits = name;
  const bool is_numbered = ConsumeFront(digits, "c");
  const std::optional<uint64_t> number = is_numbered ? ConsumeUint(digits) : std::nullopt;
  uint32_t type = kNoIndex;
  if (number && constants_ != nullptr) {
    const uint32_t value = constants_->Element(constants_->root(), *number);
    type = constants_->TensorType(value, graph_.graphs());
  }
  return CodeValue::Of(GetAttribute("CONSTANTS." + std::string(name), name, type));
}

CodeValue CodeReader::CallMethod(const CodeValue& owner, std::string_view name,
                                 const std::vector<NamedValue>& arguments) {
  if (has_failed_) return {};
  if (owner.is_object) {
    if (owner.object.type != nullptr) {
      const auto at = owner.object.type->methods.find(llvm::StringRef(name.data(), name.size()));
      if (at != owner.object.type->methods.end()) {
        return Inline(at->second, &owner.object, arguments);
      }
    }
    const std::string_view path =
        owner.object.path.empty() ? std::string_view("self") : owner.object.path;
    return CallNamed("prim::CallMethod", name, {graph_.Text(path)}, arguments);
  }
  return CallNamed("prim::CallMethod", name, {owner.tree}, arguments);
}

CodeValue CodeReader::CallNamed(std::string_view target, std::string_view name,
                                std::vector<ArgumentTree> first,
                                const std::vector<NamedValue>& arguments) {
  if (has_failed_) return {};
  for (ArgumentTree& argument : ToTrees(arguments)) first.push_back(std::move(argument));
  if (!name.empty()) {
    ArgumentTree named =
        ArgumentTree::Text(ArgumentKind::kString, graph_.graphs().strings.Intern(name));
    named.argument.keyword = graph_.graphs().strings.Intern("name");
    first.push_back(std::move(named));
  }
  return CodeValue::Of(graph_.AddCall(target, first));
}

CodeValue CodeReader::Inline(const CodeFunction& function, const CodeObject* self,
                             const std::vector<NamedValue>& arguments) {
  if (has_failed_) return {};
  if (depth_ > kMaxCallDepth || is_full_) {
    return CallNamed("prim::CallFunction", function.name, {}, arguments);
  }
  std::vector<std::pair<std::string_view, CodeValue>> bound;
  size_t next = 0;
  for (const CodeParameter& parameter : function.parameters) {
    if (self != nullptr && bound.empty()) {
      CodeValue value;
      value.is_object = true;
      value.object = *self;
      bound.emplace_back(parameter.name, std::move(value));
      continue;
    }
    const auto by_name = llvm::find_if(
        arguments, [&](const NamedValue& argument) { return argument.keyword == parameter.name; });
    if (next < arguments.size() && arguments[next].keyword.empty()) {
      bound.emplace_back(parameter.name, arguments[next++].value);
    } else if (by_name != arguments.end()) {
      bound.emplace_back(parameter.name, by_name->value);
    } else {
      bound.emplace_back(parameter.name,
                         CodeValue::Of(ReadLiteral(graph_.graphs(), parameter.default_value)));
    }
  }
  const uint64_t line = graph_.line();
  graph_.EnterFunction();
  for (auto& [name, value] : bound) graph_.Bind(name, std::move(value));
  CodeValue before = std::exchange(returned_, CodeValue());
  ReadStatements(function.body);
  CodeValue value = std::exchange(returned_, std::move(before));
  graph_.LeaveFunction();
  graph_.set_line(line);
  // What was not understood there was counted there.
  has_failed_ = false;
  return value;
}

std::vector<ArgumentTree> CodeReader::ToTrees(const std::vector<NamedValue>& values) {
  std::vector<ArgumentTree> trees;
  trees.reserve(values.size());
  for (const NamedValue& value : values) {
    trees.push_back(ToTree(value.value));
    trees.back().argument.keyword = graph_.graphs().strings.Intern(value.keyword);
  }
  return trees;
}

ArgumentTree CodeReader::ToTree(const CodeValue& value) {
  if (!value.is_object) return value.tree;
  if (value.object.path.empty()) return graph_.Text("self");
  if (value.object.type != nullptr || value.object.state != kNoIndex) {
    return graph_.Text(value.object.path);
  }
  const std::string_view path = value.object.path;
  return GetAttribute(value.object.path, path.substr(path.rfind('.') + 1), kNoIndex);
}

}  // namespace shapewise
