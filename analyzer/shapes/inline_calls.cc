#include "shapes/assumptions.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "llvm/ADT/DenseMap.h"

namespace shapewise {
namespace {

// A body that is called many times is copied as often: a graph of graphs must not grow without end.
constexpr size_t kMostNodes = 1'000'000;
constexpr int kDeepestCall = 16;
constexpr int kDeepestArgument = 16;

// torch/_higher_order_ops: they run their body with their arguments, in another mode.
constexpr auto kPlainCalls = std::to_array<std::string_view>({
    "wrap",
    "wrap_with_set_grad_enabled",
    "wrap_with_autocast",
    "wrap_activation_checkpoint",
    "tag_activation_checkpoint",
    "invoke_subgraph",
});

bool IsPlainCall(std::string_view target) {
  for (const std::string_view prefix :
       {"torch.ops.", "higher_order.", "torch._higher_order_ops."}) {
    if (target.starts_with(prefix)) target.remove_prefix(prefix.size());
  }
  return std::ranges::find(kPlainCalls, target) != kPlainCalls.end();
}

// Copies nodes of one graph behind another, and keeps which value became which.
class Inliner {
 public:
  explicit Inliner(const GraphSet& graphs) : graphs_(graphs) {}

  std::optional<InlinedGraph> Run(size_t graph) {
    const GraphModel& source = graphs_.graphs[graph];
    if (source.subgraphs.empty() || source.is_torchscript) return std::nullopt;
    GraphModel& out = result_.graph;
    out.name = source.name;
    out.torch_version = source.torch_version;
    out.symbols = source.symbols;
    out.constraints = source.constraints;
    std::vector<uint32_t> values(source.values.size(), kNoIndex);
    if (!Copy(source, values, 0) || result_.callees.empty()) return std::nullopt;
    for (const uint32_t value : source.outputs) {
      out.outputs.push_back(value < values.size() ? values[value] : kNoIndex);
    }
    return std::move(result_);
  }

 private:
  struct Call {
    uint32_t callee = kNoIndex;       // into GraphSet::graphs
    uint32_t first_operand = 0;       // position among the node's arguments
    bool is_tuple = false;            // whether it returns one
    std::vector<uint32_t> outputs{};  // once it is copied
  };
  using Calls = llvm::DenseMap<uint32_t, Call>;  // by the value that is the tuple of results

  // What is done with each value of a graph.
  struct Uses {
    std::vector<uint32_t> whole;  // how often it is taken as it is, not by getitem with a number
    std::vector<int64_t> last_element;
  };

  // Appends the nodes of `source` whose values are not mapped yet. False: too much.
  bool Copy(const GraphModel& source, std::vector<uint32_t>& values, int depth) {
    const Uses uses = UsesOf(source);
    Calls calls;
    const bool is_outermost = depth == 0;
    for (uint32_t i = 0; i < source.nodes.size(); ++i) {
      const GraphNode& node = source.nodes[i];
      if (result_.graph.nodes.size() >= kMostNodes) return false;
      if (!is_outermost &&
          (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput)) {
        continue;
      }
      if (TakeElement(source, node, calls, values)) continue;
      std::optional<Call> call = CallOf(source, node, uses, depth);
      if (!call) {
        CopyNode(source, i, values);
        continue;
      }
      if (!CopyBody(source, node, *call, values, depth)) return false;
      if (call->is_tuple) {
        calls.try_emplace(node.first_value, std::move(*call));
      } else if (!call->outputs.empty()) {
        values[node.first_value] = call->outputs[0];
      }
    }
    return true;
  }

  // getitem of a call's results: the result itself.
  bool TakeElement(const GraphModel& source, const GraphNode& node, const Calls& calls,
                   std::vector<uint32_t>& values) const {
    if (calls.empty() || !IsGetItem(node) || node.num_arguments != 2) return false;
    const std::span<const Argument> given = source.ArgumentsOf(node);
    if (given[0].kind != Argument::Kind::kValue) return false;
    const auto at = calls.find(given[0].index);
    if (at == calls.end()) return false;
    const int64_t index = given[1].integer;
    values[node.first_value] = at->second.outputs[static_cast<size_t>(index)];
    return true;
  }

  bool IsGetItem(const GraphNode& node) const {
    const std::string_view target = graphs_.strings.text(node.target);
    return node.num_values == 1 && (target == "operator.getitem" || target == "_operator.getitem");
  }

  // What `node` calls, if its body can stand in its place.
  std::optional<Call> CallOf(const GraphModel& source, const GraphNode& node, const Uses& uses,
                             int depth) const {
    const bool is_call = node.kind == NodeKind::kCallFunction && node.num_values == 1 &&
                         IsPlainCall(graphs_.strings.text(node.target));
    if (!is_call || depth == kDeepestCall) return std::nullopt;
    Call call;
    const std::span<const Argument> given = source.ArgumentsOf(node);
    for (; call.first_operand < given.size() && call.callee == kNoIndex; ++call.first_operand) {
      call.callee = CalleeOf(source, given[call.first_operand]);
    }
    if (call.callee == kNoIndex) return std::nullopt;
    const GraphModel& callee = graphs_.graphs[call.callee];
    if (callee.is_cut || callee.nodes.empty()) return std::nullopt;
    // invoke_subgraph has an identifier before the operands.
    while (call.first_operand < given.size() &&
           given[call.first_operand].kind == Argument::Kind::kString) {
      ++call.first_operand;
    }
    uint32_t operands = 0;
    for (const Argument& operand : given.subspan(call.first_operand)) {
      if (operand.keyword != StrId::kNone) continue;
      if (operand.kind != Argument::Kind::kValue) return std::nullopt;
      ++operands;
    }
    const GraphNode& last = callee.nodes.back();
    if (operands != callee.placeholders.size() || last.kind != NodeKind::kOutput ||
        last.num_arguments != 1) {
      return std::nullopt;
    }
    const Argument& returned = callee.arguments[last.first_argument];
    call.is_tuple = returned.kind != Argument::Kind::kValue;
    const size_t num_outputs = call.is_tuple ? returned.num_children : 1;
    // A result that is None, or a tuple in a tuple, has no value of its own.
    if (callee.outputs.size() != num_outputs) return std::nullopt;
    const bool is_apart = uses.whole[node.first_value] == 0 &&
                          static_cast<uint64_t>(uses.last_element[node.first_value]) < num_outputs;
    if (call.is_tuple && !is_apart) return std::nullopt;
    return call;
  }

