// Assembles parts of lines to whole messages, process by process.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_MESSAGE_FRAMER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_MESSAGE_FRAMER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ingest/formats/torch_log/line_framer.h"
#include "ingest/messages/message_table.h"
#include "ingest/messages/record.h"

namespace shapewise {

/// Sorts lines by process, so that interleaved ranks do not disturb each other, and assembles
/// messages; each complete one is passed to OnMessage().
class MessageFramer : public LineFramer {
 protected:
  /// The output of one process (or of one foreign prefix, if processes cannot be distinguished).
  struct Stream {
    /// The physical line that was last added to the record.
    struct LastLine {
      uint64_t number = 0;
      size_t width = 0;           ///< bytes
      size_t indent = 0;          ///< blanks before its prefix, or before the message
      size_t trimmed_blanks = 0;  ///< trailing blanks that were removed
      size_t num_tails = 0;       ///< wrapped lines that were added to it
      bool is_commented = false;  ///< it followed "# "
    };
    Record record;
    LastLine last;
    Stream* previous = nullptr;  ///< to which a line was added before the record began
    size_t number = 0;           ///< in the order in which the processes appear
    std::string prefix;          ///< whole prefix of the record's first line
    bool is_open = false;        ///< `record` is incomplete
    bool takes_bare = false;     ///< lines without a prefix may continue the record
    bool awaits_text = false;    ///< no text followed the last prefix
  };

  MessageFramer(Stats& stats, uint32_t input, int32_t file_rank)
      : stats_(stats), input_(input), file_rank_(file_rank) {}

  /// Continues between two lines of `other`.
  MessageFramer(const MessageFramer& other, Stats& stats);

  void OnPart(LinePart& part) final;
  bool IsDoubtfulPrefix(const LinePart& part) const final;

  /// The message of `stream` is complete.
  virtual void OnMessage(Stream& stream) = 0;

  /// Any part, before its message is determined. True: it belongs to none, and was read.
  virtual bool TakesPart(const LinePart& part) = 0;

  /// The same for a part that continues no message; `whole` is torch's prefix.
  virtual bool TakesPrefixed(Stream& stream, const LinePart& part, std::string_view whole) = 0;

  /// The same for a part without a prefix, whose process may not have a stream yet.
  virtual bool TakesBare(Stream* stream, const LinePart& part, std::string_view text) = 0;

  /// A part without a prefix was added to `record`.
  virtual void OnBarePart(const LinePart& part, std::string_view text, const Record& record) = 0;

  /// A part that belongs to no message.
  virtual void OnOtherPart(const LinePart& part, std::string_view text) = 0;

  /// Closes messages that did not continue since line `idle_since`, in the order in which they
  /// began: bare ones; with UINT64_MAX all, at the end of the input.
  void CloseOpen(uint64_t idle_since);

  /// Closes bare messages that did not continue for long before line `number`; cheap.
  void CloseOld(uint64_t number);

  /// Whether some message may continue with lines without a prefix.
  bool takes_bare() const { return num_taking_bare_ > 0; }

  /// The stream of a line; nullptr if there are too many.
  Stream* StreamFor(const LinePart& part);
  int32_t RankOf(const LinePart& part) const;
  RecordOrigin OriginOf(const LinePart& part) const {
    return {input_, part.begin, RankOf(part), part.prefix.time};
  }

  Stats& stats_;
  const uint32_t input_;
  bool has_limit_ = false;  ///< a warning about a limit has begun

 private:
  /// What distinguishes processes: foreign prefix, rank, and the id in torch's prefix.
  using StreamKey = std::tuple<uint64_t, int32_t, uint64_t>;

  /// The first lines of a message that none of them shows to be one; a later line does.
  struct LostHead {
    RecordKind kind = RecordKind::kNone;  ///< kNone: there is no message
    std::vector<std::string> lines;       ///< above the current line
    uint64_t num_lines = 0;               ///< physical lines from the first one on
    bool is_compilers = false;            ///< an exception of any class, raised in the compiler
  };

  void ReadPrefixed(const LinePart& part);
  Stream* StreamOfPrefix(const LinePart& part);
  bool AdoptsBare(const LinePart& part);
  LostHead FindLostHead(const LinePart& part, std::string_view text) const;
  bool IsBelowCompilersFrame(const LinePart& part) const;
  std::string ErrorAbove() const;
  std::string FrameAbove(bool of_package) const;
  std::string_view TakeLastLine(std::string_view& rest) const;
  void WatchTraceback(const LinePart& part, std::string_view text);
  void ReadBare(const LinePart& part);
  bool IsWrappedComment(const LinePart& part) const;
  bool GoesOnBare(Stream& stream, const LinePart& part, std::string_view text);
  bool RepeatsInside(const Stream& stream, const LinePart& part) const;
  bool JoinsWrapped(const Stream& stream, const LinePart& part, std::string_view text) const;
  void JoinTail(Stream& stream, const LinePart& part, std::string_view text);
  void Begin(Stream& stream, RecordKind kind, const LinePart& part, std::string_view text,
             const RecordOrigin& origin);
  void AddLines(Record& record, std::string_view text, bool bare);
  void Add(Stream& stream, const LinePart& part, std::string_view text, bool bare);
  void NoteAdded(Stream& stream, const LinePart& part, std::string_view text);
  void StopTakingBare(Stream& stream);
  void Close(Stream& stream, bool is_at_end = false);

  const int32_t file_rank_;
  std::unordered_map<uint64_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<uint64_t, Stream*> last_stream_;  // by foreign prefix: the current one
  StreamKey current_key_;
  Stream* current_ = nullptr;       // of the line read last; its key is current_key_
  Stream* last_added_ = nullptr;    // stream of the record to which a line was last added
  size_t num_taking_bare_ = 0;      // streams with takes_bare
  uint64_t next_idle_check_ = 0;    // line at which idle records are checked again
  uint64_t last_message_line_ = 0;  // to which a message was last added
  uint64_t compiler_frame_ = 0;  ///< the last line of a traceback, if it names the compiler's code
  std::string compiled_frame_;   ///< that line, if its code runs what was compiled
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_MESSAGE_FRAMER_H_
