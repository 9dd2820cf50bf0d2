// Puts one GraphModel together, node by node, as a reader of text comes upon its parts.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_BUILDER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_text/type_annotation.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// What all graphs of one text have in common.
struct GraphOrigin {
  uint32_t input = 0;       ///< into GraphSet::inputs
  std::string_view format;  ///< of the models; empty: the form in which each is printed
  std::string_view name;    ///< of the models; empty: as each is called where it is printed
  StrId compile_id{};
};

/// The comment above a node: where in the user's program it comes from.
struct UserPlace {
  StrId file{};
  uint32_t line = 0;
  StrId function{};
  StrId code{};
};

/// Builds the graphs of one text, one after the other. Arguments are pushed and grouped on a stack,
/// innermost first; the node that is added next takes what is on it.
class GraphBuilder {
 public:
  explicit GraphBuilder(GraphSet& graphs) : graphs_(graphs), types_(graphs) {}

  GraphSet& graphs() { return graphs_; }
  GraphModel& graph() { return graphs_.graphs[graph_]; }
  uint32_t graph_index() const { return graph_; }
  TypeAnnotations& types() { return types_; }
  StrId Intern(std::string_view text) { return graphs_.strings.Intern(text); }

  /// Begins a graph; the one before it is over.
  void Begin(const GraphOrigin& origin, std::string_view format, std::string_view name,
             uint64_t line);
  /// Drops the graph that was begun last.
  void Abandon();

  /// The value that is called `name` by now; kNoIndex: none is.
  uint32_t FindValue(std::string_view name);
  /// From here on, `name` means `value`.
  void BindName(StrId name, uint32_t value);
  /// Gives `value` the name that the graph itself has for it.
  void RenameValue(uint32_t value, std::string_view name);

  size_t num_pushed() const { return stack_.size(); }
  void Push(const Argument& argument) { stack_.push_back(argument); }
  void PushValue(uint32_t value);
  void PushText(Argument::Kind kind, std::string_view text);
  Argument& last_pushed() { return stack_.back(); }
  /// Makes what was pushed since `mark` the children of one argument of `kind`.
  void Group(size_t mark, Argument::Kind kind);
  /// Forgets what was pushed since `mark`.
  void DropPushed(size_t mark) { stack_.resize(mark); }
  void DropFirstPushed(size_t count) {
    stack_.erase(stack_.begin(), stack_.begin() + static_cast<ptrdiff_t>(count));
  }

  /// Place of the nodes that are added from here on.
  void SetPlace(const UserPlace& place) { place_ = place; }

  /// Adds a node with one value, called `name`, and what is on the stack as its arguments.
  /// Returns the value.
  uint32_t AddNode(NodeKind kind, std::string_view target, std::string_view name, uint32_t type,
                   uint64_t line);
  uint32_t AddPlaceholder(std::string_view target, uint32_t type, std::string_view default_value,
                          uint64_t line);
  /// Adds the output node, whose arguments are on the stack.
  void AddOutput(uint64_t line);
  /// Removes all nodes: what looked like placeholders were arguments that are unpacked.
  void DropNodes();

  bool has_output() const { return has_output_; }
  /// Whether placeholders were found to be no placeholders since Begin.
  bool was_unpacked() const { return was_unpacked_; }

 private:
  void MoveArguments(GraphNode& node);
  void CollectOutputs(uint32_t first, uint32_t count);

  GraphSet& graphs_;
  TypeAnnotations types_;
  uint32_t graph_ = kNoIndex;
  std::vector<Argument> stack_;
  std::vector<uint32_t> value_of_name_;  ///< by StrId
  std::vector<uint32_t> bound_names_;    ///< those of value_of_name_ that are set
  UserPlace place_;
  bool has_output_ = false;
  bool was_unpacked_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_BUILDER_H_
