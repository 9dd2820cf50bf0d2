#include "shapes/propagation.h"

#include <algorithm>
#include <array>

#include "shapes/node_context.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

using Slot = Propagation::Slot;

// Unaffected by padding: a later node cannot distinguish it from the unpadded program.
bool IsHarmless(const TensorState& state) {
  return !state.IsPadded() && state.real.kind != Fill::Kind::kBelow &&
         state.real.kind != Fill::Kind::kAtMost;
}

// PyTorch writes 2 as s0//(s0//2) if a view grouped rows in pairs. An expression with the same
// value for all of these sizes is treated as a constant.
bool IsConstant(const ExprPool& pool, ExprId size, ExprId symbol) {
  if (size == symbol) return false;
  // Terms of a sum are distinct, so they cannot cancel the symbol.
  if (pool.kind(size) == ExprKind::kAdd) {
    const auto terms = pool.operands(size);
    const bool is_linear = std::ranges::all_of(terms, [&](ExprId term) {
      return pool.kind(term) == ExprKind::kSymbol || pool.kind(term) == ExprKind::kInteger;
    });
    if (is_linear) return std::ranges::find(terms, symbol) == terms.end();
  }
  constexpr auto kSizes = std::to_array<int64_t>({8, 9, 10, 11, 12, 31, 64, 4096, 100'000});
  std::optional<int64_t> first;
  for (const int64_t sample : kSizes) {
    const std::optional<int64_t> value = pool.Evaluate(
        size, [&](ExprId id) { return std::optional<int64_t>(id == symbol ? sample : 64); });
    if (!value || (first && *first != *value)) return false;
    first = value;
  }
  return true;
}

// Whether another number as an operand gives another result. x < n may be unchanged.
bool IsArithmetic(const OperatorRule& rule) {
  const auto function = static_cast<Pointwise>(rule.code);
  return rule.apply == PointwiseRule &&
         (function >= Pointwise::kAdd && function <= Pointwise::kPower);
}

// Whether every line along the last dim of the result is a line of the operand.
bool KeepsLines(const NodeContext& context) {
  const std::string_view base = context.name().base;
  if (base == "arange" || base == "iota" || base == "expand" || base == "expand_as") return true;
  const TensorState operand = context.Operand(0, {"input", "self"});
  if (base == "unsqueeze") {
    const auto dim = context.Int(context.Find(1, {"dim"}));
    const bool is_last = !dim || *dim == -1 || *dim == operand.rank;
    return !is_last || operand.real.kind == Fill::Kind::kBelow;
  }
  if (base != "getitem") return false;
  // x[None, :], x[:, None]: all elements are kept.
  const ArgumentList entries = context.Elements(context.Find(1));
  const auto is_none = [](const Argument& argument) {
    return argument.kind == Argument::Kind::kNone;
  };
  const GraphModel& graph = context.propagation().graph();
  for (const Argument* entry : entries) {
    if (is_none(*entry)) continue;
    if (entry->kind != Argument::Kind::kSlice) return false;
    for (uint32_t i = 0; i < entry->num_children; ++i) {
      if (!is_none(graph.arguments[entry->first_child + i])) return false;
    }
  }
  return !entries.empty() && (!is_none(*entries.back()) || operand.real.kind == Fill::Kind::kBelow);
}

}  // namespace

bool Propagation::DependsOnSymbol(ExprId size) const {
  if (size == ExprId::kNone || symbol_ == ExprId::kNone) return false;
  const auto [entry, is_new] = depends_.try_emplace(static_cast<uint32_t>(size), false);
  if (is_new) {
    const auto [symbols, is_unknown] = symbols_of_.try_emplace(static_cast<uint32_t>(size));
    if (is_unknown) {
      symbols->second = graphs_.expressions.SymbolsOf(size);
      std::ranges::sort(symbols->second);
    }
    entry->second = std::ranges::binary_search(symbols->second, symbol_) &&
                    !IsConstant(graphs_.expressions, size, symbol_);
  }
  return entry->second;
}

TensorState Propagation::StateOf(const Slot& slot) const {
  const bool is_base = !run_.slots.empty() && &slot >= base_.slots.data() &&
                       &slot < base_.slots.data() + base_.slots.size();
  const Layer& layer = is_base ? base_ : run_;
  TensorState state;
  state.has_rank = slot.has_rank;
  state.rank = slot.rank;
  state.real = slot.real;
  const auto first = layer.axes.begin() + slot.first;
  state.axes.append(first, first + (slot.has_rank ? slot.count : 0));
  return state;
}

bool Propagation::ReturnsSavedValues() const {
  if (graph_.placeholders.empty()) return false;
  const GraphNode& first = graph_.nodes[graph_.placeholders[0].node];
  return first.num_values > 0 &&
         graphs_.strings.text(graph_.values[first.first_value].name).starts_with("primals_");
}

TensorState Propagation::StateOf(uint32_t value) const { return StateOf(SlotOf(value)); }

const Slot& Propagation::SlotOf(uint32_t value) const {
  const Slot& slot = run_.slots[value];
  return slot.kind == Slot::Kind::kNone ? base_.slots[value] : slot;
}

const Slot* Propagation::ElementOf(uint32_t tuple, size_t index) const {
  const Slot& base = base_.slots[tuple];
  const Slot* element = base.kind == Slot::Kind::kTuple && index < base.count
                            ? &base_.slots[base.first + index]
                            : nullptr;
  const Slot& run = run_.slots[tuple];
  if (run.kind == Slot::Kind::kTuple && index < run.count) {
    const Slot& found = run_.slots[run.first + index];
    if (found.kind != Slot::Kind::kNone) return &found;
  }
  return element;
}

// The state of a tensor of this shape that is padded from the start, not by an operator.
Slot Propagation::PaddedSlot(const Slot& base, const Fill& fill) {
  TensorState state;
  state.has_rank = base.has_rank;
  state.real = base.real;
  state.rank = base.rank;
  for (uint32_t i = 0; i < base.count; ++i) {
    Axis axis = base_.axes[base.first + i];
    axis.is_padded = DependsOnSymbol(axis.size);
    axis.near = axis.all = fill;
    state.axes.push_back(axis);
  }
  return MakeSlot(run_, state);
}

void Propagation::SetPlaceholders(std::span<const Assumption> assumptions) {
  for (const Placeholder& placeholder : graph_.placeholders) {
    const GraphNode& node = graph_.nodes[placeholder.node];
    for (uint32_t value = node.first_value; value < node.first_value + node.num_values; ++value) {
      const Slot& base = base_.slots[value];
      if (base.kind == Slot::Kind::kNumber && DependsOnSymbol(base.number)) {
        run_.slots[value] = base;
      }
      if (base.kind != Slot::Kind::kTensor) continue;
      Fill fill = Fill::Of(Fill::Kind::kFinite);
      Fill real = base.real;
      for (const Assumption& assumption : assumptions) {
        if (assumption.value != value) continue;
        fill = assumption.padded.value_or(fill);
        real = assumption.real.value_or(real);
      }
      Slot slot = PaddedSlot(base, fill);
      slot.real = real;
      if (!IsHarmless(StateOf(slot))) run_.slots[value] = slot;
    }
  }
}

void Propagation::Run(ExprId symbol, std::span<const Assumption> assumptions) {
  if (symbol != symbol_) depends_.clear();
  symbol_ = symbol;
  run_.slots.assign(graph_.values.size(), Slot{});
  run_.axes.clear();
  causes_.clear();
  notes_.clear();
  has_spoiled_ = false;
  for (std::vector<uint32_t>& sharers : sharers_) sharers.clear();
  SetPlaceholders(assumptions);
  for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
    const GraphNode& node = graph_.nodes[i];
    for (uint32_t v = 0; v < node.num_values; ++v) {
      sharers_[memory_[node.first_value + v]].push_back(node.first_value + v);
    }
    if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput) continue;
    if (!IsTouched(i)) continue;
    RunNode(i);
    if (names_[i].is_in_place) UpdateInPlace(i);
  }
}

