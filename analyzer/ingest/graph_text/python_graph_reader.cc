#include "ingest/graph_text/python_graph_reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using pyast::Operator;

// Names that module operator has for Python's operators; the other names are those of FX alone.
// Source: magic_methods and inplace_methods in torch/fx/graph.py. By pyast::Operator.
struct OperatorFunctions {
  std::string_view plain;
  std::string_view in_place;
};

constexpr auto kFunctions = [] {
  std::array<OperatorFunctions, 32> table{};
  const auto set = [&](Operator op, OperatorFunctions row) {
    table[static_cast<size_t>(op)] = row;
  };
  set(Operator::kAdd, {"operator.add", "operator.iadd"});
  set(Operator::kSub, {"operator.sub", "operator.isub"});
  set(Operator::kMult, {"operator.mul", "operator.imul"});
  set(Operator::kMatMult, {"operator.matmul", "operator.imatmul"});
  set(Operator::kDiv, {"operator.truediv", "operator.itruediv"});
  set(Operator::kMod, {"operator.mod", "operator.imod"});
  set(Operator::kPow, {"operator.pow", "operator.ipow"});
  set(Operator::kLShift, {"operator.lshift", "operator.ilshift"});
  set(Operator::kRShift, {"operator.rshift", "operator.irshift"});
  set(Operator::kBitOr, {"operator.or_", "operator.ior"});
  set(Operator::kBitXor, {"operator.xor", "operator.ixor"});
  set(Operator::kBitAnd, {"operator.and_", "operator.iand"});
  set(Operator::kFloorDiv, {"operator.floordiv", "operator.ifloordiv"});
  set(Operator::kInvert, {"operator.invert", {}});
  set(Operator::kNot, {"operator.not_", {}});
  set(Operator::kUAdd, {"operator.pos", {}});
  set(Operator::kUSub, {"operator.neg", {}});
  set(Operator::kEq, {"operator.eq", {}});
  set(Operator::kNotEq, {"operator.ne", {}});
  set(Operator::kLt, {"operator.lt", {}});
  set(Operator::kLtE, {"operator.le", {}});
  set(Operator::kGt, {"operator.gt", {}});
  set(Operator::kGtE, {"operator.ge", {}});
  set(Operator::kIs, {"operator.is_", {}});
  set(Operator::kIsNot, {"operator.is_not", {}});
  set(Operator::kIn, {"operator.contains", {}});
  set(Operator::kNotIn, {"operator.contains", {}});
  return table;
}();

const OperatorFunctions& FunctionsOf(Operator op) { return kFunctions[static_cast<size_t>(op)]; }

// Names of functions that occur without their module.
constexpr std::string_view kOperatorFunctions[] = {
    "abs",    "add",     "and_",       "attrgetter", "concat",  "contains",  "eq",      "floordiv",
    "ge",     "getitem", "gt",         "iadd",       "iand",    "ifloordiv", "ilshift", "imatmul",
    "imod",   "imul",    "index",      "invert",     "ior",     "ipow",      "irshift", "is_",
    "is_not", "isub",    "itemgetter", "itruediv",   "ixor",    "le",        "lshift",  "lt",
    "matmul", "mod",     "mul",        "ne",         "neg",     "not_",      "or_",     "pos",
    "pow",    "rshift",  "setitem",    "sub",        "truediv", "truth",     "xor",
};

constexpr std::string_view kFlattenInputs = "fx_pytree.tree_flatten_spec(";
constexpr std::string_view kShuffleInputs = "self._in_shuffle_graph(";
constexpr std::string_view kTreeLeaves = "pytree.tree_leaves(";

// So many lines in a row that are no part of a graph: it does not go on.
constexpr uint64_t kMaxLinesBetween = 8;

// Commas of a signature that is cut after which its last parameter may begin.
constexpr int kMaxCutParameters = 16;

bool BeginsBlock(std::string_view body) {
  return body.starts_with("def ") || body.starts_with("class ") || body.starts_with("graph():");
}

