// Expressions of TorchScript code.

#include <algorithm>
#include <utility>

#include "ingest/formats/torchscript/code_reader.h"
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

}  // namespace

CodeValue CodeReader::Fail() {
  has_failed_ = true;
  return {};
}

CodeValue CodeReader::ReadWhole(const pyast::Expr& expression) {
  CodeValue value = ReadExpression(expression);
  if (!has_failed_) return value;
  return CodeValue::Of(graph_.Text(file_->TextOf(expression)));
}

CodeValue CodeReader::ReadExpression(const pyast::Expr& expression) {
  if (depth_ > kMaxCodeDepth || has_failed_) return Fail();
  ++depth_;
  CodeValue value = ReadKind(expression);
  --depth_;
  return value;
}

CodeValue CodeReader::ReadKind(const pyast::Expr& expression) {
  GraphSet& graphs = graph_.graphs();
  switch (expression.kind) {
    case pyast::Kind::kName:
      return ReadName(llvm::cast<pyast::Name>(expression).id);
    case pyast::Kind::kConstant: {
      const auto& constant = llvm::cast<pyast::Constant>(expression);
      if (constant.type != pyast::ConstantKind::kString) {
        return CodeValue::Of(ReadLiteral(graphs, file_->TextOf(constant)));
      }
      return CodeValue::Of(
          ArgumentTree::Text(ArgumentKind::kString, graphs.strings.Intern(constant.value)));
    }
    case pyast::Kind::kUnaryOp:
      return ReadUnary(llvm::cast<pyast::UnaryOp>(expression));
    case pyast::Kind::kIfExp: {
      const auto& choice = llvm::cast<pyast::IfExp>(expression);
      const CodeValue value = ReadExpression(*choice.body);
      const ArgumentTree condition = ToTree(ReadExpression(*choice.test));
      const ArgumentTree otherwise = ToTree(ReadExpression(*choice.orelse));
      return CodeValue::Of(graph_.AddCall("prim::If", {condition, ToTree(value), otherwise}));
    }
    case pyast::Kind::kTuple:
      return ReadGroup(llvm::cast<pyast::Tuple>(expression).elts, ArgumentKind::kTuple);
    case pyast::Kind::kList:
      return ReadGroup(llvm::cast<pyast::List>(expression).elts, ArgumentKind::kList);
    case pyast::Kind::kDict: {
      const auto& dict = llvm::cast<pyast::Dict>(expression);
      llvm::SmallVector<pyast::Expr*, 16> parts;
      for (size_t i = 0; i < dict.keys.size(); ++i) {
        if (dict.keys[i] == nullptr) return Fail();
        parts.push_back(dict.keys[i]);
        parts.push_back(dict.values[i]);
      }
      return ReadGroup(parts, ArgumentKind::kDict);
    }
    case pyast::Kind::kAttribute: {
      const auto& attribute = llvm::cast<pyast::Attribute>(expression);
      std::string_view path = PathOf(expression);
      if (ConsumeFront(path, "CONSTANTS.")) return Constant(path);
      if (!path.empty()) return CodeValue::Of(graph_.Constant(path));
      return Attribute(ReadExpression(*attribute.value), attribute.attr);
    }
    case pyast::Kind::kSubscript: {
      const auto& subscript = llvm::cast<pyast::Subscript>(expression);
      std::vector<ArgumentTree> arguments = {ToTree(ReadExpression(*subscript.value))};
      const auto* const indices = llvm::dyn_cast<pyast::Tuple>(subscript.slice);
      const bool is_bare = indices != nullptr && !file_->TextOf(*indices).starts_with('(');
      for (const pyast::Expr* index : is_bare ? indices->elts : pyast::Exprs(subscript.slice)) {
        arguments.push_back(ToTree(ReadExpression(*index)));
      }
      return CodeValue::Of(graph_.AddCall("aten::__getitem__", arguments, "item"));
    }
    case pyast::Kind::kCall:
      return ReadCall(llvm::cast<pyast::Call>(expression));
    default:
      return Fail();
  }
}

CodeValue CodeReader::ReadName(std::string_view name) {
  if (const CodeValue* const bound = graph_.Find(name)) return TakeBound(*bound);
  if (name == "inf" || name == "nan") return CodeValue::Of(ReadLiteral(graph_.graphs(), name));
  return CodeValue::Of(graph_.Constant(name));
}

CodeValue CodeReader::ReadUnary(const pyast::UnaryOp& unary) {
  if (unary.op == pyast::Operator::kNot) {
    return CodeValue::Of(graph_.AddCall("aten::__not__", {ToTree(ReadExpression(*unary.operand))}));
  }
  if (unary.op != pyast::Operator::kUSub) return Fail();
  if (const std::optional<ArgumentTree> number = ReadNumber(file_->TextOf(unary))) {
    return CodeValue::Of(*number);
  }
  return CodeValue::Of(graph_.AddCall("aten::neg", {ToTree(ReadExpression(*unary.operand))}));
}

