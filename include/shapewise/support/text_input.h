// Bytes in, whole lines out: files, pipes, .gz and .zst, UTF-16.
//
// Whatever the source, a sink is given the same lines with the same numbers: how the bytes happened
// to be cut on their way never shows.

#ifndef SHAPEWISE_SUPPORT_TEXT_INPUT_H_
#define SHAPEWISE_SUPPORT_TEXT_INPUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/MemoryBuffer.h"
#include "shapewise/support/error.h"
#include "shapewise/support/stats.h"

namespace shapewise {

/// Lines longer than this come in pieces, so that a line of 1 GB needs no more memory than another.
inline constexpr size_t kMaxLineBytes = size_t{1} << 20;

/// Receives the text of one input, in order.
class LineSink {
 public:
  virtual ~LineSink() = default;

  /// One or more whole lines, each with its '\n' (only the last of the input may lack it), none
  /// longer than kMaxLineBytes without it. The first of them is line `first_line` (1-based). How
  /// many come at once is chance; never more than 1 MiB and a byte. The view dies with the call.
  virtual void OnLines(std::string_view lines, uint64_t first_line) = 0;

  /// A piece of the long line `line`; the first has `is_first`, the last `is_last` (without '\n').
  /// Returns how many bytes were dealt with: the rest is given again at the start of the next
  /// piece. Must return at least half of `piece`; what the last call returns is ignored. All pieces
  /// but the last have kMaxLineBytes; the last is not empty.
  virtual size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) = 0;
};

/// What was read, for the account at the end.
struct TextTotals {
  uint64_t bytes = 0;  ///< of UTF-8 text, after decompression
  uint64_t lines = 0;  ///< a last line without '\n' counts
};

/// Where bytes come from: the disk for the program, a map for tests and fuzzers. Several threads
/// may read at a time.
class FileSource {
 public:
  virtual ~FileSource() = default;

  /// Expands `path` ("-", a file, or a folder, which is walked) into the files to read, in byte
  /// order of their paths, hidden files and folders left out. Of what lies in a folder only regular
  /// files are taken, and links to them; linked folders are not entered. What cannot be looked at
  /// in it, such as a folder without permission, is among them, so that reading it tells why.
  /// Error: no such file, unreadable folder.
  virtual Expected<std::vector<std::string>> Expand(const std::string& path) = 0;

  /// Reads the whole of `path` ("-": standard input) into `sink`. The form is told by the first
  /// bytes, not by the name: gzip (several members too), zstd (several frames too), UTF-16 and
  /// UTF-8 with or without byte order mark. A damaged or cut archive gives what could be read of it
  /// and bumps Stat::archive_damaged at the last line that was read; a zstd frame that asks for
  /// more than 128 MiB of memory counts as damaged. Of a file that
  /// grows what it held when it was opened is read. What was read is added to `totals`. Error:
  /// cannot be opened, a read fails, or the file became shorter; what was read before is given, up
  /// to its last byte, and counted as if the input ended there.
  virtual Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
                     TextTotals& totals) = 0;

  /// The bytes of `path` ("-": standard input) as they lie there, for forms that are not read line
  /// by line. Large files are mapped: see CheckUncut. Error: cannot be opened or read, or became
  /// shorter while it was.
  virtual Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) = 0;
};

/// The files of this machine.
std::unique_ptr<FileSource> NewDiskFileSource();

/// Asked when the bytes that a FileSource opened at `path` were dealt with. Error: the file was cut
/// while they lay in memory, or its disk failed; what is lost read as zeros.
Error CheckUncut(const std::string& path, const llvm::MemoryBuffer& bytes);

/// Feeds `chunks` of one input, cut anywhere, through the same decoding as a pipe. For tests.
TextTotals ReadChunks(const std::vector<std::string_view>& chunks, LineSink& sink, Stats& stats,
                      uint32_t input);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_TEXT_INPUT_H_
