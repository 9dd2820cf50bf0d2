// TORCH_TRACE, from lines to envelopes and payloads.
//
// Speed: of a trace's lines 97 in 100 belong to payloads, and of its envelopes four in five are
// phases. A payload line that nobody asked for costs the search for its end, an envelope that
// nobody asked for the comparison of its first key.

#include "ingest/formats/torch_trace/torch_trace_reader.h"

#include <cstring>

#include "ingest/file_rank.h"
#include "ingest/json_fields.h"
#include "llvm/ADT/StringExtras.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// More of a payload is not kept; the largest guard trees seen have 2 MiB.
constexpr size_t kMaxPayloadBytes = size_t{16} << 20;

// Longer envelopes are not read; the largest seen, metrics with the sizes of a graph's nodes, have
// some 100 KiB.
constexpr size_t kMaxEnvelopeBytes = size_t{16} << 20;

// More processes than this never share one file; a hostile input could name millions.
constexpr size_t kMaxProcesses = 4096;

/// Begin of the line behind the one at `at`.
size_t NextLine(std::string_view lines, size_t at) {
  const void* newline = memchr(lines.data() + at, '\n', lines.size() - at);
  if (newline == nullptr) return lines.size();
  return static_cast<size_t>(static_cast<const char*>(newline) - lines.data()) + 1;
}

}  // namespace

struct TorchTraceReader::Json {
  JsonParser envelopes;
  JsonParser phases;
};

TorchTraceReader::TorchTraceReader(Session& session, uint32_t input, const ReadOptions& options)
    : session_(session),
      input_(input),
      options_(options),
      file_rank_(RankInFileName(session.input(input).name)),
      context_(session),
      json_(std::make_unique<Json>()) {}

TorchTraceReader::~TorchTraceReader() = default;

void TorchTraceReader::OnLines(std::string_view lines, uint64_t first_line) {
  uint64_t number = first_line;
  size_t at = 0;
  while (at < lines.size()) {
    if (lines[at] == '\t' && payload_use_ == PayloadUse::kIgnore) {
      payload_missing_ = false;
      do {
        at = NextLine(lines, at);
        ++number;
      } while (at < lines.size() && lines[at] == '\t');
      continue;
    }
    const size_t next = NextLine(lines, at);
    std::string_view line = lines.substr(at, next - at);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ReadLine(line, number);
    at = next;
    ++number;
  }
}

size_t TorchTraceReader::OnPiece(std::string_view piece, uint64_t line, bool is_first,
                                 bool is_last) {
  if (is_first) {
    long_line_is_payload_ = IsPayloadLine(piece);
    long_line_is_cut_ = false;
    long_line_.clear();
    if (long_line_is_payload_) {
      ReadLine(piece, line);
      return piece.size();
    }
  }
  if (long_line_is_payload_) {
    if (payload_use_ == PayloadUse::kKeep) AddToPayload(piece);
    return piece.size();
  }
  if (long_line_.size() + piece.size() <= kMaxEnvelopeBytes) {
    long_line_ += piece;
  } else {
    long_line_is_cut_ = true;
  }
  if (is_last) {
    if (long_line_is_cut_) {
      ClosePayload();
      OpenPayload(PayloadUse::kIgnore, /*is_announced=*/false, line);
      session_.stats().Bump(Stat::record_too_long, input_, line);
    } else {
      ReadLine(long_line_, line);
    }
    long_line_ = {};
  }
  return piece.size();
}

void TorchTraceReader::Finish() {
  ClosePayload();
  for (const auto& [id, process] : processes_) process->Finish();
  sightings_.AddImpliedEvents(session_, input_, context_);
}

void TorchTraceReader::ReadLine(std::string_view line, uint64_t number) {
  if (IsPayloadLine(line)) {
    payload_missing_ = false;
    if (payload_use_ == PayloadUse::kKeep) {
      if (!payload_is_empty_) AddToPayload("\n");
      AddToPayload(line.substr(1));
      payload_is_empty_ = false;
    } else if (payload_use_ == PayloadUse::kNone) {
      session_.stats().Bump(Stat::trace_line_damaged, input_, number);
      payload_use_ = PayloadUse::kIgnore;
    }
    return;
  }
  // A crash may fill the rest of a file with NUL.
  while (line.ends_with('\0')) line.remove_suffix(1);
  if (line.empty()) return;
  TraceLine parsed;
  if (!ParseTraceLine(line, parsed)) {
    // Lines of something else may come between those of a payload, which then goes on.
    session_.stats().Bump(Stat::trace_line_damaged, input_, number);
    if (payload_use_ == PayloadUse::kNone) payload_use_ = PayloadUse::kIgnore;
    return;
  }
  ++torch_lines_;
  ReadEnvelope(parsed, number);
}