bool Propagation::IsTouched(uint32_t node) const {
  const auto is_affected = [this](uint32_t value) { return IsAffected(value); };
  if (std::ranges::any_of(OperandsOf(node), is_affected)) return true;
  // Sizes may be written into arguments as text: the result shows whether they are.
  const GraphNode& model = graph_.nodes[node];
  for (uint32_t i = 0; i < model.num_values; ++i) {
    const Slot& base = base_.slots[model.first_value + i];
    if (base.kind == Slot::Kind::kNumber && DependsOnSymbol(base.number)) return true;
    if (base.kind != Slot::Kind::kTensor) continue;
    for (uint32_t a = 0; a < base.count; ++a) {
      if (DependsOnSymbol(base_.axes[base.first + a].size)) return true;
    }
  }
  return false;
}

bool Propagation::IsReturnedInPlace(uint32_t node) const {
  std::vector<bool> holds(graph_.values.size());
  for (uint32_t at = node; at < graph_.nodes.size(); ++at) {
    const GraphNode& model = graph_.nodes[at];
    const bool is_pointwise = rules_[at] != nullptr && rules_[at]->apply == PointwiseRule;
    const bool takes = is_pointwise && std::ranges::any_of(OperandsOf(at), [&](uint32_t operand) {
                         return holds[operand];
                       });
    if (!takes && at != node) continue;
    for (uint32_t v = 0; v < model.num_values; ++v) holds[model.first_value + v] = true;
  }
  return std::ranges::any_of(graph_.outputs, [&](uint32_t value) { return holds[value]; });
}