/// "x" of `x` and `*x`; null for what is no name.
const pyast::Name* NameOf(const pyast::Expr* expression) {
  if (const auto* starred = llvm::dyn_cast<pyast::Starred>(expression)) expression = starred->value;
  return llvm::dyn_cast<pyast::Name>(expression);
}

bool IsNumber(const pyast::Expr& expression) {
  if (const auto* constant = llvm::dyn_cast<pyast::Constant>(&expression)) {
    return constant->type == pyast::ConstantKind::kInt ||
           constant->type == pyast::ConstantKind::kFloat;
  }
  const auto* const name = llvm::dyn_cast<pyast::Name>(&expression);
  return name != nullptr && (name->id == "inf" || name->id == "nan");
}

}  // namespace

std::string_view NormalTarget(std::string_view target, std::string& storage) {
  if (ConsumeFront(target, "torch.ops.") || ConsumeFront(target, "builtins.")) return target;
  // A function that is none of torch's gets a name without dots in generated code.
  for (const std::string_view module : {"_operator", "operator", "math"}) {
    std::string_view name = target;
    if (!ConsumeFront(name, module)) continue;
    if (!ConsumeFront(name, ".") && !ConsumeFront(name, "_")) continue;
    storage = module == "math" ? "math." : "operator.";
    storage += name;
    return storage;
  }
  return target;
}

bool IsOperatorFunction(std::string_view name) {
  return std::ranges::binary_search(kOperatorFunctions, name);
}

void PythonGraphReader::Begin(uint32_t input) {
  input_ = input;
  num_leaves_ = 0;
  announced_types_.clear();
  last_comment_ = {};
  is_annotated_ = false;
  has_statements_ = false;
}

uint32_t PythonGraphReader::Read(LineCursor& cursor, const GraphOrigin& origin,
                                 std::string_view format, std::string_view name, bool has_class) {
  const TextLine head = cursor.Peek();
  builder_.Begin(origin, format, name, head.number);
  Begin(origin.input);
  const Signature signature = ReadSignature(cursor);
  if (signature == Signature::kForeign) {
    builder_.Abandon();
    return kNoIndex;
  }
  if (signature == Signature::kWhole) ReadBody(cursor, head.indent);
  if (!is_annotated_ && !has_statements_) {
    // The parameters may be those of the user's function, whose leaves are the placeholders.
    builder_.DropNodes();
    if (!has_class) {
      builder_.Abandon();
      return kNoIndex;
    }
  }
  GraphModel& graph = builder_.graph();
  graph.is_cut = !builder_.has_output();
  if (graph.is_cut) builder_.graphs().stats.Bump(Stat::graph_cut, input_, head.number);
  return builder_.graph_index();
}

/// The head of the function at the front of `text`, up to its colon; null: it is cut.
const pyast::FunctionDef* PythonGraphReader::ParseHead(std::string_view text, size_t& end) {
  return llvm::dyn_cast_or_null<pyast::FunctionDef>(python_.ParseFirst(text, end));
}

/// Reads "def forward(self, x: ..., y: ...):", in one line or many.
PythonGraphReader::Signature PythonGraphReader::ReadSignature(LineCursor& cursor) {
  const TextLine line = cursor.Peek();
  const std::string_view text = cursor.text().substr(cursor.offset() + line.indent);
  const std::string_view parameters = text.substr(text.find('(') + 1);
  // TorchScript breaks the line behind "self", torch.fx in front of it.
  if (parameters.starts_with("self,\n") || parameters.starts_with("self,\r") ||
      parameters.starts_with("self:") || parameters.starts_with("self :")) {
    cursor.Skip();
    return Signature::kForeign;
  }
  size_t end = 0;
  if (const pyast::FunctionDef* const head = ParseHead(text, end)) {
    AddParameters(*head->args, line.number);
    cursor.MoveBehindLineAt(cursor.offset() + line.indent + end - 1);
    return line.is_whole ? Signature::kWhole : Signature::kCut;
  }
  // Only parameters that a comma follows are known to be whole.
  std::string_view known = line.body();
  for (int i = 0; i < kMaxCutParameters; ++i) {
    const size_t comma = known.rfind(',');
    if (comma == kNotFound) break;
    known = known.substr(0, comma);
    const std::string closed = std::string(known) + "):";
    if (const pyast::FunctionDef* const head = ParseHead(closed, end)) {
      AddParameters(*head->args, line.number);
      break;
    }
  }
  cursor.Skip();
  // Where the line ends like a head, only a parameter is damaged.
  const bool is_damaged = line.is_whole && TrimRight(line.text).ends_with(':');
  return is_damaged ? Signature::kWhole : Signature::kCut;
}

