#include "ingest/graph_text/arguments.h"

#include <algorithm>
#include <charconv>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Real arguments are nested less than ten deep.
constexpr int kMaxArgumentDepth = 32;

// More of an expression that is not taken apart is not kept.
constexpr size_t kMaxArgumentBytes = 4096;

}  // namespace

const pyast::Stmt* PrintedPython::ParseFirst(std::string_view text, size_t& end) {
  return parser_.ParseFirst(Begin(text), end);
}

const pyast::Expr* PrintedPython::ParseExpression(std::string_view text) {
  return parser_.ParseExpression(Begin(text));
}

const pyast::Call* PrintedPython::ParseArguments(std::string_view text) {
  return parser_.ParseArguments(Begin(text));
}

std::optional<std::string_view> PrintedPython::QuotedText(const pyast::Expr& expression) const {
  if (!llvm::isa<pyast::Constant>(expression)) return std::nullopt;
  const std::string_view text = TextOf(expression);
  const size_t quote = text.find_first_of("'\"");
  if (quote > 2) return std::nullopt;
  for (size_t at = quote + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text[quote]) {
      if (at + 1 != text.size()) return std::nullopt;  // several literals, or three quotes
      return text.substr(quote + 1, at - quote - 1);
    }
  }
  return std::nullopt;
}

std::string_view PrintedPython::PathOf(const pyast::Expr& expression) const {
  size_t size = 0;
  const pyast::Expr* part = &expression;
  while (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(part)) {
    size += attribute->attr.size() + 1;
    part = attribute->value;
  }
  const auto* const name = llvm::dyn_cast<pyast::Name>(part);
  const std::string_view text = TextOf(expression);
  return name != nullptr && text.size() == size + name->id.size() ? text : std::string_view();
}

std::string_view PrintedPython::AnnotationText(const pyast::Expr& annotation) const {
  return QuotedText(annotation).value_or(TextOf(annotation));
}

std::string_view PrintedPython::Comment() const {
  if (parser_.comments().empty()) return {};
  const pyast::Span span = parser_.comments().back();
  return Trim(text_.substr(span.begin + 1, span.end - span.begin - 1));
}

const pyast::Expr* KeywordValue(const pyast::Call& call, std::string_view name) {
  const auto* const found = std::ranges::find_if(
      call.keywords, [&](const auto* keyword) { return keyword->arg == name; });
  return found == call.keywords.end() ? nullptr : (*found)->value;
}

pyast::Exprs PartsOf(const pyast::Expr* expression) {
  if (expression == nullptr) return {};
  if (const auto* tuple = llvm::dyn_cast<pyast::Tuple>(expression)) return tuple->elts;
  const auto* const list = llvm::dyn_cast<pyast::List>(expression);
  return list == nullptr ? pyast::Exprs() : list->elts;
}

void ArgumentReader::Push(const pyast::Expr& expression) {
  const size_t mark = builder_.num_pushed();
  ++depth_;
  const bool is_read = depth_ <= kMaxArgumentDepth + 1 && PushPlain(expression);
  --depth_;
  if (is_read) return;
  builder_.DropPushed(mark);
  CountLeftmost(&expression);
  builder_.PushText(Argument::Kind::kText, TextOf(expression).substr(0, kMaxArgumentBytes));
}

/// A text that begins with a value has a value in it.
void ArgumentReader::CountLeftmost(const pyast::Expr* expression) {
  while (true) {
    if (const auto* binary = llvm::dyn_cast<pyast::BinOp>(expression)) {
      expression = binary->left;
    } else if (const auto* compare = llvm::dyn_cast<pyast::Compare>(expression)) {
      expression = compare->left;
    } else if (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(expression)) {
      expression = attribute->value;
    } else if (const auto* subscript = llvm::dyn_cast<pyast::Subscript>(expression)) {
      expression = subscript->value;
    } else {
      break;
    }
  }
  const auto* const name = llvm::dyn_cast<pyast::Name>(expression);
  if (name != nullptr && builder_.FindValue(name->id) != kNoIndex) ++num_values_;
}