bool Propagation::IsUsed(uint32_t node) const {
  const GraphNode& model = graph_.nodes[node];
  for (uint32_t v = model.first_value; v < model.first_value + model.num_values; ++v) {
    if (last_use_[v] > node) return true;
  }
  return false;
}

const Slot* Propagation::WorstOperand(uint32_t node, bool first_only) const {
  const Slot* worst = nullptr;
  for (const uint32_t operand : OperandsOf(node)) {
    const Slot& slot = run_.slots[operand];
    if (slot.quality == Quality::kRight) {
      if (first_only) break;
      continue;
    }
    const bool is_worse =
        worst == nullptr || slot.quality > worst->quality ||
        (slot.quality == worst->quality && causes_[slot.cause].node < causes_[worst->cause].node);
    if (is_worse) worst = &slot;
    if (first_only) break;
  }
  return worst;
}

const Slot* Propagation::SpoiledOperand(uint32_t node) const {
  const OperatorRule* rule = rules_[node];
  const bool is_followed =
      rule != nullptr &&
      (rule->apply == SliceRule || rule->apply == GetItemRule || rule->apply == PermuteRule);
  if (is_followed) return nullptr;
  for (const uint32_t operand : OperandsOf(node)) {
    const Slot& slot = run_.slots[operand];
    if (slot.kind == Slot::Kind::kTensor && StateOf(slot).IsSpoiled()) return &slot;
  }
  return nullptr;
}

uint32_t Propagation::CauseOfSpoiled(uint32_t node, const NodeResult& result) {
  if (result.spoiled_by) return AddCause(*result.spoiled_by);
  // A part, or another order, of an operand of which this is known.
  return run_.slots[OperandsOf(node).front()].cause;
}

void Propagation::StoreFailure(uint32_t node, Quality quality, uint32_t cause) {
  const GraphNode& model = graph_.nodes[node];
  for (uint32_t i = 0; i < model.num_values; ++i) {
    Slot slot;
    slot.kind = base_.slots[model.first_value + i].kind;
    if (slot.kind == Slot::Kind::kNone || slot.kind == Slot::Kind::kTuple) {
      slot.kind = Slot::Kind::kTensor;
    }
    slot.number = base_.slots[model.first_value + i].number;
    slot.quality = quality;
    slot.cause = cause;
    run_.slots[model.first_value + i] = slot;
  }
}

