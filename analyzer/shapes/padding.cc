#include "shapes/padding.h"

#include <algorithm>
#include <string>
#include <utility>

#include "shapes/assumptions.h"
#include "shapes/propagation.h"

namespace shapewise {
namespace {

// Each symbol is followed through the whole graph separately.
constexpr size_t kMaxFollowedSymbols = 256;

PaddingReason ReasonAt(const Propagation& propagation, uint32_t node, std::string why) {
  PaddingReason reason;
  reason.why = std::move(why);
  if (node == kNoIndex) return reason;
  const GraphModel& graph = propagation.graph();
  const StringPool& strings = propagation.graphs().strings;
  const GraphNode& model = graph.nodes[node];
  if (model.num_values > 0) reason.node = strings.text(graph.values[model.first_value].name);
  reason.op =
      model.kind == NodeKind::kPlaceholder ? NodeKindName(model.kind) : strings.text(model.target);
  reason.line = model.line;
  reason.user_file = strings.text(model.user_file);
  reason.user_line = model.user_line;
  return reason;
}

void AddAssumptions(const Propagation& propagation, const std::vector<Assumption>& assumptions,
                    std::vector<PaddingReason>& because) {
  for (const Assumption& assumption : assumptions) {
    because.push_back(ReasonAt(propagation, propagation.graph().values[assumption.value].node,
                               AssumptionText(propagation, assumption)));
  }
}

// Why padding is wrong even under the best assumptions: another node would hide what is to be
// changed.
std::string ObstacleText(const Propagation& propagation, const FoundAssumptions& found) {
  std::string text = found.obstacle.why;
  for (const Assumption& assumption : found.best) {
    const GraphSet& graphs = propagation.graphs();
    const StrId name = propagation.graph().values[assumption.value].name;
    text += (&assumption == &found.best.front() ? ", also with " : " and ");
    text += std::string(graphs.strings.text(name)) + " " + AssumptionText(propagation, assumption);
  }
  return text;
}

// Why an assumption is needed. The assumption is what a cause says is missing.
std::string NeedText(const PaddingCause& cause) {
  return "needed here: " + cause.why.substr(0, cause.why.find(", without "));
}

// Why a verdict is not "unsafe" although padding may affect real results.
std::string DoubtText(const PaddingCause& cause) {
  return cause.is_shown ? cause.why
                        : cause.why + "; the numbers at padded positions are not known exactly";
}

// Notes of nodes, one of each kind.
void AddNotes(const Propagation& propagation, std::vector<PaddingReason>& because) {
  for (const PaddingCause& note : propagation.notes()) {
    const bool is_known = std::ranges::any_of(
        because, [&](const PaddingReason& known) { return known.why == note.why; });
    if (!is_known) because.push_back(ReasonAt(propagation, note.node, note.why));
  }
}

std::vector<uint32_t> OutputsToCut(const Propagation& propagation) {
  std::vector<uint32_t> positions;
  const GraphModel& graph = propagation.graph();
  for (uint32_t i = 0; i < graph.outputs.size(); ++i) {
    const uint32_t value = graph.outputs[i];
    if (value >= graph.values.size()) continue;
    const auto shape = propagation.ShapeOf(value);
    if (!shape) continue;
    const bool grows =
        std::ranges::any_of(*shape, [&](ExprId size) { return propagation.DependsOnSymbol(size); });
    if (grows) positions.push_back(i);
  }
  return positions;
}

SymbolPadding AnalyzeSymbol(Propagation& propagation, ExprId symbol) {
  SymbolPadding padding;
  padding.symbol = propagation.graphs().expressions.name(symbol);
  propagation.Run(symbol, {});
  const Outcome outcome = OutcomeOf(propagation);
  padding.outputs_to_cut = OutputsToCut(propagation);
  if (outcome.quality == Quality::kRight) {
    padding.verdict = PaddingVerdict::kSafe;
    AddNotes(propagation, padding.because);
    return padding;
  }
  if (outcome.quality == Quality::kContaminated || outcome.cause.depends_on_real) {
    const FoundAssumptions found = FindAssumptions(propagation, symbol, outcome);
    if (found.right) {
      padding.verdict = PaddingVerdict::kMasked;
      AddAssumptions(propagation, *found.right, padding.because);
      padding.because.push_back(ReasonAt(propagation, outcome.cause.node, NeedText(outcome.cause)));
      AddNotes(propagation, padding.because);
      return padding;
    }
    padding.verdict = found.is_shown_unsafe ? PaddingVerdict::kUnsafe : PaddingVerdict::kUnknown;
    if (found.doubt.node != kNoIndex) {
      AddAssumptions(propagation, found.doubtful, padding.because);
      padding.because.push_back(ReasonAt(propagation, found.doubt.node, DoubtText(found.doubt)));
      return padding;
    }
    if (padding.verdict == PaddingVerdict::kUnsafe) {
      padding.because.push_back(
          ReasonAt(propagation, found.obstacle.node, ObstacleText(propagation, found)));
      return padding;
    }
  } else {
    padding.verdict = PaddingVerdict::kUnknown;
  }
  std::string why = outcome.cause.why;
  if (outcome.quality == Quality::kContaminated && padding.verdict == PaddingVerdict::kUnknown) {
    why += "; not every way to extend the inputs was tried";
  }
  padding.because.push_back(ReasonAt(propagation, outcome.cause.node, std::move(why)));
  return padding;
}

// torch/nn/attention: fused kernels require masks whose rows begin at multiples of 16 bytes, which
// is 8 elements of 2 bytes; eager PyTorch pads a copy of other masks.
constexpr int64_t kMaskMultiple = 8;
// torch/_inductor/fx_passes/pad_mm.py, get_alignment_size_dtype: 8 for 16-bit elements, 4 for
// float32. Inductor cannot pad sizes that are symbolic.
constexpr int64_t kHalfMultiple = 8;

// One piece of advice per symbol and multiple, for the first node that benefits.
class Advisor {
 public:
  explicit Advisor(const Propagation& propagation)
      : propagation_(propagation), graph_(propagation.graph()), graphs_(propagation.graphs()) {}

