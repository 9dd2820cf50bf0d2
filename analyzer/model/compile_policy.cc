#include "model/compile_policy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

/// A boolean option.
struct Switch {
  std::string_view name;
  bool CompilePolicy::* field;
};

constexpr Switch kSwitches[] = {
    {"fullgraph", &CompilePolicy::fullgraph},
    {"isolate_recompiles", &CompilePolicy::isolate_recompiles},
    {"automatic_dynamic_shapes", &CompilePolicy::automatic_dynamic_shapes},
    {"automatic_dynamic_exclusion_guard", &CompilePolicy::automatic_dynamic_exclusion_guard},
    {"fail_on_recompile_limit_hit", &CompilePolicy::fail_on_recompile_limit_hit},
    {"error_on_recompile", &CompilePolicy::error_on_recompile},
    {"specialize_int", &CompilePolicy::specialize_int},
    {"specialize_float", &CompilePolicy::specialize_float},
    {"allow_unspec_int_on_nn_module", &CompilePolicy::allow_unspec_int_on_nn_module},
    {"force_parameter_static_shapes", &CompilePolicy::force_parameter_static_shapes},
    {"force_nn_module_property_static_shapes",
     &CompilePolicy::force_nn_module_property_static_shapes},
    {"allow_ignore_mark_dynamic", &CompilePolicy::allow_ignore_mark_dynamic},
    {"capture_scalar_outputs", &CompilePolicy::capture_scalar_outputs},
    {"capture_dynamic_output_shape_ops", &CompilePolicy::capture_dynamic_output_shape_ops},
    {"use_duck_shape", &CompilePolicy::use_duck_shape},
    {"backed_size_oblivious", &CompilePolicy::backed_size_oblivious},
};

/// A numeric option; the second name is that of older releases.
struct Limit {
  std::string_view name;
  std::string_view old_name;
  int64_t CompilePolicy::* field;
};

constexpr Limit kLimits[] = {
    {"recompile_limit", "cache_size_limit", &CompilePolicy::recompile_limit},
    {"accumulated_recompile_limit", "accumulated_cache_size_limit",
     &CompilePolicy::accumulated_recompile_limit},
};

/// A text option.
struct Text {
  std::string_view name;
  std::string CompilePolicy::* field;
};

constexpr Text kTexts[] = {
    {"dynamic_sources", &CompilePolicy::dynamic_sources},
    {"unbacked_sources", &CompilePolicy::unbacked_sources},
};

constexpr std::string_view kDynamic = "dynamic";
constexpr std::string_view kMarkAs = "automatic_dynamic_shapes_mark_as";
constexpr std::string_view kStaticByDefault = "assume_static_by_default";

std::optional<bool> BoolOf(std::string_view value) {
  if (value == "True" || value == "true" || value == "1") return true;
  if (value == "False" || value == "false" || value == "0") return false;
  return std::nullopt;
}

bool SetDynamic(CompilePolicy& policy, std::string_view value) {
  const std::optional<bool> choice = BoolOf(value);
  if (!choice && value != "None" && value != "null") return false;
  policy.dynamic = !choice   ? DynamicOption::kNone
                   : *choice ? DynamicOption::kTrue
                             : DynamicOption::kFalse;
  return true;
}

bool SetStaticByDefault(CompilePolicy& policy, std::string_view value) {
  const std::optional<bool> choice = BoolOf(value);
  if (!choice) return false;
  // dynamic=True implies assume_static_by_default=False, and dynamic=False overrides it.
  if (!*choice && policy.dynamic == DynamicOption::kNone) policy.dynamic = DynamicOption::kTrue;
  return true;
}

}  // namespace

bool ChangesInputs(const CompilePolicy& policy) {
  return !policy.marks.empty() || !policy.buckets.empty() || policy.shapes || policy.serving;
}

bool Pads(const CompilePolicy& policy, std::string_view source, int32_t dim) {
  const auto is_it = [&](const auto& padded) {
    return padded.source == source && padded.dim == dim;
  };
  const auto is_padded = [](const SizeSpan& span) {
    return span.way == SizeWay::kStatic || span.way == SizeWay::kAligned;
  };
  if (std::ranges::any_of(policy.buckets, is_it)) return true;
  if (policy.shapes && std::ranges::any_of(policy.shapes->dims, is_it)) return true;
  return policy.serving && std::ranges::any_of(policy.serving->spans, is_padded) &&
         std::ranges::any_of(policy.serving->dims, is_it);
}

bool SetPolicyOption(CompilePolicy& policy, std::string_view name, std::string_view value) {
  if (name == kDynamic) return SetDynamic(policy, value);
  if (name == kStaticByDefault) return SetStaticByDefault(policy, value);
  if (name == kMarkAs) {
    if (value != "dynamic" && value != "unbacked") return false;
    policy.automatic_dynamic_marks_unbacked = value == "unbacked";
    return true;
  }
  for (const Switch& option : kSwitches) {
    if (option.name != name) continue;
    const std::optional<bool> choice = BoolOf(value);
    if (choice) policy.*option.field = *choice;
    return choice.has_value();
  }
  for (const Limit& option : kLimits) {
    if (option.name != name && option.old_name != name) continue;
    int64_t number = 0;
    const bool is_bad = llvm::StringRef(value.data(), value.size()).getAsInteger(10, number);
    if (is_bad || number < 0) return false;
    policy.*option.field = number;
    return true;
  }
  for (const Text& option : kTexts) {
    if (option.name != name) continue;
    policy.*option.field = value;
    return true;
  }
  std::optional<SettingValue> setting = ReadSetting(name, value);
  if (setting) policy.settings.insert_or_assign(std::string(name), std::move(*setting));
  return setting.has_value();
}

std::vector<std::string_view> PolicyOptionNames() {
  std::vector<std::string_view> names = {kDynamic};
  for (const Limit& option : kLimits) names.push_back(option.name);
  for (const Switch& option : kSwitches) names.push_back(option.name);
  for (const Text& option : kTexts) names.push_back(option.name);
  names.push_back(kMarkAs);
  names.push_back(kStaticByDefault);
  for (const Limit& option : kLimits) names.push_back(option.old_name);
  for (const std::string_view name : SettingNames()) names.push_back(name);
  return names;
}

}  // namespace shapewise
