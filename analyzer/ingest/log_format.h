// The interface of all input formats that are read into a Session.

#ifndef SHAPEWISE_INGEST_LOG_FORMAT_H_
#define SHAPEWISE_INGEST_LOG_FORMAT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ingest/reader.h"
#include "model/session.h"
#include "support/text_input.h"

namespace shapewise {

/// Number of bytes passed to LogFormat::sniff.
inline constexpr size_t kSniffBytes = 4096;

/// The lines of a block with a match, in order.
struct LineScan {
  struct Find {
    uint32_t offset = 0;  ///< in the block, of a match in the line
    uint32_t line = 0;    ///< lines of the block before this one
  };
  std::vector<Find> finds;
};

/// Finds the lines that a reader must process. Depends on the block alone, so that several threads
/// may scan at a time.
class LineScanner {
 public:
  virtual ~LineScanner() = default;

  /// Replaces the content of `scan` by the matches in `lines`, whole lines of less than 4 GiB.
  virtual void Scan(std::string_view lines, LineScan& scan) const = 0;
};

/// Reads one input of one format into a Session. Used once: lines, then Finish.
class LogReader : public LineSink {
 public:
  /// Finds the lines that the reader needs, so that other threads can scan in advance; nullptr: the
  /// reader needs all lines.
  virtual const LineScanner* scanner() const { return nullptr; }

  /// Like OnLines, with the matches of scanner() in `lines`, which may be 4 GiB less one byte;
  /// ignored without a scanner. May be called on another thread than OnLines, but never on two at a
  /// time.
  virtual void OnScannedLines(std::string_view lines, uint64_t first_line, const LineScan&) {
    OnLines(lines, first_line);
  }

  /// Closes what is open. After this call nothing is added for this input.
  virtual void Finish() = 0;

  /// Lines in which the format was recognised; 0: the input does not have this format.
  virtual uint64_t torch_lines() const = 0;

  /// Adds to `copy`, a copy of the current session, what Finish() would add to it now, and returns
  /// what torch_lines() would return then. A format that reports only at its end adds nothing.
  virtual uint64_t ShowOpen(Session&) const { return torch_lines(); }

  /// Whether the reader sets the Inputs itself, because the input contains others.
  virtual bool brings_inputs() const { return false; }

  /// After Finish(): why the input is not a valid file of its format, such as "line 3: ..."; empty
  /// if it is, and for formats without such a rule.
  virtual std::string failure() const { return {}; }
};

/// One format: how to recognise its first bytes, and its reader.
struct LogFormat {
  std::string_view name;  ///< in reports: "torch-log"
  /// Whether `head`, the first kSniffBytes of an input (less if it is shorter), has this format.
  bool (*sniff)(std::string_view head);
  std::unique_ptr<LogReader> (*new_reader)(Session& session, uint32_t input,
                                           const ReadOptions& options);
  /// Whether PyTorch prints messages into it, so that the absence of a message is meaningful.
  bool holds_messages = false;
};

/// LogFormat::new_reader of a format whose reader is always a `Reader`.
template <typename Reader>
std::unique_ptr<LogReader> NewLogReader(Session& session, uint32_t input,
                                        const ReadOptions& options) {
  if constexpr (std::is_constructible_v<Reader, Session&, uint32_t, const ReadOptions&>) {
    return std::make_unique<Reader>(session, input, options);
  } else {
    return std::make_unique<Reader>(session, input);
  }
}

extern const LogFormat kPartialFormat;
extern const LogFormat kCallRecordLogFormat;
extern const LogFormat kChromeTraceFormat;
extern const LogFormat kStepTimesFormat;
extern const LogFormat kTorchTraceFormat;
extern const LogFormat kTorchLogFormat;

/// All formats, the most specific first; the last one takes any text.
std::span<const LogFormat* const> BuiltinFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_LOG_FORMAT_H_
