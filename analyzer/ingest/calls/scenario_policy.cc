#include "ingest/calls/scenario_policy.h"

#include <charconv>
#include <limits>
#include <utility>

#include "ingest/json_fields.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// A value as Python prints it, for SetPolicyOption.
std::string PythonText(element value) {
  if (value.is_null()) return "None";
  if (bool truth = false; value.get(truth) == simdjson::SUCCESS) return truth ? "True" : "False";
  if (std::string_view text; value.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(value);
}

std::optional<std::vector<int64_t>> ReadInts(element value) {
  array items;
  if (value.get(items) != simdjson::SUCCESS) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const element item : items) {
    int64_t number = 0;
    if (item.get(number) != simdjson::SUCCESS) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

bool ReadMark(object json, ScenarioMark& mark) {
  mark.argument = JsonText(json, "arg");
  const std::optional<DimMark> read = ReadDimMark(json);
  if (mark.argument.empty() || !read) return false;
  mark.mark = *read;
  if (const std::optional<element> calls = JsonField(json, "calls")) {
    mark.calls = ReadInts(*calls);
    if (!mark.calls) return false;
  }
  return true;
}

bool ReadBuckets(object json, ScenarioBuckets& buckets) {
  buckets.argument = JsonText(json, "arg");
  const std::optional<int64_t> dim = JsonInt(json, "dim");
  const std::optional<element> sizes = JsonField(json, "sizes");
  if (buckets.argument.empty() || !dim || *dim < 0 || !sizes) return false;
  buckets.dim = *dim;
  std::optional<std::vector<int64_t>> read = ReadInts(*sizes);
  if (!read) return false;
  buckets.sizes = std::move(*read);
  return true;
}

/// Reads a list of objects; false if it is none, or one of them is not as expected.
template <typename Item, typename Read>
bool ReadList(element value, std::vector<Item>& items, const Read& read) {
  if (value.is_null()) return true;
  array list;
  if (value.get(list) != simdjson::SUCCESS) return false;
  for (const element entry : list) {
    object json;
    Item item;
    if (entry.get(json) != simdjson::SUCCESS || !read(json, item)) return false;
    items.push_back(std::move(item));
  }
  return true;
}

bool ReadStances(element value, std::map<int64_t, Stance>& stances) {
  if (value.is_null()) return true;
  object json;
  if (value.get(json) != simdjson::SUCCESS) return false;
  for (const auto& [key, name] : json) {
    int64_t call = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), call);
    std::string_view text;
    if (error != std::errc() || end != key.data() + key.size()) return false;
    if (name.get(text) != simdjson::SUCCESS) return false;
    const std::optional<Stance> stance = StanceNamed(text);
    if (!stance) return false;
    stances[call] = *stance;
  }
  return true;
}

/// Sets the options in the object `value`, whose names `prefix` stands before in policies; what
/// can't be set is named.
void ReadInductorOptions(std::string_view where, element value, CompilePolicy& policy,
                         std::string_view prefix = {}) {
  if (value.is_null()) return;
  object json;
  if (value.get(json) != simdjson::SUCCESS) {
    policy.unknown_options.emplace_back(where);
    return;
  }
  for (const auto& [key, option] : json) {
    const std::string text = PythonText(option);
    const std::string name = std::string(prefix) + std::string(key);
    if (SetPolicyOption(policy, name, text)) continue;
    policy.unknown_options.push_back(name + "=" + text);
  }
}

bool SetOption(CompilePolicy& policy, std::string_view name, element value) {
  return SetPolicyOption(policy, name, PythonText(value));
}

}  // namespace

ScenarioPolicy ReadScenarioPolicy(object json) {
  ScenarioPolicy read;
  CompilePolicy& policy = read.policy;
  for (const auto& [key, value] : json) {
    bool is_known = true;
    if (key == "config" || key == "shape_config") {
      ReadInductorOptions(key, value, policy);
    } else if (key == "marks") {
      is_known = ReadList(value, read.marks, ReadMark);
    } else if (key == "buckets") {
      is_known = ReadList(value, read.buckets, ReadBuckets);
    } else if (key == "stance") {
      is_known = ReadStances(value, read.stances);
    } else if (key == "isolate") {
      is_known = value.is_null() || SetOption(policy, "isolate_recompiles", value);
    } else if (key == "dynamic_sources" || key == "unbacked_sources") {
      is_known = value.is_null() || SetOption(policy, key, value);
    } else if (key == "inductor") {
      ReadInductorOptions(key, value, policy, kInductorPrefix);
    } else if (key == "dynamic" || key == "fullgraph" || key == "recompile_limit" ||
               key == "mode" || key == "float32_matmul_precision") {
      is_known = SetOption(policy, key, value);
    } else {
      is_known = key == "instances";  // wrappers are counted from the calls
    }
    if (!is_known) policy.unknown_options.push_back(std::string(key) + "=" + PythonText(value));
  }
  return read;
}

std::optional<Stance> StanceNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, Stance> kStances[] = {
      {"default", Stance::kDefault},
      {"force_eager", Stance::kForceEager},
      {"eager_on_recompile", Stance::kEagerOnRecompile},
      {"fail_on_recompile", Stance::kFailOnRecompile},
      {"eager_then_compile", Stance::kEagerThenCompile},
      {"aot_eager_then_compile", Stance::kAotEagerThenCompile},
  };
  for (const auto& [known, stance] : kStances) {
    if (known == name) return stance;
  }
  return std::nullopt;
}

std::optional<MarkKind> MarkKindNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, MarkKind> kKinds[] = {
      {"dynamic", MarkKind::kDynamic},
      {"maybe", MarkKind::kMaybe},
      {"static", MarkKind::kStatic},
      {"unbacked", MarkKind::kUnbacked},
  };
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

std::optional<DimMark> ReadDimMark(object json) {
  const std::optional<int64_t> dim = JsonInt(json, "dim");
  const std::optional<MarkKind> kind = MarkKindNamed(JsonText(json, "kind"));
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