void PythonGraphReader::AddParameters(const pyast::Arguments& parameters, uint64_t line) {
  const auto add = [&](const pyast::Arg* parameter, const pyast::Expr* value) {
    if (parameter == nullptr) return;
    std::string_view annotation;
    if (parameter->annotation != nullptr) {
      is_annotated_ = true;
      annotation = python_.AnnotationText(*parameter->annotation);
    }
    if (parameter->arg == "self") return;
    builder_.AddPlaceholder(parameter->arg, builder_.types().Read(annotation, input_, line),
                            value == nullptr ? std::string_view() : python_.TextOf(*value), line);
  };
  const size_t num_positional = parameters.posonlyargs.size() + parameters.args.size();
  size_t index = 0;
  for (const pyast::Args list : {parameters.posonlyargs, parameters.args}) {
    for (const pyast::Arg* parameter : list) {
      const size_t from_end = num_positional - index++;
      const size_t num_defaults = parameters.defaults.size();
      add(parameter,
          from_end > num_defaults ? nullptr : parameters.defaults[num_defaults - from_end]);
    }
  }
  add(parameters.vararg, nullptr);
  for (size_t i = 0; i < parameters.kwonlyargs.size(); ++i) {
    add(parameters.kwonlyargs[i], parameters.kw_defaults[i]);
  }
  add(parameters.kwarg, nullptr);
}

void PythonGraphReader::ReadBody(LineCursor& cursor, size_t def_indent) {
  bool is_in_quotes = false;    // of FX_GRAPH_SHOW_META
  uint64_t num_unreadable = 0;  // lines in a row that were not read, so far not counted
  uint64_t first_unreadable = 0;
  const auto count_unreadable = [&] {
    for (; num_unreadable > 0; --num_unreadable) {
      builder_.graphs().stats.Bump(Stat::graph_node_unreadable, input_, first_unreadable);
    }
  };
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const std::string_view body = line.body();
    if (body.starts_with("\"\"\"")) is_in_quotes = !is_in_quotes;
    if (is_in_quotes || body.empty() || body.starts_with("\"\"\"")) {
      cursor.Skip();
      continue;
    }
    if (BeginsBlock(body)) return;
    if (body[0] == '#') {
      ReadComment(body);
      cursor.Skip();
      continue;
    }
    const bool is_return = body.starts_with("return ") || body == "return";
    if (is_return && line.indent > def_indent) {
      if (ReadReturn(cursor)) has_statements_ = true;
      count_unreadable();
      return;
    }
    cursor.Skip();
    if (!line.is_whole) return;
    Outcome outcome = Outcome::kUnreadable;
    if (line.indent > def_indent) outcome = ReadStatement(body, line.number);
    if (outcome == Outcome::kUnreadable) {
      builder_.DropPushed(0);
      if (num_unreadable++ == 0) first_unreadable = line.number;
      if (num_unreadable > kMaxLinesBetween) return;
      continue;
    }
    has_statements_ |= outcome != Outcome::kAnnotation;
    count_unreadable();
  }
}

