// What print(ExportedProgram) says below the graph: what each input is, and ranges of symbols.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_EXPORTED_PROGRAM_TEXT_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_EXPORTED_PROGRAM_TEXT_H_

#include <cstdint>
#include <string_view>

#include "ingest/graph_text/line_cursor.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// Reads the "Graph signature:" in whose line `cursor` stands into the placeholders of `graph`, in
/// the spellings of 2.1 (lists of names), 2.2 to 2.6 (InputSpec) and later (a line an input).
void ReadGraphSignature(LineCursor& cursor, GraphSet& graphs, GraphModel& graph);

/// Reads "Range constraints: {s77: VR[2, 64], 2*s77: VR[4, 128]}", whose line `cursor` stands in,
/// in the spellings of 2.1 to 2.13, into `graph` (into GraphSet::graphs) and the graphs behind it,
/// which are its subgraphs. All are finished.
void ReadRangeConstraints(LineCursor& cursor, GraphSet& graphs, uint32_t graph);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_EXPORTED_PROGRAM_TEXT_H_
