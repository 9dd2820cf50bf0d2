#include <algorithm>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// A hostile dump may ask for any number of parts.
constexpr int64_t kMostParts = 4096;

// What a node splits, and how.
struct Cut {
  Division kind = Division::kSplit;
  TensorState state;
  std::optional<size_t> dim;
  const Argument* how = nullptr;  ///< null for unbind
  ArgumentList listed;            ///< sizes or ends, if given individually
};

Cut ReadCut(NodeContext& context) {
  Cut cut;
  cut.kind = static_cast<Division>(context.rule().code);
  cut.state = context.Operand(0, {"input", "self", "tensor"});
  const bool is_unbind = cut.kind == Division::kUnbind;
  cut.dim = context.DimOf(cut.state, is_unbind ? 1 : 2, 0);
  if (is_unbind) return cut;
  cut.how = context.Find(1, {"split_size_or_sections", "split_size", "split_sizes", "chunks",
                             "indices_or_sections", "sections", "indices"});
  const bool is_list = cut.how != nullptr && cut.how->IsSequence();
  if (is_list && cut.how->num_children > kMostParts) {
    cut.dim.reset();
  } else if (is_list || context.Elements(cut.how).size() > 1) {
    cut.listed = context.Elements(cut.how);
  }
  return cut;
}

// Sizes of the parts of a dim of `total` elements; empty: not known.
llvm::SmallVector<int64_t, 8> EvenSizes(const NodeContext& context, const Cut& cut, int64_t total) {
  llvm::SmallVector<int64_t, 8> sizes;
  int64_t given = 1;
  if (cut.kind != Division::kUnbind) given = context.IntOr(cut.how, 0);
  if (given <= 0 || total < 0) return sizes;
  if (cut.kind == Division::kTensorSplit) {
    for (int64_t i = 0; i < given && given <= kMostParts; ++i) {
      sizes.push_back(total / given + (i < total % given ? 1 : 0));
    }
    return sizes;
  }
  const int64_t step = cut.kind == Division::kChunk ? (total + given - 1) / given : given;
  if (step <= 0 || total / step > kMostParts) return sizes;
  for (int64_t start = 0; start < total; start += step) {
    sizes.push_back(std::min(step, total - start));
  }
  return sizes;
}

llvm::SmallVector<ExprId, 8> SizesOf(NodeContext& context, const Cut& cut) {
  ExprPool& pool = context.pool();
  llvm::SmallVector<ExprId, 8> sizes;
  const ExprId whole = cut.state.Size(*cut.dim);
  if (cut.kind == Division::kTensorSplit && !cut.listed.empty()) {
    ExprId start = pool.Integer(0);
    for (size_t i = 0; i <= cut.listed.size(); ++i) {
      const ExprId end = i < cut.listed.size() ? context.Size(cut.listed[i]) : whole;
      const bool is_known = start != ExprId::kNone && end != ExprId::kNone;
      sizes.push_back(is_known ? pool.Subtract(end, start) : ExprId::kNone);
      start = end;
    }
  } else if (!cut.listed.empty()) {
    for (const Argument* size : cut.listed) sizes.push_back(context.Size(size));
  } else if (pool.kind(whole) == ExprKind::kInteger) {
    for (const int64_t size : EvenSizes(context, cut, pool.value(whole))) {
      sizes.push_back(pool.Integer(size));
    }
  }
  return sizes;
}

// The bounds of a part of a dim that grows.
struct PartBounds {
  std::optional<int64_t> start;  ///< absent: it moves with padding, or is not known
  bool grows = false;
  bool is_last = false;         ///< ends at the end of the dim
  ExprId size = ExprId::kNone;  ///< of a part that does not grow
};

