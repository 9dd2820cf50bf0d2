// Tensors in files that torch.load and torch.save know.

#ifndef SHAPEWISE_REPLAY_TENSOR_FILE_H_
#define SHAPEWISE_REPLAY_TENSOR_FILE_H_

#include <map>
#include <string>
#include <vector>

#include "replay/program.h"
#include "replay/value.h"

namespace shapewise::replay {

/// Reads what torch.save wrote: a dict with the names or sources of inputs, or a list or tuple in
/// the order of the inputs of `program` that are no symbols. Throws std::runtime_error.
std::map<std::string, Value> ReadTensors(const std::string& path, const Program& program);

/// Writes `value`; torch.load(path, weights_only=False) reads it. Throws std::runtime_error.
void WriteTensors(const std::string& path, const Value& value);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_TENSOR_FILE_H_
