// How an ExprPool keeps its expressions; for the sources of this directory.

#ifndef SHAPEWISE_SYMBOLIC_STORAGE_H_
#define SHAPEWISE_SYMBOLIC_STORAGE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "llvm/Support/Allocator.h"
#include "shapewise/support/string_pool.h"
#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// What a value may be, whatever integers its symbols stand for.
enum class NumberKind : uint8_t {
  kInteger,   ///< an integer, or a truth value
  kRational,  ///< a quotient is in it, or a function of which nothing is known
  kFloat,     ///< a float, which integer arithmetic must not touch
};

/// Expressions nested deeper become ExprId::kNone, so that recursion over one is always safe.
inline constexpr uint16_t kMaxDepth = 512;

struct ExprNode {
  ExprKind kind = ExprKind::kNone;
  NumberKind number = NumberKind::kInteger;
  uint16_t depth = 0;
  uint32_t num_operands = 0;
  uint32_t hash = 0;
  uint32_t tree_size = 1;  ///< nodes when written out; stays at UINT32_MAX
  int64_t payload = 0;     ///< the value of kInteger, kInfinity; the StrId of kSymbol, kCall
  const ExprId* operands = nullptr;
};

struct ExprPool::Storage {
  Storage();

  const ExprNode& node(ExprId id) const { return nodes[static_cast<uint32_t>(id)]; }
  ExprKind kind(ExprId id) const { return node(id).kind; }
  /// Stays valid as long as the pool.
  std::span<const ExprId> operands(ExprId id) const {
    return {node(id).operands, node(id).num_operands};
  }
  bool IsInteger(ExprId id) const { return node(id).number == NumberKind::kInteger; }
  bool IsFloat(ExprId id) const { return node(id).number == NumberKind::kFloat; }
  std::string_view name(ExprId id) const {
    return names.text(static_cast<StrId>(node(id).payload));
  }

  /// The expression exactly as given, without any simplification.
  ExprId Intern(ExprKind kind, int64_t payload, std::span<const ExprId> operands,
                NumberKind number);
  /// The same, of the number kind that the operands give.
  ExprId Intern(ExprKind kind, std::span<const ExprId> operands);

  /// A total order that does not depend on the order of construction: constants, symbols by name
  /// ("s2" before "s10"), then by kind and operands.
  int Compare(ExprId a, ExprId b) const;
  /// Of factors: by base, then the lower power first.
  int CompareFactors(ExprId a, ExprId b) const;
  /// Of terms, as sympy prints them: "s0**2 + s0*s1 + s0 + s1".
  int CompareTerms(ExprId a, ExprId b) const;

  std::vector<ExprNode> nodes;
  StringPool names;
  std::vector<ExprId> symbol_of_name;  ///< by StrId; kNone: no symbol bears that name

 private:
  void Grow();

  std::vector<uint32_t> slots_;  ///< open addressing; 0: empty
  llvm::BumpPtrAllocator arena_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_STORAGE_H_
