// Reads TORCH_LOGS text: lines in, events out.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_READER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/server_log/server_log_reader.h"
#include "ingest/formats/torch_log/message_framer.h"
#include "ingest/formats/torch_log/process_guards.h"
#include "ingest/log_format.h"
#include "ingest/reconcile/reconciler.h"

namespace shapewise {

/// One pass over one input. A line without torch output costs one search for literals; other lines
/// go through the framer, and each message is parsed when it is complete.
class TorchLogReader final : public LogReader, private MessageFramer {
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
  /// Continues in `copy`, a copy of the session, between two lines of `other`.
  TorchLogReader(const TorchLogReader& other, Session& copy);

  /// Ends the input. Unless it `is_whole`, the rest of a traceback may still come.
  void FinishAs(bool is_whole);
  void OnMessage(Stream& stream) override;
  bool TakesPart(const LinePart& part) override;
  bool TakesPrefixed(Stream& stream, const LinePart& part, std::string_view whole) override;
  bool TakesBare(Stream* stream, const LinePart& part, std::string_view text) override;
  void OnBarePart(const LinePart& part, std::string_view text, const Record& record) override;
  void OnOtherPart(const LinePart& part, std::string_view text) override;
  void OnPastedLine(std::string_view line, uint64_t number) override;
  std::string_view PreviousLine() const override;
  std::string PreviousText() const override;

  /// The end of the calls before: a line of which the next one has to show whether it is labelled,
  /// and empty lines.
  struct OpenLines {
    /// Whether `following` does not contain the next line either.
    bool NeedsMore(std::string_view following) const;

    std::string lines;
    uint64_t first_line = 0;
    size_t first_size = 0;  ///< bytes of the first line
    uint32_t hit = 0;       ///< where its literal is
  };

  void ReadOpen(std::string_view following);
  void ReadLines(std::string_view lines, uint64_t first_line, const LineScan& scan,
                 std::optional<std::string_view> following);
  static std::optional<std::string_view> FindLineAfter(std::string_view lines, size_t end,
                                                       std::optional<std::string_view> following);

  ProcessGuards* FindGuards(const Stream& stream) const;
  ProcessGuards& GuardsOf(const Stream& stream);
  void NoteVersion(const LogPrefix& prefix, uint64_t number);
  void CountTorchLine(uint64_t number);

  Session& session_;
  const bool keeps_guard_texts_;
  Reconciler reconciler_;
  ServerLogReader server_;
  LineScan scan_;  // of lines that came without one
  GuardPrints guard_prints_;
  // By number of the stream; created when guards are first printed.
  std::vector<std::unique_ptr<ProcessGuards>> guards_;
  uint64_t torch_lines_ = 0;
  uint64_t last_torch_line_ = 0;
  uint64_t last_unknown_line_ = 0;  // last line counted as not understood
  bool is_torchs_ = false;          // something in the input can only come from torch.compile
  std::string_view block_;          // lines of the current call
  size_t line_begin_ = 0;           // in block_: of the current line
  std::string previous_text_copy_;  // the last lines of the calls before
  OpenLines open_;
  std::string last_id_;  // last id, to skip the look-up if it repeats
  int32_t last_id_rank_ = kNoRank;
  uint32_t noted_versions_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_READER_H_
