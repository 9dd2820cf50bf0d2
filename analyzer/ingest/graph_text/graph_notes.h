// What stands beside the graphs of a text: signatures and ranges of ExportedProgram, inputs of
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
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// Reads the "Graph signature:" in whose line `cursor` stands into the placeholders of the graph of
/// `builder`, in the spellings of 2.1 (lists of names), 2.2 to 2.6 (InputSpec) and later (a line an
/// input).
void ReadGraphSignature(LineCursor& cursor, GraphBuilder& builder);

/// Reads "Range constraints: {s77: VR[2, 64], 2*s77: VR[4, 128]}", whose line `cursor` stands in,
/// in the spellings of 2.1 to 2.13, into the graph of `builder` and the graphs behind it, which are
/// its subgraphs. All are finished.
void ReadRangeConstraints(LineCursor& cursor, GraphBuilder& builder);

/// Reads the record of the artifact graph_sizes of 2.0 to 2.2 whose head is the line of `cursor`,
///   TRACED GRAPH TENSOR SIZES
///   ===== __compiled_fn_0 =====
///   l_x_: (s0, 4)
///   l_x_ (concrete): (8, 4)
/// into the last graph of `input` that has this name and no sizes of its own, and moves behind it.
void ReadTensorSizes(LineCursor& cursor, GraphBuilder& builder, uint32_t input);

/// Gathers the lines
///   buf0 = reader.storage(None, 60, device=device(type='cuda', index=0))
///   reader.tensor(buf0, (s77, 5), (5, 1), dtype=torch.float16)  # arg0_1
///   reader.symint(8, expr='s77')  # arg1_1
/// Source: InputWriter in torch/_dynamo/debug_utils.py, releases 2.1 to 2.13.
class ReproInputs {
 public:
  explicit ReproInputs(GraphBuilder& builder) : builder_(builder) {}

  /// Reads one line that has "reader." in it into the placeholders of the graph of the builder.
  void ReadLine(const TextLine& line);

  /// Gives hints to the symbols of `graph`, which is finished, and forgets all that was read.
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
