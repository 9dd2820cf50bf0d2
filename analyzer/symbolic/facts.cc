#include "shapewise/symbolic/facts.h"

#include <utility>

#include "knowledge.h"

namespace shapewise {

// What follows is worked out when it is first asked for.
struct Facts::State {
  explicit State(ExprPool& expressions) : pool(expressions) {}

  Knowledge& Known() {
    if (!knowledge) knowledge = std::make_unique<Knowledge>(pool, assumed);
    return *knowledge;
  }

  ExprPool& pool;
  std::vector<ExprId> assumed;
  std::unique_ptr<Knowledge> knowledge;
};

Facts::Facts(ExprPool& pool) : state_(std::make_unique<State>(pool)) {}
Facts::~Facts() = default;

void Facts::Assume(ExprId predicate) {
  if (predicate == ExprId::kNone) return;
  state_->assumed.push_back(predicate);
  state_->knowledge.reset();
}

void Facts::AssumeRange(ExprId symbol, const Interval& range) {
  ExprPool& pool = state_->pool;
  if (range.lower) {
    Assume(pool.Binary(ExprKind::kLessEqual, pool.Integer(*range.lower), symbol));
  }
  if (range.upper) {
    Assume(pool.Binary(ExprKind::kLessEqual, symbol, pool.Integer(*range.upper)));
  }
}

Interval Facts::RangeOf(ExprId expression) const { return state_->Known().RangeOf(expression); }

Congruence Facts::CongruenceOf(ExprId expression) const {
  return state_->Known().CongruenceOf(expression);
}

Truth Facts::Prove(ExprId predicate) const { return state_->Known().Prove(predicate); }

bool Facts::IsContradictory() const { return state_->Known().is_contradictory(); }

}  // namespace shapewise
