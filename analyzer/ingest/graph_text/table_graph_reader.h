// Reads a graph as Graph.print_tabular shows it.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_TABLE_GRAPH_READER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_TABLE_GRAPH_READER_H_

#include <cstdint>

#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"
#include "ingest/graph_text/statement_parser.h"

namespace shapewise {

/// Reads tables with the columns opcode, name, target, args, kwargs. Functions stand there as
/// Python shows them ("<built-in function mul>"), without their module.
class TableGraphReader {
 public:
  explicit TableGraphReader(GraphBuilder& builder)
      : builder_(builder), parser_(builder, ValueSpelling::kBareNames) {}

  /// Reads the table whose head is the line of `cursor`, and moves behind it. Returns the index of
  /// the graph; kNoIndex: it is no such table.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin);

 private:
  bool ReadRow(std::string_view row, uint64_t line);

  GraphBuilder& builder_;
  ArgumentParser parser_;
  std::vector<size_t> columns_;  ///< where each begins
  std::string target_storage_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_TABLE_GRAPH_READER_H_
