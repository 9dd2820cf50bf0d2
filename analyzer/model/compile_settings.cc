#include "model/compile_settings.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

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
