// Tensors in files that torch.load and torch.save know.

#ifndef SHAPEWISE_REPLAY_TENSOR_FILE_H_
#define SHAPEWISE_REPLAY_TENSOR_FILE_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "replay/program.h"
#include "replay/value.h"

namespace shapewise::replay {

/// Reads what torch.save wrote: a dict with the names or sources of inputs, or a list or tuple in
/// the order of the inputs of `program` that are no symbols. Throws std::runtime_error.
std::map<std::string, Value> ReadTensors(const std::string& path, const Program& program);

/// A file to write to. A session confines the process so that it can open no file for writing: a
/// process of its own, started before that, receives the bytes and writes this one file. Nothing is
/// created if Write() is not called.
class TensorFile {
 public:
  /// Empty: no file. Throws std::runtime_error.
  explicit TensorFile(std::string path);
  ~TensorFile();
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  bool IsNamed() const { return !path_.empty(); }
  /// Replaces the contents by `value`; torch.load(path, weights_only=False) reads it. To be called
  /// once. Throws std::runtime_error.
  void Write(const Value& value);

 private:
  /// Ends the other process. Returns 0, or the error number of what it could not do.
  int Finish();

  std::string path_;
  int pipe_ = -1;
  pid_t writer_ = -1;
};

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_TENSOR_FILE_H_
