// What every format of input looks like from the outside.

#ifndef SHAPEWISE_INGEST_LOG_FORMAT_H_
#define SHAPEWISE_INGEST_LOG_FORMAT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/line_scan.h"
#include "shapewise/ingest/reader.h"
#include "shapewise/model/session.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// How much of an input LogFormat::Sniff is shown.
inline constexpr size_t kSniffBytes = 4096;

/// Reads one input of one format into a Session. Used once: lines, then Finish.
class LogReader : public LineSink {
 public:
  /// What finds the lines that the reader looks at, so that others can do it before; nullptr: it
  /// looks at all.
  virtual const LineScanner* scanner() const { return nullptr; }

  /// As OnLines, with what scanner() found in `lines`, which may be 4 GiB less one byte; without a
  /// scanner, with anything. Another thread than that of OnLines may call it, but never two of them
  /// at a time.
  virtual void OnScannedLines(std::string_view lines, uint64_t first_line, const LineScan&) {
    OnLines(lines, first_line);
  }

  /// Closes what is open. Beyond this call nothing is added for this input.
  virtual void Finish() = 0;

  /// Lines in which something of the format was recognised; 0 means the input is none of its.
  virtual uint64_t torch_lines() const = 0;

  /// Adds to `copy`, a copy of the session as it is, what Finish() would add to it now, and returns
  /// what torch_lines() would be then. A format that cannot tell before its end adds nothing.
  virtual uint64_t ShowOpen(Session&) const { return torch_lines(); }

  /// Whether the reader sets the Inputs itself, because the input stands for others.
  virtual bool brings_inputs() const { return false; }

  /// After Finish(): why the input cannot be what its format promises, such as "line 3: ..."; empty
  /// where it can, and for formats that take what they find.
  virtual std::string failure() const { return {}; }
};

/// One format: how to tell it by its first bytes, and its reader.
class LogFormat {
 public:
  virtual ~LogFormat() = default;

  /// Name in reports: "torch-log".
  virtual std::string_view name() const = 0;

  /// Whether messages of PyTorch are printed into it: if so, that some are not there tells
  /// something.
  virtual bool holds_messages() const { return true; }

  /// Whether `head`, the first kSniffBytes of an input (less if it is shorter), is this format.
  virtual bool Sniff(std::string_view head) const = 0;

  virtual std::unique_ptr<LogReader> NewReader(Session& session, uint32_t input,
                                               const ReadOptions& options) const = 0;
};

/// All formats, the most particular first; the last one takes any text.
const std::vector<std::unique_ptr<LogFormat>>& BuiltinFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_LOG_FORMAT_H_
