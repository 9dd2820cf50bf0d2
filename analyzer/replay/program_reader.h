// Reads the program JSON that `shapewise graph --format program` writes.

#ifndef SHAPEWISE_REPLAY_PROGRAM_READER_H_
#define SHAPEWISE_REPLAY_PROGRAM_READER_H_

#include <string>

#include "replay/constants.h"
#include "replay/program.h"

namespace shapewise::replay {

/// Which graph of a file with several is meant.
struct GraphSelection {
  std::string name;  ///< its name, or its number as the file has it; empty: the only one, or the
                     ///< first that is no part of another
};

/// Reads one graph of the file at `path` ("-": standard input). Throws std::runtime_error if it
/// cannot be read, is no program, or holds no such graph.
Program ReadProgram(const std::string& path, const GraphSelection& selection,
                    const DeviceChoice& devices);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PROGRAM_READER_H_
