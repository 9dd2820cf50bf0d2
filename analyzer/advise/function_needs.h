// Why each function was recompiled: which sizes and ints changed, and how.

#ifndef SHAPEWISE_ADVISE_FUNCTION_NEEDS_H_
#define SHAPEWISE_ADVISE_FUNCTION_NEEDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "advise/change.h"
#include "advise/compiled_frame.h"
#include "llvm/ADT/ArrayRef.h"
#include "result/place.h"

namespace shapewise {

/// 0 and 1 are always constants in Dynamo, even if marked.
inline bool IsSpecial(std::optional<int64_t> size) { return size && (*size == 0 || *size == 1); }

/// A size or int of one function that changed.
struct Varied {
  bool is_special = false;     ///< it was 0 or 1 in some call
  std::set<int64_t> values;    ///< values seen in the log and in recorded calls
  std::vector<size_t> events;  ///< misses caused by it, ascending
  ConstantBy constant_by = ConstantBy::kNothing;
  /// At each of `events` a float changed for the first time, too. No setting makes a float symbolic
  /// before that, so that nothing is saved.
  bool only_with_floats = true;

  /// Whether it had one value besides 0 and 1, which have graphs of their own: a mark saves
  /// nothing.
  bool IsSpecialOnly() const {
    return is_special && values.size() - values.count(0) - values.count(1) == 1;
  }
};

/// Why one function was recompiled, over all processes. Lists contain events of misses.
struct FunctionNeeds {
  Place where;
  std::map<Variable, Varied> variables;
  /// A size was still a constant after it had changed: automatic dynamic did not apply to it.
  std::set<size_t> static_again;
  std::set<size_t> ducks;          ///< two sizes were equal in the first call
  std::set<size_t> module_ints;    ///< an int of a module that is a constant by default
  std::set<size_t> parameters;     ///< the size of a parameter
  std::set<std::string> optional;  ///< sources that are None or of another type in some calls
  std::set<std::string> missing;   ///< items of dicts that some calls lack
  std::set<std::string> lengths;   ///< containers whose number of items changed
  std::set<std::string> late;      ///< tensors of which a size may have had to equal theirs
  /// The sizes of inputs, compilation by compilation, as far as a trace shows them; and of those
  /// that varied, in each distinct recorded call.
  std::vector<std::map<Variable, int64_t>> sizes;

  /// Whether two sizes were the same in each compilation that shows both, and one does.
  bool AreEqual(const Variable& a, const Variable& b) const;
};

/// One row per function, in order of its first frame.
std::vector<FunctionNeeds> ReadNeeds(llvm::ArrayRef<CompiledFrame> frames);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_FUNCTION_NEEDS_H_
