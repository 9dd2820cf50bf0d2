// Data about graphs in the text around them: signatures and ranges of ExportedProgram, inputs of
// repros, sizes of tensors.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_NOTES_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_NOTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/finish_graph.h"
#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"
#include "llvm/ADT/StringMap.h"
#include "model/graph_model.h"

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

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_NOTES_H_
