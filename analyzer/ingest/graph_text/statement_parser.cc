#include "ingest/graph_text/statement_parser.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

struct Operator {
  std::string_view token;
  std::string_view function;
};

// Source: magic_methods in torch/fx/graph.py. Longer tokens before those that they begin with.
constexpr Operator kBinaryOperators[] = {
    {"**", "operator.pow"},       {"//", "operator.floordiv"},
    {"<<", "operator.lshift"},    {">>", "operator.rshift"},
    {"==", "operator.eq"},        {"!=", "operator.ne"},
    {"<=", "operator.le"},        {">=", "operator.ge"},
    {"<", "operator.lt"},         {">", "operator.gt"},
    {"+", "operator.add"},        {"-", "operator.sub"},
    {"*", "operator.mul"},        {"/", "operator.truediv"},
    {"%", "operator.mod"},        {"@", "operator.matmul"},
    {"&", "operator.and_"},       {"|", "operator.or_"},
    {"^", "operator.xor"},        {"is not ", "operator.is_not"},
    {"is ", "operator.is_"},      {"not in ", "operator.contains"},
    {"in ", "operator.contains"},
};

// Source: inplace_methods in torch/fx/graph.py.
constexpr Operator kInPlaceOperators[] = {
    {"**=", "operator.ipow"},    {"//=", "operator.ifloordiv"}, {"<<=", "operator.ilshift"},
    {">>=", "operator.irshift"}, {"+=", "operator.iadd"},       {"-=", "operator.isub"},
    {"*=", "operator.imul"},     {"/=", "operator.itruediv"},   {"%=", "operator.imod"},
    {"@=", "operator.imatmul"},  {"&=", "operator.iand"},       {"|=", "operator.ior"},
    {"^=", "operator.ixor"},
};

// Names of functions that occur without their module.
constexpr std::string_view kOperatorFunctions[] = {
    "abs",    "add",     "and_",       "attrgetter", "concat",  "contains",  "eq",      "floordiv",
    "ge",     "getitem", "gt",         "iadd",       "iand",    "ifloordiv", "ilshift", "imatmul",
    "imod",   "imul",    "index",      "invert",     "ior",     "ipow",      "irshift", "is_",
    "is_not", "isub",    "itemgetter", "itruediv",   "ixor",    "le",        "lshift",  "lt",
    "matmul", "mod",     "mul",        "ne",         "neg",     "not_",      "or_",     "pos",
    "pow",    "rshift",  "setitem",    "sub",        "truediv", "truth",     "xor",
};

// A path of attributes goes no deeper.
constexpr int kMaxPathDepth = 32;

constexpr std::string_view kFlattenInputs = "fx_pytree.tree_flatten_spec(";
constexpr std::string_view kShuffleInputs = "self._in_shuffle_graph(";
constexpr std::string_view kTreeLeaves = "pytree.tree_leaves(";

/// Reads "[Tensor] a, b, c, = " of an unpacking; false at a name that is none.
bool ConsumeTargets(std::string_view& text, std::vector<std::string_view>& names) {
  while (true) {
    text = TrimLeft(text);
    if (ConsumeFront(text, "=")) return true;
    while (ConsumeFront(text, "*")) {
    }
    size_t size = 0;
    while (size < text.size() && IsNameChar(text[size])) ++size;
    if (size == 0) return false;
    names.push_back(text.substr(0, size));
    text = TrimLeft(text.substr(size));
    if (!ConsumeFront(text, ",") && !text.starts_with('=')) return false;
  }
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
  return std::binary_search(std::begin(kOperatorFunctions), std::end(kOperatorFunctions), name);
}

void StatementParser::Begin(uint32_t input) {
  input_ = input;
  num_leaves_ = 0;
  announced_types_.clear();
}

bool StatementParser::IsAtEnd() {
  parser_.SkipBlanks();
  return parser_.at_end() || parser_.peek() == ';';
}

