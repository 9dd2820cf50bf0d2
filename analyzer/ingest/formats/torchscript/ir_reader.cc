// The text of TorchScript's IR, graph by graph; text around them is passed over, and so is the head
// that TORCH_JIT_LOG_LEVEL puts before each line ("[DUMP inliner.cpp:12] "). A graph under
// "with prim::DifferentiableGraph_0 = " is a subgraph of the one above it. What the blocks of a
// node take and return are keyword arguments of it: block0=((inputs), (outputs)). Source:
// torch/csrc/jit/ir/ir.cpp, Graph::print and Node::print.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/argument_tree.h"
#include "ingest/formats/torchscript/type_text.h"
#include "ingest/graph_format.h"
#include "ingest/graph_text/finish_graph.h"
#include "llvm/ADT/StringMap.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using ArgumentKind = Argument::Kind;

constexpr std::string_view kTorchScriptIr = "torchscript_ir";

// A constant tensor is printed over several lines; no statement is longer than this.
constexpr size_t kMaxStatementBytes = size_t{1} << 20;

/// `line` without the head that TORCH_JIT_LOG_LEVEL puts before it.
std::string_view WithoutLogHead(std::string_view line) {
  std::string_view rest = line;
  if (!ConsumeFront(rest, "[DUMP ") && !ConsumeFront(rest, "[DEBUG ") &&
      !ConsumeFront(rest, "[UPDATE ")) {
    return line;
  }
  const size_t end = rest.find("] ");
  return end == std::string_view::npos ? line : rest.substr(end + 2);
}

/// Whether a graph begins with `line`: "graph(%x : Tensor):", "with prim::Foo_0 = graph(%x ...".
bool IsGraphHead(std::string_view line) {
  if (line.starts_with("with "))
    line.remove_prefix(std::min(line.size(), FindText(line, "graph(")));
  return line.starts_with("graph(%") || line.starts_with("graph():");
}

/// Whether `line`, which follows a head, is one of TorchScript's, not of torch.fx.
bool IsIrLine(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("return (")) return true;
  return line.starts_with("%") && HasText(line, " : ") && !HasText(line, "num_users=") &&
         !HasText(line, "[#users=");
}

/// "prim::DifferentiableGraph" for "prim::DifferentiableGraph_0": the number tells subgraphs apart.
std::string_view WithoutSubgraphNumber(std::string_view target) {
  if (!target.starts_with("prim::")) return target;
  const size_t at = target.find_last_not_of("0123456789");
  const bool has_number = at + 1 < target.size() && target[at] == '_';
  return has_number ? target.substr(0, at) : target;
}

/// Offset of the bracket that closes the one at the begin of `text`; npos if there is none.
size_t ClosingBracket(std::string_view text) {
  const char close = text.front() == '[' ? ']' : ')';
  const size_t at = FindOutside(text.substr(1), std::string_view(&close, 1));
  return at == std::string_view::npos ? at : at + 1;
}

/// Reads one graph, statement by statement.
class IrGraph {
 public:
  IrGraph(GraphSet& graphs, GraphModel& graph) : graphs_(graphs), graph_(graph) {
    levels_.emplace_back();
  }

  /// `inputs` is what stands between the brackets behind "graph".
  void ReadInputs(std::string_view inputs, uint64_t line) {
    for (const std::string_view text : SplitOutside(inputs, ',')) {
      const auto [name, type] = SplitValue(text);
      if (name.empty()) continue;
      Placeholder placeholder;
      placeholder.node = static_cast<uint32_t>(graph_.nodes.size());
      if (graph_.placeholders.empty() && type.starts_with("__torch__.")) {
        placeholder.kind = PlaceholderKind::kSelf;
        graph_.name = type.substr(type.rfind('.') + 1);
      }
      graph_.placeholders.push_back(placeholder);
      GraphNode& node = graph_.nodes.emplace_back();
      node.kind = NodeKind::kPlaceholder;
      node.target = graphs_.strings.Intern(name);
      node.first_value = AddValue(name, type, placeholder.node);
      node.num_values = 1;
      node.line = line;
    }
  }

  /// False: it is no statement of a graph.
  bool ReadStatement(std::string_view text, uint64_t line) {
    const bool is_return = text.starts_with("return (");
    if (is_return || text.starts_with("-> (")) {
      // A name that is cut might be that of another value.
      const size_t close = text.rfind(')');
      if (close == std::string_view::npos) return false;
      text = text.substr(0, close);
      text.remove_prefix(text.find('(') + 1);
      if (!is_return) return EndBlock(text);
      FlushNode();
      for (const uint32_t value : ValuesIn(text)) graph_.outputs.push_back(value);
      is_done_ = true;
      return true;
    }
    if (text.starts_with("block")) return BeginBlock(text);
    return ReadNode(text, line);
  }

