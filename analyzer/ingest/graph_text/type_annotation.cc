#include "ingest/graph_text/type_annotation.h"

#include <algorithm>
#include <utility>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using TypeKind = ValueType::Kind;

constexpr std::pair<std::string_view, std::string_view> kShortDtypes[] = {
    {"b16", "torch.bits16"},
    {"b16x1", "torch.bits16"},
    {"b1x8", "torch.bits1x8"},
    {"b2x4", "torch.bits2x4"},
    {"b4x2", "torch.bits4x2"},
    {"b8", "torch.bool"},
    {"b8x1", "torch.bits8"},
    {"bf16", "torch.bfloat16"},
    {"c128", "torch.complex128"},
    {"c32", "torch.complex32"},
    {"c64", "torch.complex64"},
    {"f16", "torch.float16"},
    {"f32", "torch.float32"},
    {"f4e2m1fnx2", "torch.float4_e2m1fn_x2"},
    {"f64", "torch.float64"},
    {"f8e4m3fn", "torch.float8_e4m3fn"},
    {"f8e4m3fnuz", "torch.float8_e4m3fnuz"},
    {"f8e5m2", "torch.float8_e5m2"},
    {"f8e5m2fnuz", "torch.float8_e5m2fnuz"},
    {"f8e8m0fnu", "torch.float8_e8m0fnu"},
    {"i16", "torch.int16"},
    {"i32", "torch.int32"},
    {"i64", "torch.int64"},
    {"i8", "torch.int8"},
    {"u16", "torch.uint16"},
    {"u32", "torch.uint32"},
    {"u64", "torch.uint64"},
    {"u8", "torch.uint8"},
};

// Annotations of Python's own, as GraphModule.code has them.
constexpr std::pair<std::string_view, TypeKind> kPythonTypes[] = {
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
    {"torch.torch.SymBool", TypeKind::kBool},
    {"torch.torch.SymFloat", TypeKind::kFloat},
    {"torch.torch.SymInt", TypeKind::kInt},
    {"torch.torch.Tensor", TypeKind::kTensor},
};

// Parts of symbolic floats: their symbols, and functions that give floats.
constexpr std::string_view kFloatMarks[] = {"ToFloat(",    "TrueDiv(",      "FloatPow(", "zf",
                                            "OpaqueUnary", "TruncToFloat(", "."};

/// No tensor of PyTorch's has so many dims; a type that claims more is kept as text.
constexpr size_t kMaxPrintedDims = 1024;

/// Consumes "[...]" and gives what is between; false if `text` does not begin with one.
bool ConsumeBrackets(std::string_view& text, std::string_view& inside) {
  if (!text.starts_with('[')) return false;
  size_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[' || text[at] == '(') ++depth;
    if (text[at] != ']' && text[at] != ')') continue;
    if (--depth > 0) continue;
    inside = text.substr(1, at - 1);
    text.remove_prefix(at + 1);
    return true;
  }
  return false;
}

/// Takes the next part of a list, up to a comma outside of parentheses.
std::string_view ConsumePart(std::string_view& list) {
  size_t depth = 0;
  size_t at = 0;
  for (; at < list.size(); ++at) {
    const char c = list[at];
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (c == ',' && depth == 0) break;
  }
  const std::string_view part = Trim(list.substr(0, at));
  list.remove_prefix(std::min(at + 1, list.size()));
  return part;
}

}  // namespace

std::string_view DtypeOfAbbreviation(std::string_view abbreviation) {
  const auto* const found =
      std::lower_bound(std::begin(kShortDtypes), std::end(kShortDtypes), abbreviation,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  if (found == std::end(kShortDtypes) || found->first != abbreviation) return {};
  return found->second;
}

uint32_t TypeAnnotations::Read(std::string_view text, uint32_t input, uint64_t line) {
  if (text.empty()) return kNoIndex;
  const auto [entry, is_new] = known_.try_emplace(llvm::StringRef(text.data(), text.size()), 0);
  if (is_new) entry->second = graphs_.InternType(Parse(text, input, line));
  return entry->second;
}

ExprId TypeAnnotations::ReadSize(std::string_view text, uint32_t input, uint64_t line) {
  const auto [entry, is_new] =
      known_sizes_.try_emplace(llvm::StringRef(text.data(), text.size()), ExprId::kNone);
  if (!is_new) return entry->second;
  ExprId size = graphs_.expressions.Parse(text);
  if (size == ExprId::kNone) {
    graphs_.stats.Bump(Stat::graph_expression_unknown, input, line);
    size = graphs_.expressions.Symbol(text);
  }
  entry->second = size;
  return size;
}

bool TypeAnnotations::ParseTensor(std::string_view text, ValueType& type, uint32_t input,
                                  uint64_t line) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return false;
  const std::string_view dtype = DtypeOfAbbreviation(text.substr(0, bracket));
  std::string_view rest = text.substr(bracket);
  std::string_view sizes;
  if (dtype.empty() || !ConsumeBrackets(rest, sizes)) return false;
  if (std::count(sizes.begin(), sizes.end(), ',') > static_cast<ptrdiff_t>(kMaxPrintedDims))
    return false;
  type.kind = TypeKind::kTensor;
  type.dtype = graphs_.strings.Intern(dtype);
  type.has_shape = true;
  while (!sizes.empty()) type.shape.push_back(ReadSize(ConsumePart(sizes), input, line));
  std::string_view strides;
  if (ConsumeBrackets(rest, strides)) {
    type.has_stride = true;
    while (!strides.empty()) type.stride.push_back(ReadSize(ConsumePart(strides), input, line));
  }
  type.device = graphs_.strings.Intern(Trim(rest));
  return true;
}

ValueType TypeAnnotations::Parse(std::string_view text, uint32_t input, uint64_t line) {
  ValueType type;
  if (text.starts_with("Sym(") && text.ends_with(')')) {
    const std::string_view inside = text.substr(4, text.size() - 5);
    type.expression = graphs_.expressions.Parse(inside);
    const bool is_float = std::any_of(std::begin(kFloatMarks), std::end(kFloatMarks),
                                      [&](std::string_view mark) { return HasText(inside, mark); });
    type.kind = is_float ? TypeKind::kFloat : TypeKind::kInt;
    if (IsPredicate(graphs_.expressions.kind(type.expression))) type.kind = TypeKind::kBool;
    return type;
  }
  if (ParseTensor(text, type, input, line)) return type;
  // A subclass names itself around what it holds: "DTensor(f32[4, 4], S(0))".
  const size_t parenthesis = text.find('(');
  if (parenthesis != std::string_view::npos && text.ends_with(')')) {
    std::string_view inside = text.substr(parenthesis + 1, text.size() - parenthesis - 2);
    if (ParseTensor(ConsumePart(inside), type, input, line)) return type;
  }
  const auto* const known = std::find_if(std::begin(kPythonTypes), std::end(kPythonTypes),
                                         [&](const auto& entry) { return entry.first == text; });
  if (known != std::end(kPythonTypes)) {
    type.kind = known->second;
    return type;
  }
  type.kind = TypeKind::kObject;
  type.dtype = graphs_.strings.Intern(text);
  return type;
}

}  // namespace shapewise