bool PythonGraphReader::ReadReturn(LineCursor& cursor) {
  const TextLine line = cursor.Peek();
  size_t end = 0;
  const auto* const statement = llvm::dyn_cast_or_null<pyast::Return>(
      python_.ParseFirst(cursor.text().substr(cursor.offset() + line.indent), end));
  if (statement == nullptr || (statement->value == nullptr && !line.is_whole)) {
    cursor.Skip();
    return false;
  }
  cursor.MoveBehindLineAt(cursor.offset() + line.indent + end - 1);
  const pyast::Expr* returned = statement->value;
  const auto callee = [&](const pyast::Expr* expression) {
    const auto* const call = llvm::dyn_cast_or_null<pyast::Call>(expression);
    return call == nullptr ? std::string_view() : python_.PathOf(*call->func);
  };
  if (callee(returned) == "pytree.tree_unflatten") {
    const auto& call = llvm::cast<pyast::Call>(*returned);
    if (call.args.empty()) return false;
    returned = call.args[0];
    if (callee(returned) == "self._out_shuffle_graph") {
      // The leaves of the arguments are given along; the outputs stand behind them.
      python_.PushArguments(llvm::cast<pyast::Call>(*returned));
      const bool is_read = builder_.num_pushed() >= num_leaves_;
      builder_.DropFirstPushed(is_read ? num_leaves_ : builder_.num_pushed());
      if (!is_read) return false;
      builder_.Group(0, Argument::Kind::kTuple);
      returned = nullptr;
    }
  }
  if (returned != nullptr) python_.Push(*returned);
  builder_.AddOutput(line.number);
  return true;
}

/// "# File: m.py:21 in forward, code: x = y" with words of all kinds in front of "File:".
/// Source: append_stacktrace_summary in torch/fx/graph.py.
void PythonGraphReader::ReadComment(std::string_view comment) {
  if (comment == last_comment_) {
    builder_.SetPlace(last_place_);
    return;
  }
  UserPlace place;
  const size_t file_at = FindText(comment, "File: ");
  if (file_at != kNotFound) {
    std::string_view rest = comment.substr(file_at + 6);
    const size_t code_at = FindText(rest, ", code: ");
    if (code_at != kNotFound) place.code = builder_.Intern(TrimRight(rest.substr(code_at + 8)));
    rest = rest.substr(0, code_at);
    const size_t in = rest.rfind(" in ");
    const std::string_view file_and_line = rest.substr(0, in);
    const size_t colon = file_and_line.rfind(':');
    if (colon != kNotFound) {
      std::string_view number = file_and_line.substr(colon + 1);
      place.line = ConsumeUint<uint32_t>(number).value_or(0);
      place.file = builder_.Intern(file_and_line.substr(0, colon));
      if (in != kNotFound) place.function = builder_.Intern(TrimRight(rest.substr(in + 4)));
    }
  } else if (!HasText(comment, "No stacktrace found")) {
    return;
  }
  last_comment_ = comment;
  last_place_ = place;
  builder_.SetPlace(place);
}

