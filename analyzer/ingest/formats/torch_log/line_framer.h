// Splits lines into parts that contain text of one message each, without prefixes.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LINE_FRAMER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LINE_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/formats/torch_log/wrapped_line.h"

namespace shapewise {

/// The labels of one input. A label is known by its place: adjacent lines begin with it, except
/// that its numbers change, and what follows it is a line of torch's.
class LineLabels {
 public:
  /// Whether `line` may have a label that is not known; cheap.
  bool MayLearn(std::string_view line) const;

  /// Notes the label of `line`, if it has one; `before` and `after` are the lines around it.
  void Learn(std::string_view before, std::string_view line, std::string_view after);

  struct Match {
    size_t length = 0;  ///< bytes of the text that the label covers; 0: there is none
    size_t number = 0;  ///< of the label
  };
  /// The known label at the front of `text`.
  Match Find(std::string_view text) const;

 private:
  void Add(std::string_view label, std::span<const std::string> neighbours);

  std::vector<std::string> labels_;
  uint32_t num_tries_ = 0;
};

/// A part of a line. Views are valid during the call of OnPart().
struct LinePart {
  std::string_view text;       ///< without escapes and carriage returns
  std::string_view body = {};  ///< the text after all prefixes
  uint64_t number = 0;         ///< of its line
  uint64_t begin = 0;          ///< of the line where it begins, if lines were joined
  size_t width = 0;            ///< bytes of its physical line
  ForeignPrefix foreign = {};
  bool has_prefix = false;
  LogPrefix prefix = {};        ///< torch's
  bool continues = false;       ///< a further piece of a very long line
  bool is_overwritten = false;  ///< a carriage return and more text follow on the line
};

/// Undoes changes of lines by terminals, launchers and copying: escapes, overwritten lines, text
/// quoted in JSON or HTML, several records on one line, and lines wrapped in their prefix, in the
/// first words of their message, or at a known width.
class LineFramer {
 public:
  LineFramer() = default;
  LineFramer& operator=(const LineFramer&) = delete;
  virtual ~LineFramer() = default;

 protected:
  /// Continues between two lines of `other`.
  LineFramer(const LineFramer& other)
      : watched_line_(other.watched_line_),
        widths_(other.widths_),
        labels_(other.labels_),
        held_(other.held_) {}

  /// Passes the parts of `line` to OnPart(). `continues`: it is a further piece of a very long one.
  void ReadLine(std::string_view line, uint64_t number, bool continues = false);

  /// Passes on everything that waits for the next line.
  void FinishLines();

  /// Measures the labels at the front of `text`: known ones, and those of this input.
  ForeignPrefix FindForeignPrefix(std::string_view text) const;

  /// Handles a part of a line.
  virtual void OnPart(LinePart& part) = 0;

  /// Whether the prefix of `part` is one although it does not name torch: "[3/10] step" of a
  /// training loop looks like a trimmed one.
  virtual bool IsDoubtfulPrefix(const LinePart& part) const = 0;

  /// A pasted line, in its original form.
  virtual void OnPastedLine(std::string_view, uint64_t) {}

  /// The physical line before the current one.
  virtual std::string_view PreviousLine() const { return {}; }

  /// Some lines before the current one, with their newlines; the first may be cut.
  virtual std::string PreviousText() const { return {}; }

  uint64_t watched_line_ = 0;  ///< this line is read even if it contains no torch output
  WrapWidths widths_;
  LineLabels labels_;

 private:
  /// A line that waits for its tail.
  struct HeldLine {
    std::string text;
    uint64_t begin = 0;  ///< line where it begins; 0: none
    uint64_t number = 0;
    size_t width = 0;  ///< bytes of its last physical line
    size_t text_begin = 0;
  };

  /// Splits a line that repeats the label of its process: several were joined.
  void ReadLabelledLine(std::string_view line, uint64_t number, bool continues);
  void ReadRestoredLine(std::string_view line, uint64_t number, bool continues);
  void ReadWholeLine(LinePart part);
  void ReadPart(LinePart& part);
  void FindPrefix(LinePart& part);
  void TakeLabelInside(LinePart& part) const;
  bool ReadQuoted(const LinePart& part);
  bool StopsEarly(const LinePart& part) const;
  void Hold(const LinePart& part, size_t begin);
  bool JoinHeld(std::string_view line, uint64_t number);
  bool JoinPrevious(const LinePart& part);

  std::string last_head_;  // text of the prefix read last, up to its message
  LogPrefix last_prefix_;  // the same, parsed when a line repeats it
  ForeignPrefix last_foreign_;
  HeldLine held_;
  bool is_released_ = false;  // the current line waited in vain
  std::string unescaped_;
  std::vector<std::string> restored_;  // the lines of a pasted line
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LINE_FRAMER_H_
