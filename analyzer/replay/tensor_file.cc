#include "replay/tensor_file.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace shapewise::replay {
namespace {

std::map<std::string, Value> ByName(const c10::IValue& dict) {
  std::map<std::string, Value> named;
  for (const auto& entry : dict.toGenericDict()) {
    if (entry.key().isString()) named[entry.key().toStringRef()] = Value(entry.value());
  }
  return named;
}

bool WriteAll(int descriptor, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = write(descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

/// Copies data from `source` to the file at `path`, which is opened at the first byte. Returns 0 or
/// an error number; after an error, data is read and dropped.
int CopyToFile(int source, const char* path) {
  int file = -1;
  int error = 0;
  std::vector<char> buffer(1 << 20);
  while (true) {
    const ssize_t count = read(source, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    if (error != 0) continue;
    if (file < 0) file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || !WriteAll(file, buffer.data(), static_cast<size_t>(count))) error = errno;
  }
  if (file >= 0 && close(file) != 0 && error == 0) error = errno;
  return error;
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

TensorFile::TensorFile(std::string path) : path_(std::move(path)) {
  if (!IsNamed()) return;
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) == 0) writer_ = fork();
  if (writer_ < 0) {
    throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
  }
  if (writer_ == 0) {
    // An open end of another file's pipe would keep its writer waiting.
    if (ends[0] > 3) close_range(3, static_cast<unsigned>(ends[0]) - 1, 0);
    close_range(static_cast<unsigned>(ends[0]) + 1, ~0U, 0);
    _exit(CopyToFile(ends[0], path_.c_str()));
  }
  close(ends[0]);
  pipe_ = ends[1];
}

TensorFile::~TensorFile() { Finish(); }

void TensorFile::Write(const Value& value) {
  const std::vector<char> bytes = torch::jit::pickle_save(value.AsIValue());
  const bool is_sent = WriteAll(pipe_, bytes.data(), bytes.size());
  const int error = Finish();
  if (!is_sent || error != 0) {
    throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(error));
  }
}

int TensorFile::Finish() {
  if (writer_ < 0) return 0;
  close(pipe_);
  int status = 0;
  while (waitpid(writer_, &status, 0) < 0 && errno == EINTR) {
  }
  writer_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

}  // namespace shapewise::replay
