// Builds one GraphModel, node by node, while a reader parses it, and derives properties of it when
// it is complete: kinds of placeholders, symbols, constraints.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_BUILDER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "model/graph_model.h"
#include "symbolic/interval.h"

namespace shapewise {

/// The names of a dtype in several places; empty or 0 if it has no name there.
struct Dtype {
  std::string_view name;          ///< "torch.float32"
  std::string_view abbreviation;  ///< "f32"
  std::string_view scalar_type;   ///< "Float"
  int64_t number = 0;             ///< in the schema of torch.export
};

/// Those of tables/graphs.json.
const std::vector<Dtype>& AllDtypes();

/// The name of the dtype whose `field` is `key`; empty if not found.
template <typename Key>
std::string_view FindDtype(Key Dtype::* field, const Key& key) {
  if (key == Key()) return {};
  for (const Dtype& dtype : AllDtypes()) {
    if (dtype.*field == key) return dtype.name;
  }
  return {};
}

/// Removes the brackets of any kind at the start of `text` and returns their contents; false if
/// `text` does not begin with brackets, or they do not close.
bool ConsumeBrackets(std::string_view& text, std::string_view& inside);

/// Offset of `needle` in `text` outside of brackets and quotes; npos if not found.
size_t FindOutsideBrackets(std::string_view text, std::string_view needle);

/// The parts of `text` between its commas outside of brackets and quotes, trimmed. Empty for an
/// empty text.
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text);

/// Parses types; each distinct text once.
class TypeReader {
 public:
  explicit TypeReader(GraphSet& graphs) : graphs_(graphs) {}

  /// The index in GraphSet::types of what `text` says; kNoIndex for the empty text. A size of no
  /// known form is kept as a symbol of that name, and counted at `line` of `input`. Of TorchScript,
  /// a size that is not known ("*") has no expression, one with a name ("SS(-2)") is a symbol;
  /// older releases print sizes and strides in one: "Float(2:3, 3:1)". Source: c10's
  /// operator<<(ostream&, const Type&).
  uint32_t Read(std::string_view text, uint32_t input, uint64_t line);

  /// One size, or a stride.
  ExprId ReadSize(std::string_view text, uint32_t input, uint64_t line);

 private:
  ValueType Parse(std::string_view text, uint32_t input, uint64_t line);
  bool ParseTensor(std::string_view text, ValueType& type, uint32_t input, uint64_t line);
  bool ParseScriptTensor(std::string_view text, ValueType& type);
  ExprId ScriptSize(std::string_view text);

  GraphSet& graphs_;
  llvm::StringMap<uint32_t> known_;
  llvm::StringMap<ExprId> known_sizes_;
};

/// Common properties of all graphs in one text.
struct GraphOrigin {
  uint32_t input = 0;       ///< into GraphSet::inputs
  std::string_view format;  ///< of the models; empty: the format in which each is printed
  std::string_view name;    ///< of the models; empty: the printed name of each
  StrId compile_id{};
};

/// The place of a node in the user's program.
struct UserPlace {
  StrId file{};
  uint32_t line = 0;
  StrId function{};
  StrId code{};
};

/// Arguments without elements. Those with elements are created by GraphBuilder::Group.
inline Argument ValueArgument(uint32_t value) {
  return {.kind = Argument::Kind::kValue, .index = value, .integer = 0};
}
inline Argument IntArgument(int64_t integer, Argument::Kind kind = Argument::Kind::kInt) {
  return {.kind = kind, .integer = integer};
}
inline Argument BoolArgument(bool is_true) {
  return IntArgument(is_true ? 1 : 0, Argument::Kind::kBool);
}
inline Argument FloatArgument(double number) {
  return {.kind = Argument::Kind::kFloat, .number = number};
}
inline Argument WithKeyword(Argument argument, StrId keyword) {
  argument.keyword = keyword;
  return argument;
}

/// Builds graphs, one after the other. An Argument refers to its elements, which are in
/// GraphModel::arguments; several nodes may share them.
class GraphBuilder {
 public:
  explicit GraphBuilder(GraphSet& graphs) : graphs_(graphs), types_(graphs) {}

  GraphSet& graphs() { return graphs_; }
  GraphModel& graph() { return *model_; }
  const GraphModel& graph() const { return *model_; }
  uint32_t graph_index() const { return graph_; }
  StrId Intern(std::string_view text) { return graphs_.strings.Intern(text); }
  std::string_view Text(StrId id) const { return graphs_.strings.text(id); }

  /// Begins a graph; the previous one is complete.
  void Begin(const GraphOrigin& origin, std::string_view format, std::string_view name,
             uint64_t line);
  /// Drops the graph that was begun last.
  void Abandon() { graphs_.graphs.pop_back(); }
  /// Makes `graph`, which was built before, the current one. Placeholders can also be found by
  /// their targets.
  void Reopen(uint32_t graph);

