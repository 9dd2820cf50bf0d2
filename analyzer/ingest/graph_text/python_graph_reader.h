// Reads a graph that is printed as a Python function: print_readable, GraphModule.code, repros.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// "torch.ops.aten.add.Tensor" -> "aten.add.Tensor", "_operator.mul" -> "operator.mul",
/// "builtins.getattr" -> "getattr". The view may point into `storage`.
std::string_view NormalTarget(std::string_view target, std::string& storage);

/// Whether `name` is a function of Python's module operator that FX puts into graphs.
bool IsOperatorFunction(std::string_view name);

/// Reads forward functions of one text, one after the other. Statements have the forms that
/// torch.fx generates (torch/fx/graph.py, _gen_python_code): one operation each.
class PythonGraphReader {
 public:
  explicit PythonGraphReader(GraphBuilder& builder)
      : builder_(builder), python_(builder, /*has_percents=*/false) {}

  /// Reads the function whose "def" stands in the line of `cursor`, and moves behind it.
  /// `has_class`: a line "class X(torch.nn.Module):" stands above it. Returns the index of the
  /// graph; kNoIndex: it is no graph.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin, std::string_view format,
                std::string_view name, bool has_class);

  /// For each graph of another form, whose return is read here.
  void Begin(uint32_t input);
  /// Reads the "return" in the line of `cursor`, whose text may go on in lines behind it, and moves
  /// behind it.
  bool ReadReturn(LineCursor& cursor);

 private:
  enum class Signature : uint8_t { kWhole, kCut, kForeign };
  enum class Outcome : uint8_t {
    kNode,        ///< a node was added
    kNothing,     ///< a deletion, another name of a value, bookkeeping of a profiler
    kAnnotation,  ///< names with their types, whose values come below: `x: "f32[3]"; y: ...`
    kUnpacked,    ///< inputs taken out of the arguments: they are the graph's placeholders
    kUnreadable,
  };

  Signature ReadSignature(LineCursor& cursor);
  const pyast::FunctionDef* ParseHead(std::string_view text, size_t& end);
  void AddParameters(const pyast::Arguments& parameters, uint64_t line);
  void ReadBody(LineCursor& cursor, size_t def_indent);
  void ReadComment(std::string_view comment);

  Outcome ReadStatement(std::string_view statement, uint64_t line);
  Outcome ReadAssignment(const pyast::Expr& target, const pyast::Expr* annotation,
                         const pyast::Expr& value, uint64_t line);
  Outcome ReadInPlace(const pyast::Expr& changed, std::string_view rest, uint64_t line);
  Outcome ReadUnpacking(pyast::Exprs targets, const pyast::Expr& value, uint64_t line);
  Outcome ReadAnnotations(std::string_view statement, uint64_t line);
  bool ReadRightSide(const pyast::Expr& value, NodeKind& kind);
  bool ReadCall(const pyast::Call& call, NodeKind& kind);
  bool ReadOperation(const pyast::Expr& left, pyast::Operator op, const pyast::Expr& right);
  bool ReadRootPath(const pyast::Expr& expression);
  bool PushOperand(const pyast::Expr& expression);
  uint32_t ValueOf(const pyast::Expr& expression);

  GraphBuilder& builder_;
  ArgumentReader python_;
  uint32_t input_ = 0;
  std::string_view target_;
  std::string target_storage_;
  std::string root_path_;
  uint32_t alias_ = kNoIndex;  ///< the right side is just this value
  uint32_t num_leaves_ = 0;    ///< of export's tree of arguments
  llvm::StringMap<uint32_t> announced_types_;
  std::string_view last_comment_;
  UserPlace last_place_;
  bool is_annotated_ = false;    ///< the signature has types: its parameters are the placeholders
  bool has_statements_ = false;  ///< something stands below what only announces inputs
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_
