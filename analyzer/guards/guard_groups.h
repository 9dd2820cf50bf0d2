// Which guards of an entry hang together.

#ifndef SHAPEWISE_GUARDS_GUARD_GROUPS_H_
#define SHAPEWISE_GUARDS_GUARD_GROUPS_H_

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "guards/guarded_entry.h"
#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// Guards that name the same symbols, directly or by way of other guards.
struct GuardGroup {
  std::vector<size_t> guards;  ///< indices, ascending
  std::set<ExprId> symbols;
};

/// Splits guards into groups once, so that a question about one symbol reads its group only.
class GuardGroups {
 public:
  GuardGroups(const std::vector<EntryGuard>& guards, const ExprPool& pool);

  /// The group of `symbol`; null: no guard names it.
  const GuardGroup* Find(ExprId symbol) const;

  /// The groups of all `symbols`, as one; `symbols` themselves are in it.
  GuardGroup Join(const std::set<ExprId>& symbols) const;

 private:
  std::vector<GuardGroup> groups_;
  std::map<ExprId, size_t> group_of_symbol_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_GUARD_GROUPS_H_
