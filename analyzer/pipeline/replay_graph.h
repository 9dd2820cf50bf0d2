// Extracts the captured graph of a function as a Python program with its inputs.

#ifndef SHAPEWISE_PIPELINE_REPLAY_GRAPH_H_
#define SHAPEWISE_PIPELINE_REPLAY_GRAPH_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/replay.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// A graph in a structured trace.
struct CapturedGraph {
  std::string name;               ///< "the captured graph 0/1"
  std::string text;               ///< the class in the trace, unchanged
  nlohmann::ordered_json inputs;  ///< its placeholders in the form of shapewise.program/1
};

/// Returns the graph with the most symbols that Dynamo passed to the backend for the function with
/// number `frame` in compile ids, from the traces among `paths`. `program_of` writes a graph as
/// shapewise.program/1. Error: no trace contains one.
Expected<CapturedGraph> FindCapturedGraph(const std::vector<std::string>& paths,
                                          std::optional<uint32_t> frame,
                                          const GraphProgramText& program_of, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_GRAPH_H_
