// Groups the guards of an entry that are connected.

#ifndef SHAPEWISE_GUARDS_GUARD_GROUPS_H_
#define SHAPEWISE_GUARDS_GUARD_GROUPS_H_

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "guards/guarded_entry.h"
#include "symbolic/expression.h"

namespace shapewise {

/// Guards that name the same symbols, directly or through other guards.
struct GuardGroup {
  std::vector<size_t> guards;  ///< indices, ascending
  std::set<ExprId> symbols;
};

/// Splits guards into groups once, so that a query about one symbol reads only its group.
class GuardGroups {
 public:
  GuardGroups(const std::vector<EntryGuard>& guards, const ExprPool& pool);

  /// The group of `symbol`; null: no guard names it.
  const GuardGroup* Find(ExprId symbol) const;

  /// The groups of all `symbols`, merged; contains `symbols` themselves.
  GuardGroup Join(const std::set<ExprId>& symbols) const;

 private:
  std::vector<GuardGroup> groups_;
  std::map<ExprId, size_t> group_of_symbol_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_GUARD_GROUPS_H_
