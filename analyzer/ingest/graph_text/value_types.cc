#include "ingest/graph_text/graph_builder.h"

#include <algorithm>
#include <utility>

#include "ingest/data_tables.h"
#include "llvm/ADT/STLExtras.h"
#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using TypeKind = ValueType::Kind;

// Types without sizes. GraphModule.code prints torch.torch for torch.
constexpr std::pair<std::string_view, TypeKind> kPlainTypes[] = {
    {"None", TypeKind::kNone},
    {"NoneType", TypeKind::kNone},
    {"Tensor", TypeKind::kTensor},
    {"bool", TypeKind::kBool},
    {"float", TypeKind::kFloat},
    {"int", TypeKind::kInt},
    {"torch.SymBool", TypeKind::kBool},
    {"torch.SymFloat", TypeKind::kFloat},
    {"torch.SymInt", TypeKind::kInt},
    {"torch.Tensor", TypeKind::kTensor},
    {"torch.nn.parameter.Buffer", TypeKind::kTensor},
    {"torch.nn.parameter.Parameter", TypeKind::kTensor},
};

// Parts of symbolic floats: their symbols, and functions that return floats.
constexpr std::string_view kFloatMarks[] = {"ToFloat(",    "TrueDiv(",      "FloatPow(", "zf",
                                            "OpaqueUnary", "TruncToFloat(", "."};

/// Tensors in PyTorch have fewer dims; a type with more is kept as text.
constexpr size_t kMaxPrintedDims = 1024;

bool IsOpening(char c) { return c == '(' || c == '[' || c == '{'; }

}  // namespace

const std::vector<Dtype>& AllDtypes() {
  static const std::vector<Dtype> dtypes = [] {
    std::vector<Dtype> all;
    for (const auto& row : JsonTextRows(DataTable("graphs"), "dtypes")) {
      all.push_back({row[0], row[1], row[2], *ParseNumber(row[3])});
    }
    return all;
  }();
  return dtypes;
}

bool ConsumeBrackets(std::string_view& text, std::string_view& inside) {
  const size_t end = !text.empty() && IsOpening(text[0]) ? AfterBracket(text, 0) : kNotFound;
  if (end == kNotFound) return false;
  inside = text.substr(1, end - 2);
  text.remove_prefix(end);
  return true;
}

size_t FindOutsideBrackets(std::string_view text, std::string_view needle) {
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == needle[0] && text.substr(at).starts_with(needle)) return at;
    at = IsQuote(c) ? AfterLiteral(text, at) : IsOpening(c) ? AfterBracket(text, at) : at + 1;
  }
  return kNotFound;
}

std::vector<std::string_view> SplitOutsideBrackets(std::string_view text) {
  std::vector<std::string_view> parts;
  if (Trim(text).empty()) return parts;
  while (true) {
    const size_t comma = FindOutsideBrackets(text, ",");
    parts.push_back(Trim(text.substr(0, comma)));
    if (comma == kNotFound) return parts;
    text.remove_prefix(comma + 1);
  }
}

uint32_t TypeReader::Read(std::string_view text, uint32_t input, uint64_t line) {
  text = Trim(text);
  if (text.empty()) return kNoIndex;
  const auto [entry, is_new] = known_.try_emplace(llvm::StringRef(text), 0);
  if (is_new) entry->second = graphs_.InternType(Parse(text, input, line));
  return entry->second;
}

ExprId TypeReader::ReadSize(std::string_view text, uint32_t input, uint64_t line) {
  const auto [entry, is_new] = known_sizes_.try_emplace(llvm::StringRef(text), ExprId::kNone);
  if (!is_new) return entry->second;
  ExprId size = graphs_.expressions.Parse(text);
  if (size == ExprId::kNone) {
    graphs_.stats.Bump(Stat::graph_expression_unknown, input, line);
    size = graphs_.expressions.Symbol(text);
  }
  entry->second = size;
  return size;
}

