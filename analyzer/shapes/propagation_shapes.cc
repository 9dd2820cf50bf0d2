#include <algorithm>
#include <utility>

#include "shapes/node_context.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

using Slot = Propagation::Slot;

// Nesting of lists: indices and slices in a tuple are two levels deep.
constexpr int kDeepestList = 8;

// Maximum number of terms of a computed size, such as that of a concatenation; larger sizes are
// unknown. Sums of sums would take memory that grows with the square of the graph.
constexpr size_t kMaxTerms = 1024;

// Constants and buffers may contain masks: their numbers are not printed.
void SetUnprinted(Fill& real) {
  real.is_bound = true;
  real.has_low = true;
}

}  // namespace

Propagation::Propagation(GraphSet& graphs, const GraphModel& graph, bool trust_printed)
    : graphs_(graphs), graph_(graph) {
  CollectOperands();
  WorkOutShapes(trust_printed);
  CollectMemory();
}

void Propagation::CollectOperands() {
  rules_.resize(graph_.nodes.size());
  names_.resize(graph_.nodes.size());
  first_operand_.reserve(graph_.nodes.size() + 1);
  llvm::DenseMap<uint32_t, std::pair<OperatorName, const OperatorRule*>> by_target;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const GraphNode& node = graph_.nodes[i];
    first_operand_.push_back(static_cast<uint32_t>(operands_.size()));
    for (const Argument& argument : graph_.ArgumentsOf(node)) CollectOperands(argument, 0);
    if (node.kind != NodeKind::kCallFunction && node.kind != NodeKind::kCallMethod &&
        node.kind != NodeKind::kOperator) {
      continue;
    }
    const auto [entry, is_new] = by_target.try_emplace(static_cast<uint32_t>(node.target));
    if (is_new) {
      entry->second.first = ParseOperatorName(graphs_.strings.text(node.target));
      entry->second.second = FindOperator(entry->second.first.base);
    }
    names_[i] = entry->second.first;
    rules_[i] = entry->second.second;
  }
  first_operand_.push_back(static_cast<uint32_t>(operands_.size()));
}

void Propagation::CollectOperands(const Argument& argument, int depth) {
  if (argument.kind == Argument::Kind::kValue) {
    if (argument.index < graph_.values.size()) operands_.push_back(argument.index);
    return;
  }
  if (depth == kDeepestList) return;
  for (const Argument& child : graph_.ChildrenOf(argument)) CollectOperands(child, depth + 1);
}

Slot Propagation::PrintedSlot(uint32_t value) {
  Slot slot;
  const uint32_t type_index = graph_.values[value].type;
  if (type_index == kNoIndex) return slot;
  const ValueType& type = graphs_.types[type_index];
  switch (type.kind) {
    case ValueType::Kind::kTensor:
      if (type.has_shape && type.shape.size() < 64) {
        TensorState state;
        state.has_rank = true;
        for (const ExprId size : type.shape) state.AddDim(size);
        slot = MakeSlot(base_, state);
      } else {
        slot.kind = Slot::Kind::kTensor;
      }
      break;
    case ValueType::Kind::kInt:
    case ValueType::Kind::kFloat:
    case ValueType::Kind::kBool:
      slot.kind = Slot::Kind::kNumber;
      slot.number = type.expression;
      break;
    case ValueType::Kind::kUnknown:
    case ValueType::Kind::kNone:
    case ValueType::Kind::kObject:
      break;
  }
  return slot;
}

void Propagation::WorkOutShapes(bool trust_printed) {
  base_.slots.resize(graph_.values.size());
  run_.slots.resize(graph_.values.size());
  for (const Placeholder& placeholder : graph_.placeholders) {
    const GraphNode& node = graph_.nodes[placeholder.node];
    for (uint32_t i = 0; i < node.num_values; ++i) {
      Slot& slot = base_.slots[node.first_value + i];
      slot = PrintedSlot(node.first_value + i);
      const uint32_t type = graph_.values[node.first_value + i].type;
      if (type != kNoIndex && graphs_.strings.text(graphs_.types[type].dtype) == "torch.bool") {
        slot.real = {Fill::Kind::kNonNegative, true, 0};
      }
      if (placeholder.kind == PlaceholderKind::kBuffer ||
          placeholder.kind == PlaceholderKind::kConstant) {
        SetUnprinted(slot.real);
      }
      // A symbol that is passed directly need not be annotated.
      const ExprId symbol =
          placeholder.kind == PlaceholderKind::kSymbol && slot.number == ExprId::kNone
              ? graphs_.expressions.Parse(
                    graphs_.strings.text(graph_.values[node.first_value + i].name))
              : ExprId::kNone;
      if (symbol != ExprId::kNone) {
        slot.kind = Slot::Kind::kNumber;
        slot.number = symbol;
      }
    }
  }
  for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
    const GraphNode& node = graph_.nodes[i];
    if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput) continue;
    if (node.kind == NodeKind::kGetAttr || rules_[i] == nullptr) {
      for (uint32_t v = 0; v < node.num_values; ++v) {
        Slot& slot = base_.slots[node.first_value + v];
        slot = PrintedSlot(node.first_value + v);
        // Weights are attributes, too.
        const bool is_constant = TargetOf(i).find("_tensor") != std::string_view::npos;
        if (node.kind == NodeKind::kGetAttr && is_constant) SetUnprinted(slot.real);
      }
      continue;
    }
    NodeContext context(*this, i);
    rules_[i]->apply(context);
    StoreBase(context, trust_printed);
  }
}

