// From paths to a GraphSet: every form in which PyTorch leaves a captured graph behind.

#ifndef SHAPEWISE_INGEST_GRAPH_READER_H_
#define SHAPEWISE_INGEST_GRAPH_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/graph_model.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// Reads every dump that `paths` name ("-" is standard input; folders are walked) into `graphs`.
/// An input in which nothing is recognised keeps an empty GraphSet::Input::format.
///
/// Returns one message for each path that does not exist, cannot be opened, breaks off while it is
/// read, or is refused (an archive that asks for absurd memory, names that lead out of it, a pickle
/// that asks for code to run), in their order. What was read before such a failure stays.
std::vector<std::string> ReadGraphs(const std::vector<std::string>& paths, FileSource& files,
                                    GraphSet& graphs);

/// Reads one dump from memory, as ReadGraphs would read it from a file.
std::vector<std::string> ReadGraphsFromBytes(const std::string& name, std::string_view bytes,
                                             GraphSet& graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_READER_H_
