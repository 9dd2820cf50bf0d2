#include "ingest/formats/torchscript/type_text.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "pyast/parser.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::pair<std::string_view, std::string_view> kScalarTypes[] = {
    {"Float", "torch.float32"},
    {"Double", "torch.float64"},
    {"Half", "torch.float16"},
    {"BFloat16", "torch.bfloat16"},
    {"Long", "torch.int64"},
    {"Int", "torch.int32"},
    {"Short", "torch.int16"},
    {"Char", "torch.int8"},
    {"Byte", "torch.uint8"},
    {"Bool", "torch.bool"},
    {"ComplexHalf", "torch.complex32"},
    {"ComplexFloat", "torch.complex64"},
    {"ComplexDouble", "torch.complex128"},
    {"QInt8", "torch.qint8"},
    {"QUInt8", "torch.quint8"},
    {"QInt32", "torch.qint32"},
    {"QUInt4x2", "torch.quint4x2"},
    {"QUInt2x4", "torch.quint2x4"},
    {"Float8_e5m2", "torch.float8_e5m2"},
    {"Float8_e4m3fn", "torch.float8_e4m3fn"},
    {"Float8_e5m2fnuz", "torch.float8_e5m2fnuz"},
    {"Float8_e4m3fnuz", "torch.float8_e4m3fnuz"},
    {"Float8_e8m0fnu", "torch.float8_e8m0fnu"},
    {"UInt16", "torch.uint16"},
    {"UInt32", "torch.uint32"},
    {"UInt64", "torch.uint64"},
};

constexpr std::pair<std::string_view, ValueType::Kind> kPlainTypes[] = {
    {"Tensor", ValueType::Kind::kTensor}, {"int", ValueType::Kind::kInt},
    {"float", ValueType::Kind::kFloat},   {"bool", ValueType::Kind::kBool},
    {"NoneType", ValueType::Kind::kNone}, {"None", ValueType::Kind::kNone},
};

/// A size or a stride: a number, "SS(-2)", or "*", which has no expression.
ExprId Size(GraphSet& graphs, std::string_view text) {
  std::string_view digits = text;
  const bool is_negative = ConsumeFront(digits, "-");
  const std::optional<int64_t> number = ConsumeUint<int64_t>(digits);
  if (number && digits.empty()) {
    return graphs.expressions.Integer(is_negative ? -*number : *number);
  }
  return text.starts_with("SS(") ? graphs.expressions.Symbol(text) : ExprId::kNone;
}

/// What stands between the brackets behind a tensor's type.
void ReadTensorDetails(GraphSet& graphs, std::string_view details, ValueType& type) {
  type.has_shape = details.empty();  // "Float()" is a number in a tensor
  bool has_strides_beside = false;
  for (std::string_view part : SplitOutside(details, ',')) {
    if (ConsumeFront(part, "strides=[")) {
      type.has_stride = true;
      for (const std::string_view stride : SplitOutside(part.substr(0, part.find(']')), ',')) {
        type.stride.push_back(Size(graphs, stride));
      }
    } else if (ConsumeFront(part, "requires_grad=")) {
      type.requires_grad = part == "1";
    } else if (ConsumeFront(part, "device=")) {
      type.device = graphs.strings.Intern(part);
    } else {
      type.has_shape = true;
      const size_t colon = part.find(':');
      type.shape.push_back(Size(graphs, part.substr(0, colon)));
      if (colon == std::string_view::npos) continue;
      has_strides_beside = true;
      type.stride.push_back(Size(graphs, part.substr(colon + 1)));
    }
  }
  if (has_strides_beside) type.has_stride = true;
  if (type.stride.size() != type.shape.size() || !type.has_shape) {
    type.has_stride = false;
    type.stride.clear();
  }
}

/// Whether `text` has brackets or quotes that are open.
struct Nesting {
  size_t depth = 0;
  char quote = '\0';

  bool is_outside() const { return depth == 0 && quote == '\0'; }

  /// Takes the character at `at`; returns where the next one stands.
  size_t Take(std::string_view text, size_t at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
      return c == '\\' ? at + 2 : at + 1;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    return at + 1;
  }
};

using ArgumentKind = Argument::Kind;

// Lists of lists: the weights of a graph print as deep as they have dims.
constexpr int kMaxLiteralDepth = 16;