Slot Propagation::MakeSlot(Layer& layer, const TensorState& state) {
  Slot slot;
  slot.kind = Slot::Kind::kTensor;
  slot.has_rank = state.has_rank;
  slot.rank = state.rank;
  slot.real = state.real;
  slot.first = static_cast<uint32_t>(layer.axes.size());
  slot.count = static_cast<uint32_t>(state.axes.size());
  layer.axes.insert(layer.axes.end(), state.axes.begin(), state.axes.end());
  return slot;
}

Slot Propagation::MakeTuple(Layer& layer, llvm::ArrayRef<TensorState> states) {
  Slot tuple;
  tuple.kind = Slot::Kind::kTuple;
  tuple.first = static_cast<uint32_t>(layer.slots.size());
  tuple.count = static_cast<uint32_t>(states.size());
  for (const TensorState& state : states) layer.slots.push_back(MakeSlot(layer, state));
  return tuple;
}

uint32_t Propagation::FirstOperand(const GraphNode& node) const {
  if (node.num_arguments == 0) return kNoIndex;
  const Argument& first = graph_.arguments[node.first_argument];
  const bool is_value = first.kind == Argument::Kind::kValue && first.index < graph_.values.size();
  return is_value ? first.index : kNoIndex;
}

uint32_t Propagation::AddCause(PaddingCause cause) {
  causes_.push_back(std::move(cause));
  return static_cast<uint32_t>(causes_.size() - 1);
}

void Propagation::StoreBase(NodeContext& context, bool trust_printed) {
  const GraphNode& node = graph_.nodes[context.node()];
  const NodeResult& result = context.result();
  const bool is_number = result.kind == NodeResult::Kind::kNumber;
  if (node.num_values == 1 && result.kind == NodeResult::Kind::kTuple) {
    const Slot tuple = MakeTuple(base_, result.states);
    base_.slots[node.first_value] = tuple;
    return;
  }
  for (uint32_t i = 0; i < node.num_values; ++i) {
    const uint32_t value = node.first_value + i;
    Slot slot = trust_printed ? PrintedSlot(value) : Slot{};
    if (is_number) {
      slot.kind = Slot::Kind::kNumber;
      if (slot.number == ExprId::kNone) slot.number = result.number;
    } else if (i < result.states.size()) {
      const Fill real = result.states[i].real;
      if (!slot.has_rank && slot.kind != Slot::Kind::kNumber) {
        TensorState state = result.states[i];
        const bool is_complete = std::ranges::none_of(state.axes, [&](const Axis& axis) {
          return axis.size == ExprId::kNone ||
                 graphs_.expressions.operands(axis.size).size() > kMaxTerms;
        });
        if (!is_complete) state.has_rank = false;
        slot = MakeSlot(base_, state);
      }
      slot.real = real;
    }
    base_.slots[value] = slot;
  }
}

std::optional<std::vector<ExprId>> Propagation::ShapeOf(uint32_t value) const {
  const Slot& slot = base_.slots[value];
  if (slot.kind != Slot::Kind::kTensor || !slot.has_rank) return std::nullopt;
  std::vector<ExprId> shape;
  for (uint32_t i = 0; i < slot.count; ++i) {
    const Axis& axis = base_.axes[slot.first + i];
    if (axis.dim != shape.size() && !shape.empty()) {
      // A folded dim.
      shape.back() = graphs_.expressions.Mul({shape.back(), axis.size});
    } else {
      shape.push_back(axis.size);
    }
  }
  return shape;
}

bool Propagation::IsOwnResult(uint32_t tuple) const {
  const uint32_t producer = graph_.values[tuple].node;
  if (producer == kNoIndex || rules_[producer] == nullptr) return false;
  const bool makes_views = (rules_[producer]->flags & kIsView) != 0;
  return base_.slots[tuple].kind == Slot::Kind::kTuple && !makes_views;
}

void Propagation::CollectMemory() {
  last_use_.assign(graph_.values.size(), 0);
  memory_.resize(graph_.values.size());
  for (uint32_t value = 0; value < memory_.size(); ++value) memory_[value] = value;
  whole_ = memory_;
  sharers_.resize(graph_.values.size());
  for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
    for (const uint32_t operand : OperandsOf(i)) last_use_[operand] = i;
    const GraphNode& node = graph_.nodes[i];
    const bool shares =
        names_[i].is_in_place || (rules_[i] != nullptr && (rules_[i]->flags & kIsView) != 0);
    const uint32_t first = shares ? FirstOperand(node) : kNoIndex;
    if (first == kNoIndex || IsOwnResult(first)) continue;
    for (uint32_t v = 0; v < node.num_values; ++v) {
      memory_[node.first_value + v] = memory_[first];
      if (names_[i].is_in_place) whole_[node.first_value + v] = whole_[first];
    }
  }
}

}  // namespace shapewise
