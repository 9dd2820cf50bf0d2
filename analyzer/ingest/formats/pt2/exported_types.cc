#include "ingest/formats/pt2/exported_types.h"

#include <optional>
#include <utility>

#include "ingest/json_fields.h"
#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

namespace dom = simdjson::dom;

struct NumberedName {
  int64_t number;
  std::string_view name;
};

// torch/_export/serde/schema.py, schema versions 1 to 8.20.
constexpr NumberedName kDtypes[] = {
    {1, "torch.uint8"},
    {2, "torch.int8"},
    {3, "torch.int16"},
    {4, "torch.int32"},
    {5, "torch.int64"},
    {6, "torch.float16"},
    {7, "torch.float32"},
    {8, "torch.float64"},
    {9, "torch.complex32"},
    {10, "torch.complex64"},
    {11, "torch.complex128"},
    {12, "torch.bool"},
    {13, "torch.bfloat16"},
    {28, "torch.uint16"},
    {29, "torch.float8_e4m3fn"},
    {30, "torch.float8_e5m2"},
    {31, "torch.float8_e4m3fnuz"},
    {32, "torch.float8_e5m2fnuz"},
    {33, "torch.float8_e8m0fnu"},
    {34, "torch.uint32"},
    {35, "torch.uint64"},
};
constexpr NumberedName kLayouts[] = {
    {1, "torch.sparse_coo"}, {2, "torch.sparse_csr"}, {3, "torch.sparse_csc"},
    {4, "torch.sparse_bsr"}, {5, "torch.sparse_bsc"}, {6, "torch._mkldnn"},
    {7, "torch.strided"},
};
constexpr NumberedName kMemoryFormats[] = {
    {1, "torch.contiguous_format"},
    {2, "torch.channels_last"},
    {3, "torch.channels_last_3d"},
    {4, "torch.preserve_format"},
};

template <size_t kSize>
std::string_view NameOf(const NumberedName (&names)[kSize], int64_t number) {
  const auto* const at =
      llvm::find_if(names, [&](const NumberedName& entry) { return entry.number == number; });
  return at == std::end(names) ? std::string_view() : at->name;
}

/// An integer that a file gives as a number with or without a point; absent for others.
std::optional<int64_t> WholeNumber(dom::element element) {
  int64_t integer = 0;
  if (element.get(integer) == simdjson::SUCCESS) return integer;
  return std::nullopt;
}

}  // namespace

ExportedUnion UnionOf(dom::element element) {
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return {};
  ExportedUnion first;
  for (const dom::key_value_pair field : object) {
    if (first.tag.empty()) first = {field.key, field.value};
    if (!field.value.is_null()) return {field.key, field.value};
  }
  return first;
}

std::string_view ExportedDtype(int64_t number) { return NameOf(kDtypes, number); }
std::string_view ExportedLayout(int64_t number) { return NameOf(kLayouts, number); }
std::string_view ExportedMemoryFormat(int64_t number) { return NameOf(kMemoryFormats, number); }

std::string ExportedDevice(dom::element device) {
  dom::object object;
  if (device.get(object) != simdjson::SUCCESS) return {};
  std::string name(JsonText(object, "type"));
  if (const std::optional<int64_t> index = JsonInt(object, "index")) {
    name += ":" + std::to_string(*index);
  }
  return name;
}

ExprId ExportedTypes::Expression(dom::element symbolic) {
  if (const std::optional<int64_t> number = WholeNumber(symbolic)) {
    return graphs_.expressions.Integer(*number);
  }
  const ExportedUnion chosen = UnionOf(symbolic);
  if (chosen.tag != "as_expr") {
    bool is_true = false;
    if (chosen.tag == "as_bool" && chosen.value.get(is_true) == simdjson::SUCCESS) {
      return graphs_.expressions.Bool(is_true);
    }
    const std::optional<int64_t> number =
        chosen.tag == "as_int" ? WholeNumber(chosen.value) : std::nullopt;
    return number ? graphs_.expressions.Integer(*number) : ExprId::kNone;
  }
  dom::object object;
  if (chosen.value.get(object) != simdjson::SUCCESS) return ExprId::kNone;
  const std::string_view text = JsonText(object, "expr_str");
  // Schemas before 7.0 have sympy's str, later ones its srepr.
  const bool is_srepr = HasText(text, "Symbol('") || HasText(text, "Integer(");
  const ExprId expression =
      is_srepr ? graphs_.expressions.ParseSrepr(text) : graphs_.expressions.Parse(text);
  if (expression == ExprId::kNone) {
    graphs_.stats.Bump(Stat::graph_expression_unknown, input_, 0);
    return expression;
  }
  if (graphs_.expressions.kind(expression) != ExprKind::kSymbol) return expression;
  // The hint is a union since schema 2, a plain number before.
  if (const auto hint = JsonField(object, "hint")) {
    const std::optional<int64_t> value =
        hint->is_object() ? WholeNumber(UnionOf(*hint).value) : WholeNumber(*hint);
    if (value) symbols_.Of(expression).hint = value;
  }
  return expression;
}

std::vector<ExprId> ExportedTypes::Sizes(dom::element sizes) {
  std::vector<ExprId> read;
  dom::array array;
  if (sizes.get(array) != simdjson::SUCCESS) return read;
  read.reserve(array.size());
  for (const dom::element size : array) read.push_back(Expression(size));
  return read;
}

uint32_t ExportedTypes::OfTensor(dom::element meta) {
  ValueType type;
  type.kind = ValueType::Kind::kTensor;
  dom::object object;
  if (meta.get(object) == simdjson::SUCCESS) {
    if (const std::optional<int64_t> dtype = JsonInt(object, "dtype")) {
      type.dtype = graphs_.strings.Intern(ExportedDtype(*dtype));
    }
    if (const auto device = JsonField(object, "device")) {
      type.device = graphs_.strings.Intern(ExportedDevice(*device));
    }
    if (const auto sizes = JsonField(object, "sizes")) {
      type.shape = Sizes(*sizes);
      type.has_shape = true;
    }
    if (const auto strides = JsonField(object, "strides")) {
      type.stride = Sizes(*strides);
      type.has_stride = true;
    }
    bool requires_grad = false;
    if (object["requires_grad"].get(requires_grad) == simdjson::SUCCESS) {
      type.requires_grad = requires_grad;
    }
  }
  return graphs_.InternType(std::move(type));
}

uint32_t ExportedTypes::OfSymbolic(ValueType::Kind kind, dom::element symbolic) {
  ValueType type;
  type.kind = kind;
  type.expression = Expression(symbolic);
  return graphs_.InternType(std::move(type));
}

uint32_t ExportedTypes::OfObject(std::string_view class_name) {
  ValueType type;
  type.kind = ValueType::Kind::kObject;
  type.dtype = graphs_.strings.Intern(class_name);
  return graphs_.InternType(std::move(type));
}

uint32_t ExportedTypes::OfNone() {
  ValueType type;
  type.kind = ValueType::Kind::kNone;
  return graphs_.InternType(std::move(type));
}

}  // namespace shapewise
