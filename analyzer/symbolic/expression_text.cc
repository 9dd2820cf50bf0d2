// Prints expressions in PyTorch's spelling.

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "symbolic/expression.h"
#include "symbolic/storage.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;

// Expressions with shared parts can be far longer than their memory.
constexpr uint32_t kMaxNodes = 1U << 20U;

// Precedence of operators, loosest first.
enum class Tightness : uint8_t { kOr, kAnd, kNot, kCompare, kSum, kProduct, kSign, kPower, kAtom };

Tightness Tighter(Tightness binding) {
  return static_cast<Tightness>(static_cast<int>(binding) + 1);
}

class Printer {
 public:
  explicit Printer(const Storage& storage) : storage_(storage) {}

  void Print(ExprId id, Tightness least) {
    const bool is_loose = BindingOf(id) < least;
    if (is_loose) text_ += '(';
    PrintBare(id);
    if (is_loose) text_ += ')';
  }

  std::string TakeText() { return std::move(text_); }

 private:
  struct OperatorCall {
    std::string_view name;
    Tightness binding;
  };

  // Operators on floats are calls named after the operator.
  static const OperatorCall* FindOperator(std::string_view name) {
    static constexpr auto kOperators = std::to_array<OperatorCall>({
        {"+", Tightness::kSum},
        {"*", Tightness::kProduct},
        {"/", Tightness::kProduct},
        {"//", Tightness::kProduct},
        {"%", Tightness::kProduct},
        {"**", Tightness::kPower},
        {"==", Tightness::kCompare},
        {"!=", Tightness::kCompare},
        {"<", Tightness::kCompare},
        {"<=", Tightness::kCompare},
    });
    const auto* const found = std::ranges::find(kOperators, name, &OperatorCall::name);
    return found == kOperators.end() ? nullptr : found;
  }

  const OperatorCall* OperatorOf(ExprId id) const {
    return storage_.operands(id).size() < 2 ? nullptr : FindOperator(storage_.name(id));
  }

  Tightness BindingOf(ExprId id) const {
    switch (storage_.kind(id)) {
      case ExprKind::kInteger:
      case ExprKind::kInfinity:
        return storage_.node(id).payload < 0 ? Tightness::kSign : Tightness::kAtom;
      case ExprKind::kAdd:
        return Tightness::kSum;
      case ExprKind::kMul:
      case ExprKind::kTrueDiv:
        return Tightness::kProduct;
      case ExprKind::kPower:
        return Tightness::kPower;
      case ExprKind::kFloorDiv:  // PyTorch's FloorDiv has this precedence, and parentheses in
                                 // addition
      case ExprKind::kLess:
      case ExprKind::kLessEqual:
        return Tightness::kCompare;
      case ExprKind::kAnd:
        return Tightness::kAnd;
      case ExprKind::kOr:
        return Tightness::kOr;
      case ExprKind::kNot:
        return Tightness::kNot;
      case ExprKind::kCall: {
        const OperatorCall* const entry = OperatorOf(id);
        if (entry != nullptr) return entry->binding;
        return storage_.name(id).starts_with('-') ? Tightness::kSign : Tightness::kAtom;
      }
      default:
        return Tightness::kAtom;
    }
  }

  void PrintList(std::span<const ExprId> operands, std::string_view separator, Tightness least) {
    llvm::interleave(
        operands, [&](ExprId operand) { Print(operand, least); }, [&] { text_ += separator; });
  }

  void PrintCall(std::string_view name, std::span<const ExprId> operands) {
    text_ += name;
    text_ += '(';
    PrintList(operands, ", ", Tightness::kOr);
    text_ += ')';
  }

  // Distinguishes "-2*s0" from a product that merely begins with several constants.
  bool HasMinusSign(ExprId id) const {
    const std::span<const ExprId> operands = storage_.operands(id);
    switch (storage_.kind(id)) {
      case ExprKind::kInteger: {
        const int64_t value = storage_.node(id).payload;
        return value < 0 && value != std::numeric_limits<int64_t>::min();
      }
      case ExprKind::kMul:
        return HasMinusSign(operands[0]) && storage_.kind(operands[1]) != ExprKind::kInteger;
      case ExprKind::kTrueDiv:
        return HasMinusSign(operands[0]);
      default:
        return false;
    }
  }

  // Prints `id`, for which HasMinusSign must hold, without its sign.
  void PrintMagnitude(ExprId id) {
    const std::span<const ExprId> operands = storage_.operands(id);
    switch (storage_.kind(id)) {
      case ExprKind::kInteger:
        text_ += std::to_string(-storage_.node(id).payload);
        break;
      case ExprKind::kMul: {
        const int64_t constant = storage_.node(operands[0]).payload;
        if (constant != -1) text_ += std::to_string(-constant) + "*";
        PrintList(operands.subspan(1), "*", Tightness::kSign);
        break;
      }
      default:
        PrintMagnitude(operands[0]);
        text_ += '/';
        Print(operands[1], Tightness::kSign);
    }
  }

