#include "ingest/formats/torch_trace/torch_trace_reader.h"

#include "ingest/file_rank.h"

namespace shapewise {
namespace {

// More processes than this never share one file; a hostile input could name millions.
constexpr size_t kMaxProcesses = 4096;

/// Whether the payload that `head` announces is read.
bool ReadsPayload(const TraceHead& head) {
  switch (head.event) {
    case TraceLineKind::kGuardTree:
    case TraceLineKind::kGuardList:
    case TraceLineKind::kPhase:
      return true;
    case TraceLineKind::kArtifact:
      return TraceProcess::ReadsArtifact(head.name);
    default:
      return false;
  }
}

}  // namespace

TorchTraceReader::TorchTraceReader(Session& session, uint32_t input, const ReadOptions& options)
    : session_(session),
      input_(input),
      options_(options),
      framer_(*this, session.stats(), input, RankInFileName(session.input(input).name)),
      context_(session) {}

void TorchTraceReader::Finish() {
  framer_.Finish();
  for (const auto& [id, process] : processes_) process->Finish();
  sightings_.AddImpliedEvents(session_, input_, context_);
}

bool TorchTraceReader::Reads(TraceLineKind event, std::string_view /*key*/) const {
  if (event == TraceLineKind::kPhase) return options_.keep_phases;
  return event != TraceLineKind::kPassedOver;
}

bool TorchTraceReader::OnEnvelope(const TraceEnvelope& envelope) {
  const TraceHead& head = envelope.head;
  const uint64_t number = head.origin.line;
  if (head.event == TraceLineKind::kUnknown) {
    session_.stats().Bump(Stat::trace_event_unknown, input_, number);
  }
  process_ = ProcessFor(envelope.line.process, number);
  if (process_ == nullptr) return false;
  const bool has_payload = envelope.line.has_payload;
  simdjson::dom::element value;
  if (envelope.json[envelope.key].get(value) == simdjson::SUCCESS) {
    simdjson::dom::object object;
    if (head.event != TraceLineKind::kPhase) {
      process_->OnEvent(head, value);
    } else if (!has_payload && value.get(object) == simdjson::SUCCESS) {
      // Up to 2.8 the envelope holds the phase itself.
      process_->OnPhase(head, object);
    }
  }
  return has_payload && ReadsPayload(head);
}

void TorchTraceReader::OnPayload(const TracePayload& payload) {
  if (payload.head.event != TraceLineKind::kPhase) {
    process_->OnPayload(payload.head, payload.text);
    return;
  }
  simdjson::dom::element root;
  simdjson::dom::object event;
  if (phases_.Parse(payload.text, root) && root.get(event) == simdjson::SUCCESS) {
    process_->OnPhase(payload.head, event);
  } else {
    session_.stats().Bump(Stat::trace_json_damaged, input_, payload.head.origin.line);
  }
}

TraceProcess* TorchTraceReader::ProcessFor(uint64_t id, uint64_t number) {
  std::unique_ptr<TraceProcess>& process = processes_[id];
  if (process == nullptr) {
    if (processes_.size() > kMaxProcesses) {
      processes_.erase(id);
      session_.stats().Bump(Stat::streams_too_many, input_, number);
      return nullptr;
    }
    process = std::make_unique<TraceProcess>(context_, sightings_, input_, options_.guard_texts);
  }
  return process.get();
}

}  // namespace shapewise
