#include "ingest/graph_text/graph_lines.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

using pyast::Operator;

constexpr std::string_view kFlattenInputs = "fx_pytree.tree_flatten_spec(";
constexpr std::string_view kShuffleInputs = "self._in_shuffle_graph(";
constexpr std::string_view kTreeLeaves = "pytree.tree_leaves(";

// After this many consecutive lines that are not part of a graph, the graph has ended.
constexpr uint64_t kMaxLinesBetween = 8;

// Commas of a truncated signature after which its last parameter may begin.
constexpr int kMaxCutParameters = 16;

bool BeginsBlock(std::string_view body) {
  return body.starts_with("def ") || body.starts_with("class ") || body.starts_with("graph(");
}

/// "x" in `x` and `*x`; null for anything but a name.
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

void PythonGraphReader::Begin(const GraphOrigin& origin, std::string_view format,
                              std::string_view name, uint64_t line) {
  builder_.Begin(origin, format, name, line);
  num_leaves_ = 0;
  announced_types_.clear();
  last_comment_ = {};
  is_annotated_ = false;
  has_statements_ = false;
}

uint32_t PythonGraphReader::Finish(uint64_t head_line) {
  GraphModel& graph = builder_.graph();
  graph.is_cut = !builder_.has_output();
  builder_.set_line(head_line);
  if (graph.is_cut) builder_.Count(Stat::graph_cut);
  return builder_.graph_index();
}

uint32_t PythonGraphReader::ReadList(LineCursor& cursor, const GraphOrigin& origin,
                                     std::string_view name) {
  const TextLine head = cursor.Peek();
  Begin(origin, "print_graph", name, head.number);
  cursor.Skip();
  ReadBody(cursor, head.indent, /*is_list=*/true);
  return Finish(head.number);
}

uint32_t PythonGraphReader::Read(LineCursor& cursor, const GraphOrigin& origin,
                                 std::string_view format, std::string_view name, bool has_class) {
  const TextLine head = cursor.Peek();
  Begin(origin, format, name, head.number);
  const Signature signature = ReadSignature(cursor);
  if (signature == Signature::kWhole) ReadBody(cursor, head.indent, /*is_list=*/false);
  if (!is_annotated_ && !has_statements_) {
    // The parameters may be those of the user's function, whose leaves are the placeholders.
    builder_.DropNodes();
    has_class &= signature != Signature::kForeign;
    if (!has_class) {
      builder_.Abandon();
      return kNoIndex;
    }
  }
  return Finish(head.number);
}

/// Reads the head of the function at the front of `text`, up to its colon; false: it is truncated.
bool PythonGraphReader::ReadHead(std::string_view text, size_t& end) {
  const auto* const head =
      llvm::dyn_cast_or_null<pyast::FunctionDef>(python_.ParseFirst(text, end));
  if (head == nullptr) return false;
  for (const auto& [parameter, value] : ParametersOf(*head->args)) {
    std::string_view annotation;
    if (parameter->annotation != nullptr) {
      is_annotated_ = true;
      annotation = python_.AnnotationText(*parameter->annotation);
    }
    if (parameter->arg == "self") continue;
    builder_.AddPlaceholder(parameter->arg, builder_.ReadType(annotation),
                            value == nullptr ? std::string_view() : python_.TextOf(*value));
  }
  return true;
}

/// Reads "def forward(self, x: ..., y: ...):", on one line or several.
PythonGraphReader::Signature PythonGraphReader::ReadSignature(LineCursor& cursor) {
  const TextLine line = cursor.Peek();
  const std::string_view text = cursor.text().substr(cursor.offset() + line.indent);
  const std::string_view parameters = text.substr(text.find('(') + 1);
  // TorchScript breaks the line after "self", torch.fx before it.
  if (parameters.starts_with("self,\n") || parameters.starts_with("self,\r") ||
      parameters.starts_with("self:") || parameters.starts_with("self :")) {
    cursor.Skip();
    return Signature::kForeign;
  }
  size_t end = 0;
  if (ReadHead(text, end)) {
    cursor.MovePastLineAt(cursor.offset() + line.indent + end - 1);
    return line.is_whole ? Signature::kWhole : Signature::kCut;
  }
  // Only parameters followed by a comma are known to be complete.
  std::string_view known = line.body();
  for (int i = 0; i < kMaxCutParameters; ++i) {
    const size_t comma = known.rfind(',');
    if (comma == kNotFound) break;
    known = known.substr(0, comma);
    if (ReadHead(std::string(known) + "):", end)) break;
  }
  cursor.Skip();
  // If the line ends like a head, only a parameter is damaged.
  const bool is_damaged = line.is_whole && TrimRight(line.text).ends_with(':');
  return is_damaged ? Signature::kWhole : Signature::kCut;
}

