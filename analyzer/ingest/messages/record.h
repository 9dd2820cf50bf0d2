// One torch message, collected line by line until it is complete, then parsed as a whole.

#ifndef SHAPEWISE_INGEST_MESSAGES_RECORD_H_
#define SHAPEWISE_INGEST_MESSAGES_RECORD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"
#include "support/stats.h"

namespace shapewise {

/// The kind of a message, according to its beginning. Each has one grammar and one parser.
enum class RecordKind : uint8_t {
  kNone,
  kRecompile,    ///< "Recompiling function f in x.py:3"; a stance that refused to recompile
  kLimit,        ///< "torch._dynamo hit config.recompile_limit (8)"
  kGraphBreak,   ///< "Graph break in user code at x.py:6" and the older heads
  kItemWarning,  ///< "Graph break from `Tensor.item()`, consider setting:"
  kBreakBlock,   ///< a break's text without a head: "Backend compiler exception" / "Explanation:"
  kBreakTail,    ///< lines of a graph break whose first line was cut away
  kBareUnsupported,  ///< "can't handle functions not implemented in python" and its frames
  kProfilerReport,   ///< "Torchdynamo Profiler Report", a table of torch 2.0 to 2.3
  kOldExplanation,   ///< "Dynamo produced 3 graphswith 2 graph break and 5 ops" of torch 2.0
  kBreakReason,      ///< "Break Reason 1:" of explain()
  kException,        ///< "torch._dynamo.exc.Unsupported: ..." and similar
  kNotebookHead,     ///< "InductorError     Traceback (most recent call last)"
  kCompilerOutput,   ///< a C++ compiler that Inductor called: the command, or an error in its file
  kUserStack,        ///< the user's code in an exception whose own line is cut away
  kGuardError,       ///< "Error while creating guard:", which may contain a constraint violation
  kConstraints,      ///< "Constraints violated (L['x'].size()[0])!"
  kShapeError,       ///< "failed while running evaluate_expr(*(u0 >= 9, None), ..." and similar
  kWontConvert,      ///< "WON'T CONVERT f x.py line 3"
  kSkippedFrame,     ///< "Skipping frame because ...", "skipping: f (reason: ...)"
  kCudagraph,        ///< "skipping cudagraphs due to ..." and other CUDA graph messages
  kAutotune,         ///< "AUTOTUNE mm(8x8, 8x8)" with its table
  kPerfHint,         ///< one-line hints of Inductor
  kWarning,          ///< "x.py:12: UserWarning: ..." of Python's warnings module
  kIgnoredMode,      ///< "Profiler function ... will be ignored" and similar
  kTorchscript,      ///< "torch.jit.frontend.NotSupportedError: ..."
  kXlaProfiler,      ///< "pt-xla-profiler: ..."
  kXlaFallback,      ///< "pt-xla-profiler: FRAME (count=12):" of the summary at the end
  kXlaAnalysis,      ///< "Compilation Analysis: ===="
  kXlaMetric,        ///< "Metric: CompileTime" and "Counter: aten::x" of a metrics report
};

/// The place of a record and the process that wrote it.
struct RecordOrigin {
  uint32_t input = 0;
  uint64_t line = 0;  ///< 1-based; where it begins
  int32_t rank = kNoRank;
  LogTime time;
};

/// A message that is being read. Reused from message to message, so that its buffers are allocated
/// once.
///
/// A record contains its first line, or as much of it as fits, from the first AddLine() on. What
/// does not fit is dropped and counted as damage here, so that callers cannot forget it. Every
/// function takes constant time, however long the record is; adding takes time linear in the text
/// added.
class Record {
 public:
  /// Bytes and lines beyond these are dropped: relevant messages have less than a tenth.
  static constexpr size_t kMaxBytes = size_t{256} << 10;
  static constexpr size_t kMaxLines = size_t{16} << 10;

  RecordKind kind = RecordKind::kNone;
  RecordOrigin origin;
  std::string compile_id;
  std::string emitter;  ///< file and line, or logger, that wrote it; empty for a bare message
  std::string artifact;
  bool prefixed = false;       ///< the first line had a torch prefix
  bool ends_input = false;     ///< the input ends with it
  bool is_torn = false;        ///< its last line is truncated
  bool raised = false;         ///< the text of an exception, which may have been logged before
  bool is_compilers = false;   ///< an exception of any class, raised in the compiler's code
  std::string compiled_frame;  ///< the line of the frame of compiled code that raised it
  /// The innermost frame of user code above an exception that asks for a size or is of a backward
  /// pass, or that of a library right above any other, and its code, two lines; empty: none is
  /// near.
  std::string frame_above;
  size_t margin = 0;        ///< blanks at the front of its first line
  std::string inner_error;  ///< the exception right above, which a chain prints first

  /// Clears everything but the buffers.
  void Reset();

  /// Adds a line of text without its prefix. Drops a blank line after a blank line, because parsers
  /// treat several as one. `stats` counts the record once if any of it must be dropped.
  void AddLine(std::string_view text, bool bare, Stats& stats);
  /// Adds `text` to the last line: the tail of a line that a terminal or an editor wrapped.
  void ExtendLastLine(std::string_view text, Stats& stats);

  size_t num_lines() const { return lines_.size(); }
  std::string_view line(size_t index) const {
    return std::string_view(text_).substr(lines_[index].begin, lines_[index].size);
  }
  /// The line came without a prefix, though the record may have one.
  bool is_bare(size_t index) const { return lines_[index].bare; }
  std::string_view last_line() const { return line(lines_.size() - 1); }
  size_t bytes() const { return text_.size(); }

  /// Text was dropped. The functions below still take dropped lines into account.
  bool is_cut() const { return is_cut_; }
  /// Number of lines added, except blank lines after blank lines.
  size_t num_lines_seen() const { return num_lines_seen_; }
  /// The first line without leading blanks.
  std::string_view head() const { return line(0).substr(head_indent_); }
  /// The last non-blank line, trimmed; for a long line only its front and its end. Empty if all
  /// lines are blank.
  std::string_view last_text() const { return last_text_; }
  bool ends_with_blank_line() const { return last_.is_blank; }
  bool has_blank_line() const { return has_blank_line_; }
  /// One of the last two lines names a place in code, as lines of tracebacks do.
  bool ends_with_frame() const { return last_.is_frame || before_last_.is_frame; }
  /// A line after the first begins a traceback.
  bool has_traceback() const { return has_traceback_; }
  /// A line begins with "AUTOTUNE ".
  bool has_autotune_table() const { return has_autotune_table_; }

 private:
  struct Line {
    uint32_t begin = 0;
    uint32_t size = 0;
    bool bare = false;
  };
  /// Facts about a line that outlive its text, which may have been dropped.
  struct LineFacts {
    bool is_blank = false;
    bool is_frame = false;
  };

  void Append(std::string_view text, Stats& stats);
  void NoteLastLine(std::string_view text);
  void MarkCut(Stats& stats);

  std::string text_;
  std::vector<Line> lines_;
  std::string last_text_;
  size_t num_lines_seen_ = 0;
  size_t head_indent_ = 0;
  LineFacts last_;
  LineFacts before_last_;
  bool had_blank_before_last_ = false;
  bool has_blank_line_ = false;
  bool has_traceback_ = false;
  bool has_autotune_table_ = false;
  bool is_cut_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_RECORD_H_