bool ArgumentReader::PushPlain(const pyast::Expr& expression) {
  switch (expression.kind) {
    case pyast::Kind::kName:
    case pyast::Kind::kAttribute:
      return PushName(expression);
    case pyast::Kind::kConstant:
      return PushConstant(llvm::cast<pyast::Constant>(expression));
    case pyast::Kind::kStarred:
      Push(*llvm::cast<pyast::Starred>(expression).value);
      return true;
    case pyast::Kind::kUnaryOp: {
      const std::string_view text = TextOf(expression);
      const std::string_view operand = text.substr(1);
      if (operand != "inf" && operand != "nan") return PushNumber(text);
      builder_.PushText(Argument::Kind::kConstant, text);
      return true;
    }
    case pyast::Kind::kTuple:
      return PushGroup(PartsOf(&expression), Argument::Kind::kTuple);
    case pyast::Kind::kList:
      return PushGroup(PartsOf(&expression), Argument::Kind::kList);
    case pyast::Kind::kSet:
      return PushGroup(llvm::cast<pyast::Set>(expression).elts, Argument::Kind::kDict);
    case pyast::Kind::kDict: {
      const auto& dict = llvm::cast<pyast::Dict>(expression);
      llvm::SmallVector<pyast::Expr*, 16> parts;
      for (size_t i = 0; i < dict.keys.size(); ++i) {
        if (dict.keys[i] != nullptr) parts.push_back(dict.keys[i]);
        parts.push_back(dict.values[i]);
      }
      return PushGroup(parts, Argument::Kind::kDict);
    }
    case pyast::Kind::kSlice: {
      const auto& slice = llvm::cast<pyast::Slice>(expression);
      const size_t mark = builder_.num_pushed();
      for (const pyast::Expr* part : {slice.lower, slice.upper, slice.step}) PushOptional(part);
      builder_.Group(mark, Argument::Kind::kSlice);
      return true;
    }
    case pyast::Kind::kCall:
      return PushCall(llvm::cast<pyast::Call>(expression));
    case pyast::Kind::kErrorExpr: {
      // An object as Python shows it: "<function f at 0x7f00>".
      const std::string_view text = TextOf(expression);
      if (!text.starts_with('<') || text.find_first_of(">\n") != text.size() - 1) return false;
      builder_.PushText(Argument::Kind::kConstant, text);
      return true;
    }
    default:
      return false;
  }
}

void ArgumentReader::PushOptional(const pyast::Expr* expression) {
  if (expression != nullptr) return Push(*expression);
  builder_.Push({});
}

bool ArgumentReader::PushGroup(pyast::Exprs parts, Argument::Kind kind) {
  const size_t mark = builder_.num_pushed();
  for (const pyast::Expr* part : parts) Push(*part);
  builder_.Group(mark, kind);
  return true;
}

/// A value, or a name of something else, such as torch.float32.
bool ArgumentReader::PushName(const pyast::Expr& expression) {
  std::string_view path = TextOf(expression);
  const bool has_percent = path.starts_with('%');
  if (!has_percent) path = PathOf(expression);
  if (path.empty()) return false;
  if (has_percent && !llvm::isa<pyast::Name>(expression)) return false;
  if (has_percent) path.remove_prefix(1);
  if (has_percent || !has_percents_ || is_in_slice_) {
    const uint32_t value = builder_.FindValue(path.substr(0, path.find('.')));
    if (value != kNoIndex) {
      if (!llvm::isa<pyast::Name>(expression)) return false;  // x.shape: an expression
      ++num_values_;
      builder_.PushValue(value);
      return true;
    }
  }
  if (has_percent) ++num_values_;
  builder_.PushText(has_percent ? Argument::Kind::kText : Argument::Kind::kConstant, path);
  return true;
}

