// Loads TorchScript archives whose content is allowed.

#ifndef SHAPEWISE_REPLAY_SCRIPT_MODULE_H_
#define SHAPEWISE_REPLAY_SCRIPT_MODULE_H_

#include <c10/core/Device.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

namespace shapewise::replay {

/// The module in the archive at `path`. Code is compiled and checked against the list of allowed
/// operators before any of it runs, because `__setstate__` of classes in its pickles runs during
/// loading. Throws std::runtime_error that lists what was rejected, or c10::Error.
torch::jit::Module LoadScriptModule(const std::string& path, c10::Device device);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_SCRIPT_MODULE_H_
