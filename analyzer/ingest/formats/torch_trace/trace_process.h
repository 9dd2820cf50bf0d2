// One process of a trace: its numbered texts, its compilations, and the records that wait for their
// end.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_PROCESS_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_PROCESS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/formats/torch_trace/trace_framer.h"
#include "ingest/json_fields.h"
#include "ingest/messages/parsers.h"
#include "ingest/reconcile/reconciler.h"
#include "model/compilation.h"

namespace shapewise {

/// Turns the events of one process into events and compilations of the session.
///
/// A record of a recompile does not name its function; the metrics that end the compilation do, so
/// it waits for them, or for the end of the input.
class TraceProcess {
 public:
  TraceProcess(Session& session, Reconciler& reconciler, uint32_t input, bool keeps_guard_texts)
      : session_(session),
        reconciler_(reconciler),
        input_(input),
        keeps_guard_texts_(keeps_guard_texts) {}

  /// Whether to read the payload that `head` announces.
  static bool ReadsPayload(const TraceHead& head) { return PayloadReaderOf(head) != nullptr; }

  /// An envelope; `value` is that of the key of its event.
  void OnEvent(const TraceHead& head, simdjson::dom::element value);

  /// The payload of an envelope that was passed to OnEvent before, if it is needed.
  void OnPayload(const TraceHead& head, std::string_view payload) {
    if (const PayloadReader read = PayloadReaderOf(head)) (this->*read)(head, payload);
  }

  /// Reports everything that is pending, and moves the compilations to the session.
  void Finish();

 private:
  /// A compilation that is running or has ended.
  struct Attempt {
    Compilation compilation;
    std::string frame;       ///< key of frames_
    bool has_begun = false;  ///< not only a record of why it would start
    bool is_over = false;    ///< its metrics were read
    bool has_recompile = false;
    bool hit_limit = false;
    bool is_skipped = false;  ///< a record says that its frame runs eagerly
    size_t cache = 0;         ///< index into kCacheOutcomes, the largest of all its graphs
    uint32_t latest_attempt = 0;
    std::vector<std::pair<TraceHead, ParsedFact>> recompiles;  ///< waiting for the frame's name
    std::vector<StrId> break_types;                            ///< from the records of breaks
    std::optional<Record> error;  ///< dynamo_error, until it is known whether a break reports it
    std::map<std::pair<int64_t, int64_t>, InputShape> tensors;  ///< by describer and id
  };

  /// The results of the caches, in order of precedence, later entries first: a compile after a miss
  /// is a miss, whatever other caches found. None, a bypass, a miss of AOTAutograd's cache, a hit,
  /// a miss of Inductor's.
  static constexpr CacheOutcome kCacheOutcomes[] = {CacheOutcome::kNone, CacheOutcome::kBypass,
                                                    CacheOutcome::kMiss, CacheOutcome::kHit,
                                                    CacheOutcome::kMiss};

  /// A phase that has begun but not ended.
  struct OpenPhase {
    StrId name{};
    double begin = 0;  ///< seconds since the epoch
  };

  using JsonObjectValue = simdjson::dom::object;
  using PayloadReader = void (TraceProcess::*)(const TraceHead& head, std::string_view payload);

  /// Null: the payload is not read.
  static PayloadReader PayloadReaderOf(const TraceHead& head);

  StrId Intern(std::string_view text) { return session_.strings().Intern(text); }
  StrId InternField(JsonObjectValue object, std::string_view key) {
    return Intern(JsonText(object, key));
  }
  std::string_view TextOf(JsonObjectValue object, std::string_view key, const RecordOrigin& origin);
  std::optional<StoredPlace> StackFrame(JsonObjectValue object, std::string_view key,
                                        size_t from_end, const RecordOrigin& origin);
  Record ToRecord(const TraceHead& head, RecordKind kind, std::string_view text);
  ParsedFact ParseReasons(const TraceHead& head, EventFact fact,
                          const std::vector<std::string_view>& lines);
  void Emit(const TraceHead& head, EventDetail detail);

  // Compilations.
  Attempt* AttemptOf(const TraceHead& head);
  Attempt* OpenAttempt(const TraceHead& head, bool has_begun = true);
  Attempt* AttemptOfLowering(const TraceHead& head);
  Attempt* Begin(const TraceHead& head);
  void NameCompilation(Attempt& attempt) const;
  static void NameFrame(const Attempt& attempt, EventDetail& detail);
  void NoteVersion(std::string_view version, const RecordOrigin& origin);

  // Envelopes.
  void DefineText(simdjson::dom::element pair);
  void OnDynamoStart(const TraceHead& head, JsonObjectValue start);
  void OnArtifact(const TraceHead& head, JsonObjectValue artifact);
  void OnDescribeTensor(const TraceHead& head, JsonObjectValue tensor);
  void OnDescribeSource(const TraceHead& head, JsonObjectValue source);
  void OnSymbol(const TraceHead& head, JsonObjectValue symbol);
  void OnGraph(const TraceHead& head, JsonObjectValue graph);
  void OnPhase(const TraceHead& head, JsonObjectValue event);
  void KeepPlace(const TraceHead& head);

  // Payloads (trace_records.cc).
  void OnPhasePayload(const TraceHead& head, std::string_view payload);
  void OnVersion(const TraceHead& head, std::string_view payload);
  void OnGuardTree(const TraceHead& head, std::string_view payload);
  void OnGuardList(const TraceHead& head, std::string_view payload);
  void OnRecompileReasons(const TraceHead& head, std::string_view payload);
  void OnBreakReason(const TraceHead& head, std::string_view payload);
  void OnError(const TraceHead& head, std::string_view payload);
  void OnCacheHit(const TraceHead& head, std::string_view payload);
  void OnSideEffects(const TraceHead& head, std::string_view payload);
  void OnPassedTensors(const TraceHead& head, std::string_view payload);
  void ReportRecompiles(Attempt& attempt);
  void ResolveError();

  // The end of a compilation (trace_records.cc).
  void OnMetrics(const TraceHead& head, JsonObjectValue metrics);
  void OnBackwardMetrics(const TraceHead& head, JsonObjectValue metrics);
  void OnRuntimeMetrics(const TraceHead& head, JsonObjectValue metrics);
  void TakeEnd(const TraceHead& head, JsonObjectValue metrics, Attempt& attempt);
  void ReportLimit(const TraceHead& head, JsonObjectValue metrics, Attempt& attempt);
  void ReportRestarts(const TraceHead& head, simdjson::dom::array reasons, Attempt& attempt);
  void ReportUnrecordedError(const TraceHead& head, JsonObjectValue metrics, Attempt& attempt);

  Session& session_;
  Reconciler& reconciler_;
  const uint32_t input_;
  const bool keeps_guard_texts_;
  std::vector<std::string> texts_;  ///< by number
  std::deque<Attempt> attempts_;
  std::unordered_map<std::string, size_t> latest_;       ///< attempt of each id
  std::unordered_map<std::string, StoredPlace> frames_;  ///< by TraceHead::frame
  std::optional<size_t> open_error_;                     ///< attempt whose error is pending
  bool records_breaks_ = false;  ///< this release records every break, even if it recovers from it
  int32_t noted_release_ = 0;
  JsonParser payload_json_;
  std::map<int64_t, std::vector<OpenPhase>> open_phases_;  ///< by thread
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_PROCESS_H_