/// "1", "-2.5e3"; false: it is no number that FX prints.
bool ArgumentReader::PushNumber(std::string_view text) {
  const char* const begin = text.data() + (text[0] == '+' ? 1 : 0);
  const char* const end = text.data() + text.size();
  Argument argument;
  argument.kind = Argument::Kind::kInt;
  const auto [stop, error] = std::from_chars(begin, end, argument.integer);
  if (stop != end) {
    argument.kind = Argument::Kind::kFloat;
    argument.number = 0;
    const auto [float_stop, float_error] = std::from_chars(begin, end, argument.number);
    const bool is_number = IsDigit(*begin) || *begin == '.' || *begin == '-';
    if (!is_number || float_stop != end || float_error != std::errc()) return false;
  } else if (error == std::errc::result_out_of_range) {
    builder_.PushText(Argument::Kind::kConstant, text);
    return true;
  }
  builder_.Push(argument);
  return true;
}

bool ArgumentReader::PushConstant(const pyast::Constant& constant) {
  Argument argument;
  switch (constant.type) {
    case pyast::ConstantKind::kNone:
      break;
    case pyast::ConstantKind::kTrue:
    case pyast::ConstantKind::kFalse:
      argument.kind = Argument::Kind::kBool;
      argument.integer = constant.type == pyast::ConstantKind::kTrue ? 1 : 0;
      break;
    case pyast::ConstantKind::kEllipsis:
      builder_.PushText(Argument::Kind::kConstant, "Ellipsis");
      return true;
    case pyast::ConstantKind::kString:
    case pyast::ConstantKind::kBytes: {
      const std::optional<std::string_view> inside = QuotedText(constant);
      if (inside) builder_.PushText(Argument::Kind::kString, *inside);
      return inside.has_value();
    }
    default:
      return PushNumber(constant.value);
  }
  builder_.Push(argument);
  return true;
}

/// A call among the arguments is no node: a slice, a device, a named tuple.
bool ArgumentReader::PushCall(const pyast::Call& call) {
  const std::string_view path = PathOf(*call.func);
  if (path.empty()) return false;
  const size_t mark = builder_.num_pushed();
  const size_t values_before = num_values_;
  const bool was_in_slice = is_in_slice_;
  const bool is_slice = path == "slice";
  is_in_slice_ |= is_slice;
  PushArguments(call);
  is_in_slice_ = was_in_slice;
  if (is_slice && builder_.num_pushed() <= mark + 3) {
    // slice(stop) means slice(None, stop, None).
    if (builder_.num_pushed() == mark + 1) {
      const Argument stop = builder_.last_pushed();
      builder_.DropPushed(mark);
      builder_.Push({});
      builder_.Push(stop);
    }
    while (builder_.num_pushed() < mark + 3) builder_.Push({});
    builder_.Group(mark, Argument::Kind::kSlice);
    return true;
  }
  if (num_values_ > values_before) {
    builder_.Group(mark, Argument::Kind::kTuple);
    builder_.last_pushed().text = builder_.Intern(path);
    return true;
  }
  builder_.DropPushed(mark);
  builder_.PushText(Argument::Kind::kConstant, TextOf(call).substr(0, kMaxArgumentBytes));
  return true;
}

void ArgumentReader::PushArguments(const pyast::Call& call) {
  for (const pyast::Expr* argument : call.args) Push(*argument);
  for (const pyast::Keyword* keyword : call.keywords) {
    Push(*keyword->value);
    if (!keyword->arg.empty()) builder_.last_pushed().keyword = builder_.Intern(keyword->arg);
  }
}

bool ArgumentReader::PushKeywords(const pyast::Expr& expression) {
  const auto* const dict = llvm::dyn_cast<pyast::Dict>(&expression);
  if (dict == nullptr) return false;
  for (size_t i = 0; i < dict->keys.size(); ++i) {
    if (dict->keys[i] == nullptr) return false;
    const std::string_view name = QuotedText(*dict->keys[i]).value_or(PathOf(*dict->keys[i]));
    if (name.empty()) return false;
    Push(*dict->values[i]);
    builder_.last_pushed().keyword = builder_.Intern(name);
  }
  return true;
}

}  // namespace shapewise
