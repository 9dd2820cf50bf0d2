// Follows padding through a graph to find which results stay correct when a size grows.

#ifndef SHAPEWISE_SHAPES_PADDING_H_
#define SHAPEWISE_SHAPES_PADDING_H_

#include "model/graph_model.h"
#include "result/graph_report.h"

namespace shapewise {

/// Describes `graph` (one of `graphs`) itself: the conditions that it requires.
GraphReport DescribeGraph(const GraphSet& graphs, size_t graph);

/// The same, and what follows from it. Says for every symbol of `graph` (one of `graphs`) what
/// padding it would do. Sizes that the dump does not print are worked out by the rules of the
/// operators where these are known. Linear in the nodes for each symbol. New expressions are made
/// in `graphs.expressions`. Graphs that it only calls are followed as parts of it; they are in
/// GraphReport::parts.
GraphReport AnalyzePadding(GraphSet& graphs, size_t graph);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_PADDING_H_
