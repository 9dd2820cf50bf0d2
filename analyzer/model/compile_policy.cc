#include "model/compile_policy.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

/// An option that is one field. `old_name`: of older releases.
struct Option {
  std::string_view name;
  std::variant<bool CompilePolicy::*, int64_t CompilePolicy::*, std::string CompilePolicy::*> field;
  std::string_view old_name{};
};

constexpr Option kOptions[] = {
    {"recompile_limit", &CompilePolicy::recompile_limit, "cache_size_limit"},
    {"accumulated_recompile_limit", &CompilePolicy::accumulated_recompile_limit,
     "accumulated_cache_size_limit"},
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

bool SetField(bool& field, std::string_view value) {
  const std::optional<bool> choice = BoolOf(value);
  if (choice) field = *choice;
  return choice.has_value();
}

bool SetField(int64_t& field, std::string_view value) {
  int64_t number = 0;
  const bool is_bad = llvm::StringRef(value.data(), value.size()).getAsInteger(10, number);
  if (is_bad || number < 0) return false;
  field = number;
  return true;
}

bool SetField(std::string& field, std::string_view value) {
  field = value;
  return true;
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

enum class SettingKind : uint8_t { kSwitch, kNumber, kWord, kSizes };

/// A setting and its possible values. None of them can name a program, a file or code.
struct Setting {
  std::string_view name;
  SettingKind kind = SettingKind::kSwitch;
  std::span<const std::string_view> words{};  ///< for kWord
};

constexpr std::string_view kModes[] = {"default", "lite", "reduce-overhead", "max-autotune",
                                       "max-autotune-no-cudagraphs"};
constexpr std::string_view kPrecisions[] = {"highest", "high", "medium"};

// Must match python/shapewise/replay/settings.py; tests/python/test_policy.py compares them.
constexpr Setting kSettings[] = {
    {"float32_matmul_precision", SettingKind::kWord, kPrecisions},
    {"inductor.aggressive_fusion"},
    {"inductor.benchmark_kernel"},
    {"inductor.combo_kernels"},
    {"inductor.comprehensive_padding"},
    {"inductor.conv_1x1_as_mm"},
    {"inductor.coordinate_descent_tuning"},
    {"inductor.cpp_wrapper"},
    {"inductor.emulate_precision_casts"},
    {"inductor.epilogue_fusion"},
    {"inductor.fallback_random"},
    {"inductor.freezing"},
    {"inductor.graph_partition"},
    {"inductor.layout_optimization"},
    {"inductor.max_autotune"},
    {"inductor.max_autotune_gemm"},
    {"inductor.max_autotune_pointwise"},
    {"inductor.online_softmax"},
    {"inductor.pattern_matcher"},
    {"inductor.permute_fusion"},
    {"inductor.reorder_for_locality"},
    {"inductor.shape_padding"},
    {"inductor.split_reductions"},
    {"inductor.triton.cudagraph_capture_sizes", SettingKind::kSizes},
    {"inductor.triton.cudagraph_dynamic_shape_warn_limit", SettingKind::kNumber},
    {"inductor.triton.cudagraph_skip_dynamic_graphs"},
    {"inductor.triton.cudagraph_support_input_mutation"},
    {"inductor.triton.cudagraphs"},
    {"inductor.triton.multi_kernel", SettingKind::kNumber},
    {"inductor.triton.persistent_reductions"},
    {"inductor.triton.prefer_nd_tiling"},
    {"mode", SettingKind::kWord, kModes},
};

constexpr int64_t kMostNumber = int64_t{1} << 31;
constexpr size_t kMostSizes = 4096;

std::optional<int64_t> NumberOf(llvm::StringRef text) {
  int64_t number = 0;
  if (text.trim().getAsInteger(10, number) || number < 0 || number > kMostNumber) {
    return std::nullopt;
  }
  return number;
}

/// "(8, 16)", "[8, 16]", "8|16"; a trailing comma is allowed.
std::optional<std::vector<int64_t>> SizesOf(llvm::StringRef text) {
  text = text.trim();
  const bool is_tuple = text.consume_front("(");
  const bool is_list = !is_tuple && text.consume_front("[");
  if ((is_tuple && !text.consume_back(")")) || (is_list && !text.consume_back("]"))) {
    return std::nullopt;
  }
  text = text.rtrim();
  if (is_tuple || is_list) text.consume_back(",");
  std::vector<int64_t> sizes;
  while (true) {
    const size_t end = std::min(text.find_first_of(",|"), text.size());
    const std::optional<int64_t> size = NumberOf(text.take_front(end));
    if (!size || *size < 1 || sizes.size() >= kMostSizes) return std::nullopt;
    sizes.push_back(*size);
    if (end == text.size()) return sizes;
    text = text.drop_front(end + 1);
  }
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
  if (name.empty()) return false;
  for (const Option& option : kOptions) {
    if (option.name != name && option.old_name != name) continue;
    return std::visit([&](auto field) { return SetField(policy.*field, value); }, option.field);
  }
  std::optional<SettingValue> setting = ReadSetting(name, value);
  if (setting) policy.settings.insert_or_assign(std::string(name), std::move(*setting));
  return setting.has_value();
}

std::vector<std::string_view> PolicyOptionNames() {
  std::vector<std::string_view> names = {kDynamic};
  for (const Option& option : kOptions) names.push_back(option.name);
  names.push_back(kMarkAs);
  names.push_back(kStaticByDefault);
  for (const Option& option : kOptions) {
    if (!option.old_name.empty()) names.push_back(option.old_name);
  }
  for (const std::string_view name : SettingNames()) names.push_back(name);
  return names;
}

std::optional<SettingValue> ReadSetting(std::string_view name, std::string_view text) {
  const auto* const setting = std::ranges::find(kSettings, name, &Setting::name);
  if (setting == std::end(kSettings)) return std::nullopt;
  switch (setting->kind) {
    case SettingKind::kSwitch:
      if (text == "True" || text == "true") return true;
      if (text == "False" || text == "false") return false;
      return std::nullopt;
    case SettingKind::kNumber:
      if (const auto number = NumberOf(llvm::StringRef(text.data(), text.size()))) return *number;
      return std::nullopt;
    case SettingKind::kWord:
      if (std::ranges::find(setting->words, text) == setting->words.end()) return std::nullopt;
      return std::string(text);
    case SettingKind::kSizes:
      if (auto sizes = SizesOf(llvm::StringRef(text.data(), text.size()))) return std::move(*sizes);
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string_view> SettingNames() {
  std::vector<std::string_view> names;
  for (const Setting& setting : kSettings) names.push_back(setting.name);
  return names;
}

}  // namespace shapewise
