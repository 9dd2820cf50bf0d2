#include "replay/tensor_file.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace shapewise::replay {
namespace {

std::map<std::string, Value> ByName(const c10::IValue& dict) {
  std::map<std::string, Value> named;
  for (const auto& entry : dict.toGenericDict()) {
    if (entry.key().isString()) named[entry.key().toStringRef()] = Value(entry.value());
  }
  return named;
}

}  // namespace

std::map<std::string, Value> ReadTensors(const std::string& path, const Program& program) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  c10::IValue saved;
  try {
    saved = torch::jit::pickle_load(bytes);
  } catch (const std::exception&) {
    throw std::runtime_error(path +
                             ": not written by torch.save, or not of tensors, numbers, "
                             "lists and dicts alone");
  }
  if (saved.isGenericDict()) return ByName(saved);
  const Value list(saved);
  if (!list.IsSequence()) throw std::runtime_error(path + ": holds no dict and no list");
  std::map<std::string, Value> named;
  size_t next = 0;
  for (const ProgramInput& input : program.inputs) {
    if (input.kind == "symbol" || next == list.items().size()) continue;
    named[input.name] = list.items()[next++];
  }
  return named;
}

void WriteTensors(const std::string& path, const Value& value) {
  const std::vector<char> bytes = torch::jit::pickle_save(value.AsIValue());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace shapewise::replay
