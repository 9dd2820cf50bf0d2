// The storage of an ExprPool, and the steps that simplify new expressions.

#ifndef SHAPEWISE_SYMBOLIC_STORAGE_H_
#define SHAPEWISE_SYMBOLIC_STORAGE_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "support/string_pool.h"
#include "symbolic/expression.h"

namespace shapewise {

/// The possible values of an expression, for any integer values of its symbols.
enum class NumberKind : uint8_t {
  kInteger,   ///< an integer, or a truth value
  kRational,  ///< contains a quotient or an unknown function
  kFloat,     ///< a float, on which integer arithmetic must not be used
};

/// Deeper expressions become ExprId::kNone, so that recursion is always safe.
inline constexpr uint16_t kMaxDepth = 512;

struct ExprNode {
  ExprKind kind = ExprKind::kNone;
  NumberKind number = NumberKind::kInteger;
  uint16_t depth = 0;
  uint32_t num_operands = 0;
  uint32_t hash = 0;
  uint32_t tree_size = 1;  ///< nodes when written out; saturates at UINT32_MAX
  int64_t payload = 0;     ///< the value of kInteger, kInfinity; the StrId of kSymbol, kCall
  const ExprId* operands = nullptr;
};

struct ExprPool::Storage {
  Storage();

  const ExprNode& node(ExprId id) const { return nodes[static_cast<uint32_t>(id)]; }
  ExprKind kind(ExprId id) const { return node(id).kind; }
  /// Valid as long as the pool.
  std::span<const ExprId> operands(ExprId id) const {
    return {node(id).operands, node(id).num_operands};
  }
  bool IsInteger(ExprId id) const { return node(id).number == NumberKind::kInteger; }
  bool IsFloat(ExprId id) const { return node(id).number == NumberKind::kFloat; }
  std::string_view name(ExprId id) const {
    return names.text(static_cast<StrId>(node(id).payload));
  }

  /// The expression exactly as given, without simplification.
  ExprId Intern(ExprKind kind, int64_t payload, std::span<const ExprId> operands,
                NumberKind number);
  /// The same, with the number kind of the operands.
  ExprId Intern(ExprKind kind, std::span<const ExprId> operands);
  ExprId Intern(ExprKind kind, std::initializer_list<ExprId> operands) {
    return Intern(kind, std::span(operands));
  }

  /// A total order that does not depend on the order of construction: constants, symbols by name
  /// ("s2" before "s10"), then by kind and operands.
  int Compare(ExprId a, ExprId b) const;
  /// Orders factors: by base, then the lower power first.
  int CompareFactors(ExprId a, ExprId b) const;
  /// Orders terms as sympy prints them: "s0**2 + s0*s1 + s0 + s1".
  int CompareTerms(ExprId a, ExprId b) const;

  std::vector<ExprNode> nodes;
  StringPool names;
  std::vector<ExprId> symbol_of_name;  ///< by StrId; kNone: no symbol with that name

 private:
  void Grow();

  std::vector<uint32_t> slots_;  ///< open addressing; 0: empty
  llvm::BumpPtrAllocator arena_;
};

/// coefficient * base; a constant has base kNone.
struct ExprTerm {
  int64_t coefficient = 0;
  ExprId base = ExprId::kNone;
};

using ExprTerms = llvm::SmallVector<ExprTerm, 6>;

/// The terms of the sum `id`: several for a kAdd, else one.
ExprTerms TermsOf(ExprPool& pool, ExprPool::Storage& storage, ExprId id);

ExprId SumOf(ExprPool& pool, const ExprTerms& terms);

/// A sum or product of floats: a call of the operator, with sorted operands.
ExprId CallInOrder(ExprPool& pool, const ExprPool::Storage& storage, std::string_view name,
                   std::span<const ExprId> operands);

/// term / divisor if that is an integer for all integers (except for a divisor of zero).
std::optional<ExprId> DivideExactly(ExprPool& pool, ExprPool::Storage& storage,
                                    const ExprTerm& term, ExprId divisor);

/// kFloorDiv, kCeilDiv, kTrueDiv, kMod or kPower of operands that are neither floats nor infinite.
ExprId MakeArithmetic(ExprPool& pool, ExprPool::Storage& storage, ExprKind kind, ExprId left,
                      ExprId right);

/// The expression of `kind` (one of operands, other than kCall), simplified.
ExprId MakeOfKind(ExprPool& pool, ExprKind kind, std::span<const ExprId> operands);

/// The value of an operation or comparison (1 or 0) of two numbers; absent: it has none, or not in
/// 64 bits.
std::optional<int64_t> Compute(ExprKind kind, int64_t left, int64_t right);

/// The name of the call that an operation on floats becomes: "//", "==", "Min".
std::string_view OperatorOf(ExprKind kind);
/// The reverse; kNone: another name.
ExprKind KindOfOperator(std::string_view name);

/// Whether a call without operands named `name` is a floating-point number: "0.5", "-inf".
bool IsNumeral(std::string_view name);

/// The kind of number that a call of `name` without its own ExprKind returns.
NumberKind NumberKindOfCall(std::string_view name, const ExprPool::Storage& storage,
                            std::span<const ExprId> operands);

/// `name` applied to `operands`: an expression of its own kind if known, else a kCall. kNone: a
/// known function with the wrong number of operands.
ExprId ApplyFunction(ExprPool& pool, const ExprPool::Storage& storage, std::string_view name,
                     std::span<const ExprId> operands);

/// The function in sympy's srepr whose calls are the cases of a Piecewise.
inline constexpr std::string_view kPairName = "ExprCondPair";

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_STORAGE_H_
