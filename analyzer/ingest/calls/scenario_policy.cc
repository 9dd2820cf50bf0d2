#include "ingest/calls/json_values.h"

#include <limits>
#include <utility>

#include "ingest/json_fields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// A value as Python prints it, for SetPolicyOption.
std::string PythonText(element value) {
  if (value.is_null()) return "None";
  if (const auto truth = JsonAs<bool>(value)) return *truth ? "True" : "False";
  if (const auto text = JsonAs<std::string_view>(value)) return std::string(*text);
  return simdjson::minify(value);
}

bool ReadMark(object json, ScenarioMark& mark) {
  mark.argument = JsonText(json, "arg");
  const std::optional<DimMark> read = ReadDimMark(json);
  if (mark.argument.empty() || !read) return false;
  mark.mark = *read;
  const std::optional<element> calls = JsonField(json, "calls");
  if (calls) mark.calls = JsonInts(*calls);
  return !calls || mark.calls;
}

bool ReadBuckets(object json, ScenarioBuckets& buckets) {
  buckets.argument = JsonText(json, "arg");
  buckets.dim = JsonInt(json, "dim").value_or(-1);
  const std::optional<element> sizes = JsonField(json, "sizes");
  auto read = sizes ? JsonInts(*sizes) : std::nullopt;
  if (buckets.argument.empty() || buckets.dim < 0 || !read) return false;
  buckets.sizes = std::move(*read);
  return true;
}

/// Reads a list of objects; false if `value` is not a list, or an item has an unexpected form.
template <typename Item, typename Read>
bool ReadList(element value, std::vector<Item>& items, const Read& read) {
  const auto list = JsonAs<array>(value);
  if (!list) return value.is_null();
  for (const element entry : *list) {
    const auto json = JsonAs<object>(entry);
    Item item;
    if (!json || !read(*json, item)) return false;
    items.push_back(std::move(item));
  }
  return true;
}

bool ReadStances(element value, std::map<int64_t, Stance>& stances) {
  const auto json = JsonAs<object>(value);
  if (!json) return value.is_null();
  for (const auto& [key, name] : *json) {
    const auto text = JsonAs<std::string_view>(name);
    const auto stance = text ? StanceNamed(*text) : std::nullopt;
    const auto call = ParseNumber(key);
    if (!stance || !call) return false;
    stances[*call] = *stance;
  }
  return true;
}

/// Sets the options in the object `value`, whose names in policies begin with `prefix`; records the
/// names of options that cannot be set.
void SetOptions(std::string_view where, element value, CompilePolicy& policy,
                std::string_view prefix = {}) {
  if (value.is_null()) return;
  const auto json = JsonAs<object>(value);
  if (!json) {
    policy.unknown_options.emplace_back(where);
    return;
  }
  for (const auto& [key, option] : *json) {
    const std::string text = PythonText(option);
    const std::string name = std::string(prefix) + std::string(key);
    if (!SetPolicyOption(policy, name, text)) policy.unknown_options.push_back(name + "=" + text);
  }
}

}  // namespace

ScenarioPolicy ReadScenarioPolicy(object json) {
  ScenarioPolicy read;
  CompilePolicy& policy = read.policy;
  for (const auto& [key, value] : json) {
    bool is_known = true;
    if (key == "config" || key == "shape_config") {
      SetOptions(key, value, policy);
    } else if (key == "inductor") {
      SetOptions(key, value, policy, kInductorPrefix);
    } else if (key == "marks") {
      is_known = ReadList(value, read.marks, ReadMark);
    } else if (key == "buckets") {
      is_known = ReadList(value, read.buckets, ReadBuckets);
    } else if (key == "stance") {
      is_known = ReadStances(value, read.stances);
    } else if (IsOneOf(key, {"isolate", "dynamic_sources", "unbacked_sources"})) {
      const std::string_view option = key == "isolate" ? "isolate_recompiles" : key;
      is_known = value.is_null() || SetPolicyOption(policy, option, PythonText(value));
    } else if (IsOneOf(key, {"dynamic", "fullgraph", "recompile_limit", "mode",
                             "float32_matmul_precision"})) {
      is_known = SetPolicyOption(policy, key, PythonText(value));
    } else {
      is_known = key == "instances";  // the number of wrappers follows from the calls
    }
    if (!is_known) policy.unknown_options.push_back(std::string(key) + "=" + PythonText(value));
  }
  return read;
}

std::optional<Stance> StanceNamed(std::string_view name) {
  return llvm::StringSwitch<std::optional<Stance>>(name)
      .Case("default", Stance::kDefault)
      .Case("force_eager", Stance::kForceEager)
      .Case("eager_on_recompile", Stance::kEagerOnRecompile)
      .Case("fail_on_recompile", Stance::kFailOnRecompile)
      .Case("eager_then_compile", Stance::kEagerThenCompile)
      .Case("aot_eager_then_compile", Stance::kAotEagerThenCompile)
      .Default(std::nullopt);
}

std::optional<DimMark> ReadDimMark(object json) {
  const std::optional<int64_t> dim = JsonInt(json, "dim");
  const auto kind = llvm::StringSwitch<std::optional<MarkKind>>(JsonText(json, "kind"))
                        .Case("dynamic", MarkKind::kDynamic)
                        .Case("maybe", MarkKind::kMaybe)
                        .Case("static", MarkKind::kStatic)
                        .Case("unbacked", MarkKind::kUnbacked)
                        .Default(std::nullopt);
  constexpr int64_t kMaxDim = std::numeric_limits<int32_t>::max();
  if (!dim || !kind || *dim > kMaxDim || *dim < -kMaxDim) return std::nullopt;
  DimMark mark;
  mark.dim = static_cast<int32_t>(*dim);
  mark.kind = *kind;
  mark.min = JsonInt(json, "min");
  mark.max = JsonInt(json, "max");
  return mark;
}

}  // namespace shapewise
