// Compares messages: finds which ones repeat, complete or imply others, also those of a log and a
// trace of one run. Nothing else does this.

#ifndef SHAPEWISE_INGEST_RECONCILE_RECONCILER_H_
#define SHAPEWISE_INGEST_RECONCILE_RECONCILER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/messages/parsers.h"
#include "ingest/messages/record.h"
#include "ingest/messages/traceback_lines.h"
#include "model/session.h"

namespace shapewise {

/// Adds the facts of the messages of one input to a session, each once:
///
/// - an exception that is printed again, or that repeats a record, adds nothing;
/// - a warning and the record of the same graph break are one break;
/// - a recompile limit interrupted by other records is one limit, and so are the messages about the
///   exception that ends the compilation;
/// - a frame without a name gets the name from other records of the frame;
/// - a resume function implies a graph break, an id N/1 a recompile, unless something else reports
///   them.
///
/// Memory grows with distinct facts, never with repetitions.
class Reconciler {
 public:
  Reconciler(Session& session, uint32_t input) : session_(&session), input_(input) {}

  /// Continues on `copy`, a copy of the session, with the state of `other`.
  Reconciler(Session& copy, const Reconciler& other) : Reconciler(other) { session_ = &copy; }

  /// Adds the contents of `record`. Returns whether any event was added.
  bool Add(const Record& record, const ParsedMessage& parsed);

  /// Adds the marks and the damage of `parsed`, for a message at `line`, but none of its facts.
  void AddMarks(const ParsedMessage& parsed, uint64_t line);

  /// Adds one fact, found at `origin` in a message with `compile_id`. Returns whether an event was
  /// added.
  bool AddFact(const RecordOrigin& origin, std::string_view compile_id, ParsedFact fact);

  /// Records every resume function in `text`.
  void NoteResumeNames(std::string_view text, const RecordOrigin& origin);

  /// Records the id of a line's own prefix, such as "0/1" or "0/1_2".
  void NoteCompileId(std::string_view compile_id, const RecordOrigin& origin);

  /// Records that `guards` of `entry` have other values in the entry `compile_id`: its reasons if
  /// no message contains them.
  void NoteChangedGuards(int32_t rank, std::string_view compile_id, std::string_view entry,
                         const std::vector<std::string>& guards);

  /// Ends the input. `is_of_torch`: something in it can only come from torch.compile.
  /// `ends_in_traceback`: its last lines are a traceback whose exception was cut off.
  void Finish(bool is_of_torch, bool ends_in_traceback = false);

 private:
  /// The last graph break, for a record that repeats it with more detail.
  struct LastBreak {
    size_t event = 0;
    StrId compile_id{};  ///< without the attempt
    StrId file{};
    uint32_t line = 0;
    bool is_warning = false;
  };

  /// The compiled function of a frame, from records that name it.
  struct NamedFrame {
    StoredPlace place;
    bool is_ambiguous = false;  ///< torch._dynamo.reset() gave the number to another function
  };

  /// A limit that was reported without its function or its reason, which may follow.
  struct OpenLimit {
    size_t event = 0;
    bool has_head = false;
  };

  /// A resume function.
  struct Resume {
    RecordOrigin first;
    std::string file;
  };

  /// The facts from earlier messages of one rank.
  struct Memory {
    std::optional<LastBreak> last_break;
    std::set<std::pair<StrId, uint32_t>> break_places;
    /// Frames in the stacks of breaks, with the place of the first break below: functions that
    /// Dynamo inlined a break into also break there. By function without the prefix of resume
    /// functions, line and file.
    std::map<std::tuple<StrId, uint32_t, StrId>, StoredPlace> break_frames;
    /// Exceptions by class, and by message and place.
    std::set<std::pair<std::string, std::string>> exceptions;
    /// Violations and recompiles from a record that no exception has repeated yet.
    std::map<std::pair<StrId, int32_t>, uint32_t> unrepeated_violations;
    std::map<DetailId, std::vector<size_t>> unrepeated_recompiles;  ///< their events
    std::optional<size_t> last_recompile;                           ///< the event of a record
    std::map<std::string, NamedFrame, std::less<>> named_frames;    ///< by the frame's number
    std::map<std::string, OpenLimit, std::less<>> open_limits;      ///< by compile id
    std::set<std::pair<StrId, StrId>> limited;  ///< functions that hit a limit, with their files
    std::set<std::pair<StrId, StrId>> failed;   ///< functions whose compilation raised
    std::optional<size_t> last_xla_compile;     ///< an event
    std::optional<size_t> last_limit_error;     ///< event of an exception about a limit, if last
    std::map<std::pair<std::string, uint32_t>, Resume> resumes;  ///< by function and line
    std::map<std::string, RecordOrigin, std::less<>> ids;        ///< where each is seen first
    std::map<std::string, std::vector<ReasonId>, std::less<>> changed_guards;  ///< by compile id
  };

