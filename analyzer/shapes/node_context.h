// The interface of rules to one node: arguments, states of operands, results.

#ifndef SHAPEWISE_SHAPES_NODE_CONTEXT_H_
#define SHAPEWISE_SHAPES_NODE_CONTEXT_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "model/graph_model.h"
#include "shapes/operators.h"
#include "shapes/tensor_state.h"

namespace shapewise {

class Propagation;

/// What a rule says of a node.
struct NodeResult {
  enum class Kind : uint8_t { kNothing, kTensors, kTuple, kNumber };
  Kind kind = Kind::kNothing;
  llvm::SmallVector<TensorState, 2> states;  ///< of kTensors and kTuple
  ExprId number = ExprId::kNone;             ///< of kNumber
  bool keeps_lines = false;                  ///< what it says of every line (Fill::lines) is right
  Quality quality = Quality::kRight;
  PaddingCause cause;                       ///< of a quality that is not kRight
  std::optional<uint32_t> inherited_cause;  ///< the same, if it is that of an operand
  std::optional<PaddingCause> spoiled_by;   ///< why last real positions are wrong
  std::string note;                         ///< empty: none
};

using ArgumentList = llvm::SmallVector<const Argument*, 8>;

/// Gives rules access to a node and receives their results.
class NodeContext {
 public:
  NodeContext(Propagation& propagation, uint32_t node, const OperatorRule& rule,
              const OperatorName& name);
  /// With the rule of the node, which must be known.
  NodeContext(Propagation& propagation, uint32_t node);

  const OperatorRule& rule() const { return rule_; }
  const OperatorName& name() const { return name_; }
  uint32_t node() const { return node_; }
  ExprPool& pool() const;
  /// The symbol that inputs are padded along; kNone while only shapes are computed.
  ExprId symbol() const;

  // --- arguments ---

  /// The argument at `position`, or with one of `keywords`; null: not given, or None.
  const Argument* Find(size_t position,
                       std::initializer_list<std::string_view> keywords = {}) const;
  /// As Find, for an argument that has no position.
  const Argument* FindKeyword(std::string_view keyword) const;
  /// The elements of a list; a single argument is a list of one.
  ArgumentList Elements(const Argument* list) const;
  /// Sizes or dims from `position` on, given as a list or individually.
  ArgumentList Varargs(size_t position, std::string_view keyword) const;
  /// The parts of an index: x[i, j] has two.
  ArgumentList IndexEntries(const Argument* index) const;
  bool IsEllipsis(const Argument* entry) const;  ///< of an index
  size_t num_positional() const { return num_positional_; }

  std::optional<int64_t> Int(const Argument* argument) const;
  int64_t IntOr(const Argument* argument, int64_t otherwise) const;
  bool BoolOr(const Argument* argument, bool otherwise) const;
  std::optional<double> Number(const Argument* argument) const;
  std::string_view Text(const Argument* argument) const;  ///< of strings and constants
  ExprId Size(const Argument* argument) const;            ///< an integer as expression, or kNone
  /// Whether the argument is a number that grows with the symbol.
  bool IsPaddedSize(const Argument* argument) const;
  bool IsTensor(const Argument* argument) const;
  /// Whether the argument is a tensor of this type, such as "torch.bool", according to the dump.
  bool IsOfType(const Argument* argument, std::string_view dtype) const;
  /// The shape of an argument such as x.size().
  std::optional<std::vector<ExprId>> WholeShape(const Argument* argument) const;
  /// The value used as the argument; kNoIndex for anything else.
  uint32_t ValueOf(const Argument* argument) const;
  /// The node that produces it; kNoIndex: none.
  uint32_t ProducerOf(const Argument* argument) const;
  /// Dims of a tensor of `rank`, from an int or a list; all if not given or empty. Absent: not
  /// known.
  std::optional<llvm::SmallVector<size_t, 6>> Dims(const Argument* argument, size_t rank) const;
  /// The dim of `state` that the argument at `position` names, from 0; `otherwise` if it names
  /// none. Absent: not known, or `state` does not have it.
  std::optional<size_t> DimOf(const TensorState& state, size_t position,
                              std::optional<int64_t> otherwise = std::nullopt) const;

  /// The state of a tensor operand, or of a number as a tensor. Without rank if unknown.
  TensorState State(const Argument* argument) const;
  TensorState Operand(size_t position, std::initializer_list<std::string_view> keywords = {}) const;

  // --- results ---

  /// The place of an error in reasons: "dim 1 (s77)".
  std::string DimText(const TensorState& state, size_t dim) const;
  /// The size of a dim, folded or not.
  ExprId WholeSize(const TensorState& state, size_t dim) const;
  std::string SymbolText() const;

  void Return(TensorState state);
  /// A tuple or list of results: elements in order.
  void ReturnTuple(llvm::SmallVector<TensorState, 2> states);
  void ReturnNumber(ExprId value);
  /// Real positions of every result are wrong with padding. If `is_shown` is false, they may be
  /// wrong, but no padding is known to make them wrong.
  void Contaminate(std::string why, bool is_shown = true);
  /// Contaminates: operands are padded in different ways.
  void DoNotLineUp();
  /// Whether `dim` is padded; if so, contaminates: "<why> dim 1 (s77), which is padded".
  bool ContaminatesPadded(const TensorState& state, size_t dim, const std::string& why);
  void Unknown(std::string why);
  /// As Unknown, where the result is right for some real inputs.
  void UnknownForSome(std::string why);
  /// The last real positions of an axis of the result are wrong (Axis::spoiled).
  void Spoil(std::string why, bool is_shown);
  /// The result is as wrong as an operand, for the same cause.
  void Inherit(Quality quality, uint32_t cause);
  /// Records a condition that the user must ensure; added to verdicts.
  void Note(std::string why);

  /// What the result says of every line along its last dim (Fill::lines) is right.
  void KeepLines() { result_.keeps_lines = true; }

  bool has_failed() const { return result_.quality != Quality::kRight; }
  NodeResult& result() { return result_; }
  Propagation& propagation() const { return propagation_; }

 private:
  const Argument* Resolve(const Argument* argument) const;

  Propagation& propagation_;
  uint32_t node_;
  const OperatorRule& rule_;
  const OperatorName& name_;
  size_t num_positional_ = 0;
  NodeResult result_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_NODE_CONTEXT_H_