  bool is_done() const { return is_done_; }

  /// Notes what stands behind the last statement that was read.
  void Finish() {
    graph_.is_cut = !is_done_;
    while (!levels_.empty()) {
      FlushNode();
      levels_.pop_back();
    }
    FinishGraph(graphs_, graph_, /*is_joint=*/false);
  }

 private:
  /// A block, or the graph itself, whose nodes are being read.
  struct Level {
    uint32_t block = 0;
    std::vector<ArgumentTree> inputs;     ///< of the block
    uint32_t node = kNoIndex;             ///< the last one
    std::vector<ArgumentTree> arguments;  ///< of that node; further blocks may still follow
    uint32_t num_blocks = 0;              ///< of that node
  };

  /// "%x.1 : Tensor" as ("x.1", "Tensor").
  static std::pair<std::string_view, std::string_view> SplitValue(std::string_view text) {
    if (!ConsumeFront(text, "%")) return {};
    const size_t colon = text.find(" : ");
    if (colon == std::string_view::npos) return {Trim(text), {}};
    return {Trim(text.substr(0, colon)), Trim(text.substr(colon + 3))};
  }

  uint32_t AddValue(std::string_view name, std::string_view type, uint32_t node) {
    const auto index = static_cast<uint32_t>(graph_.values.size());
    graph_.values.push_back({graphs_.strings.Intern(name), node, TypeOf(type)});
    values_.insert_or_assign(llvm::StringRef(name), index);
    return index;
  }

  uint32_t TypeOf(std::string_view text) {
    const auto [entry, is_new] = types_.try_emplace(llvm::StringRef(text), kNoIndex);
    if (is_new) entry->second = InternTypeText(graphs_, text);
    return entry->second;
  }

  std::vector<uint32_t> ValuesIn(std::string_view list) const {
    std::vector<uint32_t> indices;
    for (std::string_view name : SplitOutside(list, ',')) {
      if (!ConsumeFront(name, "%")) continue;
      if (const auto at = values_.find(llvm::StringRef(name)); at != values_.end()) {
        indices.push_back(at->second);
      }
    }
    return indices;
  }

  static ArgumentTree Tuple(const std::vector<uint32_t>& values) {
    std::vector<ArgumentTree> parts;
    parts.reserve(values.size());
    for (const uint32_t value : values) parts.push_back(ArgumentTree::Value(value));
    return ArgumentTree::Group(ArgumentKind::kTuple, std::move(parts));
  }

  void FlushNode() {
    Level& level = levels_.back();
    if (level.node != kNoIndex) SetArguments(graph_, level.node, level.arguments);
    level.arguments.clear();
    level.node = kNoIndex;
  }

  bool BeginBlock(std::string_view text) {
    const uint32_t owner = levels_.back().node;
    const size_t open = text.find('(');
    if (owner == kNoIndex || open == std::string_view::npos) return false;
    Level level;
    level.block = ++last_block_;
    const size_t close = ClosingBracket(text.substr(open));
    if (close == std::string_view::npos) return false;
    for (const std::string_view input : SplitOutside(text.substr(open + 1, close - 1), ',')) {
      const auto [name, type] = SplitValue(input);
      if (!name.empty()) {
        level.inputs.push_back(ArgumentTree::Value(AddValue(name, type, owner)));
      }
    }
    levels_.push_back(std::move(level));
    return true;
  }

  bool EndBlock(std::string_view outputs) {
    if (levels_.size() < 2) return false;
    FlushNode();
    ArgumentTree inputs =
        ArgumentTree::Group(ArgumentKind::kTuple, std::move(levels_.back().inputs));
    levels_.pop_back();
    Level& owner = levels_.back();
    std::vector<ArgumentTree> parts;
    parts.push_back(std::move(inputs));
    parts.push_back(Tuple(ValuesIn(outputs)));
    ArgumentTree block = ArgumentTree::Group(ArgumentKind::kTuple, std::move(parts));
    block.argument.keyword = graphs_.strings.Intern("block" + std::to_string(owner.num_blocks++));
    owner.arguments.push_back(std::move(block));
    return true;
  }