  Uses UsesOf(const GraphModel& source) const {
    Uses uses;
    uses.last_element.resize(source.values.size());
    uses.whole.resize(source.values.size());
    for (const Argument& argument : source.arguments) {
      if (argument.kind == Argument::Kind::kValue && argument.index < source.values.size()) {
        ++uses.whole[argument.index];
      }
    }
    for (const GraphNode& node : source.nodes) {
      if (!IsGetItem(node) || node.num_arguments != 2) continue;
      const Argument& tuple = source.ArgumentsOf(node)[0];
      const Argument& index = source.ArgumentsOf(node)[1];
      if (tuple.kind != Argument::Kind::kValue || tuple.index >= source.values.size()) continue;
      if (index.kind != Argument::Kind::kInt || index.integer < 0) continue;
      --uses.whole[tuple.index];
      uses.last_element[tuple.index] = std::max(uses.last_element[tuple.index], index.integer);
    }
    return uses;
  }

  // The subgraph that an argument stands for: one that a get_attr node took.
  uint32_t CalleeOf(const GraphModel& source, const Argument& argument) const {
    if (argument.kind != Argument::Kind::kValue || argument.index >= source.values.size()) {
      return kNoIndex;
    }
    const uint32_t maker = source.values[argument.index].node;
    if (maker == kNoIndex || source.nodes[maker].kind != NodeKind::kGetAttr) return kNoIndex;
    const std::string_view name = graphs_.strings.text(source.nodes[maker].target);
    for (const uint32_t subgraph : source.subgraphs) {
      if (graphs_.graphs[subgraph].name == name) return subgraph;
    }
    return kNoIndex;
  }

  bool CopyBody(const GraphModel& source, const GraphNode& node, Call& call,
                const std::vector<uint32_t>& values, int depth) {
    const GraphModel& callee = graphs_.graphs[call.callee];
    std::vector<uint32_t> inner(callee.values.size(), kNoIndex);
    uint32_t operand = call.first_operand;
    for (const Placeholder& placeholder : callee.placeholders) {
      const Argument& given = source.ArgumentsOf(node)[operand++];
      inner[callee.nodes[placeholder.node].first_value] = values[given.index];
    }
    if (!Copy(callee, inner, depth + 1)) return false;
    for (const uint32_t output : callee.outputs) call.outputs.push_back(inner[output]);
    if (std::ranges::find(result_.callees, call.callee) == result_.callees.end()) {
      result_.callees.push_back(call.callee);
    }
    return true;
  }

  void CopyNode(const GraphModel& source, uint32_t at, std::vector<uint32_t>& values) {
    GraphModel& out = result_.graph;
    GraphNode node = source.nodes[at];
    const auto index = static_cast<uint32_t>(out.nodes.size());
    const uint32_t first_value = static_cast<uint32_t>(out.values.size());
    for (uint32_t i = 0; i < node.num_values; ++i) {
      GraphValue value = source.values[node.first_value + i];
      value.node = index;
      values[node.first_value + i] = first_value + i;
      out.values.push_back(value);
    }
    node.first_value = first_value;
    node.first_argument = CopyArguments(source, node.first_argument, node.num_arguments, values, 0);
    if (node.kind == NodeKind::kPlaceholder) {
      // In order, as the nodes are.
      const size_t next = out.placeholders.size();
      if (next < source.placeholders.size() && source.placeholders[next].node == at) {
        out.placeholders.push_back(source.placeholders[next]);
        out.placeholders.back().node = index;
      }
    }
    out.nodes.push_back(node);
  }

  // Copies adjacent arguments, and their children after them.
  uint32_t CopyArguments(const GraphModel& source, uint32_t first, uint32_t count,
                         const std::vector<uint32_t>& values, int depth) {
    std::vector<Argument>& out = result_.graph.arguments;
    const auto begin = static_cast<uint32_t>(out.size());
    for (uint32_t i = 0; i < count; ++i) {
      Argument argument = source.arguments[first + i];
      if (argument.kind == Argument::Kind::kValue && argument.index < values.size()) {
        argument.index = values[argument.index];
      }
      out.push_back(argument);
    }
    for (uint32_t i = 0; i < count; ++i) {
      const Argument& argument = source.arguments[first + i];
      if (argument.num_children == 0) continue;
      if (depth == kDeepestArgument) {
        out[begin + i].num_children = 0;
        continue;
      }
      const uint32_t children =
          CopyArguments(source, argument.first_child, argument.num_children, values, depth + 1);
      out[begin + i].first_child = children;
    }
    return begin;
  }

  const GraphSet& graphs_;
  InlinedGraph result_;
};

}  // namespace

std::optional<InlinedGraph> InlineCalls(const GraphSet& graphs, size_t graph) {
  return Inliner(graphs).Run(graph);
}

}  // namespace shapewise