StatementParser::Outcome StatementParser::Read(std::string_view statement, uint64_t line) {
  parser_.Reset(statement);
  const std::string_view name = parser_.ConsumeName();
  if (name.starts_with("_rf") && HasText(statement, "_RecordFunctionFast")) {
    return Outcome::kNothing;
  }
  if (name.empty()) return Outcome::kUnreadable;
  if (name == "pass" && parser_.at_end()) return Outcome::kNothing;
  const bool is_touching = parser_.peek() == '[' || parser_.peek() == '.';
  if (!is_touching) parser_.SkipBlanks();
  const std::string_view rest = parser_.rest();
  if (rest.starts_with(',')) return ReadUnpacking(statement, line);
  if (rest.starts_with("= ")) {
    parser_.Consume("=");
    return ReadAssignment(name, {}, line);
  }
  if (rest.starts_with(':')) {
    std::string_view annotation;
    if (!ConsumeAnnotation(annotation)) return Outcome::kUnreadable;
    if (parser_.Consume("=")) return ReadAssignment(name, annotation, line);
    return ReadAnnotations(statement, line);
  }
  if (name.starts_with("_rf") && HasText(rest, "__exit__(")) return Outcome::kNothing;
  return ReadInPlace(name, line);
}

/// Behind a name: ": torch.Tensor" or ': "f32[3]"'.
bool StatementParser::ConsumeAnnotation(std::string_view& annotation) {
  if (!parser_.Consume(":")) return false;
  parser_.SkipBlanks();
  const char quote = parser_.peek();
  if (quote == '"' || quote == '\'') return parser_.ConsumeQuoted(annotation);
  const std::string_view rest = parser_.rest();
  const size_t end = std::min(FindText(rest, " = "), rest.find(';'));
  annotation = Trim(rest.substr(0, end));
  if (annotation.empty()) return false;
  parser_.Reset(rest.substr(std::min(end, rest.size())));
  return true;
}

StatementParser::Outcome StatementParser::ReadAssignment(std::string_view name,
                                                         std::string_view annotation,
                                                         uint64_t line) {
  parser_.SkipBlanks();
  const std::string_view rest = parser_.rest();
  if (rest.starts_with("None") && annotation.empty()) {
    parser_.Reset(rest.substr(4));
    if (IsAtEnd()) return Outcome::kNothing;
    parser_.Reset(rest);
  }
  if (rest.starts_with(kFlattenInputs) || rest.starts_with(kShuffleInputs)) {
    return Outcome::kUnreadable;  // inputs are unpacked with a comma, even one alone
  }
  NodeKind kind = NodeKind::kCallFunction;
  alias_ = kNoIndex;
  if (!ReadRightSide(kind)) {
    builder_.DropPushed(0);
    return Outcome::kUnreadable;
  }
  if (alias_ != kNoIndex) {
    builder_.DropPushed(0);
    const GraphModel& graph = builder_.graph();
    const GraphNode& node = graph.nodes[graph.values[alias_].node];
    if (node.kind == NodeKind::kPlaceholder) {
      builder_.RenameValue(alias_, name);
    } else {
      builder_.BindName(builder_.Intern(name), alias_);
    }
    return Outcome::kNothing;
  }
  const uint32_t type = builder_.types().Read(annotation, input_, line);
  builder_.AddNode(kind, target_, name, type, line);
  return Outcome::kNode;
}

/// `x[0] = 1;  setitem = x` and `x += 1;  y: "f32[3]" = x`.
StatementParser::Outcome StatementParser::ReadInPlace(std::string_view name, uint64_t line) {
  const uint32_t changed = builder_.FindValue(name);
  if (changed == kNoIndex) return Outcome::kUnreadable;
  builder_.PushValue(changed);
  const std::string_view rest = parser_.rest();
  const auto* const inplace =
      std::find_if(std::begin(kInPlaceOperators), std::end(kInPlaceOperators),
                   [&](const Operator& entry) { return rest.starts_with(entry.token); });
  bool is_read = false;
  if (inplace != std::end(kInPlaceOperators)) {
    target_ = inplace->function;
    is_read = parser_.Consume(inplace->token) && parser_.ParseElement();
  } else if (rest.starts_with('[')) {
    target_ = "operator.setitem";
    is_read = parser_.Consume("[") && parser_.ParseSubscript() && parser_.Consume("=") &&
              parser_.ParseElement();
  }
  std::string_view annotation;
  std::string_view result;
  if (is_read && parser_.Consume(";")) {
    parser_.SkipBlanks();
    result = parser_.ConsumeName();
    parser_.SkipBlanks();
    if (parser_.peek() == ':' && !ConsumeAnnotation(annotation)) result = {};
    if (!parser_.Consume("=")) result = {};
  }
  if (result.empty()) {
    builder_.DropPushed(0);
    return Outcome::kUnreadable;
  }
  const uint32_t type = builder_.types().Read(annotation, input_, line);
  builder_.AddNode(NodeKind::kCallFunction, target_, result, type, line);
  return Outcome::kNode;
}