  bool ReadNode(std::string_view text, uint64_t line) {
    const size_t comment = FindOutside(text, " # ");
    const std::string_view place =
        comment == std::string_view::npos ? std::string_view() : text.substr(comment + 3);
    text = TrimRight(text.substr(0, comment));
    std::string_view results;
    if (!ConsumeFront(text, "= ")) {
      const size_t equals = FindOutside(text, " = ");
      if (equals == std::string_view::npos || !text.starts_with("%")) return false;
      results = text.substr(0, equals);
      text = TrimLeft(text.substr(equals + 3));
    }
    const std::string_view target = text.substr(0, text.find_first_of("[("));
    text.remove_prefix(target.size());
    if (target.empty() || text.empty()) return false;
    std::string_view attributes;
    if (text.front() == '[') {
      const size_t close = ClosingBracket(text);
      if (close == std::string_view::npos) return false;
      attributes = text.substr(1, close - 1);
      text.remove_prefix(close + 1);
    }
    if (!text.starts_with("(")) return false;
    size_t close = ClosingBracket(text);
    if (close == std::string_view::npos) return false;
    // "^Function(constants)(%x)" is a Python function of autograd.
    if (target.front() == '^' && text.substr(close + 1).starts_with("(")) {
      attributes = text.substr(1, close - 1);
      text.remove_prefix(close + 1);
      close = ClosingBracket(text);
      if (close == std::string_view::npos) return false;
    }
    AddNode(target, results, text.substr(1, close - 1), attributes, line);
    ReadPlace(place, graph_.nodes.back());
    return true;
  }

  void AddNode(std::string_view target, std::string_view results, std::string_view arguments,
               std::string_view attributes, uint64_t line) {
    FlushNode();
    Level& level = levels_.back();
    level.node = static_cast<uint32_t>(graph_.nodes.size());
    level.num_blocks = 0;
    GraphNode& node = graph_.nodes.emplace_back();
    node.kind = NodeKind::kOperator;
    node.target = graphs_.strings.Intern(WithoutSubgraphNumber(target));
    node.block = level.block;
    node.line = line;
    for (std::string_view name : SplitOutside(arguments, ',')) {
      const std::string_view printed = name;
      const bool is_value = ConsumeFront(name, "%");
      const auto at = is_value ? values_.find(llvm::StringRef(name)) : values_.end();
      level.arguments.push_back(
          at != values_.end()
              ? ArgumentTree::Value(at->second)
              : ArgumentTree::Text(ArgumentKind::kText, graphs_.strings.Intern(printed)));
    }
    // The results are in scope behind the node only.
    node.first_value = static_cast<uint32_t>(graph_.values.size());
    for (const std::string_view result : SplitOutside(results, ',')) {
      const auto [name, type] = SplitValue(result);
      if (name.empty()) continue;
      AddValue(name, type, level.node);
      ++node.num_values;
    }
    ReadAttributes(attributes, node, level.arguments);
  }

  void ReadAttributes(std::string_view text, const GraphNode& node,
                      std::vector<ArgumentTree>& arguments) {
    const uint32_t type = node.num_values == 1 ? graph_.values[node.first_value].type : kNoIndex;
    const bool is_bool = type != kNoIndex && graphs_.types[type].kind == ValueType::Kind::kBool;
    for (const std::string_view attribute : SplitOutside(text, ',')) {
      const size_t equals = attribute.find('=');
      const bool is_named = equals != std::string_view::npos;
      ArgumentTree value = ReadLiteral(graphs_, attribute.substr(is_named ? equals + 1 : 0));
      if (is_named) value.argument.keyword = graphs_.strings.Intern(attribute.substr(0, equals));
      // Truth values are printed as 0 and 1.
      if (is_bool && value.argument.kind == ArgumentKind::kInt)
        value.argument.kind = ArgumentKind::kBool;
      arguments.push_back(std::move(value));
    }
  }

  /// "/w/model.py:195:20": file, line, column.
  void ReadPlace(std::string_view place, GraphNode& node) {
    place = Trim(place);
    const size_t column = place.rfind(':');
    if (column == std::string_view::npos || column == 0) return;
    const size_t line = place.rfind(':', column - 1);
    if (line == std::string_view::npos) return;
    std::string_view digits = place.substr(line + 1, column - line - 1);
    const std::optional<uint32_t> number = ConsumeUint<uint32_t>(digits);
    if (!number || !digits.empty()) return;
    node.user_file = graphs_.strings.Intern(place.substr(0, line));
    node.user_line = *number;
  }

  GraphSet& graphs_;
  GraphModel& graph_;
  std::vector<Level> levels_;
  uint32_t last_block_ = 0;
  bool is_done_ = false;
  llvm::StringMap<uint32_t> values_;  // by name, which no two values of a graph share
  llvm::StringMap<uint32_t> types_;   // by their text
};

/// Finds the graphs in a text.
class IrReader {
 public:
  IrReader(const GraphInput& input, GraphSet& graphs)
      : input_(input), graphs_(graphs), rest_(input.bytes) {}

