#include "ingest/graph_text/arguments.h"

#include <algorithm>
#include <charconv>

#include "support/text_scan.h"

namespace shapewise {
namespace {

using ArgumentKind = Argument::Kind;

// Real arguments are nested less than ten deep.
constexpr int kMaxArgumentDepth = 32;

// Longer expressions that are not parsed are truncated.
constexpr size_t kMaxArgumentBytes = 4096;

}  // namespace

std::optional<std::string_view> StringValue(const pyast::Expr* expression) {
  const auto* const constant = llvm::dyn_cast_or_null<pyast::Constant>(expression);
  const bool is_text = constant != nullptr && (constant->type == pyast::ConstantKind::kString ||
                                               constant->type == pyast::ConstantKind::kBytes);
  return is_text ? std::optional(constant->value) : std::nullopt;
}

const pyast::Expr* KeywordValue(const pyast::Call& call, std::string_view name) {
  const auto* const found = std::ranges::find_if(
      call.keywords, [&](const auto* keyword) { return keyword->arg == name; });
  return found == call.keywords.end() ? nullptr : (*found)->value;
}

pyast::Exprs PartsOf(const pyast::Expr* expression) {
  if (const auto* tuple = llvm::dyn_cast_or_null<pyast::Tuple>(expression)) return tuple->elts;
  if (const auto* list = llvm::dyn_cast_or_null<pyast::List>(expression)) return list->elts;
  const auto* const set = llvm::dyn_cast_or_null<pyast::Set>(expression);
  return set == nullptr ? pyast::Exprs() : set->elts;
}

llvm::SmallVector<pyast::Expr*, 16> PartsOf(const pyast::Dict& dict) {
  llvm::SmallVector<pyast::Expr*, 16> parts;
  for (size_t i = 0; i < dict.keys.size(); ++i) {
    if (dict.keys[i] != nullptr) parts.push_back(dict.keys[i]);
    parts.push_back(dict.values[i]);
  }
  return parts;
}

llvm::SmallVector<std::pair<const pyast::Arg*, const pyast::Expr*>, 8> ParametersOf(
    const pyast::Arguments& parameters) {
  llvm::SmallVector<std::pair<const pyast::Arg*, const pyast::Expr*>, 8> all;
  for (const pyast::Args list : {parameters.posonlyargs, parameters.args}) {
    for (const pyast::Arg* parameter : list) all.emplace_back(parameter, nullptr);
  }
  const size_t num_defaults = std::min(parameters.defaults.size(), all.size());
  for (size_t i = 1; i <= num_defaults; ++i) {
    all[all.size() - i].second = parameters.defaults[parameters.defaults.size() - i];
  }
  if (parameters.vararg != nullptr) all.emplace_back(parameters.vararg, nullptr);
  for (size_t i = 0; i < parameters.kwonlyargs.size(); ++i) {
    all.emplace_back(parameters.kwonlyargs[i], parameters.kw_defaults[i]);
  }
  if (parameters.kwarg != nullptr) all.emplace_back(parameters.kwarg, nullptr);
  return all;
}

std::optional<Argument> ReadNumber(std::string_view text, GraphBuilder& builder) {
  ConsumeFront(text, "+");
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  int64_t integer = 0;
  const auto [stop, error] = std::from_chars(begin, end, integer);
  if (stop == end && error == std::errc()) return IntArgument(integer);
  if (stop == end && error == std::errc::result_out_of_range) {
    return builder.TextArgument(ArgumentKind::kConstant, text);
  }
  double number = 0;
  const char first = text.empty() ? '\0' : text.starts_with('-') ? text[text.size() > 1] : text[0];
  const bool is_number = IsDigit(first) || first == '.' || IsOneOf(text, {"inf", "-inf", "nan"});
  const auto [float_stop, float_error] = std::from_chars(begin, end, number);
  if (!is_number || float_stop != end || float_error != std::errc()) return std::nullopt;
  return FloatArgument(number);
}

std::optional<Argument> ReadConstant(const pyast::Constant& constant, std::string_view text,
                                     GraphBuilder& builder) {
  switch (constant.type) {
    case pyast::ConstantKind::kNone:
      return Argument();
    case pyast::ConstantKind::kTrue:
    case pyast::ConstantKind::kFalse:
      return BoolArgument(constant.type == pyast::ConstantKind::kTrue);
    case pyast::ConstantKind::kEllipsis:
      return builder.TextArgument(ArgumentKind::kConstant, "Ellipsis");
    case pyast::ConstantKind::kString:
      return builder.TextArgument(ArgumentKind::kString, constant.value);
    case pyast::ConstantKind::kBytes:  // may not be text: keep the spelling
      return builder.TextArgument(ArgumentKind::kString, text.substr(2, text.size() - 3));
    default:
      return ReadNumber(constant.value, builder);
  }
}

Argument ReadLiteral(const pyast::Expr& expression, std::string_view text, GraphBuilder& builder) {
  const std::string_view own =
      text.substr(expression.span.begin, expression.span.end - expression.span.begin);
  std::optional<Argument> argument;
  if (const auto* constant = llvm::dyn_cast<pyast::Constant>(&expression)) {
    argument = ReadConstant(*constant, own, builder);
  } else if (llvm::isa<pyast::List>(expression)) {
    Arguments parts;
    for (const pyast::Expr* part : PartsOf(&expression)) {
      parts.push_back(ReadLiteral(*part, text, builder));
    }
    return builder.Group(ArgumentKind::kList, parts);
  } else {
    argument = ReadNumber(own, builder);
  }
  return argument ? *argument : builder.TextArgument(ArgumentKind::kText, own);
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

std::string_view PrintedPython::Comment() const {
  if (parser_.comments().empty()) return {};
  const pyast::Span span = parser_.comments().back();
  return Trim(text_.substr(span.begin + 1, span.end - span.begin - 1));
}

Argument ArgumentReader::Text(ArgumentKind kind, const pyast::Expr& expression) {
  return builder_.TextArgument(kind, TextOf(expression).substr(0, kMaxArgumentBytes));
}

Argument ArgumentReader::Read(const pyast::Expr& expression) {
  ++depth_;
  std::optional<Argument> argument;
  if (depth_ <= kMaxArgumentDepth + 1) argument = ReadPlain(expression);
  --depth_;
  if (argument) return *argument;
  CountLeftmost(&expression);
  return Text(ArgumentKind::kText, expression);
}

Arguments ArgumentReader::ReadAll(pyast::Exprs expressions) {
  Arguments arguments;
  for (const pyast::Expr* expression : expressions) {
    arguments.push_back(expression == nullptr ? Argument() : Read(*expression));
  }
  return arguments;
}

Arguments ArgumentReader::ReadArguments(const pyast::Call& call) {
  Arguments arguments = ReadAll(call.args);
  for (const pyast::Keyword* keyword : call.keywords) {
    arguments.push_back(WithKeyword(Read(*keyword->value), builder_.Intern(keyword->arg)));
  }
  return arguments;
}

/// A text that begins with a value contains a value.
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

std::optional<Argument> ArgumentReader::ReadPlain(const pyast::Expr& expression) {
  switch (expression.kind) {
    case pyast::Kind::kName:
    case pyast::Kind::kAttribute:
      return ReadName(expression);
    case pyast::Kind::kConstant:
      return ReadConstant(llvm::cast<pyast::Constant>(expression), TextOf(expression), builder_);
    case pyast::Kind::kStarred:
      return Read(*llvm::cast<pyast::Starred>(expression).value);
    case pyast::Kind::kUnaryOp: {
      const std::string_view operand = TextOf(expression).substr(1);
      if (operand != "inf" && operand != "nan") return ReadNumber(TextOf(expression), builder_);
      return Text(ArgumentKind::kConstant, expression);
    }
    case pyast::Kind::kTuple:
      return builder_.Group(ArgumentKind::kTuple, ReadAll(PartsOf(&expression)));
    case pyast::Kind::kList:
      return builder_.Group(ArgumentKind::kList, ReadAll(PartsOf(&expression)));
    case pyast::Kind::kSet:
      return builder_.Group(ArgumentKind::kDict, ReadAll(PartsOf(&expression)));
    case pyast::Kind::kDict:
      return builder_.Group(ArgumentKind::kDict,
                            ReadAll(PartsOf(llvm::cast<pyast::Dict>(expression))));
    case pyast::Kind::kSlice: {
      const auto& slice = llvm::cast<pyast::Slice>(expression);
      return builder_.Group(ArgumentKind::kSlice, ReadAll({slice.lower, slice.upper, slice.step}));
    }
    case pyast::Kind::kCall:
      return ReadCall(llvm::cast<pyast::Call>(expression));
    case pyast::Kind::kErrorExpr: {
      // An object as Python shows it: "<function f at 0x7f00>".
      const std::string_view text = TextOf(expression);
      if (!text.starts_with('<') || text.find_first_of(">\n") != text.size() - 1) return {};
      return builder_.TextArgument(ArgumentKind::kConstant, text);
    }
    default:
      return std::nullopt;
  }
}

/// A value, or a name of something else, such as torch.float32.
std::optional<Argument> ArgumentReader::ReadName(const pyast::Expr& expression) {
  std::string_view path = TextOf(expression);
  const bool has_percent = path.starts_with('%');
  if (!has_percent) path = PathOf(expression);
  const bool is_name = llvm::isa<pyast::Name>(expression);
  if (path.empty() || (has_percent && !is_name)) return std::nullopt;
  if (has_percent) path.remove_prefix(1);
  if (has_percent || !has_percents_ || is_in_slice_) {
    const uint32_t value = builder_.FindValue(path.substr(0, path.find('.')));
    if (value != kNoIndex) {
      if (!is_name) return std::nullopt;  // x.shape: an expression
      ++num_values_;
      return ValueArgument(value);
    }
  }
  if (has_percent) ++num_values_;
  return builder_.TextArgument(has_percent ? ArgumentKind::kText : ArgumentKind::kConstant, path);
}

/// A call among the arguments is not a node: a slice, a device, a named tuple.
std::optional<Argument> ArgumentReader::ReadCall(const pyast::Call& call) {
  const std::string_view path = PathOf(*call.func);
  if (path.empty()) return std::nullopt;
  const size_t values_before = num_values_;
  const bool is_slice = path == "slice";
  const bool was_in_slice = std::exchange(is_in_slice_, is_in_slice_ || is_slice);
  Arguments arguments = ReadArguments(call);
  is_in_slice_ = was_in_slice;
  if (is_slice && arguments.size() <= 3) {
    // slice(stop) means slice(None, stop, None).
    if (arguments.size() == 1) arguments.insert(arguments.begin(), Argument());
    arguments.resize(3);
    return builder_.Group(ArgumentKind::kSlice, arguments);
  }
  if (num_values_ == values_before) return Text(ArgumentKind::kConstant, call);
  Argument tuple = builder_.Group(ArgumentKind::kTuple, arguments);
  tuple.text = builder_.Intern(path);
  return tuple;
}

}  // namespace shapewise