/// Reads `statement`, blanks in front of it removed, from `line` of the dump.
PythonGraphReader::Outcome PythonGraphReader::ReadStatement(std::string_view statement,
                                                            uint64_t line) {
  const bool is_profiled = statement.starts_with("_rf");
  if (is_profiled && HasText(statement, "_RecordFunctionFast")) return Outcome::kNothing;
  size_t end = 0;
  const pyast::Stmt* const parsed = python_.ParseFirst(statement, end);
  if (parsed == nullptr) return Outcome::kUnreadable;
  if (const auto* assign = llvm::dyn_cast<pyast::Assign>(parsed)) {
    if (assign->targets.size() != 1) return Outcome::kUnreadable;
    const pyast::Expr& target = *assign->targets[0];
    if (const auto* tuple = llvm::dyn_cast<pyast::Tuple>(&target)) {
      return ReadUnpacking(tuple->elts, *assign->value, line);
    }
    const auto* const subscript = llvm::dyn_cast<pyast::Subscript>(&target);
    if (subscript == nullptr) return ReadAssignment(target, nullptr, *assign->value, line);
    const uint32_t changed = ValueOf(*subscript->value);
    if (changed == kNoIndex) return Outcome::kUnreadable;
    builder_.PushValue(changed);
    python_.Push(*subscript->slice);
    python_.Push(*assign->value);
    target_ = "operator.setitem";
    return ReadInPlace(*subscript->value, statement.substr(end), line);
  }
  if (const auto* annotated = llvm::dyn_cast<pyast::AnnAssign>(parsed)) {
    if (annotated->value == nullptr) return ReadAnnotations(statement, line);
    return ReadAssignment(*annotated->target, annotated->annotation, *annotated->value, line);
  }
  if (const auto* augmented = llvm::dyn_cast<pyast::AugAssign>(parsed)) {
    const uint32_t changed = ValueOf(*augmented->target);
    if (changed == kNoIndex) return Outcome::kUnreadable;
    builder_.PushValue(changed);
    python_.Push(*augmented->value);
    target_ = FunctionsOf(augmented->op).in_place;
    return ReadInPlace(*augmented->target, statement.substr(end), line);
  }
  const bool is_nothing =
      llvm::isa<pyast::Pass>(parsed) || (is_profiled && HasText(statement, "__exit__("));
  return is_nothing ? Outcome::kNothing : Outcome::kUnreadable;
}

/// The value that a name stands for; kNoIndex: it is no name, or stands for none.
uint32_t PythonGraphReader::ValueOf(const pyast::Expr& expression) {
  const auto* const name = llvm::dyn_cast<pyast::Name>(&expression);
  return name == nullptr ? kNoIndex : builder_.FindValue(name->id);
}

PythonGraphReader::Outcome PythonGraphReader::ReadAssignment(const pyast::Expr& target,
                                                             const pyast::Expr* annotation,
                                                             const pyast::Expr& value,
                                                             uint64_t line) {
  const auto* const name = llvm::dyn_cast<pyast::Name>(&target);
  if (name == nullptr) return Outcome::kUnreadable;
  const auto* const constant = llvm::dyn_cast<pyast::Constant>(&value);
  const bool is_deleted = constant != nullptr && constant->type == pyast::ConstantKind::kNone;
  if (is_deleted && annotation == nullptr) return Outcome::kNothing;
  if (llvm::isa<pyast::Call>(value)) {
    const std::string_view text = python_.TextOf(value);
    if (text.starts_with(kFlattenInputs) || text.starts_with(kShuffleInputs)) {
      return Outcome::kUnreadable;  // inputs are unpacked with a comma, even one alone
    }
  }
  NodeKind kind = NodeKind::kCallFunction;
  alias_ = kNoIndex;
  if (!ReadRightSide(value, kind)) return Outcome::kUnreadable;
  if (alias_ != kNoIndex) {
    const GraphModel& graph = builder_.graph();
    const GraphNode& node = graph.nodes[graph.values[alias_].node];
    if (node.kind == NodeKind::kPlaceholder) {
      builder_.RenameValue(alias_, name->id);
    } else {
      builder_.BindName(builder_.Intern(name->id), alias_);
    }
    return Outcome::kNothing;
  }
  const std::string_view type =
      annotation == nullptr ? std::string_view() : python_.AnnotationText(*annotation);
  builder_.AddNode(kind, target_, name->id, builder_.types().Read(type, input_, line), line);
  return Outcome::kNode;
}

