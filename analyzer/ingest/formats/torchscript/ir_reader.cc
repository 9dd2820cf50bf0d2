// The text of TorchScript's IR, graph by graph; skips text around them and the prefix that
// TORCH_JIT_LOG_LEVEL adds to each line ("[DUMP inliner.cpp:12] "). A graph under "with
// prim::DifferentiableGraph_0 = " is a subgraph of the one above it. Source:
// torch/csrc/jit/ir/ir.cpp, Graph::print and Node::print.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/graph_format.h"
#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using ArgumentKind = Argument::Kind;

// A constant tensor is printed over several lines; statements are shorter than this.
constexpr size_t kMaxStatementBytes = size_t{1} << 20;

/// `line` without the prefix that TORCH_JIT_LOG_LEVEL adds.
std::string_view WithoutLogHead(std::string_view line) {
  std::string_view rest = line;
  if (!ConsumeFront(rest, "[DUMP ") && !ConsumeFront(rest, "[DEBUG ") &&
      !ConsumeFront(rest, "[UPDATE ")) {
    return line;
  }
  const size_t end = rest.find("] ");
  return end == kNotFound ? line : rest.substr(end + 2);
}

/// Whether a graph begins with `line`: "graph(%x : Tensor):", "with prim::Foo_0 = graph(%x ...".
bool IsGraphHead(std::string_view line) {
  if (line.starts_with("with ")) {
    line.remove_prefix(std::min(line.size(), FindText(line, "graph(")));
  }
  return line.starts_with("graph(%") || line.starts_with("graph():");
}

/// Whether `line` begins a statement, so that the previous one has ended, complete or not.
bool IsStatementHead(std::string_view line) {
  line = TrimLeft(line);
  return line.starts_with("%") || line.starts_with("return (") || line.starts_with("-> (") ||
         line.starts_with("= ") || IsGraphHead(line);
}

/// Whether `line`, which follows a head, is from TorchScript, not from torch.fx.
bool IsIrLine(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("return (")) return true;
  return line.starts_with("%") && HasText(line, " : ") && !HasText(line, "num_users=") &&
         !HasText(line, "[#users=");
}

/// "prim::DifferentiableGraph" for "prim::DifferentiableGraph_0": the number distinguishes
/// subgraphs.
std::string_view WithoutSubgraphNumber(std::string_view target) {
  if (!target.starts_with("prim::")) return target;
  const size_t at = target.find_last_not_of("0123456789");
  const bool has_number = at + 1 < target.size() && target[at] == '_';
  return has_number ? target.substr(0, at) : target;
}

/// Whether a text that arrives in pieces ends within brackets or quotes.
class BracketCounter {
 public:
  /// Adds the next piece; ignores a comment (" # " outside of brackets) and what follows it.
  void Add(std::string_view piece) {
    for (size_t at = 0; at < piece.size(); ++at) {
      const char c = piece[at];
      if (quote_ != '\0') {
        if (c == '\\') ++at;
        if (c == quote_) quote_ = '\0';
        continue;
      }
      if (depth_ == 0 && piece.substr(at).starts_with(" # ")) return;
      if (IsQuote(c)) quote_ = c;
      if (c == '(' || c == '[' || c == '{') ++depth_;
      if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    }
  }

  bool is_open() const { return depth_ != 0 || quote_ != '\0'; }

 private:
  size_t depth_ = 0;
  char quote_ = '\0';
};

/// Reads the statements of graphs, one graph after the other.
class IrGraphReader {
 public:
  explicit IrGraphReader(GraphSet& graphs) : builder_(graphs) {}

  GraphBuilder& builder() { return builder_; }

  /// `inputs` is the text in the brackets after "graph".
  void Begin(uint32_t input, std::string_view inputs, uint64_t line) {
    builder_.Begin({.input = input, .format = {}, .name = {}}, "torchscript_ir", "graph", line);
    GraphModel& graph = builder_.graph();
    graph.is_torchscript = true;
    levels_.assign(1, {});
    last_block_ = 0;
    is_done_ = false;
    for (const std::string_view text : SplitOutsideBrackets(inputs)) {
      const auto [name, type] = SplitValue(text);
      if (name.empty()) continue;
      const bool is_self = graph.placeholders.empty() && type.starts_with("__torch__.");
      if (is_self) graph.name = LastName(type);
      Placeholder& placeholder = builder_.AddPlaceholder(name, builder_.ReadType(type));
      if (is_self) placeholder.kind = PlaceholderKind::kSelf;
    }
  }

  /// False: not a statement of a graph.
  bool ReadStatement(std::string_view text, uint64_t line) {
    builder_.set_line(line);
    const bool is_return = text.starts_with("return (");
    if (is_return || text.starts_with("-> (")) {
      // A truncated name might be that of another value.
      const size_t close = text.rfind(')');
      if (close == kNotFound) return false;
      text = text.substr(0, close);
      text.remove_prefix(text.find('(') + 1);
      if (!is_return) return EndBlock(text);
      builder_.CollectOutputs(ReadValues(text, /*all=*/false));
      is_done_ = true;
      return true;
    }
    return text.starts_with("block") ? BeginBlock(text) : ReadNode(text);
  }

