// Reads one statement of a printed forward function: which node of the graph it is.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_STATEMENT_PARSER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_STATEMENT_PARSER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/graph_text/argument_parser.h"
#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// "torch.ops.aten.add.Tensor" -> "aten.add.Tensor", "_operator.mul" -> "operator.mul",
/// "builtins.getattr" -> "getattr". The view may point into `storage`.
std::string_view NormalTarget(std::string_view target, std::string& storage);

/// Whether `name` is a function of Python's module operator that FX puts into graphs.
bool IsOperatorFunction(std::string_view name);

/// Reads statements of the forms that torch.fx generates (torch/fx/graph.py, _gen_python_code):
/// one operation each.
class StatementParser {
 public:
  enum class Outcome : uint8_t {
    kNode,        ///< a node was added
    kNothing,     ///< a deletion, another name of a value, bookkeeping of a profiler
    kAnnotation,  ///< names with their types, whose values come below: `x: "f32[3]"; y: ...`
    kUnpacked,    ///< inputs taken out of the arguments: they are the graph's placeholders
    kUnreadable,
  };

  explicit StatementParser(GraphBuilder& builder)
      : builder_(builder), parser_(builder, ValueSpelling::kBareNames) {}

  /// For each graph.
  void Begin(uint32_t input);

  /// Reads `statement`, blanks in front of it removed, from `line` of the dump.
  Outcome Read(std::string_view statement, uint64_t line);

  /// Reads what stands behind "return".
  bool ReadReturn(std::string_view text, uint64_t line);

 private:
  Outcome ReadAssignment(std::string_view name, std::string_view annotation, uint64_t line);
  Outcome ReadInPlace(std::string_view name, uint64_t line);
  Outcome ReadUnpacking(std::string_view statement, uint64_t line);
  Outcome ReadAnnotations(std::string_view statement, uint64_t line);
  bool ConsumeAnnotation(std::string_view& annotation);
  bool ReadRightSide(NodeKind& kind);
  bool ReadRootPath(int depth);
  bool ReadFromPath(NodeKind& kind);
  bool ReadOperation(NodeKind& kind);
  size_t SizeOfLiteral(std::string_view text);
  bool IsAtEnd();

  GraphBuilder& builder_;
  ArgumentParser parser_;
  uint32_t input_ = 0;
  std::string_view target_;
  std::string target_storage_;
  std::string root_path_;
  uint32_t alias_ = kNoIndex;  ///< the right side is just this value
  uint32_t num_leaves_ = 0;    ///< of export's tree of arguments
  llvm::StringMap<uint32_t> announced_types_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_STATEMENT_PARSER_H_
