#include "guards/guard_groups.h"

#include <algorithm>

#include "llvm/ADT/IntEqClasses.h"

namespace shapewise {

GuardGroups::GuardGroups(const std::vector<EntryGuard>& guards, const ExprPool& pool) {
  llvm::IntEqClasses classes(static_cast<unsigned>(guards.size()));
  std::map<ExprId, unsigned> first_guard;
  std::vector<std::vector<ExprId>> symbols;
  for (unsigned i = 0; i < guards.size(); ++i) {
    for (const ExprId symbol : symbols.emplace_back(pool.SymbolsOf(guards[i].predicate))) {
      classes.join(first_guard.try_emplace(symbol, i).first->second, i);
    }
  }
  classes.compress();
  groups_.resize(classes.getNumClasses());
  for (unsigned i = 0; i < guards.size(); ++i) {
    GuardGroup& group = groups_[classes[i]];
    group.guards.push_back(i);
    for (const ExprId symbol : symbols[i]) {
      group.symbols.insert(symbol);
      group_of_symbol_.try_emplace(symbol, classes[i]);
    }
  }
}

const GuardGroup* GuardGroups::Find(ExprId symbol) const {
  const auto found = group_of_symbol_.find(symbol);
  return found == group_of_symbol_.end() ? nullptr : &groups_[found->second];
}

GuardGroup GuardGroups::Join(const std::set<ExprId>& symbols) const {
  GuardGroup joined;
  joined.symbols = symbols;
  std::set<const GuardGroup*> seen;
  for (const ExprId symbol : symbols) {
    const GuardGroup* group = Find(symbol);
    if (group == nullptr || !seen.insert(group).second) continue;
    joined.guards.insert(joined.guards.end(), group->guards.begin(), group->guards.end());
    joined.symbols.insert(group->symbols.begin(), group->symbols.end());
  }
  std::ranges::sort(joined.guards);
  return joined;
}

}  // namespace shapewise
