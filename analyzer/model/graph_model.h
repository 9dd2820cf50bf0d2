// Graphs: the content of a dump of an FX or TorchScript graph, independent of its printed form.

#ifndef SHAPEWISE_MODEL_GRAPH_MODEL_H_
#define SHAPEWISE_MODEL_GRAPH_MODEL_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/stats.h"
#include "support/string_pool.h"
#include "symbolic/expression.h"

namespace shapewise {

/// No index of a value, type, node or graph.
inline constexpr uint32_t kNoIndex = UINT32_MAX;

/// The type of a graph value, as annotated in the dump. Equal types are stored once per GraphSet.
struct ValueType {
  enum class Kind : uint8_t {
    kUnknown,  ///< not printed
    kTensor,
    kInt,     ///< an int; `expression` if printed: Sym(s77), or a constant
    kFloat,   ///< a float, symbolic or not
    kBool,    ///< a truth value, symbolic or not
    kNone,    ///< None
    kObject,  ///< any other type, printed in `dtype`
  };
  Kind kind = Kind::kUnknown;
  bool has_shape = false;  ///< `shape` is known; it is empty for a tensor without dims
  bool has_stride = false;
  StrId dtype{};                      ///< "torch.float32", also where the dump abbreviates it
  StrId device{};                     ///< "cpu", "cuda:0"
  ExprId expression = ExprId::kNone;  ///< of kInt, kFloat, kBool
  std::vector<ExprId> shape;          ///< one size per dim
  std::vector<ExprId> stride;         ///< in elements, one per dim
  std::optional<bool> requires_grad;

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// A value that one node produces and others use. An FX node has one; a TorchScript node has any
/// number.
struct GraphValue {
  StrId name{};              ///< as printed, without '%': "view", "x.31"
  uint32_t node = kNoIndex;  ///< the node that produces it
  uint32_t type = kNoIndex;  ///< into GraphSet::types
};

/// An argument of a node. Lists, tuples, dicts and slices have their elements as children.
struct Argument {
  enum class Kind : uint8_t {
    kValue,     ///< `index`: into GraphModel::values
    kInt,       ///< `integer`
    kFloat,     ///< `number`
    kBool,      ///< `integer`: 0 or 1
    kNone,      ///< None
    kString,    ///< `text`, without its quotes
    kConstant,  ///< `text`: a name such as torch.float32, device(type='cpu'), Ellipsis, inf
    kList,      ///< children
    kTuple,     ///< children
    kDict,      ///< children: key, value, key, value ...
    kSlice,     ///< children: start, stop, step
    kText,      ///< `text`: an expression that was not parsed
  };
  Kind kind = Kind::kNone;
  StrId keyword{};            ///< of a keyword argument; kNone: positional
  StrId text{};               ///< see Kind
  uint32_t index = kNoIndex;  ///< of kValue
  uint32_t first_child = 0;   ///< into GraphModel::arguments
  uint32_t num_children = 0;
  union {
    int64_t integer = 0;
    double number;
  };

