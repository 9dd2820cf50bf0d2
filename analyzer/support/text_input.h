// Turns bytes into whole lines: files, pipes, .gz and .zst, UTF-16.
//
// A sink receives the same lines with the same numbers for every source, however the bytes were
// split.

#ifndef SHAPEWISE_SUPPORT_TEXT_INPUT_H_
#define SHAPEWISE_SUPPORT_TEXT_INPUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/MemoryBuffer.h"
#include "support/error.h"
#include "support/stats.h"

namespace shapewise {

/// Longer lines are passed in pieces, so that a line of 1 GB needs no more memory than any other.
inline constexpr size_t kMaxLineBytes = size_t{1} << 20;

/// Receives the text of one input, in order.
class LineSink {
 public:
  virtual ~LineSink() = default;

  /// Passes one or more whole lines, each with its '\n' (the last of the input may lack it) and
  /// at most kMaxLineBytes without it. The first of them is line `first_line` (1-based). The number
  /// of lines per call varies, up to 1 MiB and one byte. The view is valid only during the call.
  virtual void OnLines(std::string_view lines, uint64_t first_line) = 0;

  /// Passes a piece of the long line `line`; the first has `is_first`, the last `is_last` (without
  /// '\n'). Returns the number of bytes consumed; the rest is repeated at the start of the next
  /// piece. Must consume at least half of `piece`; the result of the last call is ignored. All
  /// pieces but the last have kMaxLineBytes; the last is not empty.
  virtual size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) = 0;
};

/// What was read.
struct TextTotals {
  uint64_t bytes = 0;  ///< of UTF-8 text, after decompression
  uint64_t lines = 0;  ///< includes a last line without '\n'
};

/// The source of bytes: the disk, or a map in tests and fuzzers. Thread-safe for reading.
class FileSource {
 public:
  virtual ~FileSource() = default;

  /// Expands `path` ("-", a file, or a folder to search) into files, in byte order of their paths,
  /// without hidden files and folders. Within folders, only regular files and links to them are
  /// included; linked folders are skipped. An entry that cannot be inspected, such as a folder
  /// without permission, is included, so that reading it reports the error. Error: no such file,
  /// unreadable folder.
  virtual Expected<std::vector<std::string>> Expand(const std::string& path) = 0;

  /// Reads all of `path` ("-": standard input) into `sink`. The format is detected by the first
  /// bytes, not the name: gzip (also several members), zstd (also several frames), UTF-16 and UTF-8
  /// with or without byte order mark. A damaged or truncated archive is read as far as possible and
  /// increments Stat::archive_damaged at the last line; a zstd frame that needs more than 128 MiB
  /// of memory counts as damaged. A growing file is read up to its size when opened. Adds what was
  /// read to `totals`. Error: cannot be opened, a read fails, or the file shrank; everything before
  /// that is passed on, as if the input ended there.
  virtual Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
                     TextTotals& totals) = 0;

  /// The raw bytes of `path` ("-": standard input), for formats that are not read by line. Large
  /// files are memory-mapped: see CheckUncut. Error: cannot be opened or read, or shrank meanwhile.
  virtual Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) = 0;
};

/// The files of this machine.
std::unique_ptr<FileSource> NewDiskFileSource();

/// Call after processing the bytes from FileSource::Open(`path`). Error: the file was truncated
/// while mapped, or its disk failed; lost bytes read as zeros.
Error CheckUncut(const std::string& path, const llvm::MemoryBuffer& bytes);

/// Passes `chunks` of one input, split anywhere, through the same decoding as a pipe. For tests.
TextTotals ReadChunks(const std::vector<std::string_view>& chunks, LineSink& sink, Stats& stats,
                      uint32_t input);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_TEXT_INPUT_H_
