// Splits a TORCH_TRACE file into envelopes and payloads. All commands read traces through this.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_FRAMER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json_fields.h"
#include "ingest/messages/record.h"
#include "llvm/Support/MD5.h"
#include "support/stats.h"
#include "support/text_input.h"

namespace shapewise {

/// Whether `head`, the front of an input, is a trace: its first line is an envelope; or, if the
/// front of the file is missing, the rest of a line, payload lines, and then an envelope.
bool IsTrace(std::string_view head);

/// The kind of an event, according to its first key.
enum class TraceLineKind : uint8_t {
  kUnknown,          ///< a key that no release up to 2.15 is known to write
  kPassedOver,       ///< known, but not needed
  kReserved,         ///< not an event but a field of the envelope: the event's key comes later
  kString,           ///< "str": a text and its number from here on
  kDynamoStart,      ///< a compilation begins; the stack of its caller
  kMetrics,          ///< "compilation_metrics": it ended; the forward part, or all of it
  kBackwardMetrics,  ///< the backward part is compiled
  kRuntimeMetrics,   ///< autotuning and recording when a compiled graph first ran
  kArtifact,         ///< anything else, by name
  kGuardTree,        ///< "dynamo_cpp_guards_str"
  kGuardList,        ///< "dynamo_guards": its predecessor in 2.4 to 2.6
  kDescribeTensor,
  kDescribeSource,
  kCreateSymbol,
  kCreateUnbackedSymbol,
  kSpecialization,  ///< "symbolic_shape_specialization"
  kGuardAdded,      ///< "guard_added", "guard_added_fast"
  kGraph,           ///< a graph or generated code: only its place is kept
  kPhase,           ///< "chromium_event"
};

/// The part of an envelope that identifies its compilation; outlives the JSON.
struct TraceHead {
  TraceLineKind event = TraceLineKind::kUnknown;
  std::string name;      ///< of an artifact or graph: "recompile_reasons", "aot_forward_graph"
  std::string checksum;  ///< of the payload: MD5 in hex; empty: no payload is announced
  RecordOrigin origin;
  uint64_t process = 0;  ///< process id; thread ids (2.4) count as one process: 0
  std::string frame;     ///< "0", "!0/3"; empty: outside of a compilation
  std::string id;        ///< "0/1", "!0/3/0", "!0"; empty in the same case
  uint32_t attempt = 0;

  /// As logs spell it: "0/1_1".
  std::string FullId() const {
    return attempt == 0 || id.empty() ? id : id + "_" + std::to_string(attempt);
  }
};

/// An envelope: the JSON in a line of the trace. Valid during the call.
struct TraceEnvelope {
  const TraceHead& head;
  std::string_view key;  ///< of `json`: the name of the event
  simdjson::dom::object json;
  bool has_payload = false;
};

/// The payload of an envelope. Valid during the call.
struct TracePayload {
  const TraceHead& head;
  std::string_view text;  ///< the lines without their tabs; the last one without newline
  const std::vector<uint64_t>& numbers;  ///< of the lines, in the file
};

/// Receives the parts of a trace.
class TraceHandler {
 public:
  virtual ~TraceHandler() = default;

  /// Whether to read envelopes of `event`, with the key `key`. All others are skipped, and so are
  /// their payloads. For unknown and reserved events the JSON is parsed first.
  virtual bool Reads(TraceLineKind event, std::string_view key) const = 0;

  /// An envelope. Returns whether OnPayload is to be called with its payload.
  virtual bool OnEnvelope(const TraceEnvelope& envelope) = 0;

  virtual void OnPayload(const TracePayload& payload) = 0;
};

/// A parsed line of a trace (trace_framer.cc).
struct TraceLine;

/// Reads a trace line by line. Damage is counted; a damaged payload is passed on as it is.
///
/// Speed: of a trace's lines 97 in 100 belong to payloads, and of its envelopes four in five are
/// phases. A skipped payload line costs the search for its end, a skipped envelope the comparison
/// of its first key.
class TraceFramer final : public LineSink {
 public:
  /// Further bytes of a payload are dropped.
  static constexpr size_t kMaxPayloadBytes = size_t{16} << 20;

  /// `rank`: of the process that wrote the file, -1 if unknown; envelopes may contain another.
  TraceFramer(TraceHandler& handler, Stats& stats, uint32_t input, int32_t rank,
              size_t max_payload_bytes = kMaxPayloadBytes)
      : handler_(handler),
        stats_(stats),
        input_(input),
        rank_(rank),
        max_payload_bytes_(max_payload_bytes) {}

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;

  /// The end of the file.
  void Finish() { ClosePayload(); }

  /// Number of lines that were envelopes.
  uint64_t num_envelopes() const { return num_envelopes_; }

 private:
  /// How payload lines are handled.
  enum class PayloadUse : uint8_t {
    kNone,    ///< no payload is announced: the next line is damage
    kIgnore,  ///< it belongs to something skipped, or to damage that was counted
    kKeep,    ///< it is collected for the envelope before it
  };

  void ReadLine(std::string_view line, uint64_t number);
  void ReadEnvelope(const TraceLine& line, uint64_t number);
  void PassOver(const TraceLine& line, uint64_t number);
  void OpenPayload(PayloadUse use, bool is_announced, uint64_t number);
  void AddToPayload(std::string_view text);
  void AddPayloadLine(std::string_view text, uint64_t number);
  void ClosePayload();

  TraceHandler& handler_;
  Stats& stats_;
  const uint32_t input_;
  const int32_t rank_;
  const size_t max_payload_bytes_;
  JsonParser json_;
  uint64_t num_envelopes_ = 0;

  PayloadUse payload_use_ = PayloadUse::kNone;
  bool payload_missing_ = false;  ///< announced, but no line has arrived
  uint64_t payload_line_ = 0;     ///< of the envelope
  TraceHead head_;                ///< of the payload that is kept, or of the last envelope read
  std::string payload_;
  std::vector<uint64_t> payload_numbers_;
  llvm::MD5 payload_hash_;
  bool payload_is_cut_ = false;  ///< longer than the kept part

  std::string last_envelope_;  ///< the last line, to recognise duplicates
  std::string long_line_;      ///< an envelope that arrives in pieces
  bool long_line_is_payload_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_FRAMER_H_