/// `x[0] = 1;  setitem = x` and `x += 1;  y: "f32[3]" = x`, of which `rest` begins at the ";".
PythonGraphReader::Outcome PythonGraphReader::ReadInPlace(const pyast::Expr& changed,
                                                          std::string_view rest, uint64_t line) {
  if (!llvm::isa<pyast::Name>(changed) || !ConsumeFront(rest, ";")) return Outcome::kUnreadable;
  size_t end = 0;
  const pyast::Stmt* const parsed = python_.ParseFirst(rest, end);
  const pyast::Expr* result = nullptr;
  std::string_view annotation;
  if (const auto* assign = llvm::dyn_cast_or_null<pyast::Assign>(parsed)) {
    result = assign->targets[0];
  } else if (const auto* annotated = llvm::dyn_cast_or_null<pyast::AnnAssign>(parsed)) {
    result = annotated->target;
    annotation = python_.AnnotationText(*annotated->annotation);
  }
  const auto* const name = llvm::dyn_cast_or_null<pyast::Name>(result);
  if (name == nullptr) return Outcome::kUnreadable;
  const uint32_t type = builder_.types().Read(annotation, input_, line);
  builder_.AddNode(NodeKind::kCallFunction, target_, name->id, type, line);
  return Outcome::kNode;
}

PythonGraphReader::Outcome PythonGraphReader::ReadAnnotations(std::string_view statement,
                                                              uint64_t line) {
  for (std::string_view rest = statement; !Trim(rest).empty();) {
    size_t end = 0;
    const auto* const annotated =
        llvm::dyn_cast_or_null<pyast::AnnAssign>(python_.ParseFirst(rest, end));
    if (annotated == nullptr || annotated->value != nullptr) return Outcome::kUnreadable;
    const std::string_view type = python_.AnnotationText(*annotated->annotation);
    const auto* const name = llvm::dyn_cast<pyast::Name>(annotated->target);
    // A text that does not end is cut.
    if (name == nullptr || type.starts_with('"') || type.starts_with('\'')) {
      return Outcome::kUnreadable;
    }
    announced_types_[llvm::StringRef(name->id)] = builder_.types().Read(type, input_, line);
    rest.remove_prefix(end);
    rest = TrimLeft(rest);
    ConsumeFront(rest, ";");
  }
  return Outcome::kAnnotation;
}

PythonGraphReader::Outcome PythonGraphReader::ReadUnpacking(pyast::Exprs targets,
                                                            const pyast::Expr& value,
                                                            uint64_t line) {
  const bool has_names = std::ranges::all_of(
      targets, [](const pyast::Expr* target) { return NameOf(target) != nullptr; });
  if (!has_names) return Outcome::kUnreadable;
  const std::string_view text = python_.TextOf(value);
  if (text.starts_with(kTreeLeaves)) {
    num_leaves_ = static_cast<uint32_t>(targets.size());
    return Outcome::kAnnotation;
  }
  if (!text.starts_with(kFlattenInputs) && !text.starts_with(kShuffleInputs)) {
    return Outcome::kUnreadable;
  }
  builder_.DropNodes();
  for (const pyast::Expr* target : targets) {
    const std::string_view name = NameOf(target)->id;
    const auto type = announced_types_.find(llvm::StringRef(name));
    builder_.AddPlaceholder(name, type == announced_types_.end() ? kNoIndex : type->second, {},
                            line);
  }
  return Outcome::kUnpacked;
}

/// Reads "self.layers" and 'getattr(self.layers, "0").weight' into root_path_.
bool PythonGraphReader::ReadRootPath(const pyast::Expr& expression) {
  std::string_view attribute;
  if (const auto* name = llvm::dyn_cast<pyast::Name>(&expression)) {
    root_path_.clear();
    return name->id == "self" && builder_.FindValue("self") == kNoIndex;
  }
  if (const auto* read = llvm::dyn_cast<pyast::Attribute>(&expression)) {
    if (!ReadRootPath(*read->value)) return false;
    attribute = read->attr;
  } else {
    const auto* const call = llvm::dyn_cast<pyast::Call>(&expression);
    if (call == nullptr || call->args.size() != 2 || python_.PathOf(*call->func) != "getattr") {
      return false;
    }
    const std::optional<std::string_view> name = python_.QuotedText(*call->args[1]);
    if (!name || !ReadRootPath(*call->args[0])) return false;
    attribute = *name;
  }
  if (!root_path_.empty()) root_path_ += '.';
  root_path_ += attribute;
  return true;
}