ArgumentTree ReadNested(GraphSet& graphs, std::string_view text, int depth) {
  text = Trim(text);
  if (const std::optional<ArgumentTree> number = ReadNumber(text)) return *number;
  if (text == "True" || text == "False") return ArgumentTree::Bool(text == "True");
  if (text == "None") return {};
  const auto is_between = [&](char open, char close) {
    return text.size() >= 2 && text.front() == open && text.back() == close;
  };
  if (is_between('"', '"') || is_between('\'', '\'')) {
    std::string meant;
    pyast::AppendUnescaped(text.substr(1, text.size() - 2), /*is_raw=*/false, /*is_bytes=*/false,
                           /*is_format=*/false, meant);
    return ArgumentTree::Text(ArgumentKind::kString, graphs.strings.Intern(meant));
  }
  if (is_between('[', ']') && depth < kMaxLiteralDepth) {
    std::vector<ArgumentTree> parts;
    for (const std::string_view part : SplitOutside(text.substr(1, text.size() - 2), ',')) {
      if (!part.empty()) parts.push_back(ReadNested(graphs, part, depth + 1));
    }
    return ArgumentTree::Group(ArgumentKind::kList, std::move(parts));
  }
  return ArgumentTree::Text(ArgumentKind::kText, graphs.strings.Intern(text));
}

}  // namespace

std::string_view DtypeOfScalarType(std::string_view name) {
  const auto* const at =
      llvm::find_if(kScalarTypes, [&](const auto& entry) { return entry.first == name; });
  return at == std::end(kScalarTypes) ? std::string_view() : at->second;
}

uint32_t InternTypeText(GraphSet& graphs, std::string_view text) {
  text = Trim(text);
  if (text.empty()) return kNoIndex;
  ValueType type;
  for (const auto& [name, kind] : kPlainTypes) {
    if (text == name) type.kind = kind;
  }
  const std::string_view head = text.substr(0, text.find('('));
  const std::string_view dtype = DtypeOfScalarType(head);
  const bool has_details = head.size() < text.size() && text.ends_with(')');
  if (!dtype.empty() || (head == "Tensor" && has_details)) {
    type.kind = ValueType::Kind::kTensor;
    type.dtype = graphs.strings.Intern(dtype);
    if (has_details) {
      ReadTensorDetails(graphs, text.substr(head.size() + 1, text.size() - head.size() - 2), type);
    }
  } else if (type.kind == ValueType::Kind::kUnknown) {
    type.kind = ValueType::Kind::kObject;
    type.dtype = graphs.strings.Intern(text);
  }
  return graphs.InternType(std::move(type));
}

std::vector<std::string_view> SplitOutside(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (Trim(text).empty()) return parts;
  size_t begin = 0;
  Nesting nesting;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == separator && nesting.is_outside()) {
      parts.push_back(Trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    at = nesting.Take(text, at);
  }
  parts.push_back(Trim(text.substr(begin)));
  return parts;
}

size_t FindOutside(std::string_view text, std::string_view needle, size_t from) {
  Nesting nesting;
  for (size_t at = from; at < text.size();) {
    if (text[at] == needle.front() && nesting.is_outside() && text.substr(at).starts_with(needle)) {
      return at;
    }
    at = nesting.Take(text, at);
  }
  return std::string_view::npos;
}

void BracketCounter::Add(std::string_view piece) {
  Nesting nesting{depth_, quote_};
  for (size_t at = 0; at < piece.size();) {
    if (piece[at] == ' ' && nesting.is_outside() && piece.substr(at).starts_with(" # ")) break;
    at = nesting.Take(piece, at);
  }
  depth_ = nesting.depth;
  quote_ = nesting.quote;
}

std::optional<ArgumentTree> ReadNumber(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  int64_t integer = 0;
  if (const auto [at, error] = std::from_chars(begin, end, integer);
      error == std::errc() && at == end) {
    return ArgumentTree::Int(integer);
  }
  const char first = text.front() == '-' && text.size() > 1 ? text[1] : text.front();
  if (!IsDigit(first) && first != '.' && text != "inf" && text != "-inf" && text != "nan") {
    return std::nullopt;
  }
  double number = 0;
  const auto [at, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return ArgumentTree::Float(number);
}

ArgumentTree ReadLiteral(GraphSet& graphs, std::string_view text) {
  return ReadNested(graphs, text, 0);
}

}  // namespace shapewise
