// Reads TORCH_LOGS text: lines in, events out.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_READER_H_

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/formats/server_log/server_log_reader.h"
#include "ingest/formats/torch_log/guard_changes.h"
#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/formats/torch_log/message_start.h"
#include "ingest/formats/torch_log/process_guards.h"
#include "ingest/log_format.h"
#include "ingest/messages/record.h"
#include "ingest/reconcile/reconciler.h"

namespace shapewise {

/// One pass over one input. A line that holds nothing of torch's costs a search for literals and
/// nothing else; the others are sorted by process, so that interleaved ranks do not disturb each
/// other, gathered into records, and each record is parsed once it is complete.
class TorchLogReader final : public LogReader {
 public:
  TorchLogReader(Session& session, uint32_t input, const ReadOptions& options);

  void OnLines(std::string_view lines, uint64_t first_line) override;
  const LineScanner* scanner() const override;
  void OnScannedLines(std::string_view lines, uint64_t first_line, const LineScan& scan) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;
  void Finish() override;
  uint64_t torch_lines() const override { return torch_lines_; }
  uint64_t ShowOpen(Session& copy) const override;

 private:
  /// What one process (or one foreign prefix, where nothing tells processes apart) is saying.
  struct Stream {
    Record record;
    std::unique_ptr<ProcessGuards> guards;  ///< made when first something of guards is printed
    size_t number = 0;                      ///< in the order in which the processes appear
    std::string prefix;                     ///< whole prefix of the record's first line
    std::string carrier;                    ///< label that some launcher put before a bare message
    uint64_t last_line = 0;                 ///< line at which the record was last added to
    size_t last_width = 0;                  ///< bytes of that physical line
    size_t trimmed_blanks = 0;              ///< blanks that the last line lost at its end
    bool is_open = false;                   ///< `record` is under way, or held (below)
    bool takes_bare = false;                ///< lines without a prefix may go on with the record
    bool awaits_text = false;               ///< the last prefix had no text behind it
    bool is_commented = false;              ///< the last line stood behind "# "
  };

  /// One segment of a physical line, on its way through the reader.
  struct Segment {
    std::string_view text;  ///< without escapes and carriage returns
    uint64_t number = 0;    ///< of its line
    uint64_t begin = 0;     ///< of the line where it begins, if lines were joined
    size_t width = 0;       ///< bytes of its physical line
    ForeignPrefix foreign;
    bool continues = false;       ///< a further piece of a very long line
    bool is_overwritten = false;  ///< a carriage return and other text follow on the line
  };

  void ReadLine(std::string_view line, uint64_t number, bool continues);
  void ReadRestoredLine(std::string_view line, uint64_t number, bool continues);
  void ReadWholeLine(std::string_view line, uint64_t begin, uint64_t number, bool continues);
  void ReadSegment(Segment segment);
  void ReadPrefixed(const Segment& segment, const LogPrefix& prefix, std::string_view text);
  void ReadBare(const Segment& segment);
  bool IsWrappedComment(std::string_view text, uint64_t number) const;
  bool GoOnBare(Stream& stream, const Segment& segment, std::string_view text);
  bool ReleaseHeld(const Segment& segment, std::string_view text);
  bool JoinsWrapped(const Stream& stream, const Segment& segment, std::string_view text) const;
  void JoinTail(Stream& stream, const Segment& segment, std::string_view text);
  void NoteWidth(size_t width);
  void Begin(Stream& stream, RecordKind kind, const Segment& segment, std::string_view text);
  void Add(Stream& stream, const Segment& segment, std::string_view text, bool bare);
  void Close(Stream& stream);
  void CloseAll(uint64_t idle_since);
  ProcessGuards& GuardsOf(Stream& stream);
  bool ReadBareGuards(Stream* stream, const Segment& segment, std::string_view text);
  std::vector<const Stream*> StreamsInOrder() const;
  Stream* StreamFor(uint64_t key, const Segment& segment);
  std::string_view PreviousLine() const;
  void NoteVersion(const LogPrefix& prefix, uint64_t number);
  bool RepeatsPrefix(std::string_view text) const;
  void KeepPrefix(std::string_view text, const LogPrefix& prefix);
  void CountTorchLine(uint64_t number);
  void CountIfUnknown(const Segment& segment, const LogPrefix& prefix, std::string_view text);
  int32_t RankOf(int32_t own, const Segment& segment) const;

  Session& session_;
  const uint32_t input_;
  const bool keeps_guard_texts_;
  int32_t file_rank_ = kNoRank;  ///< from the file's name
  Reconciler reconciler_;
  ServerLogReader server_;
  LineScan scan_;                              ///< of lines that came without one
  std::vector<PrintedGuards> printed_guards_;  ///< of all processes
  GuardChanges guard_changes_;                 ///< of all processes
  std::unordered_map<uint64_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<uint64_t, Stream*> last_stream_;  ///< by foreign prefix: the one in use
  std::string last_head_;        ///< text of the prefix read last, up to its message
  LogPrefix last_prefix_;        ///< the same taken apart; its views point into last_head_
  bool may_name_resume_ = true;  ///< the line under way may name a resume function
  uint64_t last_key_ = 0;        ///< of the stream asked for last
  Stream* last_keyed_ = nullptr;
  uint64_t last_foreign_ = 0;  ///< and the entry of last_stream_ written last
  Stream* last_used_ = nullptr;
  uint64_t next_idle_check_ = 0;  ///< line at which idle records are looked for again
  Stream* last_added_ = nullptr;  ///< to whose record a line was added last
  Stream* held_ = nullptr;        ///< its record is a line whose message was wrapped away
  size_t num_taking_bare_ = 0;    ///< streams with takes_bare
  uint64_t watched_line_ = 0;     ///< this line is read even if it holds nothing of torch's
  size_t wrap_width_ = 0;         ///< bytes at which a terminal wrapped this input; 0: not known
  size_t widest_ = 0;             ///< bytes of the widest line of torch's so far
  uint64_t num_widest_ = 0;       ///< how many lines have that width
  std::string cut_prefix_;        ///< the last line, whose prefix goes on in the next one
  uint64_t cut_prefix_line_ = 0;  ///< its number; 0: no such line waits
  uint64_t torch_lines_ = 0;
  uint64_t last_torch_line_ = 0;
  bool is_at_end_ = false;          ///< of the input: what is open now goes on nowhere
  bool is_torchs_ = false;          ///< something in the input can be of torch.compile only
  bool has_limit_ = false;          ///< a warning about a limit was read
  uint64_t last_unknown_line_ = 0;  ///< counted last as not understood
  std::string_view block_;          ///< lines of the call under way
  size_t line_begin_ = 0;           ///< in block_: of the line under way
  std::string previous_line_copy_;  ///< the last line of the call before
  std::string last_id_;             ///< noted last, to skip the look-up for its repetition
  int32_t last_id_rank_ = kNoRank;
  uint32_t noted_versions_ = 0;
  std::string unescaped_;
  std::vector<std::string> restored_;  ///< the lines of a line that was pasted
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_READER_H_