  std::vector<AlignmentAdvice> Run() {
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const OperatorName& name = propagation_.NameOf(i);
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
    for (size_t i = 0; const Argument& argument : graph_.ArgumentsOf(graph_.nodes[node])) {
      const bool is_meant = argument.keyword == StrId::kNone
                                ? i == position
                                : graphs_.strings.text(argument.keyword) == keyword;
      if (is_meant && argument.kind == Argument::Kind::kValue) return argument.index;
      ++i;
    }
    return kNoIndex;
  }

  void Add(uint32_t node, ExprId size, int64_t multiple, const std::string& why) {
    for (const ExprId symbol : graphs_.expressions.SymbolsOf(size)) {
      std::string name(graphs_.expressions.name(symbol));
      const bool is_known = std::ranges::any_of(advice_, [&](const AlignmentAdvice& known) {
        return known.symbol == name && known.multiple >= multiple;
      });
      if (is_known) continue;
      const GraphNode& model = graph_.nodes[node];
      const std::string_view value =
          model.num_values == 0 ? std::string_view()
                                : graphs_.strings.text(graph_.values[model.first_value].name);
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
    const std::string_view dtype = graphs_.strings.text(graphs_.types[type].dtype);
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
  const GraphSet& graphs_;
  std::vector<AlignmentAdvice> advice_;
};

}  // namespace

GraphReport DescribeGraph(const GraphSet& graphs, size_t graph) {
  GraphReport report;
  report.graph = graph;
  for (const ExprId constraint : graphs.graphs[graph].constraints) {
    report.constraints.push_back(graphs.expressions.ToText(constraint));
  }
  return report;
}

GraphReport AnalyzePadding(GraphSet& graphs, size_t graph) {
  GraphReport report = DescribeGraph(graphs, graph);
  const std::optional<InlinedGraph> inlined = InlineCalls(graphs, graph);
  if (inlined) report.parts = inlined->callees;
  const GraphModel& model = inlined ? inlined->graph : graphs.graphs[graph];
  if (model.symbols.empty()) return report;
  Propagation propagation(graphs, model, true);
  for (const GraphSymbol& symbol : model.symbols) {
    if (report.padding.size() < kMaxFollowedSymbols) {
      report.padding.push_back(AnalyzeSymbol(propagation, symbol.symbol));
      continue;
    }
    SymbolPadding& padding = report.padding.emplace_back();
    padding.symbol = graphs.expressions.name(symbol.symbol);
    padding.verdict = PaddingVerdict::kUnknown;
    padding.because.push_back(
        ReasonAt(propagation, kNoIndex,
                 "only the first " + std::to_string(kMaxFollowedSymbols) + " of the graph's " +
                     std::to_string(model.symbols.size()) + " symbols are followed"));
  }
  report.alignment = Advisor(propagation).Run();
  return report;
}

}  // namespace shapewise
