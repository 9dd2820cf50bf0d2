// The graph that a method of TorchScript code becomes, while its statements are read.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_GRAPH_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_GRAPH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/argument_tree.h"
#include "ingest/formats/torchscript/code_library.h"
#include "llvm/ADT/StringMap.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// A module or another object of the archive, which is known without a node.
struct CodeObject {
  std::string path;                 ///< from the root: "fc", "layers.0"; empty: the root
  const CodeClass* type = nullptr;  ///< null: its code is not at hand
  uint32_t state = kNoIndex;        ///< in data.pkl; kNoIndex: not at hand
};

/// What a name or an expression stands for.
struct CodeValue {
  bool is_object = false;
  CodeObject object;
  ArgumentTree tree;  ///< of anything that is no object

  static CodeValue Of(ArgumentTree tree) {
    CodeValue value;
    value.tree = std::move(tree);
    return value;
  }
};

/// Nodes of a graph, and what names stand for at the current place.
class CodeGraph {
 public:
  CodeGraph(GraphSet& graphs, GraphModel& graph) : graphs_(graphs), graph_(graph) {}

  GraphSet& graphs() { return graphs_; }
  GraphModel& graph() { return graph_; }

  /// Where the statement that is read stands in its text; 0: in an archive.
  void set_line(uint64_t line) { line_ = line; }
  uint64_t line() const { return line_; }

  /// Adds a node of the current block. Its results come by AddResult.
  uint32_t AddNode(std::string_view target);
  /// Adds a result to the last node, or to one whose blocks have ended.
  ArgumentTree AddResult(uint32_t node, std::string_view name, uint32_t type = kNoIndex);
  /// A value that is made by `node` but is none of its results: the input of a block.
  ArgumentTree AddBlockInput(uint32_t node, std::string_view name);
  /// A node with one result.
  ArgumentTree AddCall(std::string_view target, const std::vector<ArgumentTree>& arguments,
                       std::string_view name = {});

  /// Names the last value that was made after `name`, which the code gives it.
  void NameLastValue(std::string_view name) { graph_.values.back().name = UniqueName(name); }

  /// What `name` stands for; null if nothing does.
  const CodeValue* Find(std::string_view name) const;
  void Bind(std::string_view name, CodeValue value);

  /// Names of another function: those of the caller are hidden until LeaveFunction.
  void EnterFunction();
  void LeaveFunction();

  /// Begins a block of a node; names that it binds are given, and unbound, by LeaveBlock.
  void EnterBlock();
  std::vector<std::pair<std::string_view, CodeValue>> LeaveBlock();

  ArgumentTree Constant(std::string_view text) {
    return ArgumentTree::Text(Argument::Kind::kConstant, graphs_.strings.Intern(text));
  }
  ArgumentTree Text(std::string_view text) {
    return ArgumentTree::Text(Argument::Kind::kText, graphs_.strings.Intern(text));
  }

 private:
  /// A name that was bound in a block, and what it stood for before.
  struct Change {
    std::string_view name;
    bool was_bound = false;
    CodeValue before;
  };
  struct Block {
    uint32_t number = 0;
    size_t first_change = 0;
  };

  StrId UniqueName(std::string_view stem);

  GraphSet& graphs_;
  GraphModel& graph_;
  std::vector<llvm::StringMap<CodeValue>> scopes_{1};
  std::vector<Change> changes_;
  std::vector<size_t> function_changes_;  // how many there were when a function was entered
  std::vector<Block> blocks_;
  uint32_t last_block_ = 0;
  uint64_t line_ = 0;
  llvm::StringMap<uint32_t> name_uses_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_GRAPH_H_