  bool IsSequence() const { return kind == Kind::kList || kind == Kind::kTuple; }
};

/// The kind of a node: the op of torch.fx.Node, or its counterpart in TorchScript.
enum class NodeKind : uint8_t {
  kPlaceholder,
  kGetAttr,
  kCallFunction,
  kCallMethod,
  kCallModule,
  kOutput,
  kOperator,  ///< a TorchScript node: "aten::add", "prim::Constant"
};
/// The word of a kind in torch.fx.
std::string_view NodeKindName(NodeKind kind);

/// A node; nodes are in the order of the dump.
struct GraphNode {
  NodeKind kind = NodeKind::kCallFunction;
  /// The callee: "aten.add.Tensor" (without "torch.ops."), "torch._C._nn.linear", "operator.mul", a
  /// method name "view", the path of an attribute, "aten::add".
  StrId target{};
  uint32_t first_value = 0;  ///< into GraphModel::values; unused for an output node
  uint32_t num_values = 0;
  /// Into GraphModel::arguments: positional ones first, then keywords.
  uint32_t first_argument = 0;
  uint32_t num_arguments = 0;
  uint32_t block = 0;  ///< 0: the graph's own; TorchScript: blocks are numbered as printed
  StrId user_file{};   ///< from the comment above it: "# File: m.py:21 in forward, code: ..."
  uint32_t user_line = 0;
  StrId user_function{};
  StrId code{};       ///< source line in that comment
  uint64_t line = 0;  ///< line in the dump, 1-based; 0: in an archive
};

/// What a placeholder represents.
enum class PlaceholderKind : uint8_t {
  kInput,      ///< "input": passed by the user; also the default if the dump does not say
  kParameter,  ///< "parameter"
  kBuffer,     ///< "buffer"
  kConstant,   ///< "constant": a lifted tensor or object
  kSymbol,     ///< "symbol": a symbolic int, float or bool
  kTangent,    ///< "tangent": a gradient that enters a backward graph
  kSaved,      ///< "saved": stored by the forward graph for the backward graph
  kSelf,       ///< "self": a TorchScript module
};
/// The word of a kind in results.
std::string_view PlaceholderKindName(PlaceholderKind kind);

/// An input of a graph.
struct Placeholder {
  uint32_t node = kNoIndex;
  PlaceholderKind kind = PlaceholderKind::kInput;
  StrId source{};         ///< what the user calls it: "L['x']", "self.fc.weight"; kNone: unknown
  StrId default_value{};  ///< default of an optional placeholder, as text
};

/// A symbol of a graph.
struct GraphSymbol {
  ExprId symbol = ExprId::kNone;
  std::optional<int64_t> lower;  ///< absent: no bound (int_oo), or unknown: see `has_range`
  std::optional<int64_t> upper;
  bool has_range = false;       ///< the dump prints a range
  std::optional<int64_t> hint;  ///< its value when the graph was captured
  /// The origins of its value, in order: "L_x_.size()[0]", "L['x'].size()[0]", "n".
  std::vector<StrId> sources;
};

/// A captured graph. Nodes, values and arguments refer to each other by index.
struct GraphModel {
  std::string name;    ///< "GraphModule", "forward_1", "Repro", "TS.forward"
  std::string format;  ///< how it was printed or saved: "print_readable", "pt2"; or where it was
                       ///< found: "torch_log", "torch_trace"
  uint32_t input = 0;  ///< into GraphSet::inputs
  uint64_t line = 0;   ///< first line, 1-based; 0: in an archive
  std::string member;  ///< path in an archive: "tiny/models/model.json"
  StrId compile_id{};  ///< of the log record or trace event that contains it
  StrId torch_version{};

  std::vector<GraphNode> nodes;
  std::vector<GraphValue> values;
  std::vector<Argument> arguments;
  std::vector<Placeholder> placeholders;  ///< in order
  std::vector<uint32_t> outputs;          ///< returned values in order, including nested ones
  /// By the number in the name ("s2" before "s10"), then by name.
  std::vector<GraphSymbol> symbols;
  std::vector<ExprId> constraints;  ///< predicates that are guaranteed: run-time assertions, guards
  /// Graphs that nodes of this graph call (cond, while_loop, wrapped bodies): into
  /// GraphSet::graphs.
  std::vector<uint32_t> subgraphs;
  bool is_cut = false;  ///< the dump is truncated or damaged
  /// A TorchScript graph: its nodes are kOperator, except placeholders, and it has no output node.
  bool is_torchscript = false;

  std::span<const Argument> ArgumentsOf(const GraphNode& node) const {
    return std::span(arguments).subspan(node.first_argument, node.num_arguments);
  }
  std::span<const Argument> ChildrenOf(const Argument& argument) const {
    return std::span(arguments).subspan(argument.first_child, argument.num_children);
  }
};

/// The number of nodes as PyTorch counts them: inputs of a TorchScript graph do not count.
size_t CountNodes(const GraphModel& graph);

/// The graphs read from a set of dumps.
struct GraphSet {
  struct Input {
    std::string name;        ///< as given by the user, or found in a folder
    std::string format;      ///< of its first graph; empty: not recognized
    std::string first_line;  ///< of an unrecognized input, at most 200 bytes
    uint64_t lines = 0;
    bool is_refused = false;  ///< an error message already explains why nothing was read
  };

  GraphSet() = default;
  GraphSet(const GraphSet&) = delete;
  GraphSet& operator=(const GraphSet&) = delete;

  /// The index of `type` in `types`; a new type is appended.
  uint32_t InternType(ValueType type);

  StringPool strings;
  ExprPool expressions;
  std::vector<Input> inputs;
  std::deque<GraphModel> graphs;  ///< by input, then as printed; a graph precedes its subgraphs
  std::vector<ValueType> types;
  Stats stats;

 private:
  std::unordered_multimap<size_t, uint32_t> types_by_hash_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GRAPH_MODEL_H_
