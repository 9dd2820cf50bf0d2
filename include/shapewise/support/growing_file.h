// A file that somebody else is still writing, as `tail -F` reads it.

#ifndef SHAPEWISE_SUPPORT_GROWING_FILE_H_
#define SHAPEWISE_SUPPORT_GROWING_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "shapewise/support/error.h"

namespace shapewise {

/// Gives what is appended to the file at a path, whatever file that is: one that does not exist
/// yet, that is renamed and made anew (what was left in the old one comes first), or that is cut
/// and written again from its start. Where such a change leaves a line without its end, a newline
/// is put in, so that lines of two files never run into one.
class GrowingFile {
 public:
  /// `path` "-" is standard input. Nothing is opened yet.
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  const std::string& path() const { return path_; }

  /// What has come since the last call, at most 1 MiB and a byte; empty: nothing for now. Never
  /// waits. The view is good until the next call. Error: it is a folder, or cannot be read.
  Expected<std::string_view> ReadMore();

  /// Nothing more can come: standard input was closed.
  bool has_ended() const { return has_ended_; }

 private:
  Expected<std::string_view> ReadStandardInput();
  Error Open();
  void Close();
  bool WasCut() const;
  bool WasReplaced() const;
  /// Reads into buffer_; false: nothing there. Sets `error_number` if the read fails.
  bool Fill(int& error_number);
  void BeginAgain();

  const std::string path_;
  int descriptor_ = -1;
  bool has_ended_ = false;
  bool needs_newline_ = false;  ///< before the next bytes
  uint64_t offset_ = 0;
  std::string tail_;  ///< the last bytes before offset_, to know the file again
  std::string buffer_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_GROWING_FILE_H_