  // A sum begins with its constant if the first term is negative: "1 - s0".
  void PrintSum(std::span<const ExprId> terms) {
    bool is_first = true;
    const ExprId last = terms.back();
    const bool is_turned = HasMinusSign(terms[0]) && storage_.kind(last) == ExprKind::kInteger &&
                           storage_.node(last).payload > 0;
    if (is_turned) {
      Print(last, Tightness::kProduct);
      terms = terms.first(terms.size() - 1);
      is_first = false;
    }
    for (const ExprId term : terms) {
      const bool is_negative = HasMinusSign(term);
      if (is_negative) {
        text_ += is_first ? "-" : " - ";
        PrintMagnitude(term);
      } else {
        if (!is_first) text_ += " + ";
        Print(term, Tightness::kProduct);
      }
      is_first = false;
    }
  }

  // a < b; the right side is printed first if the left side is a constant: "s0 >= 2".
  void PrintOrder(std::span<const ExprId> sides, bool is_strict) {
    const bool is_turned = storage_.kind(sides[0]) == ExprKind::kInteger;
    Print(sides[is_turned ? 1 : 0], Tightness::kSum);
    text_ += is_turned ? " >" : " <";
    text_ += is_strict ? " " : "= ";
    Print(sides[is_turned ? 0 : 1], Tightness::kSum);
  }

  void PrintFunction(ExprId id) {
    const std::span<const ExprId> operands = storage_.operands(id);
    const std::string_view name = storage_.name(id);
    if (const OperatorCall* const entry = OperatorOf(id)) {
      const bool is_spaced = entry->binding != Tightness::kPower && name != "*" && name != "//";
      const std::string separator = is_spaced ? " " + std::string(name) + " " : std::string(name);
      // Float operations are not associative: a nested operation keeps its parentheses.
      PrintList(operands, separator, Tighter(entry->binding));
      return;
    }
    if (operands.empty() && IsNumeral(name)) {
      text_ += name;
    } else {
      PrintCall(name, operands);
    }
  }

  void PrintBare(ExprId id) {
    static constexpr std::pair<ExprKind, std::string_view> kFunctions[] = {
        {ExprKind::kCeilDiv, "CeilDiv"}, {ExprKind::kMod, "Mod"},  {ExprKind::kMin, "Min"},
        {ExprKind::kMax, "Max"},         {ExprKind::kEqual, "Eq"}, {ExprKind::kNotEqual, "Ne"},
    };
    const std::span<const ExprId> operands = storage_.operands(id);
    switch (storage_.kind(id)) {
      case ExprKind::kInteger:
        text_ += std::to_string(storage_.node(id).payload);
        break;
      case ExprKind::kInfinity:
        text_ += storage_.node(id).payload < 0 ? "-int_oo" : "int_oo";
        break;
      case ExprKind::kSymbol:
        text_ += storage_.name(id);
        break;
      case ExprKind::kAdd:
        PrintSum(operands);
        break;
      case ExprKind::kMul:
      case ExprKind::kTrueDiv:
        if (HasMinusSign(id)) {
          text_ += '-';
          PrintMagnitude(id);
        } else if (storage_.kind(id) == ExprKind::kMul) {
          PrintList(operands, "*", Tightness::kSign);
        } else {
          Print(operands[0], Tightness::kProduct);
          text_ += '/';
          Print(operands[1], Tightness::kSign);
        }
        break;
      case ExprKind::kFloorDiv:
        text_ += '(';
        PrintList(operands, "//", Tightness::kAtom);
        text_ += ')';
        break;
      case ExprKind::kPower:
        PrintList(operands, "**", Tightness::kAtom);
        break;
      case ExprKind::kCall:
        PrintFunction(id);
        break;
      case ExprKind::kTrue:
        text_ += "True";
        break;
      case ExprKind::kFalse:
        text_ += "False";
        break;
      case ExprKind::kLess:
        PrintOrder(operands, true);
        break;
      case ExprKind::kLessEqual:
        PrintOrder(operands, false);
        break;
      case ExprKind::kAnd:
        PrintList(operands, " and ", Tightness::kNot);
        break;
      case ExprKind::kOr:
        PrintList(operands, " or ", Tightness::kAnd);
        break;
      case ExprKind::kNot:
        text_ += "not ";
        Print(operands[0], Tightness::kAtom);
        break;
      default:
        for (const auto& [kind, name] : kFunctions) {
          if (kind == storage_.kind(id)) PrintCall(name, operands);
        }
    }
  }

  const Storage& storage_;
  std::string text_;
};

}  // namespace

std::string ExprPool::ToText(ExprId id) const {
  const uint32_t nodes = storage_->node(id).tree_size;
  if (nodes > kMaxNodes) return "<an expression of more than 1000000 parts>";
  Printer printer(*storage_);
  printer.Print(id, Tightness::kOr);
  return printer.TakeText();
}

}  // namespace shapewise
