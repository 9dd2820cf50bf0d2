#include "ingest/formats/torchscript/code_library.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "ingest/formats/torchscript/code_graph.h"
#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/STLExtras.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using ArgumentKind = Argument::Kind;

// Maximum nesting of statements and expressions; deeper ones are not read.
constexpr int kMaxCodeDepth = 400;

// Deeper than modules nest; deeper calls are not inlined.
constexpr int kMaxCallDepth = 300;

constexpr size_t kWorkOfStatement = 16;
constexpr size_t kWorkOfArgument = 64;

// A larger group becomes a node: otherwise nested names that contain it twice would double it each
// time.
constexpr size_t kMaxBoundArguments = 64;

// Python functions that represent operators. Others keep their name: "prim::print".
constexpr std::pair<std::string_view, std::string_view> kBuiltins[] = {
    {"bool", "aten::Bool"},   {"int", "aten::Int"},       {"float", "aten::Float"},
    {"len", "aten::len"},     {"str", "aten::str"},       {"ord", "aten::ord"},
    {"chr", "aten::chr"},     {"sorted", "aten::sorted"}, {"round", "aten::round"},
    {"print", "prim::Print"}, {"fork", "prim::fork"},     {"wait", "aten::wait"},
};

struct NamedValue {
  std::string_view keyword;  ///< empty: positional
  CodeValue value;
};

class CodeReader : CodeGraph {
 public:
  CodeReader(const CodeInput& input, GraphSet& graphs) : CodeGraph(graphs), input_(input) {}

  /// `self`: null for a function.
  void ReadMethod(const CodeFunction& method, const CodeClass* self) {
    const pyast::FunctionDef& definition = *method.definition;
    file_ = method.file;
    const std::string name(definition.name);
    builder_.Begin(input_.origin, {}, self == nullptr ? name : std::string(self->name) + "." + name,
                   LineOf(definition));
    GraphModel& graph = builder_.graph();
    graph.member = input_.member;
    graph.is_torchscript = true;
    objects_.clear();
    name_uses_.clear();
    last_block_ = 0;
    returned_ = {};
    Names names;
    Names::ScopeTy scope(names);
    names_ = &names;
    AddPlaceholders(definition, self);
    ReadStatements(definition.body);
    builder_.CollectOutputs(returned_.argument);
    // Every method that TorchScript prints ends with a return, which may itself be truncated.
    const pyast::Stmt* const last = definition.body.empty() ? nullptr : definition.body.back();
    const bool is_whole =
        last != nullptr &&
        (llvm::isa<pyast::Return>(last) ||
         (TextOf(*last).starts_with("return") && last->span.end == file_->text.size()));
    graph.is_cut = is_full_ || !is_whole;
    builder_.set_line(graph.line);
    if (graph.is_cut) builder_.Count(Stat::graph_cut);
    num_nodes_ += graph.nodes.size();
    num_arguments_ += graph.arguments.size();
    FinishGraph(builder_.graphs(), graph, /*is_joint=*/false);
  }

 private:
  std::string_view TextOf(const pyast::Node& node) const { return file_->TextOf(node); }
  uint64_t LineOf(const pyast::Stmt& statement) const {
    return input_.member.empty() ? file_->lines.LineOf(statement.span.begin) : 0;
  }
  CodeValue Fail() {
    has_failed_ = true;
    return {};
  }

  // --- statements

  void AddPlaceholders(const pyast::FunctionDef& method, const CodeClass* self) {
    for (const auto& [parameter, value] : ParametersOf(*method.args)) {
      const pyast::Expr* const type = parameter->annotation;
      Placeholder& placeholder = builder_.AddPlaceholder(
          UniqueName(parameter->arg), type == nullptr ? kNoIndex : builder_.ReadType(TextOf(*type)),
          value == nullptr ? std::string_view() : TextOf(*value));
      CodeValue bound = ValueArgument(builder_.graph().nodes[placeholder.node].first_value);
      // A tracer may also call a parameter "self"; only this one is an object of the archive's
      // classes.
      if (placeholder.node == 0 && parameter->arg == "self") {
        placeholder.kind = PlaceholderKind::kSelf;
        bound = &objects_.emplace_back(
            CodeObject{{}, self, input_.state == nullptr ? kNoIndex : input_.state->root()});
      }
      Bind(parameter->arg, bound);
    }
  }