bool TypeReader::ParseTensor(std::string_view text, ValueType& type, uint32_t input,
                             uint64_t line) {
  const size_t bracket = std::min(text.find('['), text.size());
  const std::string_view dtype = FindDtype(&Dtype::abbreviation, text.substr(0, bracket));
  std::string_view rest = text.substr(bracket);
  std::string_view inside;
  if (dtype.empty() || !ConsumeBrackets(rest, inside)) return false;
  const auto read_sizes = [&](std::vector<ExprId>& sizes) {
    const std::vector<std::string_view> parts = SplitOutsideBrackets(inside);
    if (parts.size() > kMaxPrintedDims) return false;
    for (const std::string_view part : parts) sizes.push_back(ReadSize(part, input, line));
    return true;
  };
  if (!read_sizes(type.shape)) return false;
  type.kind = TypeKind::kTensor;
  type.dtype = graphs_.strings.Intern(dtype);
  type.has_shape = true;
  type.has_stride = ConsumeBrackets(rest, inside) && read_sizes(type.stride);
  // "cuda:0"; anything else is damaged.
  if (!llvm::all_of(rest, [](char c) { return IsWordChar(c) || c == ':'; })) {
    type = {};
    return false;
  }
  type.device = graphs_.strings.Intern(rest);
  return true;
}

/// A size or a stride: a number, "SS(-2)", or "*", which has no expression.
ExprId TypeReader::ScriptSize(std::string_view text) {
  if (IsInteger(text)) return graphs_.expressions.Parse(text);
  return text.starts_with("SS(") ? graphs_.expressions.Symbol(text) : ExprId::kNone;
}

bool TypeReader::ParseScriptTensor(std::string_view text, ValueType& type) {
  const std::string_view head = text.substr(0, text.find('('));
  const std::string_view dtype = FindDtype(&Dtype::scalar_type, head);
  const bool has_details = head.size() < text.size() && text.ends_with(')');
  if (dtype.empty() && (head != "Tensor" || !has_details)) return false;
  type.kind = TypeKind::kTensor;
  type.dtype = graphs_.strings.Intern(dtype);
  if (!has_details) return true;
  text = text.substr(head.size() + 1, text.size() - head.size() - 2);
  type.has_shape = text.empty();  // "Float()" is a number in a tensor
  for (std::string_view part : SplitOutsideBrackets(text)) {
    if (ConsumeFront(part, "strides=[")) {
      type.has_stride = true;
      for (const std::string_view stride : SplitOutsideBrackets(part.substr(0, part.find(']')))) {
        type.stride.push_back(ScriptSize(stride));
      }
    } else if (ConsumeFront(part, "requires_grad=")) {
      type.requires_grad = part == "1";
    } else if (ConsumeFront(part, "device=")) {
      type.device = graphs_.strings.Intern(part);
    } else {
      type.has_shape = true;
      const size_t colon = part.find(':');
      type.shape.push_back(ScriptSize(part.substr(0, colon)));
      if (colon == kNotFound) continue;
      type.has_stride = true;
      type.stride.push_back(ScriptSize(part.substr(colon + 1)));
    }
  }
  type.has_stride &= type.has_shape && type.stride.size() == type.shape.size();
  if (!type.has_stride) type.stride.clear();
  return true;
}

ValueType TypeReader::Parse(std::string_view text, uint32_t input, uint64_t line) {
  ValueType type;
  if (text.starts_with("Sym(") && text.ends_with(')')) {
    const std::string_view inside = text.substr(4, text.size() - 5);
    type.expression = graphs_.expressions.Parse(inside);
    const bool is_float =
        llvm::any_of(kFloatMarks, [&](std::string_view mark) { return HasText(inside, mark); });
    type.kind = is_float ? TypeKind::kFloat : TypeKind::kInt;
    if (IsPredicate(graphs_.expressions.kind(type.expression))) type.kind = TypeKind::kBool;
    return type;
  }
  if (ParseTensor(text, type, input, line) || ParseScriptTensor(text, type)) return type;
  // A subclass prints its name around the contents: "DTensor(f32[4, 4], S(0))".
  const size_t parenthesis = text.find('(');
  if (parenthesis != kNotFound && text.ends_with(')')) {
    const std::string_view inside = text.substr(parenthesis + 1, text.size() - parenthesis - 2);
    if (ParseTensor(inside.substr(0, FindOutsideBrackets(inside, ",")), type, input, line))
      return type;
  }
  const std::string_view name = text.starts_with("torch.torch.") ? text.substr(6) : text;
  const auto* const known =
      llvm::find_if(kPlainTypes, [&](const auto& entry) { return entry.first == name; });
  type.kind = known == std::end(kPlainTypes) ? TypeKind::kObject : known->second;
  if (type.kind == TypeKind::kObject) type.dtype = graphs_.strings.Intern(text);
  return type;
}

}  // namespace shapewise
