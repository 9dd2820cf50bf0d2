// What guards leave of their variables, by looking at every point. Nothing here knows the solver.

#ifndef SHAPEWISE_TESTS_UNIT_SYMBOLIC_CONSTRAINT_REFERENCE_H_
#define SHAPEWISE_TESTS_UNIT_SYMBOLIC_CONSTRAINT_REFERENCE_H_

#include <bitset>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "symbolic/constraint_system.h"

namespace shapewise {

/// Guards over "s0", "s1", "s2", each from 0 to its own greatest value.
struct GuardCase {
  std::vector<int64_t> greatest;    ///< by symbol, at most 64
  std::vector<std::string> guards;  ///< as Python prints them

  std::string ToText() const;
};

class GuardDrawer {
 public:
  explicit GuardDrawer(uint32_t seed) : generator_(seed) {}

  int64_t Number(int64_t least, int64_t greatest) {
    return std::uniform_int_distribution<int64_t>(least, greatest)(generator_);
  }
  /// One comparison, or some joined by "and", "or", "not".
  std::string Draw(int num_symbols, int64_t greatest);

 private:
  std::string DrawComparison(int num_symbols, int64_t greatest);
  std::string Symbol(int num_symbols);

  std::mt19937 generator_;
};

/// All points of a case, each with the set of guards that hold there.
class PointTable {
 public:
  static constexpr int64_t kGreatest = 64;
  using Values = std::bitset<kGreatest + 1>;

  PointTable(const ExprPool& pool, const std::vector<ExprId>& guards,
             const std::vector<int64_t>& greatest);

  /// The values that symbol `symbol` has where all guards of `chosen` (a bit each) hold.
  Values ValuesUnder(size_t symbol, uint32_t chosen) const;
  bool IsSatisfiable() const { return ValuesUnder(0, All()).any(); }
  /// The smallest set of guards that leaves a symbol the values that all of them leave it, the
  /// first of its size.
  std::vector<size_t> Culprits(size_t symbol) const;
  VariableAnalysis Analyze(size_t symbol) const;

 private:
  uint32_t All() const { return (uint32_t{1} << num_guards_) - 1; }

  size_t num_guards_;
  std::vector<int64_t> greatest_;
  std::vector<std::vector<Values>> values_by_mask_;  // by symbol and by exact set of guards
};

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_SYMBOLIC_CONSTRAINT_REFERENCE_H_