bool PythonGraphReader::ReadRightSide(const pyast::Expr& value, NodeKind& kind) {
  if (!llvm::isa<pyast::Name>(value) && ReadRootPath(value)) {
    target_ = root_path_;
    kind = NodeKind::kGetAttr;
    return true;
  }
  switch (value.kind) {
    case pyast::Kind::kCall:
      return ReadCall(llvm::cast<pyast::Call>(value), kind);
    case pyast::Kind::kName:
      alias_ = ValueOf(value);
      return alias_ != kNoIndex;
    case pyast::Kind::kAttribute: {
      const auto& attribute = llvm::cast<pyast::Attribute>(value);
      const uint32_t owner = ValueOf(*attribute.value);
      if (owner == kNoIndex) return false;
      builder_.PushValue(owner);
      builder_.PushText(Argument::Kind::kString, attribute.attr);
      target_ = "getattr";
      return true;
    }
    case pyast::Kind::kSubscript: {
      const auto& subscript = llvm::cast<pyast::Subscript>(value);
      if (!PushOperand(*subscript.value)) return false;
      python_.Push(*subscript.slice);
      target_ = "operator.getitem";
      return true;
    }
    case pyast::Kind::kUnaryOp: {
      const auto& unary = llvm::cast<pyast::UnaryOp>(value);
      const bool is_sign = unary.op == Operator::kUSub || unary.op == Operator::kUAdd;
      if (is_sign && IsNumber(*unary.operand)) return false;
      python_.Push(*unary.operand);
      target_ = FunctionsOf(unary.op).plain;
      return true;
    }
    case pyast::Kind::kBinOp: {
      const auto& binary = llvm::cast<pyast::BinOp>(value);
      return ReadOperation(*binary.left, binary.op, *binary.right);
    }
    case pyast::Kind::kCompare: {
      const auto& compare = llvm::cast<pyast::Compare>(value);
      return compare.ops.size() == 1 &&
             ReadOperation(*compare.left, compare.ops[0], *compare.comparators[0]);
    }
    default:
      return false;
  }
}

bool PythonGraphReader::ReadOperation(const pyast::Expr& left, Operator op,
                                      const pyast::Expr& right) {
  if (!PushOperand(left)) return false;
  python_.Push(right);
  target_ = FunctionsOf(op).plain;
  return true;
}

/// Pushes a value or a literal; false for an attribute of a value.
bool PythonGraphReader::PushOperand(const pyast::Expr& expression) {
  const std::string_view path = python_.PathOf(expression);
  const size_t dot = path.find('.');
  if (dot != kNotFound && builder_.FindValue(path.substr(0, dot)) != kNoIndex) return false;
  python_.Push(expression);
  return true;
}

bool PythonGraphReader::ReadCall(const pyast::Call& call, NodeKind& kind) {
  if (!llvm::isa<pyast::Name>(call.func) && ReadRootPath(*call.func)) {
    target_ = root_path_;
    kind = NodeKind::kCallModule;
    python_.PushArguments(call);
    return true;
  }
  const std::string_view path = python_.PathOf(*call.func);
  const auto* const attribute = llvm::dyn_cast<pyast::Attribute>(call.func);
  const bool is_value_method =
      attribute != nullptr &&
      (path.empty() ? !llvm::isa<pyast::Call>(attribute->value) &&
                          !llvm::isa<pyast::Subscript>(attribute->value)
                    : builder_.FindValue(path.substr(0, path.find('.'))) != kNoIndex);
  if (is_value_method) {
    if (!PushOperand(*attribute->value)) return false;
    target_ = attribute->attr;
    kind = NodeKind::kCallMethod;
  } else {
    if (path.empty() || path == "slice" || path == "device") return false;
    target_ = NormalTarget(path, target_storage_);
  }
  python_.PushArguments(call);
  return true;
}

}  // namespace shapewise
