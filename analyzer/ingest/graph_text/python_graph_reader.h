// Reads a graph printed as a Python function (print_readable, GraphModule.code, repros) or as a
// list of its nodes (print(graph)).

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/listed_graphs.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// Reads the graphs of one text, one after the other. Statements have the forms that torch.fx
/// generates (torch/fx/graph.py, _gen_python_code): one operation each.
class PythonGraphReader {
 public:
  PythonGraphReader(GraphBuilder& builder, ListedNodeReader& listed)
      : builder_(builder), listed_(listed), python_(builder, /*has_percents=*/false) {}

  /// Reads the function whose "def" is on the line of `cursor`, and moves past it. `has_class`: a
  /// line "class X(torch.nn.Module):" comes before it. Returns the index of the graph; kNoIndex:
  /// not a graph.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin, std::string_view format,
                std::string_view name, bool has_class);
  /// The same for the list of nodes after the line "graph():" of `cursor`.
  uint32_t ReadList(LineCursor& cursor, const GraphOrigin& origin, std::string_view name);

 private:
  enum class Signature : uint8_t { kWhole, kCut, kForeign };
  enum class Outcome : uint8_t {
    kRead,        ///< a node, a deletion, another name of a value, or bookkeeping of a profiler
    kAnnotation,  ///< names with their types, whose values come later: `x: "f32[3]"; y: ...`
    kUnreadable,
  };

  void Begin(const GraphOrigin& origin, std::string_view format, std::string_view name,
             uint64_t line);
  Signature ReadSignature(LineCursor& cursor);
  bool ReadHead(std::string_view text, size_t& end);
  void ReadBody(LineCursor& cursor, size_t head_indent, bool is_list);
  bool ReadReturn(LineCursor& cursor);
  void ReadComment(std::string_view comment);
  uint32_t Finish(uint64_t head_line);

  Outcome ReadStatement(std::string_view statement);
  Outcome ReadAssignment(const pyast::Expr& target, const pyast::Expr* annotation,
                         const pyast::Expr& value);
  Outcome ReadInPlace(const pyast::Expr& changed, std::string_view rest);
  Outcome ReadUnpacking(pyast::Exprs targets, const pyast::Expr& value);
  Outcome ReadAnnotations(std::string_view statement);
  bool ReadRightSide(const pyast::Expr& value, NodeKind& kind);
  bool ReadCall(const pyast::Call& call, NodeKind& kind);
  bool ReadRootPath(const pyast::Expr& expression);
  bool ReadOperation(pyast::Operator op, pyast::Exprs operands);
  bool IsAttributeOfValue(const pyast::Expr& expression);
  uint32_t ValueOf(const pyast::Expr& expression);
  void Take(const pyast::Expr& expression) { arguments_.push_back(python_.Read(expression)); }

  GraphBuilder& builder_;
  ListedNodeReader& listed_;
  ArgumentReader python_;
  // State of the current statement.
  std::string target_;
  Arguments arguments_;
  uint32_t alias_ = kNoIndex;  ///< the right side is only this value

  size_t num_leaves_ = 0;  ///< of export's tree of arguments
  llvm::StringMap<uint32_t> announced_types_;
  std::string_view last_comment_;
  UserPlace last_place_;
  bool is_annotated_ = false;    ///< the signature has types: its parameters are the placeholders
  bool has_statements_ = false;  ///< statements follow, not only a list of inputs
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_
