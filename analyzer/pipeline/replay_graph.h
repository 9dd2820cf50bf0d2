// The captured graph of a function, as a Python program and as what it takes.

#ifndef SHAPEWISE_PIPELINE_REPLAY_GRAPH_H_
#define SHAPEWISE_PIPELINE_REPLAY_GRAPH_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/pipeline/replay.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// A graph of a structured trace.
struct CapturedGraph {
  std::string name;               ///< "the captured graph 0/1"
  std::string text;               ///< the class that the trace holds, as it stands there
  nlohmann::ordered_json inputs;  ///< its placeholders: members of shapewise.program/1
};

/// The graph with most symbols that Dynamo handed over for the function whose number in compile ids
/// is `frame`, from the traces among `paths`. `program_of` writes a graph as shapewise.program/1.
/// Error: no trace holds one.
Expected<CapturedGraph> FindCapturedGraph(const std::vector<std::string>& paths,
                                          std::optional<uint32_t> frame,
                                          const GraphProgramText& program_of, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_GRAPH_H_
