// The prefix of a message: torch's own prefix, and prefixes of launchers before it.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LOG_PREFIX_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LOG_PREFIX_H_

#include <cstdint>
#include <string_view>

#include "ingest/messages/message_table.h"
#include "model/event.h"

namespace shapewise {

/// The spelling of a prefix, which implies the range of versions and what may follow it.
enum class PrefixStyle : uint8_t {
  kGlog,     ///< 2.3 and later: "V1121 03:52:28.504000 13405 torch/_dynamo/x.py:12] [0/0] [__a] "
  kLogger,   ///< 2.0 to 2.2: "[2023-11-06 14:54:45,922] [0/0] torch._dynamo.x: [DEBUG] "
  kShort,    ///< TORCH_LOGS_FORMAT=short: "DEBUG:torch._dynamo.guards.__recompiles:"
  kTrimmed,  ///< trimmed by hand: "x.py:12] [0/0] ", "[0/1] [__recompiles] ", "W [0/8] ", "[0/8] "
};

/// torch's own prefix of a line. Views point into the line.
struct LogPrefix : MessageSource {
  PrefixStyle style = PrefixStyle::kTrimmed;
  size_t begin = 0;       ///< offset of the prefix in the line
  size_t text_begin = 0;  ///< offset of the message text
  int32_t rank = kNoRank;
  LogTime time;
  uint64_t process = 0;        ///< process or thread id; 0: not printed
  uint8_t process_digits = 0;  ///< a thread id (2.3, 2.4) has about 15, a process id at most 7

  /// The text that is the same on every physical line of one message, and on few others.
  std::string_view Whole(std::string_view line) const {
    return line.substr(begin, text_begin - begin);
  }
};

/// Prefixes of launchers and terminals: "[default0]:", "(Worker pid=12)", "# ", a time.
struct ForeignPrefix {
  size_t length = 0;       ///< bytes of the line that it covers
  int32_t rank = kNoRank;  ///< from `[rank3]:`, `rank=3`, `[1,3]<stderr>:`
  uint64_t key = 0;        ///< hash of the parts that identify a process; excludes times and quotes
};

/// Measures the foreign prefix of `line`: any sequence of known ones. Blanks are not part of it,
/// except those inside and right after a known one. Linear in the prefix.
ForeignPrefix ParseForeignPrefix(std::string_view line);

/// Finds the first torch prefix in `line`; false if not found. `line_start` is the start of the
/// line's own text (after a foreign prefix): hand-trimmed prefixes are only accepted there.
bool FindLogPrefix(std::string_view line, size_t line_start, LogPrefix& prefix);

/// Finds the next prefix after `previous`, in lines onto which several records were joined.
bool FindNextLogPrefix(std::string_view line, const LogPrefix& previous, LogPrefix& prefix);

/// Removes "[0/1] ", "[!0/3/0] ", "[0/1_2] " from the front of `text`; empty if not found.
std::string_view ConsumeCompileId(std::string_view& text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LOG_PREFIX_H_
