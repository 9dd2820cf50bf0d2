// The interface of every input format that is read into a Session.

#ifndef SHAPEWISE_INGEST_LOG_FORMAT_H_
#define SHAPEWISE_INGEST_LOG_FORMAT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "shapewise/ingest/reader.h"
#include "shapewise/model/session.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// How much of an input LogFormat::sniff is shown.
inline constexpr size_t kSniffBytes = 4096;

/// The lines of a block in which something was found, in order.
struct LineScan {
  struct Find {
    uint32_t offset = 0;  ///< in the block, of the first thing found in the line
    uint32_t line = 0;    ///< lines of the block before this one
  };
  std::vector<Find> finds;
};

/// Finds the lines that a reader has to look at. It depends on the block alone, so that several
/// threads may scan at a time.
class LineScanner {
 public:
  virtual ~LineScanner() = default;

  /// Replaces the content of `scan` by what is found in `lines`, whole lines of less than 4 GiB.
  virtual void Scan(std::string_view lines, LineScan& scan) const = 0;
};

/// Reads one input of one format into a Session. Used once: lines, then Finish.
class LogReader : public LineSink {
 public:
  /// Finds the lines that the reader looks at, so that others can do it before; nullptr: the reader
  /// looks at all lines.
  virtual const LineScanner* scanner() const { return nullptr; }

  /// As OnLines, with what scanner() found in `lines`, which may be 4 GiB less one byte; without a
  /// scanner, with anything. Another thread than that of OnLines may call it, but never two of them
  /// at a time.
  virtual void OnScannedLines(std::string_view lines, uint64_t first_line, const LineScan&) {
    OnLines(lines, first_line);
  }

  /// Closes what is open. After this call nothing is added for this input.
  virtual void Finish() = 0;

  /// Lines in which something of the format was recognised; 0: the input is not of this format.
  virtual uint64_t torch_lines() const = 0;

  /// Adds to `copy`, a copy of the session as it is, what Finish() would add to it now, and returns
  /// what torch_lines() would be then. A format that reports only at its end adds nothing.
  virtual uint64_t ShowOpen(Session&) const { return torch_lines(); }

  /// Whether the reader sets the Inputs itself, because the input contains others.
  virtual bool brings_inputs() const { return false; }

  /// After Finish(): why the input is not a valid file of its format, such as "line 3: ..."; empty
  /// if it is, and for formats without such a rule.
  virtual std::string failure() const { return {}; }
};

/// One format: how its first bytes identify it, and its reader.
struct LogFormat {
  std::string_view name;  ///< in reports: "torch-log"
  /// Whether `head`, the first kSniffBytes of an input (less if it is shorter), is this format.
  bool (*sniff)(std::string_view head);
  std::unique_ptr<LogReader> (*new_reader)(Session& session, uint32_t input,
                                           const ReadOptions& options);
  /// Whether PyTorch prints messages into it: if so, the absence of a message means something.
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
