// Changes to how a run compiles, in terms of a CompilePolicy.

#ifndef SHAPEWISE_ADVISE_CHANGE_H_
#define SHAPEWISE_ADVISE_CHANGE_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/compile_policy.h"
#include "model/guard.h"
#include "result/place.h"

namespace shapewise {

/// A size of a tensor, or an int if dim is -1.
struct Variable {
  std::string source;  ///< canonical: "L['x']"
  int32_t dim = -1;

  friend auto operator<=>(const Variable&, const Variable&) = default;
};

/// One thing that an action changes, in terms of a policy.
struct CodeChange {
  enum class Kind : uint8_t {
    kMaybeMark,       ///< maybe_mark_dynamic(`source`, `dim`) before every call of `function`
    kMarkUnbacked,    ///< the same with mark_unbacked
    kDynamicSource,   ///< `source` (`dim`; -1: all) in dynamic_sources: applies to every function
    kUnbackedSource,  ///< the same in unbacked_sources
    kDynamicOption,   ///< torch.compile(dynamic=...) of `function`
    kNoDuckShape,     ///< use_duck_shape=False
    kModuleInts,      ///< allow_unspec_int_on_nn_module=True
    kFreeParameters,  ///< force_parameter_static_shapes=False and the corresponding option for
                      ///< other tensors
    kBuckets,         ///< `source` (`dim`) is padded up to one of `sizes`, and marked static
  };
  Kind kind = Kind::kMaybeMark;
  Place function;      ///< empty: every function
  std::string source;  ///< "L['x']"
  int32_t dim = -1;
  DynamicOption dynamic = DynamicOption::kNone;
  std::vector<int64_t> sizes;  ///< of buckets, ascending

  friend bool operator==(const CodeChange&, const CodeChange&) = default;
};

/// A change of `kind` to `variable`, in one function or, with an empty place, in all functions.
CodeChange ChangeOf(CodeChange::Kind kind, const Place& function, const Variable& variable);

/// Whether `change` applies to the function at `where`.
bool Concerns(const CodeChange& change, const Place& where);

/// Adds those `changes` to `policy` that apply to the function at `where`.
void ApplyChanges(const std::vector<CodeChange>& changes, const Place& where,
                  CompilePolicy& policy);

/// The Python expression for `source`, an argument, in the caller: "x", "batch['x']". Empty if it
/// is not an argument, or belongs to the module itself.
std::string ArgumentExpr(std::string_view source);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_CHANGE_H_
