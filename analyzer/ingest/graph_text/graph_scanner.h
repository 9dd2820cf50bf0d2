// Finds the graphs in a text, in any printed form, and reads them.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_SCANNER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_SCANNER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/graph_notes.h"
#include "ingest/graph_text/listed_graphs.h"
#include "ingest/graph_text/python_graph_reader.h"
#include "support/literal_set.h"

namespace shapewise {

/// Whether a line of `text` begins a graph in any form.
bool HasGraphHead(std::string_view text);

/// Whether a file called `name` that begins with `front` is handwritten code: it imports modules
/// and is not a program with a graph that PyTorch generated (repros, and modules of
/// GraphModule.to_folder). Its `forward` is not a captured graph.
bool IsPythonProgram(std::string_view name, std::string_view front);

/// Reads whole texts: files, records of a log, payloads of a trace.
class GraphScanner {
 public:
  explicit GraphScanner(GraphSet& graphs);

  /// Appends all graphs in `text`. `numbers`: those of its lines in the input; empty: they count
  /// from `first_line`. The views in `origin` must be valid during the call.
  void Scan(std::string_view text, uint64_t first_line, std::span<const uint64_t> numbers,
            const GraphOrigin& origin);

 private:
  struct Parent {
    size_t indent = 0;
    uint32_t graph = kNoIndex;
  };

  /// Reads what begins on the line of `cursor`, and moves past it.
  void ReadLine(LineCursor& cursor, const GraphOrigin& origin);
  void ReadExport(LineCursor& cursor, const TextLine& line);
  void ReadClass(const TextLine& line);
  void ReadFunction(LineCursor& cursor, const GraphOrigin& origin);
  void AddTopGraph(uint32_t graph);
  bool ReopenTopGraph();
  /// Finishes the graphs since the last call.
  void Finish();

  GraphSet& graphs_;
  GraphBuilder builder_;
  ListedNodeReader listed_;
  PythonGraphReader python_;
  ReproInputs repro_inputs_;

  std::string class_name_;
  size_t class_indent_ = 0;
  bool has_class_ = false;  ///< its function has not been read yet
  bool is_exported_ = false;
  std::string module_name_;  ///< of print(GraphModule)
  std::string title_;
  std::string torch_version_;
  std::vector<Parent> parents_;
  std::vector<uint32_t> joint_graphs_;
  uint32_t top_graph_ = kNoIndex;  ///< the last graph that is not nested in another
  size_t num_finished_ = 0;        ///< of GraphSet::graphs
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_SCANNER_H_
