// The guards that one process prints to a log under TORCH_LOGS=guards, and its symbols under
// TORCH_LOGS=dynamic.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PROCESS_GUARDS_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PROCESS_GUARDS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/guard_tree.h"
#include "ingest/messages/record.h"
#include "ingest/messages/traceback_lines.h"
#include "model/session.h"

namespace shapewise {

/// The guards of one entry as printed, without comments.
struct EntryGuards {
  std::vector<std::string> guards;
  size_t bytes = 0;  ///< of their text
};

/// The guards printed by the processes of one input.
struct GuardPrints {
  struct Change {
    std::string entry;                ///< the entry they belong to: "0/0"
    std::vector<std::string> guards;  ///< guards with another value in the next entry
  };
  std::vector<PrintedGuards> printed;  ///< complete compilations
  /// By rank and compile id without its attempt; the first of each.
  std::map<std::pair<int32_t, std::string>, Change> changes;
  size_t kept_bytes = 0;  ///< over all EntryGuards that wait for the next entry
};

/// Parses one of these lines; false for any other:
///
///   create_symbol s77 = 5 for L['x'].size()[0] [2, int_oo] return x + 1  # m.py:6 in f (...
///   create_unbacked_symint u0 [-int_oo, int_oo] n = x.item()  # m.py:9 in f (...
///   eval Eq(s77, 6) [guard added] if x.shape[0] == 6:  # m.py:10 in f (...
///   set_replacement s77 = 6 (range_refined_to_singleton) VR[6, 6]
///
/// A replacement by anything other than a number repeats a guard that was added, and is not parsed.
///
/// Source: torch/fx/experimental/symbolic_shapes.py, 2.2 to 2.13.
bool ParseSymbolLine(std::string_view text, StringPool& strings, SymbolFact& fact);

/// Reads three forms:
///
///   TREE_GUARD_MANAGER:               2.5 and later: a tree, as GuardTreeCounter counts it
///   +- RootGuardManager
///   Guard eval latency = 69.72 us     2.7 and later: how long those guards took
///   GUARDS:                           2.1 to 2.4: followed by one guard per line; only their
///   number
///   ___check_type_id(L['x'], 9440)    is kept, because their kinds are not printed
///
/// 2.5 and later also print "GUARDS:", followed by parts of guards that are in the tree as well: it
/// is skipped there. A truncated tree counts as far as it goes.
///
/// Lines of guards do not name the compiled function. Other records of the process do, by the frame
/// in their compile id; a function is taken from them only if the frame cannot have become a
/// different one in between (torch._dynamo.reset() restarts the numbering).
class ProcessGuards {
 public:
  /// Adds to `prints`, which outlives this. `keeps_texts`: also keeps the texts of guards.
  ProcessGuards(Session& session, GuardPrints& prints, bool keeps_texts)
      : session_(session), prints_(prints), keeps_texts_(keeps_texts) {}

  /// A line of the process with torch's prefix, whose full text is `head`. True: it is about
  /// guards.
  bool OnPrefixed(const LogPrefix& prefix, std::string_view head, std::string_view text,
                  const RecordOrigin& origin);

  /// A line without a prefix. True: it is about guards.
  bool OnBare(std::string_view text, const RecordOrigin& origin);

  /// A line of TORCH_LOGS=dynamic. False: another line.
  bool OnSymbolLine(std::string_view text, std::string_view compile_id, const RecordOrigin& origin);

  /// A record names the function that was compiled as `compile_id`.
  void NoteFunction(std::string_view compile_id, std::string_view function, const CodePlace& place);

  /// Closes what is open.
  void Finish();

  /// The same in a copy of the session, with `prints` as a copy of what was read so far.
  std::unique_ptr<ProcessGuards> CopyInto(Session& session, GuardPrints& prints) const;

  /// Whether `text`, without its prefix, may begin guards.
  static bool IsHead(std::string_view text);

  /// Whether `text`, without its prefix, may be a line for OnSymbolLine.
  static bool IsSymbolLine(std::string_view text);

  /// Whether a line with a prefix may be about guards, or name a frame that has some.
  static bool MayBegin(std::string_view text);

 private:
  /// The state of the compilations that share a frame number.
  struct Frame {
    StoredPlace place;
    bool is_named = false;
    uint64_t named_by = 0;        ///< number of the compilation whose record named it
    bool has_guards = false;      ///< guards were printed
    uint64_t latest = 0;          ///< number of the compilation whose guards were printed last
    std::vector<size_t> unnamed;  ///< indices into `printed` of entries that may still get a name
    EntryGuards entry;            ///< the guards that were printed last, for the next entry
  };

  bool ReadHead(std::string_view text, std::string_view compile_id, std::string_view head,
                bool goes_on, const RecordOrigin& origin);
  void Open(std::string_view head, std::string_view compile_id, const RecordOrigin& origin);
  void Close();
  void AddTreeLine(std::string_view text);
  void AddGuard(std::string_view guard);
  void TakeUserPlace(std::string_view guard);
  void CloseSymbols();
  void NameGuards(PrintedGuards& guards);
  void CompareOpen();
  PrintedGuards NewGuards(std::string_view compile_id, const RecordOrigin& origin);
  Frame* FrameFor(std::string_view compile_id);

  Session& session_;
  GuardPrints& prints_;
  const bool keeps_texts_;
  PrintedGuards open_;
  std::optional<GuardTreeCounter> tree_;  // of open_, unless it is a list
  std::optional<GuardTextReader> texts_;  // of open_
  PrintedGuards symbols_;                 // of a compilation before its guards
  EntryGuards entry_;                     // of open_
  std::string head_;                      // whole prefix of its first line
  uint32_t list_size_ = 0;
  uint32_t guards_looked_at_ = 0;  // in search of a place in user code
  bool is_open_ = false;
  bool takes_bare_ = false;
  size_t latest_ = SIZE_MAX;  // index into `printed` of the entry whose latency may follow
  std::map<std::string, Frame, std::less<>> frames_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PROCESS_GUARDS_H_
