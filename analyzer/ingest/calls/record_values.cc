#include "ingest/calls/record_values.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include "ingest/calls/python_names.h"
#include "ingest/calls/scenario_policy.h"
#include "ingest/json_fields.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;
using CallKind = CallValue::Kind;

/// Sizes or strides; absent: one is no number, or below zero.
std::optional<std::vector<int64_t>> ReadSizes(array items) {
  std::vector<int64_t> sizes;
  for (const element item : items) {
    int64_t size = 0;
    if (item.get(size) != simdjson::SUCCESS || size < 0) return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

/// A float that JSON has no number for: "nan", "inf", "-inf".
std::optional<double> FloatNamed(std::string_view name) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return kInfinity;
  if (name == "-inf") return -kInfinity;
  return std::nullopt;
}

}  // namespace

bool RecordValues::Read(std::string_view name, element json) {
  const std::string text = SourceOfName(name);
  return ReadValue(builder_.Source(CallHistoryBuilder::kNoParent, text), text, json);
}

bool RecordValues::ReadValue(uint32_t source, const std::string& text, element json) {
  CallValue value;
  switch (json.type()) {
    case simdjson::dom::element_type::OBJECT: {
      object fields;
      return json.get(fields) == simdjson::SUCCESS && ReadObject(source, text, fields);
    }
    case simdjson::dom::element_type::NULL_VALUE:
      value.kind = CallKind::kNone;
      break;
    case simdjson::dom::element_type::BOOL:
      value.kind = CallKind::kBool;
      value.integer = bool(json) ? 1 : 0;
      break;
    case simdjson::dom::element_type::INT64:
      value.kind = CallKind::kInt;
      value.integer = int64_t(json);
      break;
    case simdjson::dom::element_type::DOUBLE:
      value.kind = CallKind::kFloat;
      value.number = double(json);
      break;
    case simdjson::dom::element_type::STRING:
      value.kind = CallKind::kStr;
      value.text = builder_.strings().Intern(std::string_view(json));
      break;
    default:
      return Fail(text + ": neither a value nor an object");
  }
  builder_.Set(source, value);
  return true;
}

bool RecordValues::ReadObject(uint32_t source, const std::string& text, object json) {
  if (JsonField(json, "size")) return ReadTensor(source, json) || Fail(text + ": " + why_);
  if (const std::optional<array> items = JsonArray(json, "list")) {
    return ReadItems(source, text, *items, "list");
  }
  if (const std::optional<array> items = JsonArray(json, "tuple")) {
    return ReadItems(source, text, *items, "tuple");
  }
  if (const std::optional<object> items = JsonObject(json, "dict")) {
    return ReadKeys(source, text, *items);
  }
  CallValue value;
  if (const std::optional<double> number = FloatNamed(JsonText(json, "float"))) {
    value.kind = CallKind::kFloat;
    value.number = *number;
  } else if (const std::string_view opaque = JsonText(json, "opaque"); !opaque.empty()) {
    value.kind = CallKind::kOpaque;
    value.text = builder_.strings().Intern(opaque);
  } else if (JsonIsTrue(json, "unknown")) {
    value.kind = CallKind::kUnknown;
  } else {
    return Fail(text + ": an object with none of size, list, tuple, dict, float, opaque, unknown");
  }
  builder_.Set(source, value);
  return true;
}

bool RecordValues::ReadTensor(uint32_t source, object json) {
  TensorValue tensor;
  const std::optional<array> given = JsonArray(json, "size");
  std::optional<std::vector<int64_t>> sizes = given ? ReadSizes(*given) : std::nullopt;
  if (!sizes) return Fail("size is no list of sizes");
  if (sizes->size() > TensorValue::kMaxDims) return Fail("a tensor of more than 64 dims");
  tensor.sizes = std::move(*sizes);
  tensor.strides = ContiguousStrides(tensor.sizes);
  if (const std::optional<array> strides = JsonArray(json, "stride")) {
    std::optional<std::vector<int64_t>> read = ReadSizes(*strides);
    if (!read || read->size() != tensor.sizes.size()) return Fail("stride does not fit size");
    tensor.strides = std::move(*read);
    tensor.is_layout_told = true;
  }
  tensor.storage_offset = JsonInt(json, "offset").value_or(0);
  if (std::string_view dtype = JsonText(json, "dtype"); !dtype.empty()) {
    const bool is_short = dtype.find('.') == std::string_view::npos;
    tensor.dtype = builder_.strings().Intern((is_short ? "torch." : "") + std::string(dtype));
  }
  tensor.device = builder_.strings().Intern(JsonText(json, "device"));
  const std::string_view type = JsonText(json, "type");
  if (type != "Tensor") tensor.type = builder_.strings().Intern(type);
  tensor.keys = builder_.strings().Intern(JsonText(json, "keys"));
  tensor.requires_grad = JsonIsTrue(json, "requires_grad");
  const int64_t same = JsonInt(json, "object").value_or(0);
  if (same < 0 || same > UINT32_MAX) return Fail("object is no small number");
  tensor.object = static_cast<uint32_t>(same);
  if (const std::optional<array> marks = JsonArray(json, "marks")) {
    for (const element entry : *marks) {
      object fields;
      if (entry.get(fields) != simdjson::SUCCESS) return Fail("a mark is no object");
      const std::optional<DimMark> mark = ReadDimMark(fields);
      if (!mark) return Fail("a mark has no dim, or a kind that is not known");
      tensor.marks.push_back(*mark);
    }
  }
  builder_.SetTensor(source, tensor);
  return true;
}

bool RecordValues::ReadItems(uint32_t source, const std::string& text, array items,
                             std::string_view kind) {
  CallValue value;
  value.kind = CallKind::kLength;
  value.text = builder_.strings().Intern(kind);
  for (const element item : items) {
    const std::string part = text + "[" + std::to_string(value.integer++) + "]";
    if (!ReadValue(builder_.Source(source, part), part, item)) return false;
  }
  builder_.Set(source, value);
  return true;
}

bool RecordValues::ReadKeys(uint32_t source, const std::string& text, object items) {
  std::string keys;
  for (const auto& [key, item] : items) {
    keys += (keys.empty() ? "" : ", ") + PythonString(key);
    const std::string part = SourceOfKey(text, key);
    if (!ReadValue(builder_.Source(source, part), part, item)) return false;
  }
  CallValue value;
  value.kind = CallKind::kKeys;
  value.text = builder_.strings().Intern("[" + keys + "]");
  builder_.Set(source, value);
  return true;
}

bool RecordValues::Fail(std::string why) {
  why_ = std::move(why);
  return false;
}

}  // namespace shapewise
