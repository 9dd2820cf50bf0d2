// One pass over a graph: the shape of every value, and the effect of padding along a symbol.

#ifndef SHAPEWISE_SHAPES_PROPAGATION_H_
#define SHAPEWISE_SHAPES_PROPAGATION_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "model/graph_model.h"
#include "shapes/operators.h"
#include "shapes/tensor_state.h"

namespace shapewise {

class NodeContext;
struct NodeResult;

/// What the user is asked to do with an input, and what must be true of it.
struct Assumption {
  uint32_t value = kNoIndex;   ///< of a placeholder
  std::optional<Fill> padded;  ///< stands at its padded positions; absent: any numbers
  std::optional<Fill> real;    ///< stands at its real positions; absent: any numbers
  bool operator==(const Assumption&) const = default;
};

/// Propagates shapes once, and padding as often as it is asked to.
class Propagation {
 public:
  /// The state of a value in a pass. Elements of tuples are values of their own.
  struct Slot {
    enum class Kind : uint8_t {
      kNone,    ///< not affected by the symbol, or nothing known
      kTensor,  ///< axes
      kNumber,  ///< `number`
      kTuple,   ///< elements
    };
    Kind kind = Kind::kNone;
    Quality quality = Quality::kRight;
    bool has_rank = false;
    uint8_t rank = 0;
    uint32_t first = 0;  ///< of axes, or of elements
    uint32_t count = 0;
    uint32_t cause = 0;  ///< into causes(), of a quality that is not kRight
    ExprId number = ExprId::kNone;
    Fill real = Fill::Real();
  };

  /// `trust_printed`: uses the shapes printed in the dump; otherwise only those of placeholders.
  Propagation(GraphSet& graphs, const GraphModel& graph, bool trust_printed);

  /// Propagates padding along `symbol` through the graph.
  void Run(ExprId symbol, std::span<const Assumption> assumptions);

  GraphSet& graphs() const { return graphs_; }
  const GraphModel& graph() const { return graph_; }
  ExprId symbol() const { return symbol_; }

  /// The state of `value` in the current pass.
  TensorState StateOf(uint32_t value) const;
  const Slot& SlotOf(uint32_t value) const;
  /// The element of a tuple; null: not known.
  const Slot* ElementOf(uint32_t tuple, size_t index) const;
  TensorState StateOf(const Slot& slot) const;
  bool IsAffected(uint32_t value) const { return run_.slots[value].kind != Slot::Kind::kNone; }
  /// Whether `size` grows with the symbol.
  bool DependsOnSymbol(ExprId size) const;
  /// The shape of `value`, if known: from the dump, or computed.
  std::optional<std::vector<ExprId>> ShapeOf(uint32_t value) const;
  std::span<const PaddingCause> causes() const { return causes_; }
  std::span<const PaddingCause> notes() const { return notes_; }
  /// Whether outputs are saved for a backward graph besides those for the user: a forward graph of
  /// AOTAutograd.
  bool ReturnsSavedValues() const;
  std::string_view TargetOf(uint32_t node) const {
    return graphs_.strings.text(graph_.nodes[node].target);
  }
  /// Whether the positions of a result of `node` are those of an output of the graph: it is one, or
  /// only elementwise operators follow.
  bool IsReturnedInPlace(uint32_t node) const;
  /// The rule of the operator of `node`; null: not known.
  const OperatorRule* RuleOf(uint32_t node) const { return rules_[node]; }
  const OperatorName& NameOf(uint32_t node) const { return names_[node]; }

 private:
  struct Layer {
    std::vector<Slot> slots;  ///< one per value, then elements of tuples
    std::vector<Axis> axes;
  };

  /// The values that `node` takes, nested ones as well.
  std::span<const uint32_t> OperandsOf(uint32_t node) const {
    return std::span(operands_).subspan(first_operand_[node],
                                        first_operand_[node + 1] - first_operand_[node]);
  }
  /// The value that is the first argument; kNoIndex: something else.
  uint32_t FirstOperand(const GraphNode& node) const;
  uint32_t AddCause(PaddingCause cause);

  void CollectOperands();
  void CollectOperands(const Argument& argument, int depth);
  void WorkOutShapes(bool trust_printed);
  void SetPlaceholders(std::span<const Assumption> assumptions);
  void RunNode(uint32_t node);
  bool IsTouched(uint32_t node) const;
  /// The operand of `node` with the worst quality; kRight: none is wrong.
  const Slot* WorstOperand(uint32_t node, bool first_only) const;
  /// The operand of `node` whose last real positions are wrong, unless the node's rule follows
  /// them; null: none.
  const Slot* SpoiledOperand(uint32_t node) const;
  /// Into causes(): why the last real positions of a result are wrong.
  uint32_t CauseOfSpoiled(uint32_t node, const NodeResult& result);
  void LimitResults(NodeContext& context) const;
  void StoreFailure(uint32_t node, Quality quality, uint32_t cause);
  void StoreResults(NodeContext& context);
  void CollectMemory();
  /// Whether `tuple` holds results with memory of their own, such as values and indices.
  bool IsOwnResult(uint32_t tuple) const;
  void UpdateInPlace(uint32_t node);
  void MarkUnknown(uint32_t value, uint32_t node, const std::string& why);
  /// Whether a later node uses a result of `node`.
  bool IsUsed(uint32_t node) const;
  void StoreBase(NodeContext& context, bool trust_printed);
  Slot MakeSlot(Layer& layer, const TensorState& state);
  /// Of a tuple, whose elements become slots of `layer`.
  Slot MakeTuple(Layer& layer, llvm::ArrayRef<TensorState> states);
  bool CheckSizes(const TensorState& state, const Slot& base, std::string& why) const;
  Slot PrintedSlot(uint32_t value);
  Slot PaddedSlot(const Slot& base, const Fill& fill);

  GraphSet& graphs_;
  const GraphModel& graph_;
  ExprId symbol_ = ExprId::kNone;
  Layer base_;
  Layer run_;
  std::vector<const OperatorRule*> rules_;  ///< one a node
  std::vector<OperatorName> names_;         ///< one a node
  std::vector<uint32_t> operands_;          ///< values that nodes take, nested ones as well
  std::vector<uint32_t> first_operand_;     ///< one a node, and one past the last
  std::vector<uint32_t> last_use_;          ///< one a value: the last node that takes it
  std::vector<uint32_t> memory_;            ///< one a value: the first value whose memory it shares
  std::vector<uint32_t> whole_;             ///< one a value: the first that is the same tensor
  std::vector<std::vector<uint32_t>> sharers_;  ///< one a value: who shares its memory so far
  bool has_spoiled_ = false;  ///< some value of the pass has an axis with spoiled positions
  std::vector<PaddingCause> causes_;
  std::vector<PaddingCause> notes_;
  mutable llvm::DenseMap<uint32_t, bool> depends_;                    ///< by expression
  mutable llvm::DenseMap<uint32_t, std::vector<ExprId>> symbols_of_;  ///< by expression, sorted
};

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_PROPAGATION_H_
