// Reads a graph that is printed as a Python function: print_readable, GraphModule.code, repros.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_

#include <cstdint>
#include <string_view>

#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"
#include "ingest/graph_text/statement_parser.h"

namespace shapewise {

/// Reads forward functions of one text, one after the other.
class PythonGraphReader {
 public:
  explicit PythonGraphReader(GraphBuilder& builder) : builder_(builder), statements_(builder) {}

  /// Reads the function whose "def" stands in the line of `cursor`, and moves behind it.
  /// `has_class`: a line "class X(torch.nn.Module):" stands above it. Returns the index of the
  /// graph; kNoIndex: it is no graph.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin, std::string_view format,
                std::string_view name, bool has_class);

 private:
  enum class Signature : uint8_t { kWhole, kCut, kForeign };

  Signature ReadSignature(LineCursor& cursor);
  bool ReadParameter(ArgumentParser& parser, uint64_t line);
  void ReadBody(LineCursor& cursor, size_t def_indent);
  bool ReadReturn(LineCursor& cursor, const TextLine& line);
  void ReadComment(std::string_view comment);
  void CountUnreadable(uint64_t line);

  GraphBuilder& builder_;
  StatementParser statements_;
  uint32_t input_ = 0;
  std::string_view last_comment_;
  UserPlace last_place_;
  bool is_annotated_ = false;    ///< the signature has types: its parameters are the placeholders
  bool has_statements_ = false;  ///< something stands below what only announces inputs
  uint64_t num_unreadable_ = 0;  ///< lines in a row that were not read, so far not counted
  uint64_t first_unreadable_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_GRAPH_READER_H_
