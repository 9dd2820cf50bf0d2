// TORCH_TRACE files: envelopes and payloads in, events and compilations out. The payloads quote
// messages, which would look like logged ones if a trace were read as text.

#include <map>
#include <memory>

#include "ingest/file_rank.h"
#include "ingest/formats/torch_trace/trace_framer.h"
#include "ingest/formats/torch_trace/trace_process.h"
#include "ingest/log_format.h"
#include "ingest/reconcile/reconciler.h"

namespace shapewise {
namespace {

// Real files have fewer processes; a hostile input could name millions.
constexpr size_t kMaxProcesses = 4096;

/// One pass over one trace: passes the requested parts to the process that wrote them.
class TorchTraceReader final : public LogReader, private TraceHandler {
 public:
  TorchTraceReader(Session& session, uint32_t input, const ReadOptions& options)
      : session_(session),
        input_(input),
        options_(options),
        framer_(*this, session.stats(), input, RankInFileName(session.input(input).name)),
        reconciler_(session, input) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    framer_.OnLines(lines, first_line);
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    return framer_.OnPiece(piece, line, is_first, is_last);
  }

  void Finish() override {
    framer_.Finish();
    for (const auto& [id, process] : processes_) process->Finish();
    reconciler_.Finish(/*is_of_torch=*/false);
  }

  uint64_t torch_lines() const override { return framer_.num_envelopes(); }

 private:
  bool Reads(TraceLineKind event, std::string_view /*key*/) const override {
    return event == TraceLineKind::kPhase ? options_.keep_phases
                                          : event != TraceLineKind::kPassedOver;
  }

  bool OnEnvelope(const TraceEnvelope& envelope) override {
    const TraceHead& head = envelope.head;
    if (head.event == TraceLineKind::kUnknown) {
      session_.stats().Bump(Stat::trace_event_unknown, input_, head.origin.line);
    }
    TraceProcess* const process = ProcessFor(head);
    if (process == nullptr) return false;
    simdjson::dom::element value;
    // Up to 2.8 the envelope of a phase contains the phase itself.
    const bool is_elsewhere = head.event == TraceLineKind::kPhase && envelope.has_payload;
    if (!is_elsewhere && envelope.json[envelope.key].get(value) == simdjson::SUCCESS) {
      process->OnEvent(head, value);
    }
    return envelope.has_payload && TraceProcess::ReadsPayload(head);
  }

  void OnPayload(const TracePayload& payload) override {
    if (TraceProcess* const process = ProcessFor(payload.head)) {
      process->OnPayload(payload.head, payload.text);
    }
  }

  TraceProcess* ProcessFor(const TraceHead& head) {
    std::unique_ptr<TraceProcess>& process = processes_[head.process];
    if (process == nullptr && processes_.size() > kMaxProcesses) {
      processes_.erase(head.process);
      session_.stats().Bump(Stat::streams_too_many, input_, head.origin.line);
      return nullptr;
    }
    if (process == nullptr) {
      process = std::make_unique<TraceProcess>(session_, reconciler_, input_, options_.guard_texts);
    }
    return process.get();
  }

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  TraceFramer framer_;
  Reconciler reconciler_;
  std::map<uint64_t, std::unique_ptr<TraceProcess>> processes_;
};

}  // namespace

const LogFormat kTorchTraceFormat{"torch-trace", IsTrace, NewLogReader<TorchTraceReader>,
                                  /*holds_messages=*/true};

}  // namespace shapewise