void PythonGraphReader::ReadBody(LineCursor& cursor, size_t head_indent, bool is_list) {
  bool is_in_quotes = false;    // of FX_GRAPH_SHOW_META
  uint64_t num_unreadable = 0;  // consecutive lines that were not read, not counted yet
  uint64_t first_unreadable = 0;
  const auto count_unreadable = [&] {
    builder_.set_line(first_unreadable);
    for (; num_unreadable > 0; --num_unreadable) builder_.Count(Stat::graph_node_unreadable);
  };
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const std::string_view body = line.body();
    const bool is_quotes = body.starts_with("\"\"\"");
    is_in_quotes ^= is_quotes;
    if (is_in_quotes || is_quotes || body.empty()) {
      cursor.Skip();
      continue;
    }
    if (BeginsBlock(body)) return;
    if (body[0] == '#') {
      ReadComment(body);
      cursor.Skip();
      continue;
    }
    builder_.set_line(line.number);
    const bool is_return = body.starts_with("return ") || body == "return";
    if (is_return && line.indent > head_indent) {
      if (ReadReturn(cursor)) has_statements_ = true;
      return count_unreadable();
    }
    cursor.Skip();
    if (!line.is_whole) return;
    Outcome outcome = Outcome::kUnreadable;
    if (is_list) {
      if (body[0] == '%' && listed_.Read(body)) outcome = Outcome::kRead;
    } else if (line.indent > head_indent) {
      outcome = ReadStatement(body);
    }
    if (outcome == Outcome::kUnreadable) {
      if (num_unreadable++ == 0) first_unreadable = line.number;
      if (num_unreadable > kMaxLinesBetween) return;
      continue;
    }
    has_statements_ |= outcome == Outcome::kRead;
    count_unreadable();
  }
}

/// Reads the "return" on the line of `cursor`, whose text may continue on later lines, and moves
/// past it.
bool PythonGraphReader::ReadReturn(LineCursor& cursor) {
  const TextLine line = cursor.Peek();
  size_t end = 0;
  const auto* const statement = llvm::dyn_cast_or_null<pyast::Return>(
      python_.ParseFirst(cursor.text().substr(cursor.offset() + line.indent), end));
  if (statement == nullptr || (statement->value == nullptr && !line.is_whole)) {
    cursor.Skip();
    return false;
  }
  cursor.MovePastLineAt(cursor.offset() + line.indent + end - 1);
  const pyast::Expr* returned = statement->value;
  const auto called = [&](std::string_view name) {
    const auto* const call = llvm::dyn_cast_or_null<pyast::Call>(returned);
    return call != nullptr && python_.PathOf(*call->func) == name ? call : nullptr;
  };
  Arguments outputs;
  if (const pyast::Call* const unflatten = called("pytree.tree_unflatten")) {
    if (unflatten->args.empty()) return false;
    returned = unflatten->args[0];
  }
  if (const pyast::Call* const shuffle = called("self._out_shuffle_graph")) {
    // The leaves of the arguments are passed as well; the outputs come after them.
    outputs = python_.ReadArguments(*shuffle);
    if (outputs.size() < num_leaves_) return false;
    outputs.erase(outputs.begin(), outputs.begin() + num_leaves_);
    outputs = {builder_.Group(Argument::Kind::kTuple, outputs)};
  } else if (returned != nullptr) {
    outputs = {python_.Read(*returned)};
  }
  builder_.AddOutput(outputs);
  return true;
}

/// "# File: m.py:21 in forward, code: x = y" with other words before "File:". Source:
/// append_stacktrace_summary in torch/fx/graph.py.
void PythonGraphReader::ReadComment(std::string_view comment) {
  if (comment == last_comment_) return builder_.set_place(last_place_);
  UserPlace place;
  const size_t file_at = FindText(comment, "File: ");
  if (file_at == kNotFound && !HasText(comment, "No stacktrace found")) return;
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
  }
  last_comment_ = comment;
  last_place_ = place;
  builder_.set_place(place);
}