  void Read() {
    while (NextLine()) {
      bool is_at_head = IsGraphHead(line_);
      while (is_at_head) is_at_head = ReadGraph();
    }
  }

 private:
  bool NextLine() {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = WithoutLogHead(TrimRight(rest_.substr(0, end)));
    rest_.remove_prefix(std::min(rest_.size(), end + 1));
    ++number_;
    return true;
  }

  /// Whether `line` begins a statement, so that the one before it has ended, whole or not.
  static bool IsBegin(std::string_view line) {
    line = TrimLeft(line);
    return line.starts_with("%") || line.starts_with("return (") || line.starts_with("-> (") ||
           line.starts_with("= ") || IsGraphHead(line);
  }

  /// Joins the lines of a statement that begins with line_. Stops before a line that `stops`.
  template <typename Stops>
  std::string_view JoinStatement(const Stops& stops) {
    const std::string_view text = Trim(line_);
    BracketCounter brackets;
    brackets.Add(text);
    if (!brackets.is_open()) return text;
    joined_ = text;
    while (brackets.is_open() && joined_.size() < kMaxStatementBytes) {
      const std::string_view before = rest_;
      if (!NextLine()) break;
      if (stops(line_)) {
        rest_ = before;
        --number_;
        break;
      }
      joined_ += ' ';
      joined_ += Trim(line_);
      brackets.Add(Trim(line_));
    }
    return joined_;
  }

  /// Reads the graph whose head is line_. True: another one begins with line_ before it has ended.
  bool ReadGraph() {
    const uint64_t line = number_;
    const std::string_view head = JoinStatement([](std::string_view next) {
      return IsGraphHead(next) || TrimLeft(next).starts_with("return (");
    });
    const size_t open = head.find("graph(") + std::string_view("graph").size();
    const size_t close = ClosingBracket(head.substr(open));
    if (close == std::string_view::npos) {
      graphs_.stats.Bump(Stat::graph_cut, input_.index, line);
      return false;
    }
    GraphModel& graph = graphs_.graphs.emplace_back();
    graph.name = "graph";
    graph.format = kTorchScriptIr;
    graph.input = input_.index;
    graph.line = line;
    graph.is_torchscript = true;
    IrGraph reader(graphs_, graph);
    reader.ReadInputs(head.substr(open + 1, close - 1), line);
    NotePlace(head);
    bool is_at_head = false;
    while (!reader.is_done() && NextLine()) {
      is_at_head = IsGraphHead(line_);
      if (is_at_head) break;
      if (line_.empty()) continue;
      const uint64_t begin = number_;
      const std::string_view statement = JoinStatement(IsBegin);
      if (!reader.ReadStatement(statement, begin)) {
        graphs_.stats.Bump(Stat::graph_node_unreadable, input_.index, begin);
      }
    }
    reader.Finish();
    if (graph.is_cut) graphs_.stats.Bump(Stat::graph_cut, input_.index, line);
    return is_at_head;
  }

  /// Notes whose subgraph the graph that was just begun is, by its head.
  void NotePlace(std::string_view head) {
    const auto index = static_cast<uint32_t>(graphs_.graphs.size() - 1);
    if (!ConsumeFront(head, "with ")) {
      main_ = index;
      return;
    }
    const std::string_view name = head.substr(0, head.find(' '));
    graphs_.graphs[index].name = name;
    if (main_ != kNoIndex) graphs_.graphs[main_].subgraphs.push_back(index);
  }

  const GraphInput& input_;
  GraphSet& graphs_;
  std::string_view rest_;
  std::string_view line_;
  uint64_t number_ = 0;
  std::string joined_;
  uint32_t main_ = kNoIndex;
};

/// Whether a graph of the IR begins in the first 64 KiB of `text`.
bool HasIrGraph(std::string_view text) {
  text = text.substr(0, kGraphSniffBytes);
  bool is_in_head = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = WithoutLogHead(TrimRight(text.substr(0, end)));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (is_in_head && IsIrLine(line)) return true;
    is_in_head = (is_in_head && line.starts_with("      %")) || IsGraphHead(line);
    // An input with a type stands in no head of torch.fx.
    if (is_in_head && HasText(line, "graph(%") && HasText(line, " : ")) return true;
  }
  return false;
}

bool SniffTorchScriptIr(const GraphInput& input) { return HasIrGraph(input.bytes); }

Error ReadTorchScriptIr(const GraphInput& input, GraphSet& graphs) {
  IrReader(input, graphs).Read();
  return Error::success();
}

}  // namespace

const GraphFormat kTorchScriptIrFormat{SniffTorchScriptIr, ReadTorchScriptIr};

}  // namespace shapewise