  void ReadStatements(pyast::Stmts statements) {
    if (++depth_ > kMaxCodeDepth) is_full_ = true;
    for (const pyast::Stmt* statement : statements) {
      if (is_full_) break;
      builder_.set_line(LineOf(*statement));
      if (const auto* condition = llvm::dyn_cast<pyast::If>(statement)) {
        ReadIf(*condition);
      } else if (const auto* loop = llvm::dyn_cast<pyast::For>(statement)) {
        ReadLoop(loop->target, *loop->iter, loop->body);
      } else if (const auto* repeated = llvm::dyn_cast<pyast::While>(statement)) {
        ReadLoop(nullptr, *repeated->test, repeated->body);
      } else if (const auto* with = llvm::dyn_cast<pyast::With>(statement)) {
        if (Spend(kWorkOfStatement)) ReadStatements(with->body);
      } else {
        ReadStatement(*statement);
      }
    }
    --depth_;
  }

  /// Reads a statement without a body of its own.
  void ReadStatement(const pyast::Stmt& statement) {
    if (llvm::isa<pyast::Pass>(statement)) return;
    if (!Spend(kWorkOfStatement + statement.span.end - statement.span.begin)) return;
    has_failed_ = false;
    if (const auto* returned = llvm::dyn_cast<pyast::Return>(&statement)) {
      returned_ = returned->value == nullptr ? CodeValue() : ReadWhole(*returned->value);
      if (returned_.object != nullptr) returned_.argument = ToArgument(returned_);
    } else if (const auto* assign = llvm::dyn_cast<pyast::Assign>(&statement)) {
      ReadAssignment(*assign->targets[0], nullptr, *assign->value);
      has_failed_ |= assign->targets.size() > 1;
    } else if (const auto* typed = llvm::dyn_cast<pyast::AnnAssign>(&statement);
               typed != nullptr && typed->value != nullptr) {
      ReadAssignment(*typed->target, typed->annotation, *typed->value);
    } else if (const auto* called = llvm::dyn_cast<pyast::ExprStmt>(&statement)) {
      ReadWhole(*called->value);
    } else {
      Fail();
    }
    if (has_failed_) builder_.Count(Stat::graph_node_unreadable);
    if (const auto* broken = llvm::dyn_cast<pyast::ErrorStmt>(&statement)) {
      ReadStatements(broken->body);
    }
  }

  void ReadAssignment(const pyast::Expr& target, const pyast::Expr* type,
                      const pyast::Expr& expression) {
    std::vector<GraphValue>& values = builder_.graph().values;
    const size_t values_before = values.size();
    CodeValue value = ReadWhole(expression);
    const auto is_result = [&] {
      return values.size() > values_before && value.object == nullptr &&
             value.argument.kind == ArgumentKind::kValue &&
             value.argument.index + 1 == values.size();
    };
    if (const auto* targets = llvm::dyn_cast<pyast::Tuple>(&target)) {
      return BindTargets(targets->elts, ToArgument(value), is_result());
    }
    const std::string_view name = TextOf(target);
    if (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(&target)) {
      const Argument owner = Text(TextOf(*attribute->value));
      AddNode("prim::SetAttr", {owner, ToArgument(value), NamedText(attribute->attr)});
      return;
    }
    if (is_result()) {
      values.back().name = builder_.Intern(UniqueName(name));
      if (type != nullptr) values.back().type = builder_.ReadType(TextOf(*type));
    }
    if (CountArguments(value.argument) > kMaxBoundArguments) {
      const std::string_view construct =
          value.argument.kind == ArgumentKind::kList   ? "prim::ListConstruct"
          : value.argument.kind == ArgumentKind::kDict ? "prim::DictConstruct"
                                                       : "prim::TupleConstruct";
      value = AddCall(construct, ChildrenOf(value.argument), name);
    }
    Bind(name, value);
  }

  void BindTargets(pyast::Exprs targets, const Argument& value, bool is_result) {
    GraphModel& graph = builder_.graph();
    if (value.num_children == targets.size()) {
      for (const auto [target, part] : llvm::zip(targets, ChildrenOf(value))) {
        Bind(TextOf(*target), part);
      }
      return;
    }
    // The results of an operator belong to its node; those of a tuple are extracted from it.
    uint32_t node = kNoIndex;
    if (is_result && graph.values.back().node + 1 == graph.nodes.size() &&
        graph.nodes.back().num_values == 1) {
      node = graph.values.back().node;
      graph.values.back().name = builder_.Intern(UniqueName(TextOf(*targets.front())));
      Bind(TextOf(*targets.front()), value);
      targets = targets.drop_front();
    } else {
      node = AddNode("prim::TupleUnpack", value);
    }
    for (const pyast::Expr* target : targets) {
      Bind(TextOf(*target), AddResult(node, TextOf(*target)));
    }
  }