  bool is_done() const { return is_done_; }

  /// Records the blocks after the last statement.
  void Finish() {
    builder_.graph().is_cut = !is_done_;
    for (const Level& level : levels_) Flush(level);
    FinishGraph(builder_.graphs(), builder_.graph(), /*is_joint=*/false);
  }

 private:
  /// A block, or the graph itself, whose nodes are being read.
  struct Level {
    uint32_t block = 0;
    llvm::SmallVector<Argument, 0> inputs;     ///< of the block
    uint32_t node = kNoIndex;                  ///< the last one
    llvm::SmallVector<Argument, 0> arguments;  ///< of that node; further blocks may still follow
    size_t num_blocks = 0;                     ///< of that node
  };

  /// "%x.1 : Tensor" as ("x.1", "Tensor").
  static std::pair<std::string_view, std::string_view> SplitValue(std::string_view text) {
    if (!ConsumeFront(text, "%")) return {};
    const size_t colon = text.find(" : ");
    if (colon == kNotFound) return {Trim(text), {}};
    return {Trim(text.substr(0, colon)), Trim(text.substr(colon + 3))};
  }

  /// The values of a list "%a, %b"; other items are kept as text with `all`, else dropped.
  Arguments ReadValues(std::string_view list, bool all) {
    Arguments arguments;
    for (std::string_view name : SplitOutsideBrackets(list)) {
      const std::string_view printed = name;
      const uint32_t value = ConsumeFront(name, "%") ? builder_.FindValue(name) : kNoIndex;
      if (value != kNoIndex) {
        arguments.push_back(ValueArgument(value));
      } else if (all) {
        arguments.push_back(builder_.TextArgument(ArgumentKind::kText, printed));
      }
    }
    return arguments;
  }

  void Flush(const Level& level) {
    if (level.node != kNoIndex) builder_.SetArguments(level.node, level.arguments);
  }

  bool BeginBlock(std::string_view text) {
    const uint32_t owner = levels_.back().node;
    std::string_view inputs;
    text.remove_prefix(std::min(text.find('('), text.size()));
    if (owner == kNoIndex || !ConsumeBrackets(text, inputs)) return false;
    Level& level = levels_.emplace_back();
    level.block = ++last_block_;
    for (const std::string_view input : SplitOutsideBrackets(inputs)) {
      const auto [name, type] = SplitValue(input);
      if (name.empty()) continue;
      level.inputs.push_back(ValueArgument(
          builder_.AddValue(owner, name, builder_.ReadType(type), /*is_inner=*/true)));
    }
    return true;
  }

  bool EndBlock(std::string_view outputs) {
    if (levels_.size() < 2) return false;
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    Flush(level);
    Level& owner = levels_.back();
    owner.arguments.push_back(
        builder_.Block(owner.num_blocks++, level.inputs, ReadValues(outputs, /*all=*/false)));
    return true;
  }

  bool ReadNode(std::string_view text) {
    const size_t comment = FindOutsideBrackets(text, " # ");
    const std::string_view place =
        comment == kNotFound ? std::string_view() : text.substr(comment + 3);
    text = TrimRight(text.substr(0, comment));
    std::string_view results;
    if (!ConsumeFront(text, "= ")) {
      const size_t equals = FindOutsideBrackets(text, " = ");
      if (equals == kNotFound || !text.starts_with("%")) return false;
      results = text.substr(0, equals);
      text = TrimLeft(text.substr(equals + 3));
    }
    const std::string_view target = text.substr(0, text.find_first_of("[("));
    text.remove_prefix(target.size());
    // "^Function(constants)(%x)" is a Python function of autograd.
    const bool has_attributes = text.starts_with("[") || target.starts_with("^");
    std::string_view attributes;
    std::string_view arguments;
    if (target.empty() || (has_attributes && !ConsumeBrackets(text, attributes))) return false;
    if (target.starts_with("^") && !text.starts_with("(")) {
      arguments = std::exchange(attributes, {});
    } else if (!text.starts_with("(") || !ConsumeBrackets(text, arguments)) {
      return false;
    }
    builder_.set_place(ReadPlace(place));
    AddNode(target, results, arguments, attributes);
    return true;
  }

