// Reads TORCH_TRACE files: envelopes and payloads in, events and compilations out.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_READER_H_

#include <map>
#include <memory>
#include <string_view>

#include "ingest/formats/torch_trace/trace_framer.h"
#include "ingest/formats/torch_trace/trace_process.h"
#include "ingest/log_format.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/sightings.h"

namespace shapewise {

/// One pass over one trace: sorts what is asked for by the process that wrote it.
class TorchTraceReader final : public LogReader, private TraceHandler {
 public:
  TorchTraceReader(Session& session, uint32_t input, const ReadOptions& options);

  void OnLines(std::string_view lines, uint64_t first_line) override {
    framer_.OnLines(lines, first_line);
  }
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    return framer_.OnPiece(piece, line, is_first, is_last);
  }
  void Finish() override;
  uint64_t torch_lines() const override { return framer_.num_envelopes(); }

 private:
  bool Reads(TraceLineKind event, std::string_view key) const override;
  bool OnEnvelope(const TraceEnvelope& envelope) override;
  void OnPayload(const TracePayload& payload) override;
  TraceProcess* ProcessFor(uint64_t id, uint64_t number);

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  TraceFramer framer_;
  ParseContext context_;
  Sightings sightings_;
  JsonParser phases_;
  std::map<uint64_t, std::unique_ptr<TraceProcess>> processes_;
  TraceProcess* process_ = nullptr;  ///< of the last envelope
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_READER_H_