/// Reads `statement`, without leading blanks.
PythonGraphReader::Outcome PythonGraphReader::ReadStatement(std::string_view statement) {
  const bool is_profiled = statement.starts_with("_rf");
  if (is_profiled && HasText(statement, "_RecordFunctionFast")) return Outcome::kRead;
  size_t end = 0;
  const pyast::Stmt* const parsed = python_.ParseFirst(statement, end);
  if (parsed == nullptr) return Outcome::kUnreadable;
  arguments_.clear();
  if (const auto* assign = llvm::dyn_cast<pyast::Assign>(parsed)) {
    if (assign->targets.size() != 1) return Outcome::kUnreadable;
    const pyast::Expr& target = *assign->targets[0];
    if (const auto* tuple = llvm::dyn_cast<pyast::Tuple>(&target)) {
      return ReadUnpacking(tuple->elts, *assign->value);
    }
    const auto* const subscript = llvm::dyn_cast<pyast::Subscript>(&target);
    if (subscript == nullptr) return ReadAssignment(target, nullptr, *assign->value);
    arguments_ = python_.ReadAll({subscript->value, subscript->slice, assign->value});
    target_ = "operator.setitem";
    return ReadInPlace(*subscript->value, statement.substr(end));
  }
  if (const auto* annotated = llvm::dyn_cast<pyast::AnnAssign>(parsed)) {
    if (annotated->value == nullptr) return ReadAnnotations(statement);
    return ReadAssignment(*annotated->target, annotated->annotation, *annotated->value);
  }
  if (const auto* augmented = llvm::dyn_cast<pyast::AugAssign>(parsed)) {
    arguments_ = python_.ReadAll({augmented->target, augmented->value});
    target_ = OperatorFunction(augmented->op, /*is_in_place=*/true);
    return ReadInPlace(*augmented->target, statement.substr(end));
  }
  const bool is_nothing =
      llvm::isa<pyast::Pass>(parsed) || (is_profiled && HasText(statement, "__exit__("));
  return is_nothing ? Outcome::kRead : Outcome::kUnreadable;
}

/// The value of a name; kNoIndex: not a name, or unbound.
uint32_t PythonGraphReader::ValueOf(const pyast::Expr& expression) {
  const auto* const name = llvm::dyn_cast<pyast::Name>(&expression);
  return name == nullptr ? kNoIndex : builder_.FindValue(name->id);
}

PythonGraphReader::Outcome PythonGraphReader::ReadAssignment(const pyast::Expr& target,
                                                             const pyast::Expr* annotation,
                                                             const pyast::Expr& value) {
  const auto* const name = llvm::dyn_cast<pyast::Name>(&target);
  if (name == nullptr) return Outcome::kUnreadable;
  const auto* const constant = llvm::dyn_cast<pyast::Constant>(&value);
  const bool is_deleted = constant != nullptr && constant->type == pyast::ConstantKind::kNone;
  if (is_deleted && annotation == nullptr) return Outcome::kRead;
  if (llvm::isa<pyast::Call>(value)) {
    const std::string_view text = python_.TextOf(value);
    if (text.starts_with(kFlattenInputs) || text.starts_with(kShuffleInputs)) {
      return Outcome::kUnreadable;  // inputs are unpacked with a comma, even a single one
    }
  }
  NodeKind kind = NodeKind::kCallFunction;
  alias_ = kNoIndex;
  if (!ReadRightSide(value, kind)) return Outcome::kUnreadable;
  if (alias_ == kNoIndex) {
    const std::string_view type =
        annotation == nullptr ? std::string_view() : python_.AnnotationText(*annotation);
    builder_.AddCall(kind, target_, arguments_, name->id, builder_.ReadType(type));
    return Outcome::kRead;
  }
  const GraphModel& graph = builder_.graph();
  if (graph.nodes[graph.values[alias_].node].kind == NodeKind::kPlaceholder) {
    builder_.RenameValue(alias_, name->id);
  } else {
    builder_.BindName(builder_.Intern(name->id), alias_);
  }
  return Outcome::kRead;
}

/// `x[0] = 1;  setitem = x` and `x += 1;  y: "f32[3]" = x`, of which `rest` begins at the ";".
PythonGraphReader::Outcome PythonGraphReader::ReadInPlace(const pyast::Expr& changed,
                                                          std::string_view rest) {
  if (ValueOf(changed) == kNoIndex || !ConsumeFront(rest, ";")) return Outcome::kUnreadable;
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
  builder_.AddCall(NodeKind::kCallFunction, target_, arguments_, name->id,
                   builder_.ReadType(annotation));
  return Outcome::kRead;
}

PythonGraphReader::Outcome PythonGraphReader::ReadAnnotations(std::string_view statement) {
  for (std::string_view rest = statement; !Trim(rest).empty();) {
    size_t end = 0;
    const auto* const annotated =
        llvm::dyn_cast_or_null<pyast::AnnAssign>(python_.ParseFirst(rest, end));
    if (annotated == nullptr || annotated->value != nullptr) return Outcome::kUnreadable;
    const std::string_view type = python_.AnnotationText(*annotated->annotation);
    const auto* const name = llvm::dyn_cast<pyast::Name>(annotated->target);
    // A string that does not end is truncated.
    if (name == nullptr || type.starts_with('"') || type.starts_with('\'')) {
      return Outcome::kUnreadable;
    }
    announced_types_[llvm::StringRef(name->id)] = builder_.ReadType(type);
    rest = TrimLeft(rest.substr(end));
    ConsumeFront(rest, ";");
  }
  return Outcome::kAnnotation;
}

