// What follows from the nodes of a graph that was read: kinds of placeholders, symbols,
// constraints.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "shapewise/model/graph_model.h"

namespace shapewise {

/// "L_self_modules_fc1_parameters_weight_" -> "L['self']._modules['fc1']._parameters['weight']",
/// "L_x_" -> "L['x']". Empty where several sources would be spelled like this: Dynamo writes one
/// underscore for whatever stands between two words.
/// Source: OutputGraph.create_graph_input and Source.name in torch/_dynamo, releases 2.1 to 2.13.
std::string SourceOfMangledName(std::string_view name);

/// Fills placeholders (kinds and sources that names tell), symbols and constraints of a graph whose
/// nodes are complete. `is_joint`: forward and backward in one.
void FinishGraph(GraphSet& graphs, GraphModel& graph, bool is_joint);

/// The symbol of `graph` that is called `name`; nullptr: it has none.
GraphSymbol* FindSymbol(GraphSet& graphs, GraphModel& graph, std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_