PartBounds BoundsOf(NodeContext& split, const Cut& cut, int64_t at, bool is_printed_growing) {
  PartBounds bounds;
  ExprPool& pool = split.pool();
  if (cut.listed.empty()) {
    const int64_t given = split.IntOr(cut.how, 0);
    if (cut.kind != Division::kSplit) {
      // The number of parts is fixed: only the first begins at the same position.
      if (at == 0 && given > 0) bounds = {0, true, false, ExprId::kNone};
    } else if (at >= 0 && given > 0 && at < kMostParts) {
      // If the dump shows that the part does not grow, it is a full one.
      bounds = {at * given, is_printed_growing, is_printed_growing, pool.Integer(given)};
    }
    return bounds;
  }
  const bool are_ends = cut.kind == Division::kTensorSplit;
  const auto count = static_cast<int64_t>(cut.listed.size()) + (are_ends ? 1 : 0);
  if (at < 0) at += count;
  if (at < 0 || at >= count) return bounds;
  int64_t start = 0;
  for (int64_t i = 0; i < at; ++i) {
    const auto given = split.Int(cut.listed[static_cast<size_t>(i)]);
    if (!given || *given < 0) return bounds;
    start = are_ends ? *given : start + *given;
  }
  bounds.start = start;
  bounds.is_last = at + 1 == count;
  const bool is_rest = are_ends && at + 1 == count;
  const Argument* last = is_rest ? nullptr : cut.listed[static_cast<size_t>(at)];
  const auto end = split.Int(last);
  if (is_rest || split.propagation().DependsOnSymbol(split.Size(last))) {
    bounds.grows = true;
  } else if (!end || *end < 0 || (are_ends && *end < start)) {
    bounds.start.reset();
  } else {
    bounds.size = pool.Integer(are_ends ? *end - start : *end);
  }
  return bounds;
}

}  // namespace

void SplitRule(NodeContext& context) {
  const Cut cut = ReadCut(context);
  if (!cut.dim) return;
  if (cut.state.IsPadded(*cut.dim)) {
    const GraphNode& node = context.propagation().graph().nodes[context.node()];
    const bool is_followed = cut.kind != Division::kUnbind && node.num_values == 1 &&
                             cut.state.Single(*cut.dim) != nullptr;
    if (is_followed) {
      // The number of parts may depend on the size: each is computed where it is used.
      context.ReturnTuple({});
    } else {
      context.Contaminate(std::string(context.name().base) + " along " +
                          context.DimText(cut.state, *cut.dim) + ", which is padded");
    }
    return;
  }
  llvm::SmallVector<TensorState, 2> results;
  for (const ExprId size : SizesOf(context, cut)) {
    results.push_back(cut.kind == Division::kUnbind
                          ? cut.state.WithoutDim(*cut.dim)
                          : cut.state.WithDim(*cut.dim, Axis::Plain(size)));
  }
  if (!results.empty()) context.ReturnTuple(std::move(results));
}

void TakePart(NodeContext& context, uint32_t parts, int64_t at) {
  Propagation& propagation = context.propagation();
  const uint32_t node = propagation.graph().values[parts].node;
  const OperatorRule* rule = node == kNoIndex ? nullptr : propagation.RuleOf(node);
  if (rule == nullptr || rule->apply != SplitRule) return;
  NodeContext split(propagation, node);
  const Cut cut = ReadCut(split);
  if (!cut.dim || !cut.state.IsPadded(*cut.dim) || cut.state.Single(*cut.dim) == nullptr) return;
  const GraphNode& taken = propagation.graph().nodes[context.node()];
  const auto printed =
      taken.num_values == 0 ? std::nullopt : propagation.ShapeOf(taken.first_value);
  // Without a printed shape, the last and shorter part cannot be distinguished from the equal ones.
  if (!printed || printed->size() != cut.state.rank) return;
  const PartBounds bounds =
      BoundsOf(split, cut, at, propagation.DependsOnSymbol((*printed)[*cut.dim]));
  if (!bounds.start) {
    return context.Unknown("a part that begins at a position of " +
                           context.DimText(cut.state, *cut.dim) +
                           " that moves with padding is not followed");
  }
  Axis axis = Axis::Plain(bounds.size);
  if (bounds.grows) {
    axis = *cut.state.Single(*cut.dim);
    axis.size = ExprId::kNone;
    if (!bounds.is_last) {  // its end moves over elements that are real in other parts
      axis.near = Join(axis.near, cut.state.real);
      axis.all = Join(axis.all, cut.state.real);
    }
  }
  context.Return(cut.state.WithDim(*cut.dim, axis));
}

}  // namespace shapewise