PythonGraphReader::Outcome PythonGraphReader::ReadUnpacking(pyast::Exprs targets,
                                                            const pyast::Expr& value) {
  const bool has_names = std::ranges::all_of(
      targets, [](const pyast::Expr* target) { return NameOf(target) != nullptr; });
  if (!has_names) return Outcome::kUnreadable;
  const std::string_view text = python_.TextOf(value);
  if (text.starts_with(kTreeLeaves)) {
    num_leaves_ = targets.size();
    return Outcome::kAnnotation;
  }
  if (!text.starts_with(kFlattenInputs) && !text.starts_with(kShuffleInputs)) {
    return Outcome::kUnreadable;
  }
  builder_.DropNodes();
  for (const pyast::Expr* target : targets) {
    const std::string_view name = NameOf(target)->id;
    const auto type = announced_types_.find(llvm::StringRef(name));
    builder_.AddPlaceholder(name, type == announced_types_.end() ? kNoIndex : type->second);
  }
  return Outcome::kRead;
}

/// Reads "self.layers" and 'getattr(self.layers, "0").weight' into target_.
bool PythonGraphReader::ReadRootPath(const pyast::Expr& expression) {
  if (const auto* name = llvm::dyn_cast<pyast::Name>(&expression)) {
    target_.clear();
    return name->id == "self" && builder_.FindValue("self") == kNoIndex;
  }
  const pyast::Expr* owner = nullptr;
  std::string_view attribute;
  if (const auto* read = llvm::dyn_cast<pyast::Attribute>(&expression)) {
    owner = read->value;
    attribute = read->attr;
  } else if (const auto* call = llvm::dyn_cast<pyast::Call>(&expression);
             call != nullptr && call->args.size() == 2 &&
             python_.PathOf(*call->func) == "getattr") {
    owner = call->args[0];
    attribute = StringValue(call->args[1]).value_or("");
  }
  if (attribute.empty() || !ReadRootPath(*owner)) return false;
  if (!target_.empty()) target_ += '.';
  target_ += attribute;
  return true;
}

bool PythonGraphReader::ReadRightSide(const pyast::Expr& value, NodeKind& kind) {
  if (!llvm::isa<pyast::Name>(value) && ReadRootPath(value)) {
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
      if (ValueOf(*attribute.value) == kNoIndex) return false;
      Take(*attribute.value);
      arguments_.push_back(builder_.TextArgument(Argument::Kind::kString, attribute.attr));
      target_ = "getattr";
      return true;
    }
    case pyast::Kind::kSubscript: {
      const auto& subscript = llvm::cast<pyast::Subscript>(value);
      target_ = "operator.getitem";
      if (IsAttributeOfValue(*subscript.value)) return false;
      arguments_ = python_.ReadAll({subscript.value, subscript.slice});
      return true;
    }
    case pyast::Kind::kUnaryOp: {
      const auto& unary = llvm::cast<pyast::UnaryOp>(value);
      const bool is_sign = unary.op == Operator::kUSub || unary.op == Operator::kUAdd;
      if (is_sign && IsNumber(*unary.operand)) return false;
      Take(*unary.operand);
      target_ = OperatorFunction(unary.op);
      return true;
    }
    case pyast::Kind::kBinOp: {
      const auto& binary = llvm::cast<pyast::BinOp>(value);
      return ReadOperation(binary.op, {binary.left, binary.right});
    }
    case pyast::Kind::kCompare: {
      const auto& compare = llvm::cast<pyast::Compare>(value);
      return compare.ops.size() == 1 &&
             ReadOperation(compare.ops[0], {compare.left, compare.comparators[0]});
    }
    default:
      return false;
  }
}

bool PythonGraphReader::ReadOperation(Operator op, pyast::Exprs operands) {
  if (IsAttributeOfValue(*operands[0])) return false;
  arguments_ = python_.ReadAll(operands);
  target_ = OperatorFunction(op);
  return true;
}

bool PythonGraphReader::IsAttributeOfValue(const pyast::Expr& expression) {
  const std::string_view path = python_.PathOf(expression);
  const size_t dot = path.find('.');
  return dot != kNotFound && builder_.FindValue(path.substr(0, dot)) != kNoIndex;
}

bool PythonGraphReader::ReadCall(const pyast::Call& call, NodeKind& kind) {
  if (!llvm::isa<pyast::Name>(call.func) && ReadRootPath(*call.func)) {
    kind = NodeKind::kCallModule;
    arguments_ = python_.ReadArguments(call);
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
    if (IsAttributeOfValue(*attribute->value)) return false;
    Take(*attribute->value);
    target_ = attribute->attr;
    kind = NodeKind::kCallMethod;
  } else {
    if (path.empty() || path == "slice" || path == "device") return false;
    target_ = NormalTarget(path);
  }
  arguments_.append(python_.ReadArguments(call));
  return true;
}

}  // namespace shapewise