  /// The current line of the input: that of the nodes being added.
  void set_line(uint64_t line) { line_ = line; }
  uint64_t line() const { return line_; }
  /// Place of the nodes added from here on.
  void set_place(const UserPlace& place) { place_ = place; }
  /// Block of the nodes added from here on.
  void set_block(uint32_t block) { block_ = block; }
  /// Counts `stat` at the current line.
  void Count(Stat stat) { graphs_.stats.Bump(stat, graph().input, line_); }

  /// See TypeReader; at the current line.
  uint32_t ReadType(std::string_view text) { return types_.Read(text, graph().input, line_); }
  ExprId ReadSize(std::string_view text) { return types_.ReadSize(text, graph().input, line_); }

  /// The value currently called `name`; kNoIndex if not found.
  uint32_t FindValue(std::string_view name);
  /// From here on, `name` refers to `value`.
  void BindName(StrId name, uint32_t value);
  /// Sets the name of `value` in the graph itself.
  void RenameValue(uint32_t value, std::string_view name);

  /// kString, kConstant, kText.
  Argument TextArgument(Argument::Kind kind, std::string_view text) {
    return {.kind = kind, .text = Intern(text), .integer = 0};
  }
  /// kList, kTuple, kDict, kSlice.
  Argument Group(Argument::Kind kind, llvm::ArrayRef<Argument> parts);

  /// The argument that readers of TorchScript add to a node for each of its blocks:
  /// block0=((inputs), (outputs)).
  Argument Block(size_t number, llvm::ArrayRef<Argument> inputs, llvm::ArrayRef<Argument> outputs);

  /// Adds a node without results; returns its index.
  uint32_t AddNode(NodeKind kind, std::string_view target, llvm::ArrayRef<Argument> arguments = {});
  void SetArguments(uint32_t node, llvm::ArrayRef<Argument> arguments);
  /// Adds a value called `name`: a result of `node`, or the input of a block if `is_inner`. All
  /// results of a node must be added in a row. Returns the value.
  uint32_t AddValue(uint32_t node, std::string_view name, uint32_t type = kNoIndex,
                    bool is_inner = false);
  /// Adds a node with one result; returns the result.
  uint32_t AddCall(NodeKind kind, std::string_view target, llvm::ArrayRef<Argument> arguments,
                   std::string_view name, uint32_t type = kNoIndex);
  /// Adds an input and a result with the same name.
  Placeholder& AddPlaceholder(std::string_view target, uint32_t type,
                              std::string_view default_value = {});
  /// Adds the output node.
  void AddOutput(llvm::ArrayRef<Argument> arguments);
  /// Adds the values in `arguments` to the outputs of the graph.
  void CollectOutputs(llvm::ArrayRef<Argument> arguments);
  /// Removes all nodes: apparent placeholders were arguments that are unpacked.
  void DropNodes();

  bool has_output() const { return has_output_; }
  /// Whether apparent placeholders turned out to be something else since Begin.
  bool was_unpacked() const { return was_unpacked_; }

 private:
  void ForgetNames();

  GraphSet& graphs_;
  TypeReader types_;
  uint32_t graph_ = kNoIndex;
  GraphModel* model_ = nullptr;  ///< GraphSet::graphs[graph_]
  uint64_t line_ = 0;
  uint32_t block_ = 0;
  UserPlace place_;
  std::vector<uint32_t> value_of_name_;  ///< by StrId
  std::vector<uint32_t> bound_names_;    ///< those of value_of_name_ that are set
  bool has_output_ = false;
  bool was_unpacked_ = false;
};

/// The values of symbols when a graph was captured.
using SymbolHints = std::map<ExprId, int64_t>;

/// Sets placeholders (kinds and sources implied by names), symbols and constraints of a graph with
/// complete nodes. `is_joint`: forward and backward in one.
void FinishGraph(GraphSet& graphs, GraphModel& graph, bool is_joint);

/// Sets the hints of the symbols of `graph`.
void SetHints(const SymbolHints& hints, GraphModel& graph);

/// A program states ranges for symbols and for sizes made of them ("2*s39"), also for symbols that
/// occur in none of its graphs: torch.export traces twice, and creates new symbols for
/// data-dependent sizes each time.
class StatedRanges {
 public:
  /// `size` is the text of an expression; counted at `line` of `input` if unknown.
  void Add(std::string_view size, const Interval& range, GraphSet& graphs, uint32_t input,
           uint64_t line);

  /// Sets the ranges of symbols in all graphs from `first` on; ranges of other sizes become
  /// constraints of graph `first` if it contains all their symbols. The graphs must be finished.
  void Apply(GraphSet& graphs, size_t first) const;

 private:
  std::map<ExprId, Interval> symbols_;
  std::vector<std::pair<ExprId, Interval>> sizes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_BUILDER_H_
