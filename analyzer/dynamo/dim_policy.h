// Which dims of a tensor become symbols: marks, automatic dynamic and lists of sources, in that
// order.

#ifndef SHAPEWISE_DYNAMO_DIM_POLICY_H_
#define SHAPEWISE_DYNAMO_DIM_POLICY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/profile.h"
#include "model/compile_policy.h"

namespace shapewise {

/// torch.compiler.config.dynamic_sources or unbacked_sources, parsed: names or regular expressions,
/// separated by commas, each followed by ":N" if it applies to one dim.
class SourceList {
 public:
  explicit SourceList(std::string_view text);
  /// Whether an entry names `source`, for any dim.
  bool Names(std::string_view source) const;
  bool NamesDim(std::string_view source, size_t dim) const;

 private:
  struct Pattern {
    std::string text;
    std::optional<size_t> dim;
  };
  static bool Matches(const Pattern& pattern, std::string_view source);
  std::vector<Pattern> patterns_;
};

/// How a value becomes a symbol (torch.fx.experimental.symbolic_shapes.DimDynamic).
enum class DimChoice : uint8_t {
  kStatic,
  kDuck,      ///< shares the symbol of an equal value that was also chosen this way
  kDynamic,   ///< a symbol of its own
  kUnbacked,  ///< a symbol without a hint
};

/// What a mark requires of a dim's symbol.
enum class DimDemand : uint8_t {
  kNone,
  kSoft,   ///< may become a constant silently
  kHard,   ///< must not become a constant, except 0 and 1
  kRange,  ///< must not exclude a value of min..max
};

struct DimPlan {
  DimChoice size = DimChoice::kStatic;
  bool has_dynamic_stride = false;
  DimDemand demand = DimDemand::kNone;
  int64_t min = 0;  ///< of kRange
  int64_t max = 0;
  bool has_half_range = false;  ///< mark_dynamic with only one of min and max: an AssertionError
};

/// CompilePolicy with its lists of sources parsed.
struct ReadPolicy {
  explicit ReadPolicy(const CompilePolicy& given);
  bool IsAutomatic() const;  ///< profiles are merged and make sizes dynamic
  bool IsStaticByDefault() const { return policy.dynamic != DynamicOption::kTrue; }
  DimChoice AutomaticChoice() const {
    return policy.automatic_dynamic_marks_unbacked ? DimChoice::kUnbacked : DimChoice::kDynamic;
  }

  const CompilePolicy& policy;
  SourceList dynamic_sources;
  SourceList unbacked_sources;
};

/// Decides on one dim, lowest first, and records a mark in `profile`. `seeded`: an earlier call
/// showed that this dim changes (set_stance("eager_then_compile")). Source:
/// torch/_dynamo/variables/builder.py, _automatic_dynamic.
DimPlan PlanDim(const ReadPolicy& policy, std::string_view source, const InputTensor& tensor,
                size_t dim, bool seeded, SourceProfile& profile);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_DIM_POLICY_H_