StatementParser::Outcome StatementParser::ReadAnnotations(std::string_view statement,
                                                          uint64_t line) {
  parser_.Reset(statement);
  while (true) {
    parser_.SkipBlanks();
    const std::string_view name = parser_.ConsumeName();
    if (name.empty()) break;
    std::string_view annotation;
    parser_.SkipBlanks();
    if (parser_.peek() != ':' || !ConsumeAnnotation(annotation)) return Outcome::kUnreadable;
    announced_types_[llvm::StringRef(name.data(), name.size())] =
        builder_.types().Read(annotation, input_, line);
    if (!parser_.Consume(";")) break;
  }
  parser_.SkipBlanks();
  return parser_.at_end() ? Outcome::kAnnotation : Outcome::kUnreadable;
}

StatementParser::Outcome StatementParser::ReadUnpacking(std::string_view statement, uint64_t line) {
  std::vector<std::string_view> names;
  if (!ConsumeTargets(statement, names)) return Outcome::kUnreadable;
  statement = TrimLeft(statement);
  if (statement.starts_with(kTreeLeaves)) {
    num_leaves_ = static_cast<uint32_t>(names.size());
    return Outcome::kAnnotation;
  }
  if (!statement.starts_with(kFlattenInputs) && !statement.starts_with(kShuffleInputs)) {
    return Outcome::kUnreadable;
  }
  builder_.DropNodes();
  for (const std::string_view name : names) {
    const auto type = announced_types_.find(llvm::StringRef(name.data(), name.size()));
    builder_.AddPlaceholder(name, type == announced_types_.end() ? kNoIndex : type->second, {},
                            line);
  }
  return Outcome::kUnpacked;
}

/// Reads "self.layers" and 'getattr(self.layers, "0").weight' into root_path_.
bool StatementParser::ReadRootPath(int depth) {
  if (parser_.Consume("getattr(")) {
    if (depth > kMaxPathDepth || !ReadRootPath(depth + 1) || !parser_.Consume(",")) return false;
    parser_.SkipBlanks();
    std::string_view attribute;
    const char quote = parser_.peek();
    if ((quote != '"' && quote != '\'') || !parser_.ConsumeQuoted(attribute)) return false;
    if (!root_path_.empty()) root_path_ += '.';
    root_path_ += attribute;
    if (!parser_.Consume(")")) return false;
  } else {
    if (parser_.ConsumeName() != "self" || builder_.FindValue("self") != kNoIndex) return false;
  }
  while (parser_.peek() == '.') {
    parser_.Consume(".");
    const std::string_view attribute = parser_.ConsumeName();
    if (attribute.empty()) return false;
    if (!root_path_.empty()) root_path_ += '.';
    root_path_ += attribute;
  }
  return true;
}

bool StatementParser::ReadRightSide(NodeKind& kind) {
  const std::string_view text = parser_.rest();
  if (text.starts_with("self.") || text.starts_with("getattr(")) {
    root_path_.clear();
    if (ReadRootPath(0) && !root_path_.empty()) {
      target_ = root_path_;
      if (IsAtEnd()) {
        kind = NodeKind::kGetAttr;
        return true;
      }
      if (parser_.Consume("(") && parser_.ParseArguments(')') && IsAtEnd()) {
        kind = NodeKind::kCallModule;
        return true;
      }
    }
    builder_.DropPushed(0);
    parser_.Reset(text);
  }
  const char first = parser_.peek();
  if (first == '-' || first == '+' || first == '~') {
    const char second = text.size() > 1 ? text[1] : '\0';
    const bool is_number = first != '~' && (IsDigit(second) || second == '.');
    const std::string_view after = text.substr(1);
    const bool is_constant = after.starts_with("inf ") || after.starts_with("nan ");
    if (!is_number && !is_constant) {
      parser_.Reset(after);
      target_ = first == '-' ? "operator.neg" : (first == '+' ? "operator.pos" : "operator.invert");
      return parser_.ParseElement() && IsAtEnd();
    }
  }
  if (text.starts_with("not ")) {
    parser_.Reset(text.substr(4));
    target_ = "operator.not_";
    return parser_.ParseElement() && IsAtEnd();
  }
  return ReadFromPath(kind);
}