  /// The events of one rank that are reported, and so are not implied.
  struct Reported {
    std::set<uint32_t> break_lines;
    std::set<std::pair<StrId, uint32_t>> repeats;  ///< file and line of breaks without their stack
    std::set<std::string, std::less<>> ids;
    /// Lines of recompile records without an id (2.1 and 2.2), the last first; each explains the
    /// next id that appears.
    std::vector<uint64_t> records_without_id;
  };

  /// Where a failure was announced first.
  struct Announced {
    RecordOrigin origin;
    std::string compile_id;
  };

  /// Messages that other programs print, too.
  struct Doubtful {
    Announced first;
    std::string line;  ///< of the first one; at most kMaxShownLine bytes
    uint64_t count = 0;
  };

  size_t Emit(const RecordOrigin& origin, std::string_view compile_id, const EventDetail& detail,
              const ChangingTexts& texts = {});
  void AddLimit(const RecordOrigin& origin, std::string_view compile_id, const ParsedFact& fact);
  void AddError(const RecordOrigin& origin, std::string_view compile_id, const ParsedFact& fact);
  void AddRecompile(const RecordOrigin& origin, std::string_view compile_id,
                    const ParsedFact& fact);
  void AddBreak(const RecordOrigin& origin, std::string_view compile_id, const ParsedFact& fact);
  void CompleteXlaCompile(Memory& memory, const XlaCompileFact& part);
  bool CompleteWarning(Memory& memory, StrId compile_id, const ParsedFact& fact);
  bool IsNew(const RecordOrigin& origin, std::string_view compile_id, const ParsedFact& fact);
  std::string UserPlaceOf(const EventDetail& detail) const;
  bool IsNewBreak(Memory& memory, const EventDetail& detail);
  bool IsNewSkip(Memory& memory, const EventDetail& detail);
  bool IsNewError(Memory& memory, std::string_view compile_id, const EventDetail& detail);
  bool IsNewViolation(Memory& memory, std::string_view compile_id, const ConstraintFact& violation,
                      bool is_raised);
  void NoteFrame(int32_t rank, std::string_view compile_id, const EventDetail& detail,
                 size_t event);
  void KeepBreakFrames(Memory& memory, const ParsedFact& fact);
  const StoredPlace* FindBreakBelow(const Memory& memory, StrId function, uint32_t line,
                                    std::string_view file) const;
  void NameFailedGuard(CompileErrorFact& error) const;
  void NoteFailure(const EventDetail& detail);
  void EmitAnnounced(bool ends_in_traceback);
  void NameFrames();
  std::map<int32_t, Reported> ReportedEvents() const;
  void AddImpliedEvents();

  Session* session_;
  uint32_t input_;
  std::map<int32_t, Memory> memories_;  ///< by rank
  /// Events without a function, by rank and the number of their frame.
  std::vector<std::pair<size_t, std::pair<int32_t, std::string>>> nameless_;
  std::map<DetailId, Announced> announced_;
  /// By rank and fact; without one it was not parsed.
  std::map<std::pair<int32_t, std::optional<DetailId>>, Doubtful> doubtful_;
  std::set<StrId> failure_texts_;      ///< types, messages and contexts of breaks and errors
  bool has_failed_operation_ = false;  ///< an operation on fake tensors failed
  bool has_failure_ = false;           ///< something in the input says how a compilation failed
};

/// Drops the events of logs that a trace in the same session also contains, so that each counts
/// once; the trace contains their cost.
///
/// Two events are the same if rank, kind, id and contents agree, and their times, if both are
/// printed, are within a minute, regardless of the day: a trace writes some records only at the end
/// of a compilation. Events that a log only implies by an id or a name are dropped if a trace
/// records them, and so are guards that it prints. Conversely, the error of a trace is dropped if
/// the log says that its frame was skipped because of it: a trace does not say what happened to the
/// frame. Call when the events are sorted. Takes n log n steps for n events.
void ReconcileLogsAndTraces(Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_RECONCILE_RECONCILER_H_