void TorchTraceReader::ReadEnvelope(const TraceLine& line, uint64_t number) {
  if (IsPassedOver(line.event)) {
    PassOver(line, number);
    return;
  }
  if (line.event != TraceLineKind::kPhase && line.whole == last_envelope_) {
    // The same line twice in a row: its payload may come behind both, or behind the second only.
    session_.stats().Bump(Stat::trace_line_doubled, input_, number);
    if (payload_use_ != PayloadUse::kKeep || payload_is_empty_) return;
    ClosePayload();
    OpenPayload(PayloadUse::kIgnore, line.has_payload, number);
    return;
  }
  ClosePayload();
  last_envelope_ = line.whole;
  simdjson::dom::element root;
  simdjson::dom::object envelope;
  if (!json_->envelopes.Parse(line.json, root) || root.get(envelope) != simdjson::SUCCESS) {
    session_.stats().Bump(Stat::trace_json_damaged, input_, number);
    OpenPayload(PayloadUse::kIgnore, /*is_announced=*/false, number);
    return;
  }
  const auto [key, event] = FindTraceEvent(line, envelope);
  if (IsPassedOver(event)) {
    PassOver(line, number);
    return;
  }
  head_ = ReadTraceHead(envelope, key, event);
  head_.origin = {input_, number, file_rank_, line.time};
  if (const auto rank = JsonInt(envelope, "rank"); rank && *rank >= 0 && *rank <= INT32_MAX) {
    head_.origin.rank = static_cast<int32_t>(*rank);
  }
  if (event == TraceLineKind::kUnknown) {
    session_.stats().Bump(Stat::trace_event_unknown, input_, number);
  }
  TraceProcess* const process = ProcessFor(line.process, number);
  const bool is_kept = process != nullptr && line.has_payload && MayKeepPayload(head_);
  OpenPayload(is_kept ? PayloadUse::kKeep : PayloadUse::kIgnore, line.has_payload, number);
  if (!line.has_payload) payload_use_ = PayloadUse::kNone;
  payload_process_ = process;
  if (process == nullptr) return;
  simdjson::dom::element value;
  if (envelope[key].get(value) != simdjson::SUCCESS) return;
  simdjson::dom::object object;
  if (event == TraceLineKind::kPhase) {
    // Up to 2.8 the envelope holds the phase itself.
    if (!line.has_payload && value.get(object) == simdjson::SUCCESS) {
      process->OnPhase(head_, object);
    }
    return;
  }
  process->OnEvent(head_, value);
}

/// Whether nothing is asked of such events.
bool TorchTraceReader::IsPassedOver(TraceLineKind event) const {
  return event == TraceLineKind::kPassedOver ||
         (event == TraceLineKind::kPhase && !options_.keep_phases);
}

void TorchTraceReader::PassOver(const TraceLine& line, uint64_t number) {
  ClosePayload();
  OpenPayload(PayloadUse::kIgnore, line.has_payload, number);
  if (!line.has_payload) payload_use_ = PayloadUse::kNone;
}

/// Whether what `head` announces is read; everything else is passed over.
bool TorchTraceReader::MayKeepPayload(const TraceHead& head) const {
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

void TorchTraceReader::OpenPayload(PayloadUse use, bool is_announced, uint64_t number) {
  payload_use_ = use;
  payload_missing_ = is_announced;
  payload_line_ = number;
  payload_is_empty_ = true;
  payload_is_cut_ = false;
  payload_process_ = nullptr;
  if (use == PayloadUse::kKeep) {
    payload_.clear();
    payload_hash_ = llvm::MD5();
  }
}

void TorchTraceReader::AddToPayload(std::string_view text) {
  payload_hash_.update(llvm::StringRef(text.data(), text.size()));
  if (payload_.size() + text.size() <= kMaxPayloadBytes && !payload_is_cut_) {
    payload_ += text;
  } else if (!payload_is_cut_) {
    payload_is_cut_ = true;
    payload_ += text.substr(0, kMaxPayloadBytes - payload_.size());
    session_.stats().Bump(Stat::record_too_long, input_, payload_line_);
  }
}

/// Checks what was gathered and gives it to its process: damaged or not, it is told.
void TorchTraceReader::ClosePayload() {
  if (payload_missing_) {
    session_.stats().Bump(Stat::trace_payload_missing, input_, payload_line_);
  }
  payload_missing_ = false;
  if (payload_use_ == PayloadUse::kKeep && payload_process_ != nullptr) {
    llvm::MD5::MD5Result hash;
    payload_hash_.final(hash);
    const bool is_missing = payload_is_empty_ && head_.checksum.empty();
    if (!is_missing && !payload_is_empty_ && hash.digest().str() != head_.checksum) {
      session_.stats().Bump(Stat::trace_payload_damaged, input_, payload_line_);
    }
    if (head_.event == TraceLineKind::kPhase) {
      simdjson::dom::element root;
      simdjson::dom::object event;
      if (json_->phases.Parse(payload_, root) && root.get(event) == simdjson::SUCCESS) {
        payload_process_->OnPhase(head_, event);
      } else {
        session_.stats().Bump(Stat::trace_json_damaged, input_, payload_line_);
      }
    } else {
      payload_process_->OnPayload(head_, payload_);
    }
  }
  payload_use_ = PayloadUse::kNone;
  payload_process_ = nullptr;
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
