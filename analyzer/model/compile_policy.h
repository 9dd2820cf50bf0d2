// The settings of torch.compile and its configuration that a what-if can change.

#ifndef SHAPEWISE_MODEL_COMPILE_POLICY_H_
#define SHAPEWISE_MODEL_COMPILE_POLICY_H_

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/call_history.h"

namespace shapewise {

/// Prefix of Inductor settings in policies: "inductor.max_autotune".
inline constexpr std::string_view kInductorPrefix = "inductor.";

/// A truth value, a number, one of the setting's words, or sizes.
using SettingValue = std::variant<bool, int64_t, std::string, std::vector<int64_t>>;

/// Settings that change how graphs run, but not which graphs are compiled, by name: "mode"
/// (torch.compile), "float32_matmul_precision" (torch.set_float32_matmul_precision),
/// "inductor.NAME" (torch._inductor.config.NAME).
using CompileSettings = std::map<std::string, SettingValue, std::less<>>;

/// Parses the value of setting `name`, printed as in Python: "True", "high", "(8, 16)". Absent:
/// unknown setting or invalid value. The result is always a plain value of the setting's type,
/// whatever the text.
std::optional<SettingValue> ReadSetting(std::string_view name, std::string_view text);

/// The names that ReadSetting accepts, sorted.
std::vector<std::string_view> SettingNames();

/// torch.compile(dynamic=...).
enum class DynamicOption : uint8_t { kNone, kTrue, kFalse };

/// A mark on every call.
struct PolicyMark {
  std::string source;  ///< "L['x']"
  DimMark mark;

  friend bool operator==(const PolicyMark&, const PolicyMark&) = default;
};

/// Pads a dim to the smallest of `sizes` that fits, and leaves larger sizes unchanged.
struct PolicyBuckets {
  std::string source;
  int32_t dim = 0;
  std::vector<int64_t> sizes;  ///< ascending
  double fill = 0;             ///< the padding value: irrelevant for graphs, but not for results

  friend bool operator==(const PolicyBuckets&, const PolicyBuckets&) = default;
};

/// How calls with sizes in one range are served.
enum class SizeWay : uint8_t {
  kStatic,   ///< padded to one size, which has a static graph
  kDynamic,  ///< unpadded, by a dynamic graph (mark_dynamic)
  kAligned,  ///< padded to a multiple, by a separate dynamic graph
  kRange,    ///< by a dynamic graph for this range only (mark_dynamic with min and max)
  kEager,    ///< not compiled
};

/// A range of sizes.
struct SizeSpan {
  int64_t first = 0;
  int64_t last = 0;  ///< kNoLast: no upper bound
  SizeWay way = SizeWay::kDynamic;
  int64_t size = 0;  ///< kStatic: the padded size; kAligned: the multiple

  friend bool operator==(const SizeSpan&, const SizeSpan&) = default;
};
/// SizeSpan::last of a range without upper bound.
inline constexpr int64_t kNoLast = std::numeric_limits<int64_t>::max();

/// A dim of an input that is padded together with others.
struct PolicyDim {
  std::string source;
  int32_t dim = 0;
  double fill = 0;  ///< the padding value

  friend bool operator==(const PolicyDim&, const PolicyDim&) = default;
};

/// Ranges of sizes that are served in different ways, each by its own torch.compile without shared
/// cache entries (isolate_recompiles). Sizes outside all ranges use the dynamic graph.
struct PolicyServing {
  /// The size of the first dim selects the range; all dims are padded and marked in the same way.
  /// Not empty.
  std::vector<PolicyDim> dims;
  std::vector<SizeSpan> spans;  ///< ascending and disjoint

  friend bool operator==(const PolicyServing&, const PolicyServing&) = default;
};

/// Pads dims together to the first of `shapes` that fits all of them, and leaves them unchanged if
/// none does.
struct PolicyShapes {
  std::vector<PolicyDim> dims;
  std::vector<std::vector<int64_t>> shapes;  ///< one size per element of `dims`

  friend bool operator==(const PolicyShapes&, const PolicyShapes&) = default;
};

/// How a function is compiled. Defaults are those of PyTorch 2.13; field names follow
/// torch._dynamo.config, torch.fx.experimental._config and torch.compiler.config.
struct CompilePolicy {
  DynamicOption dynamic = DynamicOption::kNone;
  bool fullgraph = false;
  bool isolate_recompiles = false;  ///< of every wrapper
  int64_t recompile_limit = 8;
  int64_t accumulated_recompile_limit = 256;
  /// torch.compile(recompile_limit=...) of isolated wrappers, by number; overrides recompile_limit.
  std::map<uint16_t, int64_t> isolated_limits;
  bool automatic_dynamic_shapes = true;
  bool automatic_dynamic_marks_unbacked = false;  ///< automatic_dynamic_shapes_mark_as="unbacked"
  bool automatic_dynamic_exclusion_guard = false;
  bool fail_on_recompile_limit_hit = false;
  bool error_on_recompile = false;
  bool specialize_int = false;
  bool specialize_float = false;
  bool allow_unspec_int_on_nn_module = false;
  bool force_parameter_static_shapes = true;
  bool force_nn_module_property_static_shapes = true;
  bool allow_ignore_mark_dynamic = false;
  bool capture_scalar_outputs = false;
  bool capture_dynamic_output_shape_ops = false;
  bool use_duck_shape = true;
  bool backed_size_oblivious = false;
  std::string dynamic_sources;   ///< torch.compiler.config.dynamic_sources
  std::string unbacked_sources;  ///< torch.compiler.config.unbacked_sources
  std::vector<PolicyMark> marks;
  std::vector<PolicyBuckets> buckets;
  std::optional<PolicyShapes> shapes;
  std::optional<PolicyServing> serving;  ///< excludes `shapes`
  CompileSettings settings;              ///< settings that do not affect which graphs are compiled
  /// Options that were set but are not modelled, so results are uncertain.
  std::vector<std::string> unknown_options;

  friend bool operator==(const CompilePolicy&, const CompilePolicy&) = default;
};

/// Whether `policy` marks or resizes inputs of calls.
bool ChangesInputs(const CompilePolicy& policy);

/// Whether `policy` pads dim `dim` of `source`: by buckets, of it alone or of several dims
/// together, or in serving.
bool Pads(const CompilePolicy& policy, std::string_view source, int32_t dim);

/// Sets an option of torch.compile, torch._dynamo.config, torch.fx.experimental._config or
/// torch.compiler.config, by the name of its field here or in older releases, or a setting
/// of CompileSettings. `value` is printed as in Python: "True", "8", "unbacked". False: unknown
/// option, or invalid value.
bool SetPolicyOption(CompilePolicy& policy, std::string_view name, std::string_view value);

/// The names that SetPolicyOption accepts, most important first.
std::vector<std::string_view> PolicyOptionNames();

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILE_POLICY_H_