  void ReadIf(const pyast::If& statement) {
    if (!Spend(kWorkOfStatement + statement.test->span.end - statement.test->span.begin)) return;
    has_failed_ = false;
    Arguments arguments = {ToArgument(ReadWhole(*statement.test))};
    AssignedNames names;
    AddAssignedNames(*file_, statement.body, names);
    AddAssignedNames(*file_, statement.orelse, names);
    const uint32_t node = AddNode("prim::If");
    std::vector<std::optional<CodeValue>> bound[2];
    for (const size_t side : {0, 1}) {
      const Block block(*this);
      ReadStatements(side == 0 ? statement.body : statement.orelse);
      for (const std::string_view name : names) bound[side].push_back(Find(name));
    }
    // A name is an output of the node if it is bound on both branches.
    Arguments outputs[2];
    std::vector<std::string_view> merged;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!bound[0][i] || !bound[1][i]) continue;
      merged.push_back(names[i]);
      for (const size_t side : {0, 1}) outputs[side].push_back(ToArgument(*bound[side][i]));
    }
    for (const std::string_view name : merged) Bind(name, AddResult(node, name));
    for (const size_t side : {0, 1}) arguments.push_back(builder_.Block(side, {}, outputs[side]));
    builder_.SetArguments(node, arguments);
  }

  /// `counter`: null for "while", whose condition is `head`.
  void ReadLoop(const pyast::Expr* counter, const pyast::Expr& head, pyast::Stmts body) {
    if (!Spend(kWorkOfStatement + head.span.end - head.span.begin)) return;
    has_failed_ = false;
    Arguments arguments;
    if (counter == nullptr) {
      arguments = {IntArgument(INT64_MAX), ToArgument(ReadWhole(head))};
    } else {
      const auto* const range = llvm::dyn_cast<pyast::Call>(&head);
      const bool is_range =
          range != nullptr && range->args.size() == 1 && TextOf(*range->func) == "range";
      arguments = {ToArgument(ReadWhole(is_range ? *range->args[0] : head)), BoolArgument(true)};
    }
    // Names that the body rebinds are carried from each iteration to the next.
    AssignedNames carried;
    AddAssignedNames(*file_, body, carried);
    carried.remove_if([&](std::string_view name) {
      const std::optional<CodeValue> before = Find(name);
      if (!before || before->object != nullptr) return true;
      arguments.push_back(before->argument);
      return false;
    });
    const uint32_t node = AddNode("prim::Loop");
    Arguments inputs;
    Arguments outputs;
    {
      const Block block(*this);
      const auto add_input = [&](std::string_view name) {
        inputs.push_back(
            ValueArgument(builder_.AddValue(node, UniqueName(name), kNoIndex, /*is_inner=*/true)));
        return inputs.back();
      };
      const Argument round = add_input(counter == nullptr ? "round" : TextOf(*counter));
      if (counter != nullptr) Bind(TextOf(*counter), round);
      for (const std::string_view name : carried) Bind(name, add_input(name));
      ReadStatements(body);
      const auto at_end = [&](std::string_view name) {
        const std::optional<CodeValue> value = Find(name);
        return value ? ToArgument(*value) : BoolArgument(true);
      };
      outputs.push_back(counter != nullptr ? BoolArgument(true) : at_end(TextOf(head)));
      for (const std::string_view name : carried) outputs.push_back(at_end(name));
    }
    for (const std::string_view name : carried) Bind(name, AddResult(node, name));
    arguments.push_back(builder_.Block(0, inputs, outputs));
    builder_.SetArguments(node, arguments);
  }

  // --- expressions

  CodeValue ReadWhole(const pyast::Expr& expression) {
    const CodeValue value = ReadExpression(expression);
    return has_failed_ ? Text(TextOf(expression)) : value;
  }

  CodeValue ReadExpression(const pyast::Expr& expression) {
    if (depth_ > kMaxCodeDepth || has_failed_) return Fail();
    ++depth_;
    const CodeValue value = ReadKind(expression);
    --depth_;
    return value;
  }
  Argument ReadArgument(const pyast::Expr& expression) {
    return ToArgument(ReadExpression(expression));
  }
  Arguments ReadAll(pyast::Exprs expressions) {
    Arguments arguments;
    for (const pyast::Expr* expression : expressions) {
      arguments.push_back(ReadArgument(*expression));
    }
    return arguments;
  }

  CodeValue ReadKind(const pyast::Expr& expression) {
    switch (expression.kind) {
      case pyast::Kind::kName:
        return ReadName(llvm::cast<pyast::Name>(expression).id);
      case pyast::Kind::kConstant:
        return ReadLiteral(expression, file_->text, builder_);
      case pyast::Kind::kUnaryOp:
        return ReadUnary(llvm::cast<pyast::UnaryOp>(expression));
      case pyast::Kind::kIfExp: {
        const auto& choice = llvm::cast<pyast::IfExp>(expression);
        const CodeValue value = ReadExpression(*choice.body);
        const Arguments others = ReadAll({choice.test, choice.orelse});
        return AddCall("prim::If", {others[0], ToArgument(value), others[1]});
      }
      case pyast::Kind::kTuple:
      case pyast::Kind::kList:
        return builder_.Group(
            llvm::isa<pyast::List>(expression) ? ArgumentKind::kList : ArgumentKind::kTuple,
            ReadAll(PartsOf(&expression)));
      case pyast::Kind::kDict: {
        const auto& dict = llvm::cast<pyast::Dict>(expression);
        if (llvm::is_contained(dict.keys, nullptr)) return Fail();
        return builder_.Group(ArgumentKind::kDict, ReadAll(PartsOf(dict)));
      }
      case pyast::Kind::kAttribute: {
        const auto& attribute = llvm::cast<pyast::Attribute>(expression);
        std::string_view path = PathOf(expression);
        if (ConsumeFront(path, "CONSTANTS.")) return ReadConstantTensor(path);
        if (!path.empty()) return Constant(path);
        return ReadAttribute(ReadExpression(*attribute.value), attribute.attr);
      }
      case pyast::Kind::kSubscript: {
        const auto& subscript = llvm::cast<pyast::Subscript>(expression);
        Arguments arguments = {ReadArgument(*subscript.value)};
        const auto* const indices = llvm::dyn_cast<pyast::Tuple>(subscript.slice);
        const bool is_bare = indices != nullptr && !TextOf(*indices).starts_with('(');
        arguments.append(ReadAll(is_bare ? indices->elts : pyast::Exprs(subscript.slice)));
        return AddCall("aten::__getitem__", arguments, "item");
      }
      case pyast::Kind::kCall:
        return ReadCall(llvm::cast<pyast::Call>(expression));
      default:
        return Fail();
    }
  }

  CodeValue ReadName(std::string_view name) {
    const std::optional<CodeValue> bound = Find(name);
    if (!bound) return ReadNumber(name, builder_).value_or(Constant(name));
    // Using a group processes all of it, as for a path.
    const size_t work = bound->object != nullptr ? bound->object->path.size()
                        : bound->argument.num_children > 0
                            ? kWorkOfArgument * CountArguments(bound->argument)
                            : 0;
    if (!Spend(work)) return Fail();
    return *bound;
  }

  CodeValue ReadUnary(const pyast::UnaryOp& unary) {
    const bool is_not = unary.op == pyast::Operator::kNot;
    if (!is_not && unary.op != pyast::Operator::kUSub) return Fail();
    if (const std::optional<Argument> number = ReadNumber(TextOf(unary), builder_)) return *number;
    return AddCall(is_not ? "aten::__not__" : "aten::neg", ReadArgument(*unary.operand));
  }

  /// The path of a function or a constant with a name of its own: "torch.add", "CONSTANTS.c0".
  /// Empty for anything else.
  std::string_view PathOf(const pyast::Expr& expression) const {
    const pyast::Expr* part = &expression;
    while (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(part)) part = attribute->value;
    const auto* const name = llvm::dyn_cast<pyast::Name>(part);
    const bool is_root = name != nullptr && !Find(name->id) &&
                         IsOneOf(name->id, {"torch", "ops", "__torch__", "CONSTANTS"});
    return is_root ? TextOf(expression) : std::string_view();
  }

  CodeValue ReadCall(const pyast::Call& call) {
    if (const std::string_view path = PathOf(*call.func); !path.empty()) {
      return CallPath(path, ReadArguments(call));
    }
    if (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(call.func)) {
      const CodeValue owner = ReadExpression(*attribute->value);
      return CallMethod(owner, attribute->attr, ReadArguments(call));
    }
    const auto* const name = llvm::dyn_cast<pyast::Name>(call.func);
    if (name != nullptr && !Find(name->id)) return ReadBuiltin(name->id, call);
    const CodeValue callee = ReadExpression(*call.func);
    const std::vector<NamedValue> arguments = ReadArguments(call);
    // A function may have an alias: "_0 = __torch__.f".
    if (callee.object == nullptr && callee.argument.kind == ArgumentKind::kConstant) {
      return CallPath(builder_.Text(callee.argument.text), arguments);
    }
    return CallNamed("prim::CallFunction", {}, {ToArgument(callee)}, arguments);
  }

  std::vector<NamedValue> ReadArguments(const pyast::Call& call) {
    std::vector<NamedValue> values;
    for (const pyast::Expr* argument : call.args) values.push_back({{}, ReadExpression(*argument)});
    for (const pyast::Keyword* keyword : call.keywords) {
      values.push_back({keyword->arg, ReadExpression(*keyword->value)});
    }
    return values;
  }

  CodeValue CallPath(std::string_view path, const std::vector<NamedValue>& arguments) {
    if (const CodeFunction* const function = input_.library.FindFunction(path)) {
      return Inline(*function, nullptr, arguments);
    }
    if (path.starts_with("__torch__")) {
      const bool is_class = input_.library.FindClass(path) != nullptr;
      return CallNamed(is_class ? "prim::CreateObject" : "prim::CallFunction", path, {}, arguments);
    }
    std::string target(path);
    if (const size_t dot = target.find('.', 4); path.starts_with("ops.") && dot != kNotFound) {
      target = target.substr(4).replace(dot - 4, 1, "::");
    } else {
      target = "aten::" + target.substr(path.starts_with("torch.") ? 6 : 0);
    }
    return CallNamed(target, {}, {}, arguments);
  }

  CodeValue ReadBuiltin(std::string_view name, const pyast::Call& call) {
    // The first argument of these is a type, not an expression.
    if (name == "annotate" || name == "unchecked_cast") {
      return call.args.size() == 2 ? ReadExpression(*call.args[1]) : Fail();
    }
    if (name == "uninitialized") return {};
    if (name == "isinstance") {
      if (call.args.empty()) return Fail();
      return AddCall("prim::isinstance", ReadArgument(*call.args[0]));
    }
    const std::vector<NamedValue> arguments = ReadArguments(call);
    const auto text_of = [&](size_t index) {
      const bool is_text =
          index < arguments.size() && arguments[index].value.argument.kind == ArgumentKind::kString;
      return is_text ? builder_.Text(arguments[index].value.argument.text) : std::string_view();
    };
    if (name == "getattr" && arguments.size() == 2 && !text_of(1).empty()) {
      return ReadAttribute(arguments[0].value, text_of(1));
    }
    if (name == "float" && !text_of(0).empty()) {  // float("inf")
      return ReadNumber(text_of(0), builder_).value_or(Text(text_of(0)));
    }
    for (const auto& [builtin, target] : kBuiltins) {
      if (name == builtin) return CallNamed(target, {}, {}, arguments);
    }
    return CallNamed("prim::" + std::string(name), {}, {}, arguments);
  }

  CodeValue ReadAttribute(const CodeValue& owner, std::string_view name) {
    if (owner.object == nullptr) return CallNamed("prim::GetAttr", name, {owner.argument}, {});
    const CodeObject& object = *owner.object;
    // Each name of "a.b.c.d" contains the path of the previous one.
    if (!Spend(object.path.size())) return Fail();
    CodeObject read;
    read.path = object.path.empty() ? std::string(name) : object.path + "." + std::string(name);
    std::string_view declared;
    if (object.type != nullptr) declared = object.type->fields.lookup(llvm::StringRef(name));
    std::string class_name;
    if (input_.state != nullptr) {
      read.state = input_.state->Attribute(object.state, name);
      class_name = input_.state->ClassOf(read.state);
      const uint32_t type = input_.state->TensorType(read.state, builder_.graphs());
      if (type != kNoIndex) return GetAttribute(read.path, name, type);
      if (const auto literal = input_.state->Literal(read.state, builder_)) return *literal;
    }
    if (class_name.empty() && declared.starts_with("__torch__.")) class_name = declared;
    if (class_name.empty() && object.type != nullptr) {
      return GetAttribute(read.path, name, builder_.ReadType(declared));
    }
    // If the code of an object is not available, an attribute may be a module or a tensor: its use
    // decides.
    read.type = input_.library.FindClass(class_name);
    return &objects_.emplace_back(std::move(read));
  }

  CodeValue ReadConstantTensor(std::string_view name) {
    std::string_view digits = name;
    const bool is_numbered = ConsumeFront(digits, "c");
    const std::optional<uint64_t> number = is_numbered ? ConsumeUint(digits) : std::nullopt;
    uint32_t type = kNoIndex;
    if (number && input_.constants != nullptr) {
      const uint32_t value = input_.constants->Element(input_.constants->root(), *number);
      type = input_.constants->TensorType(value, builder_.graphs());
    }
    return GetAttribute("CONSTANTS." + std::string(name), name, type);
  }

  CodeValue CallMethod(const CodeValue& owner, std::string_view name,
                       const std::vector<NamedValue>& arguments) {
    if (has_failed_) return {};
    const CodeObject* const object = owner.object;
    if (object != nullptr && object->type != nullptr) {
      const auto at = object->type->methods.find(llvm::StringRef(name));
      if (at != object->type->methods.end()) return Inline(at->second, object, arguments);
    }
    const Argument callee = object == nullptr      ? owner.argument
                            : object->path.empty() ? Text("self")
                                                   : Text(object->path);
    return CallNamed("prim::CallMethod", name, {callee}, arguments);
  }

  CodeValue CallNamed(std::string_view target, std::string_view name, Arguments first,
                      const std::vector<NamedValue>& arguments) {
    if (has_failed_) return {};
    for (const auto& [keyword, value] : arguments) {
      first.push_back(WithKeyword(ToArgument(value), builder_.Intern(keyword)));
    }
    if (!name.empty()) first.push_back(NamedText(name));
    return AddCall(target, first);
  }

  CodeValue Inline(const CodeFunction& function, const CodeObject* self,
                   const std::vector<NamedValue>& arguments) {
    if (has_failed_) return {};
    if (depth_ > kMaxCallDepth || is_full_) {
      return CallNamed("prim::CallFunction", function.definition->name, {}, arguments);
    }
    Names names;
    Names::ScopeTy scope(names);
    size_t next = 0;
    bool is_self = self != nullptr;
    for (const auto& [parameter, default_value] : ParametersOf(*function.definition->args)) {
      const auto by_name = llvm::find_if(
          arguments,
          [&, wanted = parameter->arg](const auto& given) { return given.keyword == wanted; });
      CodeValue value = Text({});
      if (std::exchange(is_self, false)) {
        value = self;
      } else if (next < arguments.size() && arguments[next].keyword.empty()) {
        value = arguments[next++].value;
      } else if (by_name != arguments.end()) {
        value = by_name->value;
      } else if (default_value != nullptr) {
        value = ReadLiteral(*default_value, function.file->text, builder_);
      }
      names.insert(llvm::StringRef(parameter->arg), value);
    }
    const uint64_t line = builder_.line();
    Names* const outer = std::exchange(names_, &names);
    const CodeValue before = std::exchange(returned_, CodeValue());
    const CodeFile* const caller = std::exchange(file_, function.file);
    ReadStatements(function.definition->body);
    file_ = caller;
    names_ = outer;
    builder_.set_line(line);
    // Unreadable statements were counted where they occur.
    has_failed_ = false;
    return std::exchange(returned_, before);
  }

  const CodeInput& input_;
  std::deque<CodeObject> objects_;
  const CodeFile* file_ = nullptr;  ///< of the function being read
  CodeValue returned_;
  int depth_ = 0;            ///< of nested expressions, blocks and calls together
  bool has_failed_ = false;  ///< the current expression could not be read
};

}  // namespace

void ReadMethods(const CodeInput& input,
                 const std::vector<std::pair<const CodeClass*, CodeFunction>>& methods,
                 GraphSet& graphs) {
  CodeReader reader(input, graphs);
  for (const auto& [self, method] : methods) reader.ReadMethod(method, self);
}

}  // namespace shapewise
