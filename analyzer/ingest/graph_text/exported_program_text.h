// What print(ExportedProgram) says below the graph: what each input is, and ranges of symbols.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_EXPORTED_PROGRAM_TEXT_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_EXPORTED_PROGRAM_TEXT_H_

#include <string_view>

#include "ingest/graph_text/line_cursor.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// Reads the "Graph signature:" in whose line `cursor` stands into the placeholders of `graph`, in
/// the spellings of 2.1 (lists of names), 2.2 to 2.6 (InputSpec) and later (a line an input).
void ReadGraphSignature(LineCursor& cursor, GraphSet& graphs, GraphModel& graph);

/// Reads "Range constraints: {s77: VR[2, 64]}", whose line `cursor` stands in, into the symbols of
/// `graph`, which is finished, in the spellings of 2.1 to 2.13.
void ReadRangeConstraints(LineCursor& cursor, GraphSet& graphs, GraphModel& graph);

/// Sets the range of `symbol` from the text of its bounds: "2, 64", "2, int_oo", "-int_oo, 4".
/// `has_infinity`: its writer is known to have int_oo, so that the largest numbers are bounds, as
/// sizes of unbacked symbols have them ("0, 9223372036854775806").
void SetRange(GraphSymbol& symbol, std::string_view bounds, bool has_infinity = false);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_EXPORTED_PROGRAM_TEXT_H_
