// What each function was compiled again for: sizes and ints that varied, and how.

#ifndef SHAPEWISE_ADVISE_FUNCTION_NEEDS_H_
#define SHAPEWISE_ADVISE_FUNCTION_NEEDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "advise/change.h"
#include "advise/run_model.h"
#include "shapewise/result/place.h"

namespace shapewise {

/// 0 and 1, which Dynamo makes constants of, whatever is marked.
inline bool IsSpecial(std::optional<int64_t> size) { return size && (*size == 0 || *size == 1); }

/// A size or int of one function that varied.
struct Varied {
  bool is_special = false;     ///< it was 0 or 1 at some time
  std::set<int64_t> values;    ///< that are told
  std::vector<size_t> events;  ///< of the misses on it, ascending
};

/// What one function, in all processes together, was compiled again for. Lists hold events of
/// misses.
struct FunctionNeeds {
  Place where;
  std::map<Variable, Varied> variables;
  /// A size that had varied before was a constant still: automatic dynamic did not work on it.
  std::set<size_t> static_again;
  std::set<size_t> ducks;        ///< two sizes were equal at first
  std::set<size_t> module_ints;  ///< an int of a module that is a constant by default
  std::set<size_t> parameters;   ///< the size of a parameter
  /// Sizes that moved along, which no printed guard shows, are known.
  bool tells_all_sizes = false;
};

/// One row a function, in order of its first frame.
std::vector<FunctionNeeds> ReadNeeds(const RunModel& model);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_FUNCTION_NEEDS_H_