  void AddNode(std::string_view target, std::string_view results, std::string_view arguments,
               std::string_view attributes) {
    Level& level = levels_.back();
    Flush(level);
    builder_.set_block(level.block);
    level.node = builder_.AddNode(NodeKind::kOperator, WithoutSubgraphNumber(target));
    level.num_blocks = 0;
    level.arguments = ReadValues(arguments, /*all=*/true);
    // The results are in scope only after the node.
    const std::vector<std::string_view> names = SplitOutsideBrackets(results);
    bool is_bool = false;
    for (const std::string_view result : names) {
      const auto [name, type] = SplitValue(result);
      if (!name.empty()) builder_.AddValue(level.node, name, builder_.ReadType(type));
      is_bool = names.size() == 1 && type == "bool";
    }
    for (const std::string_view attribute : SplitOutsideBrackets(attributes)) {
      const size_t equals = attribute.find('=');
      const std::string_view name = attribute.substr(0, equals == kNotFound ? 0 : equals);
      const std::string_view shown = Trim(attribute.substr(equals + 1));
      const pyast::Expr* const parsed = python_.ParseExpression(shown);
      Argument value = parsed == nullptr ? builder_.TextArgument(ArgumentKind::kText, shown)
                                         : ReadLiteral(*parsed, shown, builder_);
      // Truth values are printed as 0 and 1.
      if (is_bool && value.kind == ArgumentKind::kInt) value.kind = ArgumentKind::kBool;
      level.arguments.push_back(WithKeyword(value, builder_.Intern(name)));
    }
  }

  /// "/w/model.py:195:20": file, line, column.
  UserPlace ReadPlace(std::string_view place) {
    UserPlace read;
    place = Trim(place);
    const size_t column = place.rfind(':');
    if (column == kNotFound || column == 0) return read;
    const size_t line = place.rfind(':', column - 1);
    if (line == kNotFound) return read;
    std::string_view digits = place.substr(line + 1, column - line - 1);
    const std::optional<uint32_t> number = ConsumeUint<uint32_t>(digits);
    if (!number || !digits.empty()) return read;
    read.file = builder_.Intern(place.substr(0, line));
    read.line = *number;
    return read;
  }

  GraphBuilder builder_;
  PrintedPython python_;
  std::vector<Level> levels_;
  uint32_t last_block_ = 0;
  bool is_done_ = false;
};

/// Finds the graphs in a text.
class IrReader {
 public:
  IrReader(const GraphInput& input, GraphSet& graphs)
      : input_(input), graphs_(graphs), reader_(graphs), rest_(input.bytes) {}

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

  /// Reads the graph whose head is line_. True: another one begins at line_ before it has ended.
  bool ReadGraph() {
    const uint64_t line = number_;
    const std::string_view head = JoinStatement([](std::string_view next) {
      return IsGraphHead(next) || TrimLeft(next).starts_with("return (");
    });
    std::string_view inputs;
    std::string_view rest = head.substr(head.find("graph(") + std::string_view("graph").size());
    if (!ConsumeBrackets(rest, inputs)) {
      graphs_.stats.Bump(Stat::graph_cut, input_.index, line);
      return false;
    }
    reader_.Begin(input_.index, inputs, line);
    NotePlace(head);
    bool is_at_head = false;
    while (!reader_.is_done() && NextLine()) {
      is_at_head = IsGraphHead(line_);
      if (is_at_head) break;
      if (line_.empty()) continue;
      const uint64_t begin = number_;
      if (!reader_.ReadStatement(JoinStatement(IsStatementHead), begin)) {
        graphs_.stats.Bump(Stat::graph_node_unreadable, input_.index, begin);
      }
    }
    reader_.Finish();
    if (!reader_.is_done()) graphs_.stats.Bump(Stat::graph_cut, input_.index, line);
    return is_at_head;
  }

  /// Records which graph the new graph is a subgraph of, according to its head.
  void NotePlace(std::string_view head) {
    const uint32_t index = reader_.builder().graph_index();
    if (!ConsumeFront(head, "with ")) {
      main_ = index;
      return;
    }
    graphs_.graphs[index].name = head.substr(0, head.find(' '));
    if (main_ != kNoIndex) graphs_.graphs[main_].subgraphs.push_back(index);
  }

  const GraphInput& input_;
  GraphSet& graphs_;
  IrGraphReader reader_;
  std::string_view rest_;
  std::string_view line_;
  uint64_t number_ = 0;
  std::string joined_;
  uint32_t main_ = kNoIndex;
};

/// Whether a graph of the IR begins in the first 64 KiB of the input.
bool SniffTorchScriptIr(const GraphInput& input) {
  std::string_view text = input.bytes.substr(0, kGraphSniffBytes);
  bool is_in_head = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = WithoutLogHead(TrimRight(text.substr(0, end)));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (is_in_head && IsIrLine(line)) return true;
    is_in_head = (is_in_head && line.starts_with("      %")) || IsGraphHead(line);
    // Heads of torch.fx contain no input with a type.
    if (is_in_head && HasText(line, "graph(%") && HasText(line, " : ")) return true;
  }
  return false;
}

Error ReadTorchScriptIr(const GraphInput& input, GraphSet& graphs) {
  IrReader(input, graphs).Read();
  return Error::success();
}

}  // namespace

const GraphFormat kTorchScriptIrFormat{SniffTorchScriptIr, ReadTorchScriptIr};

}  // namespace shapewise
