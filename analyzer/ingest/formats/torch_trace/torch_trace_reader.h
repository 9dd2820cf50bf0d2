// Reads TORCH_TRACE files: envelopes and payloads in, events and compilations out.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_READER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/formats/torch_trace/trace_line.h"
#include "ingest/formats/torch_trace/trace_process.h"
#include "ingest/log_format.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/sightings.h"
#include "llvm/Support/MD5.h"

namespace shapewise {

/// One pass over one trace. What an envelope is shows at its first key; only those that are asked
/// for are read as JSON, and only the payloads that are asked for are kept, checked and read.
class TorchTraceReader final : public LogReader {
 public:
  TorchTraceReader(Session& session, uint32_t input, const ReadOptions& options);
  ~TorchTraceReader() override;

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;
  void Finish() override;
  uint64_t torch_lines() const override { return torch_lines_; }

 private:
  /// What becomes of payload lines.
  enum class PayloadUse : uint8_t {
    kNone,    ///< none is announced: the next one is damage
    kIgnore,  ///< it belongs to what is passed over, or to damage that was counted
    kKeep,    ///< it is gathered for the envelope before it
  };
  struct Json;

  void ReadLine(std::string_view line, uint64_t number);
  void ReadEnvelope(const TraceLine& line, uint64_t number);
  bool IsPassedOver(TraceLineKind event) const;
  void PassOver(const TraceLine& line, uint64_t number);
  void OpenPayload(PayloadUse use, bool is_announced, uint64_t number);
  void AddToPayload(std::string_view text);
  void ClosePayload();
  bool MayKeepPayload(const TraceHead& head) const;
  TraceProcess* ProcessFor(uint64_t id, uint64_t number);

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  const int32_t file_rank_;
  ParseContext context_;
  Sightings sightings_;
  std::unique_ptr<Json> json_;
  std::map<uint64_t, std::unique_ptr<TraceProcess>> processes_;
  uint64_t torch_lines_ = 0;

  PayloadUse payload_use_ = PayloadUse::kNone;
  bool payload_missing_ = false;  ///< announced, and no line of it has come
  uint64_t payload_line_ = 0;     ///< of the envelope
  TraceHead head_;                ///< of the payload that is kept, or of the last envelope read
  TraceProcess* payload_process_ = nullptr;
  std::string payload_;
  llvm::MD5 payload_hash_;
  bool payload_is_empty_ = true;
  bool payload_is_cut_ = false;  ///< longer than what is kept

  std::string last_envelope_;  ///< the line read last, to know it when it comes twice
  std::string long_line_;      ///< an envelope that comes in pieces
  bool long_line_is_payload_ = false;
  bool long_line_is_cut_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_READER_H_
