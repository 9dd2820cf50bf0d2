// The artifact graph_sizes of 2.0 to 2.2: the sizes of a graph that was printed as a table.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_TENSOR_SIZES_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_TENSOR_SIZES_H_

#include <cstdint>

#include "ingest/graph_text/graph_builder.h"
#include "ingest/graph_text/line_cursor.h"

namespace shapewise {

/// Reads the record whose head is the line of `cursor`,
///   TRACED GRAPH TENSOR SIZES
///   ===== __compiled_fn_0 =====
///   l_x_: (s0, 4)
///   l_x_ (concrete): (8, 4)
/// into the last graph of `input` that has this name and no sizes of its own, and moves behind it.
void ReadTensorSizes(LineCursor& cursor, GraphBuilder& builder, uint32_t input);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_TENSOR_SIZES_H_
