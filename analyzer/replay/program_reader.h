// Reads the program JSON that `shapewise graph --format program` writes.

#ifndef SHAPEWISE_REPLAY_PROGRAM_READER_H_
#define SHAPEWISE_REPLAY_PROGRAM_READER_H_

#include <string>

#include "replay/constants.h"
#include "replay/program.h"

namespace shapewise::replay {

/// Selects a graph in a file with several.
struct GraphSelection {
  std::string name;  ///< its name or number in the file; empty: the only one, or the first one that
                     ///< is not part of another
};

/// Reads one graph of the file at `path` ("-": standard input). Throws std::runtime_error if the
/// file is unreadable, is not a program, or does not contain such a graph.
Program ReadProgram(const std::string& path, const GraphSelection& selection,
                    const DeviceChoice& devices);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PROGRAM_READER_H_
