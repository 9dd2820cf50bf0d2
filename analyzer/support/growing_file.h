// Reads a file that another process is still writing, like `tail -F`.

#ifndef SHAPEWISE_SUPPORT_GROWING_FILE_H_
#define SHAPEWISE_SUPPORT_GROWING_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "support/error.h"

namespace shapewise {

/// Returns what is appended to the file at a path: a file that does not exist yet, that is renamed
/// and recreated (the rest of the old file comes first), or that is truncated and rewritten. If
/// such a change interrupts a line, a newline is inserted, so that lines of two files are never
/// joined.
class GrowingFile {
 public:
  /// `path` "-" is standard input. Does not open the file yet.
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  const std::string& path() const { return path_; }

  /// The bytes since the last call, at most 1 MiB and one byte; empty: none yet. Never blocks. The
  /// view is valid until the next call. Error: a folder, or unreadable.
  Expected<std::string_view> ReadMore();

  /// Whether no more can follow because standard input was closed.
  bool has_ended() const { return has_ended_; }

 private:
  Expected<std::string_view> ReadStandardInput();
  Error Open();
  void Close();
  bool WasCut() const;
  bool WasReplaced() const;
  /// Reads into buffer_; false: no data. Sets `error_number` if the read fails.
  bool Fill(int& error_number);
  void BeginAgain();

  const std::string path_;
  int descriptor_ = -1;
  bool has_ended_ = false;
  bool needs_newline_ = false;  ///< before the next bytes
  uint64_t offset_ = 0;
  std::string tail_;  ///< the last bytes before offset_, to recognize the file
  std::string buffer_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_GROWING_FILE_H_
