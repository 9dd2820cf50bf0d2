// What torch.compile and its configuration were told: the part of a what-if that can be changed.

#ifndef SHAPEWISE_MODEL_COMPILE_POLICY_H_
#define SHAPEWISE_MODEL_COMPILE_POLICY_H_

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_settings.h"

namespace shapewise {

/// torch.compile(dynamic=...).
enum class DynamicOption : uint8_t { kNone, kTrue, kFalse };

/// A mark that every call carries.
struct PolicyMark {
  std::string source;  ///< "L['x']"
  DimMark mark;

  friend bool operator==(const PolicyMark&, const PolicyMark&) = default;
};

/// A dim that is padded up to the least of `sizes` that holds it, and left as it is beyond them.
struct PolicyBuckets {
  std::string source;
  int32_t dim = 0;
  std::vector<int64_t> sizes;  ///< ascending
  double fill = 0;             ///< what padding holds: no matter to graphs, but to results

  friend bool operator==(const PolicyBuckets&, const PolicyBuckets&) = default;
};

/// How calls whose size lies in one stretch are served.
enum class SizeWay : uint8_t {
  kStatic,   ///< padded up to one size, which has a static graph
  kDynamic,  ///< as they are, by a dynamic graph (mark_dynamic)
  kAligned,  ///< padded to a multiple, by a dynamic graph of its own
  kRange,    ///< by a dynamic graph for this stretch alone (mark_dynamic with min and max)
  kEager,    ///< not compiled
};

/// A stretch of sizes.
struct SizeSpan {
  int64_t first = 0;
  int64_t last = 0;  ///< kNoLast: however large
  SizeWay way = SizeWay::kDynamic;
  int64_t size = 0;  ///< kStatic: what is padded to; kAligned: the multiple

  friend bool operator==(const SizeSpan&, const SizeSpan&) = default;
};
/// SizeSpan::last of a stretch without an end.
inline constexpr int64_t kNoLast = std::numeric_limits<int64_t>::max();

/// A dim of an input that is padded together with others.
struct PolicyDim {
  std::string source;
  int32_t dim = 0;
  double fill = 0;  ///< what padding holds

  friend bool operator==(const PolicyDim&, const PolicyDim&) = default;
};

/// Sizes that are served in several ways, each by a torch.compile of its own that shares no entries
/// with the others (isolate_recompiles). Sizes in no stretch go to the dynamic graph.
struct PolicyServing {
  /// The first one's size chooses the way; all are padded up to the size that it is padded to, and
  /// marked as it is. Not empty.
  std::vector<PolicyDim> dims;
  std::vector<SizeSpan> spans;  ///< ascending, apart from each other

  friend bool operator==(const PolicyServing&, const PolicyServing&) = default;
};

/// Dims that are padded together: to the first of `shapes` that holds all of them, and left as they
/// are where none does.
struct PolicyShapes {
  std::vector<PolicyDim> dims;
  std::vector<std::vector<int64_t>> shapes;  ///< a size for each of `dims`

  friend bool operator==(const PolicyShapes&, const PolicyShapes&) = default;
};

/// How a function is compiled. Defaults are those of PyTorch 2.13; names of fields are those of
/// torch._dynamo.config, torch.fx.experimental._config and torch.compiler.config.
struct CompilePolicy {
  DynamicOption dynamic = DynamicOption::kNone;
  bool fullgraph = false;
  bool isolate_recompiles = false;  ///< of every wrapper
  int64_t recompile_limit = 8;
  int64_t accumulated_recompile_limit = 256;
  /// torch.compile(recompile_limit=...) of isolated wrappers, by number: before recompile_limit.
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
  std::optional<PolicyServing> serving;  ///< not beside `shapes`
  CompileSettings settings;              ///< what has no effect on which graphs are compiled
  /// Options that were set and that nothing here stands for: what follows is not certain.
  std::vector<std::string> unknown_options;

  friend bool operator==(const CompilePolicy&, const CompilePolicy&) = default;
};

/// Sets the option `name` of torch.compile, torch._dynamo.config, torch.fx.experimental._config or
/// torch.compiler.config, by the name of its field here or by that of older releases, or a setting
/// (compile_settings.h); `value` as Python prints it: "True", "8", "unbacked". False: no such
/// option, or it can't have that value.
bool SetPolicyOption(CompilePolicy& policy, std::string_view name, std::string_view value);

/// The names that SetPolicyOption knows, those that matter most first.
std::vector<std::string_view> PolicyOptionNames();

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILE_POLICY_H_
