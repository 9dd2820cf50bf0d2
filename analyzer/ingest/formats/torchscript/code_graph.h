// The graph made from a method of TorchScript code, and the values of names at the current
// position.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_GRAPH_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/formats/torchscript/code_library.h"
#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "support/text_scan.h"

namespace shapewise {

/// A module or another object of the archive, which is known without a node.
struct CodeObject {
  std::string path;                 ///< from the root: "fc", "layers.0"; empty: the root
  const CodeClass* type = nullptr;  ///< null: its code is not available
  uint32_t state = kNoIndex;        ///< in data.pkl; kNoIndex: not available
};

/// The value of a name or an expression.
struct CodeValue {
  // NOLINTBEGIN(google-explicit-constructor): arguments and objects are values
  CodeValue(Argument is = {}) : argument(is) {}
  CodeValue(const CodeObject* is) : object(is) {}
  // NOLINTEND(google-explicit-constructor)

  Argument argument;                   ///< for anything except objects
  const CodeObject* object = nullptr;  ///< null: no object
};

/// Builds the graphs of one input, one after the other.
class CodeGraph {
 protected:
  // Limits per input. A module of a hundred layers, each with its code inlined into the graph,
  // takes 1 MB.
  static constexpr size_t kMaxWork = size_t{1} << 26;
  static constexpr size_t kMaxNodes = size_t{1} << 20;
  static constexpr size_t kMaxArguments = size_t{1} << 23;

  using Names = llvm::ScopedHashTable<llvm::StringRef, std::optional<CodeValue>>;
  using AssignedNames = llvm::SetVector<llvm::StringRef>;

  explicit CodeGraph(GraphSet& graphs) : builder_(graphs) {}

  /// Spends `work`; false once the budget is used up.
  bool Spend(size_t work) {
    const GraphModel& graph = builder_.graph();
    work_ += work;
    is_full_ |= work_ > kMaxWork || num_nodes_ + graph.nodes.size() > kMaxNodes ||
                num_arguments_ + graph.arguments.size() > kMaxArguments;
    return !is_full_;
  }
  size_t CountArguments(const Argument& argument) const {
    size_t count = 1;
    for (uint32_t i = 0; i < argument.num_children; ++i) {
      count += CountArguments(builder_.graph().arguments[argument.first_child + i]);
    }
    return count;
  }

  std::optional<CodeValue> Find(std::string_view name) const {
    return names_->lookup(llvm::StringRef(name));
  }
  void Bind(std::string_view name, const CodeValue& value) {
    names_->insert(llvm::StringRef(name), value);
  }
  Arguments ChildrenOf(const Argument& group) const {
    const Argument* const first = builder_.graph().arguments.data() + group.first_child;
    return {first, first + group.num_children};
  }

  std::string UniqueName(std::string_view stem) {
    const uint32_t uses = ++name_uses_[llvm::StringRef(stem)];
    return std::string(stem) + (uses == 1 ? "" : "." + std::to_string(uses));
  }
  Argument Text(std::string_view text) {
    return builder_.TextArgument(Argument::Kind::kText, text);
  }
  Argument Constant(std::string_view text) {
    return builder_.TextArgument(Argument::Kind::kConstant, text);
  }
  Argument NamedText(std::string_view text) {
    return WithKeyword(builder_.TextArgument(Argument::Kind::kString, text),
                       builder_.Intern("name"));
  }

  uint32_t AddNode(std::string_view target, llvm::ArrayRef<Argument> arguments = {}) {
    return builder_.AddNode(NodeKind::kOperator, target, arguments);
  }
  Argument AddResult(uint32_t node, std::string_view name, uint32_t type = kNoIndex) {
    return ValueArgument(builder_.AddValue(node, UniqueName(name), type));
  }
  Argument AddCall(std::string_view target, llvm::ArrayRef<Argument> arguments,
                   std::string_view name = {}) {
    const uint32_t node = AddNode(target, arguments);
    return AddResult(node, name.empty() ? target.substr(target.rfind(':') + 1) : name);
  }
  Argument GetAttribute(std::string_view path, std::string_view name, uint32_t type) {
    return AddResult(builder_.AddNode(NodeKind::kGetAttr, path), name, type);
  }

  Argument ToArgument(const CodeValue& value) {
    if (value.object == nullptr) return value.argument;
    const std::string_view path = value.object->path;
    if (path.empty()) return Text("self");
    if (value.object->type != nullptr || value.object->state != kNoIndex) return Text(path);
    return GetAttribute(path, LastName(path), kNoIndex);
  }

  /// Adds the names that `statements` bind, in order.
  void AddAssignedNames(const CodeFile& file, pyast::Stmts statements, AssignedNames& names) {
    for (const pyast::Stmt* statement : statements) {
      const pyast::Expr* target = nullptr;
      if (const auto* assign = llvm::dyn_cast<pyast::Assign>(statement)) {
        target = assign->targets[0];
      } else if (const auto* typed = llvm::dyn_cast<pyast::AnnAssign>(statement)) {
        target = typed->value == nullptr ? nullptr : typed->target;
      } else if (const auto* condition = llvm::dyn_cast<pyast::If>(statement)) {
        AddAssignedNames(file, condition->body, names);
        AddAssignedNames(file, condition->orelse, names);
      } else if (const auto* loop = llvm::dyn_cast<pyast::For>(statement)) {
        AddAssignedNames(file, loop->body, names);
      } else if (const auto* repeated = llvm::dyn_cast<pyast::While>(statement)) {
        AddAssignedNames(file, repeated->body, names);
      } else if (const auto* with = llvm::dyn_cast<pyast::With>(statement)) {
        AddAssignedNames(file, with->body, names);
      }
      if (target == nullptr) continue;
      if (!Spend(statement->span.end - statement->span.begin)) return;
      const auto* const tuple = llvm::dyn_cast<pyast::Tuple>(target);
      if (tuple == nullptr) names.insert(file.TextOf(*target));
      for (const pyast::Expr* part : PartsOf(tuple)) names.insert(file.TextOf(*part));
    }
  }

  /// A block of a node: names bound in it are unbound at its end.
  class Block {
   public:
    explicit Block(CodeGraph& graph) : graph_(graph), scope_(*graph.names_), outer_(graph.block_) {
      graph.block_ = ++graph.last_block_;
      graph.builder_.set_block(graph.block_);
    }
    ~Block() {
      graph_.block_ = outer_;
      graph_.builder_.set_block(outer_);
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    CodeGraph& graph_;
    Names::ScopeTy scope_;
    uint32_t outer_;
  };

  GraphBuilder builder_;
  Names* names_ = nullptr;  ///< of the function being read
  llvm::StringMap<uint32_t> name_uses_;
  uint32_t block_ = 0;
  uint32_t last_block_ = 0;
  // Cost of reading the methods of the input so far.
  size_t work_ = 0;  ///< bytes of code, counted each time they are read
  size_t num_nodes_ = 0;
  size_t num_arguments_ = 0;
  bool is_full_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_GRAPH_H_