void Propagation::RunNode(uint32_t node) {
  const OperatorRule* rule = rules_[node];
  const uint8_t flags = rule == nullptr ? 0 : rule->flags;
  // Numbers that are sizes are never wrong, only larger.
  if ((flags & kShapeOnly) == 0) {
    if (const Slot* worst = WorstOperand(node, (flags & kFirstOnly) != 0)) {
      return StoreFailure(node, worst->quality, worst->cause);
    }
    if (const Slot* spoiled = has_spoiled_ ? SpoiledOperand(node) : nullptr) {
      return StoreFailure(node, Quality::kContaminated, spoiled->cause);
    }
  }
  if (rule == nullptr) {
    bool sees_padding = false;
    for (const uint32_t operand : OperandsOf(node)) {
      const Slot& slot = run_.slots[operand];
      sees_padding |= slot.kind == Slot::Kind::kNumber || slot.kind == Slot::Kind::kTuple;
      sees_padding |= slot.kind == Slot::Kind::kTensor && StateOf(slot).IsPadded();
    }
    if (!sees_padding && !OperandsOf(node).empty()) return;
    const std::string why = "the operator " + std::string(TargetOf(node)) + " is not known";
    StoreFailure(node, Quality::kUnknown, AddCause({node, why}));
    if (IsUsed(node)) return;
    // A node with unused results exists for its side effect.
    for (const uint32_t operand : OperandsOf(node)) MarkUnknown(operand, node, why);
    return;
  }
  NodeContext context(*this, node);
  const GraphNode& model = graph_.nodes[node];
  const bool is_number =
      model.num_values > 0 && base_.slots[model.first_value].kind == Slot::Kind::kNumber;
  if ((flags & kTakesSizes) == 0 && !is_number) {
    const bool takes_size = std::ranges::any_of(OperandsOf(node), [this](uint32_t operand) {
      return run_.slots[operand].kind == Slot::Kind::kNumber;
    });
    if (takes_size) {
      context.Contaminate(
          "it computes with the size " + context.SymbolText() + ", which padding changes",
          IsArithmetic(*rule));
    }
  }
  if (!context.has_failed()) rule->apply(context);
  LimitResults(context);
  if (!context.result().note.empty()) notes_.push_back({node, context.result().note});
  StoreResults(context);
}

// Rules other than elementwise ones produce new sets of numbers: a bound stays a bound, and the
// contents of lines are unknown if elements are split or combined.
void Propagation::LimitResults(NodeContext& context) const {
  const uint32_t node = context.node();
  const OperatorRule& rule = context.rule();
  const bool is_pointwise = rule.apply == PointwiseRule;
  const bool keeps_elements = is_pointwise || (rule.flags & kIsView) != 0;
  const bool keeps_lines = is_pointwise || context.result().keeps_lines || KeepsLines(context);
  bool has_bound = false;
  for (const uint32_t value : keeps_elements ? std::span<const uint32_t>() : OperandsOf(node)) {
    const TensorState operand = StateOf(value);
    has_bound |= operand.real.is_bound || std::ranges::any_of(operand.axes, [](const Axis& axis) {
                   return axis.is_padded && (axis.near.is_bound || axis.all.is_bound);
                 });
  }
  for (TensorState& result : context.result().states) {
    // A line along a dim that does not grow need not contain all positions.
    const bool has_lines = result.has_rank && result.rank > 0 && result.IsPadded(result.rank - 1u);
    const bool is_positions = result.real.kind == Fill::Kind::kBelow;
    if (!keeps_lines || (!has_lines && !is_positions)) result.real.lines = 0;
    if (!has_bound) continue;
    result.ChangeFills([](Fill fill) {
      fill.is_bound = fill.kind != Fill::Kind::kNumber;
      return fill;
    });
  }
}

bool Propagation::CheckSizes(const TensorState& state, const Slot& base, std::string& why) const {
  if (!state.has_rank || !base.has_rank || base.kind != Slot::Kind::kTensor) return true;
  if (state.rank != base.rank) {
    why = "its shape could not be followed";
    return false;
  }
  for (size_t dim = 0; dim < state.rank; ++dim) {
    bool is_printed_so = false;
    for (uint32_t i = 0; i < base.count; ++i) {
      const Axis& axis = base_.axes[base.first + i];
      if (axis.dim == dim) is_printed_so |= DependsOnSymbol(axis.size);
    }
    // PyTorch prints 16*((s0//(s0//2))) if the view requested 32.
    const Axis* single = state.Single(dim);
    const bool is_constant = single != nullptr && !single->is_padded &&
                             graphs_.expressions.kind(single->size) == ExprKind::kInteger;
    if (is_constant) continue;
    if (is_printed_so != state.IsPadded(dim)) {
      why = "the size of dim " + std::to_string(dim) + " could not be followed";
      return false;
    }
  }
  return true;
}

void Propagation::MarkUnknown(uint32_t value, uint32_t node, const std::string& why) {
  Slot& slot = run_.slots[value];
  if (slot.quality != Quality::kRight) return;
  slot.kind = Slot::Kind::kTensor;
  slot.quality = Quality::kUnknown;
  slot.cause = AddCause({node, why});
}

