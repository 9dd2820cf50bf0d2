// Reads and writes tensors in files compatible with torch.load and torch.save.

#ifndef SHAPEWISE_REPLAY_TENSOR_FILE_H_
#define SHAPEWISE_REPLAY_TENSOR_FILE_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "replay/program.h"
#include "replay/value.h"

namespace shapewise::replay {

/// Reads a file of torch.save: a dict with names or sources of inputs, or a list or tuple in the
/// order of the inputs of `program` that are not symbols. Throws std::runtime_error.
std::map<std::string, Value> ReadTensors(const std::string& path, const Program& program);

/// A file to write to. A session confines the process so that it cannot open files for writing; a
/// separate process, started before that, receives the bytes and writes this one file. Nothing is
/// created without Write().
class TensorFile {
 public:
  /// Empty: no file. Throws std::runtime_error.
  explicit TensorFile(std::string path);
  ~TensorFile();
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  bool IsNamed() const { return !path_.empty(); }
  /// Writes `value`; torch.load(path, weights_only=False) reads it. Call once. Throws
  /// std::runtime_error.
  void Write(const Value& value);

 private:
  /// Ends the other process. Returns 0, or its error number.
  int Finish();

  std::string path_;
  int pipe_ = -1;
  pid_t writer_ = -1;
};

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_TENSOR_FILE_H_
