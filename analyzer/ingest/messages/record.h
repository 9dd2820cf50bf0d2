// One message of torch's, gathered line by line until it is complete, then parsed as a whole.

#ifndef SHAPEWISE_INGEST_MESSAGES_RECORD_H_
#define SHAPEWISE_INGEST_MESSAGES_RECORD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/event.h"

namespace shapewise {

/// What a message is, as told by how it begins. One grammar and one parser each.
enum class RecordKind : uint8_t {
  kNone,
  kRecompile,     ///< "Recompiling function f in x.py:3"; a stance that refused to
  kLimit,         ///< "torch._dynamo hit config.recompile_limit (8)"
  kGraphBreak,    ///< "Graph break in user code at x.py:6" and the older heads
  kItemWarning,   ///< "Graph break from `Tensor.item()`, consider setting:"
  kBreakBlock,    ///< a break's text without a head: "Backend compiler exception" / "Explanation:"
  kBreakReason,   ///< "Break Reason 1:" of explain()
  kException,     ///< "torch._dynamo.exc.Unsupported: ..." and its kin
  kGuardError,    ///< "Error while creating guard:", which may hold a constraint violation
  kConstraints,   ///< "Constraints violated (L['x'].size()[0])!"
  kWontConvert,   ///< "WON'T CONVERT f x.py line 3"
  kSkippedFrame,  ///< "Skipping frame because ...", "skipping: f (reason: ...)"
  kCudagraph,     ///< "skipping cudagraphs due to ..." and other CUDA graph messages
  kAutotune,      ///< "AUTOTUNE mm(8x8, 8x8)" with its table
  kPerfHint,      ///< one-line hints of Inductor
  kWarning,       ///< "x.py:12: UserWarning: ..." of Python's warnings module
  kIgnoredMode,   ///< "Profiler function ... will be ignored" and its kin
  kTorchscript,   ///< "torch.jit.frontend.NotSupportedError: ..."
  kXlaProfiler,   ///< "pt-xla-profiler: ..."
  kXlaFallback,   ///< "pt-xla-profiler: FRAME (count=12):" of the summary at the end
  kXlaAnalysis,   ///< "Compilation Analysis: ===="
  kXlaMetric,     ///< "Metric: CompileTime" and "Counter: aten::x" of a metrics report
};

/// Where a record stands and which process wrote it.
struct RecordOrigin {
  uint32_t input = 0;
  uint64_t line = 0;  ///< 1-based; where it begins
  int32_t rank = kNoRank;
  LogTime time;
};

/// A message under way. Reused from message to message, so that its buffers are allocated once.
class Record {
 public:
  /// More text than this is not kept: no message that is read has a tenth of it.
  static constexpr size_t kMaxBytes = size_t{256} << 10;

  RecordKind kind = RecordKind::kNone;
  RecordOrigin origin;
  std::string compile_id;
  std::string emitter;  ///< file and line, or logger, that wrote it; empty for a bare message
  std::string artifact;
  bool prefixed = false;  ///< the first line had a prefix of torch's
  bool raised = false;    ///< the text of an exception, which may have been logged before

  /// Forgets everything but the buffers.
  void Reset();

  /// Adds a line of text without its prefix. False: the record is full, the line is dropped.
  bool AddLine(std::string_view text, bool bare);
  /// Adds `text` to the last line: the tail of a line that a terminal or an editor wrapped.
  void ExtendLastLine(std::string_view text);

  size_t num_lines() const { return lines_.size(); }
  std::string_view line(size_t index) const {
    return std::string_view(text_).substr(lines_[index].begin, lines_[index].size);
  }
  /// The line came without a prefix, though the record may have one.
  bool is_bare(size_t index) const { return lines_[index].bare; }
  std::string_view last_line() const { return line(lines_.size() - 1); }
  size_t bytes() const { return text_.size(); }

 private:
  struct Line {
    uint32_t begin = 0;
    uint32_t size = 0;
    bool bare = false;
  };
  std::string text_;
  std::vector<Line> lines_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_RECORD_H_
