// One cache entry as constraints over named sizes.

#ifndef SHAPEWISE_GUARDS_GUARDED_ENTRY_H_
#define SHAPEWISE_GUARDS_GUARDED_ENTRY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/shape_guard.h"
#include "result/guard_report.h"
#include "result/place.h"
#include "symbolic/expression.h"
#include "symbolic/interval.h"

namespace shapewise {

/// One guard as a predicate over the names of sizes (size_names.h).
struct EntryGuard {
  ExprId predicate = ExprId::kNone;
  bool is_zero_one = false;  ///< a lower bound of 2 on a size, not caused by code
  bool is_duck = false;
  GuardLine line;
};

/// A size that has one value in an entry.
struct EntryConstant {
  size_t guard = 0;  ///< index into GuardedEntry::guards of the guard that says so
  int64_t value = 0;
};

/// What is known about one entry of the code cache.
struct GuardedEntry {
  std::string id;       ///< "0/1"
  uint64_t number = 0;  ///< of it: 1
  uint32_t input = 0;
  uint64_t line = 0;

  std::vector<EntryGuard> guards;  ///< that a call must satisfy
  std::vector<EntryGuard> added;   ///< as the traced code added them
  std::map<ExprId, EntryConstant> constants;
  std::map<ExprId, int64_t> specializations;  ///< sizes that were symbols and became constants
  std::set<ExprId> symbolic;                  ///< sizes that were symbols
  std::map<ExprId, int64_t> sample;           ///< their values at compile

  // Further requirements for a call; only compared with those of other entries.
  std::map<std::string, std::string> properties;  ///< tensor -> class, dtype, device ...
  std::map<std::pair<std::string, std::string>, std::set<int64_t>> marks;  ///< tensor, attribute
  std::vector<uint64_t> others;                                            ///< hashes, ascending

  bool is_printed = false;          ///< all guards were printed
  std::string why_not;              ///< one clause, if not
  std::vector<std::string> unread;  ///< texts of guards that could not be parsed

  bool IsWhole() const { return is_printed && unread.empty(); }
};

/// One code object with its cache.
struct GuardedFunction {
  Place where;
  int32_t rank = -1;
  std::vector<GuardedEntry> entries;  ///< oldest first
  /// Pairs of compile numbers, newer and older: when the newer was compiled, the older was checked
  /// and did not match, so both belong to one wrapper.
  std::set<std::pair<uint64_t, uint64_t>> asked;
  /// Values from failed calls rather than entries, by compile number.
  std::vector<std::pair<ExprId, int64_t>> further_values;
  bool hit_limit = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_GUARDED_ENTRY_H_
