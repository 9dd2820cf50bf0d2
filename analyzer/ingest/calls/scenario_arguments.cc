#include "ingest/calls/scenario_arguments.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/calls/python_names.h"
#include "ingest/json_fields.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr int64_t kOffsetOfLayout = 3;  // of the layout "off"

/// Strides of the scenarios' layouts. Doubling a size leaves the strides in front of it as if the
/// tensor were cut out of a wider one.
std::vector<int64_t> StridesOf(std::string_view layout, const std::vector<int64_t>& sizes) {
  const size_t dims = sizes.size();
  if (layout == "t" && dims >= 2) {
    std::vector<int64_t> swapped = sizes;
    std::swap(swapped[dims - 1], swapped[dims - 2]);
    std::vector<int64_t> strides = ContiguousStrides(swapped);
    std::swap(strides[dims - 1], strides[dims - 2]);
    return strides;
  }
  if (layout == "s2" && dims >= 1) {
    std::vector<int64_t> wide = sizes;
    if (__builtin_mul_overflow(wide.back(), int64_t{2}, &wide.back())) wide.back() = INT64_MAX;
    std::vector<int64_t> strides = ContiguousStrides(wide);
    strides.back() = 2;
    return strides;
  }
  return ContiguousStrides(sizes);
}

}  // namespace

bool ScenarioArguments::Read(std::string_view name, element json, int64_t call) {
  argument_ = name;
  call_ = call;
  const std::string text = SourceOfKey("L", name);
  return ReadValue(builder_.Source(CallHistoryBuilder::kNoParent, text), text, json);
}

bool ScenarioArguments::ReadValue(uint32_t source, const std::string& text, element json) {
  object value;
  if (json.get(value) != simdjson::SUCCESS) return Fail("an argument is no object");
  const std::string_view kind = JsonText(value, "k");
  if (kind == "T" || kind == "ids") return ReadTensor(source, value, kind);
  if (kind == "list" || kind == "tuple") return ReadItems(source, text, value, kind);
  if (kind == "dict") return ReadKeys(source, text, value);
  return ReadPlain(source, value, kind);
}

bool ScenarioArguments::ReadTensor(uint32_t source, object json, std::string_view kind) {
  const std::optional<array> shape = JsonArray(json, "shape");
  if (!shape) return Fail("a tensor without a shape");
  TensorValue tensor;
  for (const element item : *shape) {
    int64_t size = 0;
    if (item.get(size) != simdjson::SUCCESS || size < 0) return Fail("a size that is no number");
    tensor.sizes.push_back(size);
    if (tensor.sizes.size() > TensorValue::kMaxDims) return Fail("a tensor of more than 64 dims");
  }
  Pad(tensor.sizes);
  std::string_view dtype = JsonText(json, "dtype");
  if (dtype.empty()) dtype = "float32";
  std::string_view layout = JsonText(json, "layout");
  if (kind == "ids") {
    dtype = "int64";
    layout = {};
  }
  if (!layout.empty() && layout != "c" && layout != "t" && layout != "s2" && layout != "off") {
    return Fail("layout '" + std::string(layout) + "' is not known");
  }
  tensor.dtype = builder_.strings().Intern("torch." + std::string(dtype));
  tensor.device = builder_.strings().Intern("cpu");
  tensor.requires_grad = kind == "T" && JsonIsTrue(json, "rg");
  tensor.is_layout_told = true;
  tensor.strides = StridesOf(layout, tensor.sizes);
  tensor.storage_offset = layout == "off" ? kOffsetOfLayout : 0;
  tensor.marks = Marks(tensor.sizes.size());
  builder_.SetTensor(source, tensor);
  return true;
}

bool ScenarioArguments::ReadPlain(uint32_t source, object json, std::string_view kind) {
  CallValue value;
  if (kind == "none") {
    value.kind = CallValue::Kind::kNone;
    builder_.Set(source, value);
    return true;
  }
  const std::optional<element> given = JsonField(json, "v");
  if (!given) return Fail("an argument of kind '" + std::string(kind) + "' without a value");
  bool is_read = false;
  if (kind == "int") {
    value.kind = CallValue::Kind::kInt;
    is_read = given->get(value.integer) == simdjson::SUCCESS;
  } else if (kind == "float") {
    value.kind = CallValue::Kind::kFloat;
    is_read = given->get(value.number) == simdjson::SUCCESS;
  } else if (kind == "bool") {
    bool truth = false;
    is_read = given->get(truth) == simdjson::SUCCESS;
    value.kind = CallValue::Kind::kBool;
    value.integer = truth ? 1 : 0;
  } else if (kind == "str") {
    std::string_view text;
    is_read = given->get(text) == simdjson::SUCCESS;
    value.kind = CallValue::Kind::kStr;
    value.text = builder_.strings().Intern(text);
  } else {
    return Fail("argument kind '" + std::string(kind) + "' is not known");
  }
  if (!is_read) return Fail("an argument of kind '" + std::string(kind) + "' with another value");
  builder_.Set(source, value);
  return true;
}

bool ScenarioArguments::ReadItems(uint32_t source, const std::string& text, object json,
                                  std::string_view kind) {
  const std::optional<array> items = JsonArray(json, "v");
  if (!items) return Fail("a " + std::string(kind) + " without items");
  argument_ = {};
  int64_t length = 0;
  for (const element item : *items) {
    const std::string part = text + "[" + std::to_string(length++) + "]";
    if (!ReadValue(builder_.Source(source, part), part, item)) return false;
  }
  CallValue value;
  value.kind = CallValue::Kind::kLength;
  value.integer = length;
  value.text = builder_.strings().Intern(kind);
  builder_.Set(source, value);
  return true;
}

bool ScenarioArguments::ReadKeys(uint32_t source, const std::string& text, object json) {
  const std::optional<object> items = JsonObject(json, "v");
  if (!items) return Fail("a dict without items");
  argument_ = {};
  std::string keys;
  for (const auto& [key, item] : *items) {
    keys += (keys.empty() ? "" : ", ") + PythonString(key);
    const std::string part = SourceOfKey(text, key);
    if (!ReadValue(builder_.Source(source, part), part, item)) return false;
  }
  CallValue value;
  value.kind = CallValue::Kind::kKeys;
  value.text = builder_.strings().Intern("[" + keys + "]");
  builder_.Set(source, value);
  return true;
}

bool ScenarioArguments::Fail(std::string why) {
  why_ = std::move(why);
  return false;
}

void ScenarioArguments::Pad(std::vector<int64_t>& sizes) const {
  for (const ScenarioBuckets& buckets : policy_.buckets) {
    const auto dim = static_cast<size_t>(buckets.dim);
    if (buckets.argument != argument_ || dim >= sizes.size()) continue;
    std::optional<int64_t> least;
    for (const int64_t size : buckets.sizes) {
      if (size >= sizes[dim] && (!least || size < *least)) least = size;
    }
    if (least) sizes[dim] = *least;
  }
}

std::vector<DimMark> ScenarioArguments::Marks(size_t dims) const {
  std::vector<DimMark> marks;
  for (const ScenarioMark& mark : policy_.marks) {
    if (mark.argument != argument_ || mark.mark.dim >= static_cast<int64_t>(dims)) continue;
    if (mark.calls && !llvm::is_contained(*mark.calls, call_)) continue;
    marks.push_back(mark.mark);
  }
  return marks;
}

}  // namespace shapewise
