// Graphs: what a dump of an FX or TorchScript graph says, whatever form it was printed in.

#ifndef SHAPEWISE_MODEL_GRAPH_MODEL_H_
#define SHAPEWISE_MODEL_GRAPH_MODEL_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shapewise/support/stats.h"
#include "shapewise/support/string_pool.h"
#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// No index: of a value, a type, a node, a graph.
inline constexpr uint32_t kNoIndex = UINT32_MAX;

/// What a value of a graph is, as the dump annotates it. Equal types are stored once a GraphSet.
struct ValueType {
  enum class Kind : uint8_t {
    kUnknown,  ///< not told
    kTensor,
    kInt,     ///< an int; `expression` if it is told: Sym(s77), or a constant
    kFloat,   ///< a float, symbolic or not
    kBool,    ///< a truth value, symbolic or not
    kNone,    ///< None
    kObject,  ///< anything else; `dtype` is its type as printed
  };
  Kind kind = Kind::kUnknown;
  bool has_shape = false;  ///< `shape` is told; a tensor without dims has an empty one
  bool has_stride = false;
  StrId dtype{};                      ///< "torch.float32", whatever the dump's short form is
  StrId device{};                     ///< "cpu", "cuda:0"
  ExprId expression = ExprId::kNone;  ///< of kInt, kFloat, kBool
  std::vector<ExprId> shape;          ///< one size a dim
  std::vector<ExprId> stride;         ///< elements, one a dim
  std::optional<bool> requires_grad;

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// Something that a node makes and others take. FX: one a node. TorchScript: none, one or several.
struct GraphValue {
  StrId name{};              ///< as printed, without '%': "view", "x.31"
  uint32_t node = kNoIndex;  ///< the node that makes it
  uint32_t type = kNoIndex;  ///< into GraphSet::types
};

/// One argument of a node. Lists, tuples, dicts and slices have their elements as children.
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
    kText,      ///< `text`: an expression that was not taken apart
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
};

/// What a node is: the op of torch.fx.Node, or what TorchScript has in its place.
enum class NodeKind : uint8_t {
  kPlaceholder,
  kGetAttr,
  kCallFunction,
  kCallMethod,
  kCallModule,
  kOutput,
  kOperator,  ///< a TorchScript node: "aten::add", "prim::Constant"
};
/// The word of a kind, as torch.fx has it.
std::string_view NodeKindName(NodeKind kind);

/// One node, in the order in which the dump prints them.
struct GraphNode {
  NodeKind kind = NodeKind::kCallFunction;
  /// What is called: "aten.add.Tensor" (without "torch.ops."), "torch._C._nn.linear",
  /// "operator.mul", a method's name "view", an attribute's path, "aten::add".
  StrId target{};
  uint32_t first_value = 0;  ///< into GraphModel::values; an output node has none
  uint32_t num_values = 0;
  uint32_t first_argument = 0;  ///< into GraphModel::arguments: positional ones, then keywords
  uint32_t num_arguments = 0;
  uint32_t block = 0;  ///< 0: the graph's own; TorchScript: blocks are numbered as printed
  StrId user_file{};   ///< of the comment above it: "# File: m.py:21 in forward, code: ..."
  uint32_t user_line = 0;
  StrId user_function{};
  StrId code{};       ///< the source line of that comment
  uint64_t line = 0;  ///< where it stands in the dump, 1-based; 0: in an archive
};

/// What a placeholder stands for.
enum class PlaceholderKind : uint8_t {
  kInput,      ///< "input": what the user's call brings; also where the dump does not tell
  kParameter,  ///< "parameter"
  kBuffer,     ///< "buffer"
  kConstant,   ///< "constant": a lifted tensor or object
  kSymbol,     ///< "symbol": a symbolic int, float or bool
  kTangent,    ///< "tangent": a gradient that comes into a backward graph
  kSaved,      ///< "saved": kept by the forward for the backward graph
  kSelf,       ///< "self": a TorchScript module
};
/// The word of a kind, as results have it.
std::string_view PlaceholderKindName(PlaceholderKind kind);

/// One input of a graph.
struct Placeholder {
  uint32_t node = kNoIndex;
  PlaceholderKind kind = PlaceholderKind::kInput;
  StrId source{};         ///< what it is to the user: "L['x']", "self.fc.weight"; kNone: not told
  StrId default_value{};  ///< of a placeholder that need not be given, as text
};

/// A symbol of a graph.
struct GraphSymbol {
  ExprId symbol = ExprId::kNone;
  std::optional<int64_t> lower;  ///< absent: no bound (int_oo), or not told: see `has_range`
  std::optional<int64_t> upper;
  bool has_range = false;       ///< the dump tells a range
  std::optional<int64_t> hint;  ///< the value that it had when the graph was captured
  /// Where its value comes from: "L_x_.size()[0]", "L['x'].size()[0]", "n". In order.
  std::vector<StrId> sources;
};

/// One captured graph. Nodes, values and arguments refer to each other by index.
struct GraphModel {
  std::string name;    ///< "GraphModule", "forward_1", "Repro", "TS.forward"
  std::string format;  ///< how it was printed or saved: "print_readable", "pt2"; or where it was
                       ///< found: "torch_log", "torch_trace"
  uint32_t input = 0;  ///< into GraphSet::inputs
  uint64_t line = 0;   ///< where it begins, 1-based; 0: in an archive
  std::string member;  ///< of an archive: "tiny/models/model.json"
  StrId compile_id{};  ///< of the log record or trace event that printed it
  StrId torch_version{};

  std::vector<GraphNode> nodes;
  std::vector<GraphValue> values;
  std::vector<Argument> arguments;
  std::vector<Placeholder> placeholders;  ///< in order
  std::vector<uint32_t> outputs;     ///< values that are returned, in order, nested ones as well
  std::vector<GraphSymbol> symbols;  ///< by number of the name ("s2" before "s10"), then name
  std::vector<ExprId> constraints;   ///< predicates that hold: run-time assertions, guards
  /// Graphs that nodes of this one call (cond, while_loop, wrapped bodies): into GraphSet::graphs.
  std::vector<uint32_t> subgraphs;
  bool is_cut = false;  ///< the dump ends, or is damaged, before the graph does
  /// A TorchScript graph: its nodes are kOperator but for the placeholders, it has no output node.
  bool is_torchscript = false;
};

/// The nodes of `graph` as PyTorch counts them: the inputs of a TorchScript graph are none.
size_t CountNodes(const GraphModel& graph);

/// What was read from a number of dumps.
struct GraphSet {
  struct Input {
    std::string name;        ///< as given by the user, or found in a folder
    std::string format;      ///< of its first graph; empty: nothing was recognised
    std::string first_line;  ///< of an input in which nothing was recognised, at most 200 bytes
    uint64_t lines = 0;
    bool is_refused = false;  ///< it was told by an error why nothing was read
  };

  GraphSet() = default;
  GraphSet(const GraphSet&) = delete;
  GraphSet& operator=(const GraphSet&) = delete;

  /// The index of `type` in `types`, which is appended when new.
  uint32_t InternType(ValueType type);

  StringPool strings;
  ExprPool expressions;
  std::vector<Input> inputs;
  std::deque<GraphModel> graphs;  ///< in the order of inputs, then as printed; a graph before its
                                  ///< subgraphs
  std::vector<ValueType> types;
  Stats stats;

 private:
  std::unordered_multimap<size_t, uint32_t> types_by_hash_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GRAPH_MODEL_H_