/// Bytes of the literal at the front of `text`: up to a blank, or to its closing bracket or quote.
size_t StatementParser::SizeOfLiteral(std::string_view text) {
  if (text.empty()) return 0;
  const char first = text[0];
  std::string_view inside;
  bool is_closed = false;
  if (first == '\'' || first == '"') {
    is_closed = parser_.ConsumeQuoted(inside);
  } else if (first == '(' || first == '[' || first == '{') {
    parser_.Reset(text.substr(1));
    is_closed = parser_.SkipPast(first == '(' ? ')' : (first == '[' ? ']' : '}'));
  }
  if (is_closed) return text.size() - parser_.rest().size();
  return std::min(text.find(' '), text.size());
}

/// Calls, attributes, and operations whose first operand is a name.
bool StatementParser::ReadFromPath(NodeKind& kind) {
  const std::string_view text = parser_.rest();
  const std::string_view path = parser_.ConsumePath();
  if (path.empty()) return ReadOperation(kind);
  const size_t dot = path.find('.');
  const uint32_t value = builder_.FindValue(path.substr(0, dot));
  const bool is_call = parser_.peek() == '(';
  if (value != kNoIndex && dot != std::string_view::npos) {
    const std::string_view attribute = path.substr(dot + 1);
    if (attribute.find('.') != std::string_view::npos) return false;
    builder_.PushValue(value);
    if (is_call) {
      target_ = attribute;
      kind = NodeKind::kCallMethod;
      return parser_.Consume("(") && parser_.ParseArguments(')') && IsAtEnd();
    }
    target_ = "getattr";
    builder_.PushText(Argument::Kind::kString, attribute);
    return IsAtEnd();
  }
  if (is_call && (path == "slice" || path == "device")) {
    parser_.Reset(text);
    return ReadOperation(kind);
  }
  if (is_call) {
    target_ = NormalTarget(path, target_storage_);
    parser_.Consume("(");
    return parser_.ParseArguments(')') && IsAtEnd();
  }
  if (value == kNoIndex) {
    parser_.Reset(text);
    return ReadOperation(kind);
  }
  builder_.PushValue(value);
  if (IsAtEnd()) {
    alias_ = value;
    return true;
  }
  return ReadOperation(kind);
}

/// Reads what is done to one operand, which was pushed or comes first.
bool StatementParser::ReadOperation(NodeKind& kind) {
  if (builder_.num_pushed() == 0) {
    // A literal: taken up to the operator behind it.
    const std::string_view text = parser_.rest();
    const size_t size = SizeOfLiteral(text);
    parser_.Reset(text.substr(0, size));
    if (!parser_.ParseElement() || !parser_.at_end()) return false;
    parser_.Reset(text.substr(size));
  }
  parser_.SkipBlanks();
  if (parser_.Consume("[")) {
    target_ = "operator.getitem";
    return parser_.ParseSubscript() && IsAtEnd();
  }
  if (parser_.Consume(".")) {
    target_ = parser_.ConsumeName();
    kind = NodeKind::kCallMethod;
    return !target_.empty() && parser_.Consume("(") && parser_.ParseArguments(')') && IsAtEnd();
  }
  const std::string_view rest = parser_.rest();
  const auto* const binary =
      std::find_if(std::begin(kBinaryOperators), std::end(kBinaryOperators),
                   [&](const Operator& entry) { return rest.starts_with(entry.token); });
  if (binary == std::end(kBinaryOperators)) return false;
  target_ = binary->function;
  return parser_.Consume(binary->token) && parser_.ParseElement() && IsAtEnd();
}

bool StatementParser::ReadReturn(std::string_view text, uint64_t line) {
  parser_.Reset(text);
  parser_.SkipBlanks();
  bool is_read = false;
  if (parser_.Consume("pytree.tree_unflatten(")) {
    if (parser_.Consume("self._out_shuffle_graph(")) {
      // The leaves of the arguments are given along; the outputs stand behind them.
      is_read = parser_.ParseArguments(')') && builder_.num_pushed() >= num_leaves_;
      if (is_read) builder_.DropFirstPushed(num_leaves_);
      if (is_read) builder_.Group(0, Argument::Kind::kTuple);
    } else {
      is_read = parser_.ParseElement();
    }
  } else {
    is_read = parser_.at_end() || parser_.ParseElement();
  }
  if (!is_read) {
    builder_.DropPushed(0);
    return false;
  }
  builder_.AddOutput(line);
  return true;
}

}  // namespace shapewise