// A node that writes to its first operand stores its result there, and in the results of other such
// nodes for the same tensor. Other values that share the memory change as well, in a way that is
// not followed.
void Propagation::UpdateInPlace(uint32_t node) {
  const GraphNode& model = graph_.nodes[node];
  const uint32_t first = FirstOperand(model);
  if (first == kNoIndex) return;
  const uint32_t result = model.num_values > 0 ? model.first_value : kNoIndex;
  const bool was_affected = IsAffected(first);
  // Python's operators also work on sizes, and create new ones.
  if (SlotOf(first).kind == Slot::Kind::kNumber) return;
  if (result != kNoIndex) run_.slots[first] = run_.slots[result];
  const bool is_affected = was_affected || IsAffected(first);
  std::vector<uint32_t>& sharers = sharers_[memory_[first]];
  // The next write need not visit values that are not used any more.
  std::erase_if(sharers, [&](uint32_t value) { return last_use_[value] <= node; });
  for (const uint32_t value : sharers) {
    if (value == first || value == result) continue;
    if (!is_affected && !IsAffected(value)) continue;
    if (result != kNoIndex && whole_[value] == whole_[first]) {
      run_.slots[value] = run_.slots[result];
      continue;
    }
    MarkUnknown(value, node, "it writes into memory that views share, which is not followed");
  }
}

void Propagation::StoreResults(NodeContext& context) {
  const GraphNode& node = graph_.nodes[context.node()];
  NodeResult& result = context.result();
  llvm::SmallVector<TensorState, 2>& states = result.states;
  if (result.kind == NodeResult::Kind::kNothing && node.num_values > 0) {
    context.Unknown("its operands could not be followed");
  }
  const size_t count = std::min<size_t>(node.num_values, states.size());
  const bool is_one_tuple = node.num_values == 1 && result.kind == NodeResult::Kind::kTuple;
  for (uint32_t i = 0; i < count && !is_one_tuple && !context.has_failed(); ++i) {
    const Slot& base = base_.slots[node.first_value + i];
    std::string why;
    if (!states[i].has_rank) {
      context.Unknown("its shape is not known");
    } else if (!CheckSizes(states[i], base, why)) {
      context.Unknown(why);
    } else if (base.has_rank) {
      // The sizes in the dump are already simplified by PyTorch.
      for (size_t dim = 0; dim < states[i].rank; ++dim) {
        const llvm::MutableArrayRef<Axis> parts = states[i].Dim(dim);
        if (parts.size() == 1 && base.count == base.rank && parts[0].is_padded) {
          parts[0].size = base_.axes[base.first + dim].size;
        }
      }
    }
  }
  if (context.has_failed()) {
    result.cause.node = context.node();
    const uint32_t cause =
        result.inherited_cause ? *result.inherited_cause : AddCause(std::move(result.cause));
    return StoreFailure(context.node(), result.quality, cause);
  }
  if (result.kind == NodeResult::Kind::kNumber) {
    Slot slot = base_.slots[node.first_value];
    slot.kind = Slot::Kind::kNumber;
    if (slot.number == ExprId::kNone || DependsOnSymbol(slot.number)) {
      run_.slots[node.first_value] = slot;
    }
    return;
  }
  if (is_one_tuple) {
    const Slot tuple = MakeTuple(run_, states);
    for (size_t i = 0; i < states.size(); ++i) {
      const TensorState& state = states[i];
      if (state.has_rank && state.quality == Quality::kRight) continue;
      const bool is_reported = state.quality != Quality::kRight && state.why != nullptr;
      Slot& element = run_.slots[tuple.first + i];
      element.quality = is_reported ? state.quality : Quality::kUnknown;
      element.cause = AddCause({context.node(), is_reported ? state.why : "a shape is not known"});
    }
    run_.slots[node.first_value] = tuple;
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (states[i].quality == Quality::kRight && IsHarmless(states[i])) continue;
    Slot slot = MakeSlot(run_, states[i]);
    if (states[i].IsSpoiled()) {
      slot.cause = CauseOfSpoiled(context.node(), result);
      has_spoiled_ = true;
    }
    if (states[i].quality != Quality::kRight) {
      slot.quality = states[i].quality;
      slot.cause = AddCause({context.node(), states[i].why});
    }
    run_.slots[node.first_value + i] = slot;
  }
}

}  // namespace shapewise
