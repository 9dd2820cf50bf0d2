// One process of a trace: its numbered texts, its compilations, and what waits for their end.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_PROCESS_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_PROCESS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/formats/torch_trace/trace_framer.h"
#include "ingest/json_fields.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/sightings.h"
#include "shapewise/model/compilation.h"

namespace shapewise {

/// Turns the events of one process into events and compilations of the session.
///
/// A record of a recompile does not name its function; the metrics that end the compilation do, so
/// it waits for them, or for the end of the input.
class TraceProcess {
 public:
  TraceProcess(ParseContext& context, Sightings& sightings, uint32_t input, bool keeps_guard_texts)
      : context_(context),
        sightings_(sightings),
        input_(input),
        keeps_guard_texts_(keeps_guard_texts) {}

  /// Whether the payload of the artifact `name` is read.
  static bool ReadsArtifact(std::string_view name);

  /// An envelope; `value` is what stands behind its event's key.
  void OnEvent(const TraceHead& head, simdjson::dom::element value);

  /// The payload of an envelope that OnEvent was given before.
  void OnPayload(const TraceHead& head, std::string_view payload);

  /// A phase that begins or ends: chromium_event, wherever its JSON stood.
  void OnPhase(const TraceHead& head, simdjson::dom::object event);

  /// Tells what still waits, and hands the compilations over to the session.
  void Finish();

 private:
  /// The compiled frame, as whatever named it last.
  struct Frame {
    StrId function{};
    StrId file{};
    uint32_t line = 0;
  };

  /// A compilation under way or over.
  struct Attempt {
    Compilation compilation;
    std::string frame;       ///< key of frames_
    bool has_begun = false;  ///< not only a record of why it would
    bool is_over = false;    ///< its metrics were read
    bool has_recompile = false;
    bool hit_limit = false;
    bool is_skipped = false;  ///< a record tells that its frame runs eager
    bool fx_missed = false;   ///< what the caches said, of any of its graphs
    bool aot_missed = false;
    bool any_hit = false;
    bool any_bypass = false;
    uint32_t latest_attempt = 0;
    std::vector<std::pair<Record, EventDetail>> recompiles;  ///< wait for the frame's name
    std::vector<StrId> break_types;                          ///< of the records of breaks
    std::unique_ptr<Record> error;  ///< dynamo_error, until it shows whether a break told it
    std::map<std::pair<int64_t, int64_t>, InputShape> tensors;  ///< by describer and id

    /// Whatever had to be compiled was a miss, whatever else was found.
    CacheOutcome Cache() const;
  };

  /// A phase that began and has not ended.
  struct OpenPhase {
    StrId name{};
    double begin = 0;  ///< seconds since the epoch
  };

  Attempt* AttemptOf(const TraceHead& head);
  Attempt* OpenAttempt(const TraceHead& head, bool has_begun = true);
  Attempt* AttemptOfLowering(const TraceHead& head);
  Attempt* Begin(const TraceHead& head);
  void NameCompilation(Attempt& attempt) const;
  static void NameFrame(const Attempt& attempt, EventDetail& detail);
  static Record NewRecord(const TraceHead& head, RecordKind kind);
  void AddLines(std::string_view text, Record& record);
  std::string_view TextOf(simdjson::dom::object object, std::string_view key,
                          const RecordOrigin& origin);
  bool StackFrame(simdjson::dom::object object, std::string_view key, size_t from_end,
                  const RecordOrigin& origin, CodePlace& place);
  void NoteVersion(std::string_view version, const RecordOrigin& origin);

  // Envelopes.
  void DefineText(simdjson::dom::element pair);
  void OnDynamoStart(const TraceHead& head, simdjson::dom::object start);
  void OnArtifact(const TraceHead& head);
  void OnDescribeTensor(const TraceHead& head, simdjson::dom::object tensor);
  void OnDescribeSource(const TraceHead& head, simdjson::dom::object source);
  void OnSymbol(const TraceHead& head, simdjson::dom::object symbol);
  void KeepPlace(const TraceHead& head);
  void KeepNodeShapes(const TraceHead& head, simdjson::dom::object graph);

  // Payloads (trace_records.cc).
  void OnRecompileReasons(const TraceHead& head, std::string_view payload);
  void OnBreakReason(const TraceHead& head, std::string_view payload);
  void OnError(const TraceHead& head, std::string_view payload);
  void OnCacheHit(const TraceHead& head, std::string_view payload);
  void OnGuardList(const TraceHead& head, std::string_view payload);
  void OnSideEffects(const TraceHead& head, std::string_view payload);
  void TellRecompiles(Attempt& attempt);
  void ResolveError();

  // The end of a compilation (trace_metrics.cc).
  void OnMetrics(const TraceHead& head, simdjson::dom::object metrics);
  void OnBackwardMetrics(const TraceHead& head, simdjson::dom::object metrics);
  void OnRuntimeMetrics(const TraceHead& head, simdjson::dom::object metrics);
  void TellUnrecordedRecompile(const TraceHead& head, simdjson::dom::object metrics,
                               Attempt& attempt);
  void TellLimit(const TraceHead& head, simdjson::dom::object metrics, Attempt& attempt);
  void TellCompile(const TraceHead& head, Attempt& attempt);
  void TellRestarts(const TraceHead& head, simdjson::dom::array reasons, Attempt& attempt);
  void TellUnrecordedError(const TraceHead& head, simdjson::dom::object metrics, Attempt& attempt);

  ParseContext& context_;
  Sightings& sightings_;
  const uint32_t input_;
  const bool keeps_guard_texts_;
  std::vector<std::string> texts_;  ///< by number
  std::deque<Attempt> attempts_;
  std::unordered_map<std::string, size_t> latest_;  ///< attempt of each id
  std::unordered_map<std::string, Frame> frames_;   ///< by TraceHead::frame
  std::optional<size_t> open_error_;                ///< attempt whose error waits
  bool records_breaks_ = false;  ///< this release records every break, recovered from or not
  int32_t noted_release_ = 0;
  JsonParser payload_json_;
  std::map<int64_t, std::vector<OpenPhase>> open_phases_;  ///< by thread
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_PROCESS_H_
