// Reads PyTorch archives: weights of .pt2 files, and complete TorchScript modules.

#ifndef SHAPEWISE_REPLAY_ARCHIVE_H_
#define SHAPEWISE_REPLAY_ARCHIVE_H_

#include <c10/core/Device.h>
#include <map>
#include <string>
#include <vector>

#include "replay/constants.h"
#include "replay/program.h"
#include "replay/value.h"

namespace shapewise::replay {

/// Whether the file at `path` is a zip archive.
bool IsArchive(const std::string& path);

/// The weights and constants of a .pt2 archive by source: "self.fc.weight". Throws
/// std::runtime_error or c10::Error.
std::map<std::string, Value> ReadWeights(const std::string& path, const DeviceChoice& devices);

/// A TorchScript archive as a program with one statement that calls its forward. Its inputs have no
/// types unless given by the user. Throws std::runtime_error or c10::Error.
Program ReadTorchScript(const std::string& path, const DeviceChoice& devices);

/// That statement: the module, then the arguments of forward.
Value CallTorchScript(const CallArguments& arguments);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_ARCHIVE_H_