CodeValue CodeReader::ReadGroup(pyast::Exprs parts, ArgumentKind kind) {
  std::vector<ArgumentTree> trees;
  trees.reserve(parts.size());
  for (const pyast::Expr* part : parts) trees.push_back(ToTree(ReadExpression(*part)));
  return CodeValue::Of(ArgumentTree::Group(kind, std::move(trees)));
}

/// The path of a function or a constant that has a name of its own: "torch.add", "CONSTANTS.c0".
/// Empty for all else.
std::string_view CodeReader::PathOf(const pyast::Expr& expression) const {
  const pyast::Expr* part = &expression;
  while (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(part)) part = attribute->value;
  const auto* const name = llvm::dyn_cast<pyast::Name>(part);
  const bool is_root = name != nullptr && graph_.Find(name->id) == nullptr &&
                       IsOneOf(name->id, {"torch", "ops", "__torch__", "CONSTANTS"});
  return is_root ? file_->TextOf(expression) : std::string_view();
}

CodeValue CodeReader::ReadCall(const pyast::Call& call) {
  if (const std::string_view path = PathOf(*call.func); !path.empty()) {
    return CallPath(path, ReadArguments(call));
  }
  if (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(call.func)) {
    const CodeValue owner = ReadExpression(*attribute->value);
    return CallMethod(owner, attribute->attr, ReadArguments(call));
  }
  const auto* const name = llvm::dyn_cast<pyast::Name>(call.func);
  if (name != nullptr && graph_.Find(name->id) == nullptr) return ReadBuiltin(name->id, call);
  const CodeValue callee = ReadExpression(*call.func);
  const std::vector<NamedValue> arguments = ReadArguments(call);
  // A function may have got a name of its own: "_0 = __torch__.f".
  if (!callee.is_object && callee.tree.argument.kind == ArgumentKind::kConstant) {
    return CallPath(graph_.graphs().strings.text(callee.tree.argument.text), arguments);
  }
  return CallNamed("prim::CallFunction", {}, {ToTree(callee)}, arguments);
}

std::vector<CodeReader::NamedValue> CodeReader::ReadArguments(const pyast::Call& call) {
  std::vector<NamedValue> values;
  for (const pyast::Expr* argument : call.args) values.push_back({{}, ReadExpression(*argument)});
  for (const pyast::Keyword* keyword : call.keywords) {
    values.push_back({keyword->arg, ReadExpression(*keyword->value)});
  }
  return values;
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

CodeValue CodeReader::ReadBuiltin(std::string_view name, const pyast::Call& call) {
  // The first argument of these is a type, which is no expression.
  if (name == "annotate" || name == "unchecked_cast") {
    return call.args.size() == 2 ? ReadExpression(*call.args[1]) : Fail();
  }
  if (name == "uninitialized") return {};
  if (name == "isinstance") {
    if (call.args.empty()) return Fail();
    return CodeValue::Of(
        graph_.AddCall("prim::isinstance", {ToTree(ReadExpression(*call.args[0]))}));
  }
  const std::vector<NamedValue> arguments = ReadArguments(call);
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
    return CallNamed("prim::CallFunction", function.definition->name, {}, arguments);
  }
  std::vector<std::pair<std::string_view, CodeValue>> bound;
  size_t next = 0;
  for (const auto& [parameter, default_value] : ParametersOf(*function.definition)) {
    const std::string_view name = parameter->arg;
    if (self != nullptr && bound.empty()) {
      CodeValue value;
      value.is_object = true;
      value.object = *self;
      bound.emplace_back(name, std::move(value));
      continue;
    }
    const auto by_name = llvm::find_if(
        arguments, [&](const NamedValue& argument) { return argument.keyword == name; });
    if (next < arguments.size() && arguments[next].keyword.empty()) {
      bound.emplace_back(name, arguments[next++].value);
    } else if (by_name != arguments.end()) {
      bound.emplace_back(name, by_name->value);
    } else {
      const std::string_view text =
          default_value == nullptr ? std::string_view() : function.file->TextOf(*default_value);
      bound.emplace_back(name, CodeValue::Of(ReadLiteral(graph_.graphs(), text)));
    }
  }
  const uint64_t line = graph_.line();
  graph_.EnterFunction();
  for (auto& [name, value] : bound) graph_.Bind(name, std::move(value));
  CodeValue before = std::exchange(returned_, CodeValue());
  const CodeFile* const caller = std::exchange(file_, function.file);
  ReadStatements(function.definition->body);
  file_ = caller;
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
