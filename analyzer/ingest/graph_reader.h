// Reads captured graphs in every form in which PyTorch writes them.

#ifndef SHAPEWISE_INGEST_GRAPH_READER_H_
#define SHAPEWISE_INGEST_GRAPH_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/graph_model.h"
#include "support/text_input.h"

namespace shapewise {

/// Reads every dump in `paths` ("-" is standard input; folders are searched) into `graphs`. The
/// GraphSet::Input::format of an unrecognized input stays empty.
///
/// Returns one message, in order, for each path that does not exist, cannot be opened, fails while
/// being read, or is rejected (an archive that needs excessive memory, names that lead outside it,
/// a pickle that wants to run code). Anything read before the failure is kept.
std::vector<std::string> ReadGraphs(const std::vector<std::string>& paths, FileSource& files,
                                    GraphSet& graphs);

/// Reads one dump from memory as ReadGraphs reads a file.
std::vector<std::string> ReadGraphsFromBytes(const std::string& name, std::string_view bytes,
                                             GraphSet& graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_READER_H_
