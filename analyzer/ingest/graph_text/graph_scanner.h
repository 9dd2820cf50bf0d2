// Finds the graphs in a text, in any printed form, and reads them with what the text around them
// says: signatures and ranges of ExportedProgram, inputs of repros, sizes of tensors.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_SCANNER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_SCANNER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/graph_lines.h"
#include "llvm/ADT/StringMap.h"
#include "model/graph_model.h"
#include "support/literal_set.h"

namespace shapewise {

/// Reads the "Graph signature:" on the line of `cursor` into the placeholders of the graph of
/// `builder`, in the formats of 2.1 (lists of names), 2.2 to 2.6 (InputSpec) and later (one line
/// per input).
void ReadGraphSignature(LineCursor& cursor, GraphBuilder& builder);

/// Reads "Range constraints: {s77: VR[2, 64], 2*s77: VR[4, 128]}" on the line of `cursor`, in the
/// formats of 2.1 to 2.13, into the graph of `builder` and the graphs after it, which are its
/// subgraphs. All must be finished.
void ReadRangeConstraints(LineCursor& cursor, GraphBuilder& builder);

/// Reads the record of the artifact graph_sizes of 2.0 to 2.2 whose head is the line of `cursor`,
///   TRACED GRAPH TENSOR SIZES
///   ===== __compiled_fn_0 =====
///   l_x_: (s0, 4)
///   l_x_ (concrete): (8, 4)
/// into the last graph of `input` with this name and without sizes, and moves past it.
void ReadTensorSizes(LineCursor& cursor, GraphBuilder& builder, uint32_t input);

/// Collects the lines
///   buf0 = reader.storage(None, 60, device=device(type='cuda', index=0))
///   reader.tensor(buf0, (s77, 5), (5, 1), dtype=torch.float16)  # arg0_1
///   reader.symint(8, expr='s77')  # arg1_1
/// Source: InputWriter in torch/_dynamo/debug_utils.py, releases 2.1 to 2.13.
class ReproInputs {
 public:
  explicit ReproInputs(GraphBuilder& builder) : builder_(builder) {}

  /// Reads one line that contains "reader." into the placeholders of the graph of the builder.
  void ReadLine(const TextLine& line);

  /// Sets hints of the symbols of `graph`, which must be finished, and clears all collected lines.
  void Finish(GraphModel& graph);

 private:
  void ReadTensor(const pyast::Call& call, GraphValue& value);
  void ReadSymbol(const pyast::Call& call, GraphValue& value);
  bool ReadSizes(const pyast::Expr& expression, std::vector<ExprId>& sizes);

  GraphBuilder& builder_;
  PrintedPython python_;
  llvm::StringMap<std::string> device_of_storage_;
  SymbolHints hints_;
};

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
