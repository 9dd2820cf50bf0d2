#include "ingest/formats/torch_trace/trace_framer.h"

#include <cstring>
#include <utility>

#include "ingest/data_tables.h"
#include "ingest/date_time.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "support/text_scan.h"

namespace shapewise {

/// Views point into the line.
struct TraceLine {
  LogTime time;
  uint64_t process = 0;
  std::string_view whole;
  std::string_view json;  ///< from its '{' to the end of the line
  std::string_view key;   ///< first key of the JSON
  TraceLineKind event = TraceLineKind::kUnknown;
  bool has_payload = false;  ///< the lines below it are a payload
};

namespace {

// Longer envelopes are skipped; the largest ones seen, metrics with the sizes of a graph's nodes,
// have about 100 KiB.
constexpr size_t kMaxEnvelopeBytes = size_t{16} << 20;

// Paths in prefixes are shorter than this.
constexpr size_t kMaxPrefix = 512;

// Thread ids of 2.4 have about 15 digits, process ids at most 7.
constexpr size_t kMinThreadDigits = 12;

// In the order of TraceLineKind.
constexpr std::string_view kKindNames[] = {"unknown",
                                           "passed_over",
                                           "reserved",
                                           "string",
                                           "dynamo_start",
                                           "metrics",
                                           "backward_metrics",
                                           "runtime_metrics",
                                           "artifact",
                                           "guard_tree",
                                           "guard_list",
                                           "describe_tensor",
                                           "describe_source",
                                           "create_symbol",
                                           "create_unbacked_symbol",
                                           "specialization",
                                           "guard_added",
                                           "graph",
                                           "phase"};
static_assert(std::size(kKindNames) == static_cast<size_t>(TraceLineKind::kPhase) + 1);

TraceLineKind EventOfKey(std::string_view key) {
  static const llvm::StringMap<TraceLineKind> kinds = [] {
    llvm::StringMap<TraceLineKind> by_key;
    const auto keys = JsonObject(DataTable("names"), "trace_keys");
    for (size_t kind = 0; kind < std::size(kKindNames); ++kind) {
      for (const std::string_view known : JsonTexts(*keys, kKindNames[kind])) {
        by_key[llvm::StringRef(known)] = static_cast<TraceLineKind>(kind);
      }
    }
    return by_key;
  }();
  return kinds.lookup(llvm::StringRef(key));
}

/// `has_payload` is the last key of an envelope; search all of it only if it is not at the end.
bool AnnouncesPayload(std::string_view json) {
  constexpr std::string_view kKey = "\"has_payload\": \"";
  constexpr size_t kTail = kKey.size() + 32 + 2;  // an MD5 in hex, and "\"}"
  if (json.size() >= kTail && json.substr(json.size() - kTail).starts_with(kKey)) return true;
  return HasText(json, "\"has_payload\":");
}

/// All payload lines begin with a tab, which is not part of the payload.
bool IsPayloadLine(std::string_view line) { return line.starts_with('\t'); }

/// Parses `line` (without newline) by comparing bytes: this alone skips four lines in five. False
/// if it is not a line of a trace.
bool ParseTraceLine(std::string_view line, TraceLine& parsed) {
  std::string_view rest = line;
  if (!ConsumeGlogTime(rest, parsed.time)) return false;
  rest = TrimLeft(rest);
  const size_t digits_begin = rest.size();
  const auto process = ConsumeUint(rest);
  if (!process || rest.empty() || rest[0] != ' ') return false;
  const size_t num_digits = digits_begin - rest.size();
  const size_t bracket = rest.substr(0, kMaxPrefix).find("] {\"");
  if (bracket == kNotFound) return false;
  parsed.json = TrimRight(rest.substr(bracket + 2));
  const std::string_view key = parsed.json.substr(2);
  const size_t quote = key.substr(0, kMaxPrefix).find('"');
  if (quote == kNotFound) return false;
  parsed.whole = line;
  parsed.process = num_digits >= kMinThreadDigits ? 0 : *process;
  parsed.key = key.substr(0, quote);
  parsed.event = EventOfKey(parsed.key);
  parsed.has_payload = AnnouncesPayload(parsed.json);
  return true;
}

/// Where the line after the one at `at` begins.
size_t NextLine(std::string_view lines, size_t at) {
  const void* newline = memchr(lines.data() + at, '\n', lines.size() - at);
  if (newline == nullptr) return lines.size();
  return static_cast<size_t>(static_cast<const char*>(newline) - lines.data()) + 1;
}

bool IsUndecided(TraceLineKind event) {
  return event == TraceLineKind::kReserved || event == TraceLineKind::kUnknown;
}

/// The key of `envelope`, the JSON of `line`, that names its event, and the kind of event. It need
/// not be the first: fields of all envelopes may come before it, and a later release may have
/// unknown fields of that kind. An unknown key is the event only if no other key is.
std::pair<std::string_view, TraceLineKind> FindEvent(const TraceLine& line,
                                                     simdjson::dom::object envelope) {
  std::string_view key = line.key;
  TraceLineKind event = line.event;
  for (const simdjson::dom::key_value_pair field : envelope) {
    if (!IsUndecided(event)) break;
    const TraceLineKind kind = EventOfKey(field.key);
    if (kind == TraceLineKind::kReserved ||
        (kind == TraceLineKind::kUnknown && event == TraceLineKind::kUnknown)) {
      continue;
    }
    key = field.key;
    event = kind;
  }
  return {key, event};
}

/// Reads which compilation `envelope` belongs to; `key` is that of its event. Does not set the
/// place.
TraceHead ReadHead(simdjson::dom::object envelope, std::string_view key, TraceLineKind event) {
  TraceHead head;
  head.event = event;
  head.name = key;
  if (event == TraceLineKind::kArtifact) {
    if (const auto artifact = JsonObject(envelope, key)) head.name = JsonText(*artifact, "name");
  }
  head.checksum = JsonText(envelope, "has_payload");
  const auto frame_id = JsonInt(envelope, "frame_id");
  const auto frame_compile_id = JsonInt(envelope, "frame_compile_id");
  // torch/_guards.py, CompileId.__str__.
  if (const auto autograd_id = JsonInt(envelope, "compiled_autograd_id")) {
    head.id = "!" + std::to_string(*autograd_id);
    if (frame_id) head.id += '/';
  }
  if (frame_id) {
    head.id += std::to_string(*frame_id);
    head.frame = head.id;
    head.id += '/' + std::to_string(frame_compile_id.value_or(0));
  } else {
    head.frame = head.id;
  }
  const auto attempt = JsonInt(envelope, "attempt");
  if (attempt && *attempt > 0 && *attempt <= UINT32_MAX) {
    head.attempt = static_cast<uint32_t>(*attempt);
  }
  return head;
}

}  // namespace

bool IsTrace(std::string_view head) {
  for (bool is_first = true; !head.empty();) {
    const size_t next = NextLine(head, 0);
    std::string_view line = head.substr(0, next);
    if (line.ends_with('\n')) line.remove_suffix(1);
    TraceLine parsed;
    if (ParseTraceLine(line, parsed)) return true;
    if (!is_first && !line.empty() && !IsPayloadLine(line)) return false;
    if (!line.empty()) is_first = false;
    head.remove_prefix(next);
  }
  return false;
}

void TraceFramer::OnLines(std::string_view lines, uint64_t first_line) {
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

size_t TraceFramer::OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) {
  if (is_first) {
    long_line_is_payload_ = IsPayloadLine(piece);
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
  if (long_line_.size() <= kMaxEnvelopeBytes) long_line_ += piece;
  if (is_last) {
    if (long_line_.size() > kMaxEnvelopeBytes) {
      ClosePayload();
      OpenPayload(PayloadUse::kIgnore, /*is_announced=*/false, line);
      stats_.Bump(Stat::record_too_long, input_, line);
    } else {
      ReadLine(long_line_, line);
    }
    long_line_ = {};
  }
  return piece.size();
}

void TraceFramer::ReadLine(std::string_view line, uint64_t number) {
  if (IsPayloadLine(line)) {
    payload_missing_ = false;
    if (payload_use_ == PayloadUse::kKeep) {
      AddPayloadLine(line.substr(1), number);
    } else if (payload_use_ == PayloadUse::kNone) {
      stats_.Bump(Stat::trace_line_damaged, input_, number);
      payload_use_ = PayloadUse::kIgnore;
    }
    return;
  }
  // A crash may fill the rest of a file with NUL.
  while (line.ends_with('\0')) line.remove_suffix(1);
  if (line.empty()) return;
  TraceLine parsed;
  if (!ParseTraceLine(line, parsed)) {
    // Other lines may come between those of a payload, which then continues.
    stats_.Bump(Stat::trace_line_damaged, input_, number);
    if (payload_use_ == PayloadUse::kNone) payload_use_ = PayloadUse::kIgnore;
    return;
  }
  ++num_envelopes_;
  ReadEnvelope(parsed, number);
}

void TraceFramer::ReadEnvelope(const TraceLine& line, uint64_t number) {
  if (!IsUndecided(line.event) && !handler_.Reads(line.event, line.key)) {
    return PassOver(line, number);
  }
  if (line.event != TraceLineKind::kPhase && line.whole == last_envelope_) {
    // The same line twice in a row: its payload may follow both, or only the second.
    stats_.Bump(Stat::trace_line_doubled, input_, number);
    if (payload_use_ != PayloadUse::kKeep || payload_numbers_.empty()) return;
    ClosePayload();
    OpenPayload(PayloadUse::kIgnore, line.has_payload, number);
    return;
  }
  ClosePayload();
  last_envelope_ = line.whole;
  simdjson::dom::object envelope;
  if (!json_.Parse(line.json, envelope)) {
    stats_.Bump(Stat::trace_json_damaged, input_, number);
    OpenPayload(PayloadUse::kIgnore, /*is_announced=*/false, number);
    return;
  }
  const auto [key, event] = FindEvent(line, envelope);
  if (!handler_.Reads(event, key)) return PassOver(line, number);
  head_ = ReadHead(envelope, key, event);
  head_.process = line.process;
  head_.origin = {input_, number, rank_, line.time};
  if (const auto rank = JsonInt(envelope, "rank"); rank && *rank >= 0 && *rank <= INT32_MAX) {
    head_.origin.rank = static_cast<int32_t>(*rank);
  }
  const bool is_kept = handler_.OnEnvelope({head_, key, envelope, line.has_payload});
  OpenPayload(is_kept ? PayloadUse::kKeep : PayloadUse::kIgnore, line.has_payload, number);
  if (!line.has_payload) payload_use_ = PayloadUse::kNone;
}

void TraceFramer::PassOver(const TraceLine& line, uint64_t number) {
  ClosePayload();
  OpenPayload(PayloadUse::kIgnore, line.has_payload, number);
  if (!line.has_payload) payload_use_ = PayloadUse::kNone;
}

void TraceFramer::OpenPayload(PayloadUse use, bool is_announced, uint64_t number) {
  payload_use_ = use;
  payload_missing_ = is_announced;
  payload_line_ = number;
  payload_numbers_.clear();
  payload_is_cut_ = false;
  if (use == PayloadUse::kKeep) {
    payload_.clear();
    payload_hash_ = llvm::MD5();
  }
}

void TraceFramer::AddPayloadLine(std::string_view text, uint64_t number) {
  if (!payload_numbers_.empty()) AddToPayload("\n");
  AddToPayload(text);
  if (!payload_is_cut_ || payload_numbers_.empty()) payload_numbers_.push_back(number);
}

void TraceFramer::AddToPayload(std::string_view text) {
  payload_hash_.update(llvm::StringRef(text.data(), text.size()));
  if (payload_is_cut_) return;
  if (payload_.size() + text.size() > max_payload_bytes_) {
    payload_is_cut_ = true;
    text = text.substr(0, max_payload_bytes_ - payload_.size());
    stats_.Bump(Stat::record_too_long, input_, payload_line_);
  }
  payload_ += text;
}

/// Checks the collected payload and passes it on, damaged or not.
void TraceFramer::ClosePayload() {
  if (payload_missing_) stats_.Bump(Stat::trace_payload_missing, input_, payload_line_);
  payload_missing_ = false;
  if (payload_use_ == PayloadUse::kKeep) {
    llvm::MD5::MD5Result hash;
    payload_hash_.final(hash);
    if (!payload_numbers_.empty() && hash.digest().str() != head_.checksum) {
      stats_.Bump(Stat::trace_payload_damaged, input_, payload_line_);
    }
    handler_.OnPayload({head_, payload_, payload_numbers_});
  }
  payload_use_ = PayloadUse::kNone;
}

}  // namespace shapewise
