#include "shapes/assumptions.h"

#include <algorithm>

#include "shapes/operators.h"

namespace shapewise {
namespace {

// torch/nn/attention: fused kernels require masks whose rows begin at multiples of 16 bytes, which
// is 8 elements of 2 bytes; eager PyTorch pads a copy of other masks.
constexpr int64_t kMaskMultiple = 8;
// torch/_inductor/fx_passes/pad_mm.py, get_alignment_size_dtype: 8 for 16-bit elements, 4 for
// float32. Inductor cannot pad sizes that are symbolic.
constexpr int64_t kHalfMultiple = 8;

class Advisor {
 public:
  explicit Advisor(const Propagation& propagation)
      : propagation_(propagation), graph_(propagation.graph()) {}

  std::vector<AlignmentAdvice> Run(GraphSet& graphs) {
    graphs_ = &graphs;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const OperatorName name = ParseOperatorName(propagation_.TargetOf(i));
      if (name.base == "scaled_dot_product_attention") {
        Attention(i);
      } else if (name.base == "mm" || name.base == "addmm" || name.base == "bmm" ||
                 name.base == "matmul" || name.base == "linear" || name.base == "baddbmm") {
        Product(i, name.base == "addmm" || name.base == "baddbmm" ? 1 : 0);
      }
    }
    return std::move(advice_);
  }

 private:
  uint32_t OperandOf(uint32_t node, size_t position, std::string_view keyword) const {
    const GraphNode& model = graph_.nodes[node];
    for (uint32_t i = 0; i < model.num_arguments; ++i) {
      const Argument& argument = graph_.arguments[model.first_argument + i];
      const bool is_meant = argument.keyword == StrId::kNone
                                ? i == position
                                : graphs_->strings.text(argument.keyword) == keyword;
      if (is_meant && argument.kind == Argument::Kind::kValue) return argument.index;
    }
    return kNoIndex;
  }

  void Add(uint32_t node, ExprId size, int64_t multiple, const std::string& why) {
    for (const ExprId symbol : graphs_->expressions.SymbolsOf(size)) {
      std::string name(graphs_->expressions.name(symbol));
      const bool is_known = std::ranges::any_of(advice_, [&](const AlignmentAdvice& known) {
        return known.symbol == name && known.multiple >= multiple;
      });
      if (is_known) continue;
      const GraphNode& model = graph_.nodes[node];
      const std::string_view value =
          model.num_values == 0 ? std::string_view()
                                : graphs_->strings.text(graph_.values[model.first_value].name);
      advice_.push_back({std::move(name), multiple, std::string(value), why});
    }
  }

  void Attention(uint32_t node) {
    const uint32_t mask = OperandOf(node, 3, "attn_mask");
    if (mask == kNoIndex) return;
    const auto shape = propagation_.ShapeOf(mask);
    if (!shape || shape->empty()) return;
    Add(node, shape->back(), kMaskMultiple,
        "fused attention kernels take a mask whose last dim is a multiple of 8; others are copied");
  }

  void Product(uint32_t node, size_t first) {
    const uint32_t left = OperandOf(node, first, "input");
    const uint32_t right = OperandOf(node, first + 1, "weight");
    if (left == kNoIndex || right == kNoIndex) return;
    const uint32_t type = graph_.values[left].type;
    if (type == kNoIndex) return;
    const std::string_view dtype = graphs_->strings.text(graphs_->types[type].dtype);
    if (dtype != "torch.float16" && dtype != "torch.bfloat16") return;
    const auto a = propagation_.ShapeOf(left);
    const auto b = propagation_.ShapeOf(right);
    if (!a || !b || a->size() < 2 || b->size() < 2) return;
    // The number of rows is arbitrary: tiles are truncated there at no other cost.
    const char* why =
        "tensor cores multiply 16-bit matrices whose inner and last dims are "
        "multiples of 8";
    Add(node, a->back(), kHalfMultiple, why);
    Add(node, b->back(), kHalfMultiple, why);
  }

  const Propagation& propagation_;
  const GraphModel& graph_;
  GraphSet* graphs_ = nullptr;
  std::vector<AlignmentAdvice> advice_;
};

}  // namespace

std::vector<AlignmentAdvice> AdviseAlignment(Propagation& propagation) {
  return Advisor(propagation).Run(propagation.graphs());
}

}  // namespace shapewise
