// The guards that one process prints into a log under TORCH_LOGS=guards.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PROCESS_GUARDS_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PROCESS_GUARDS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/torch_log/guard_changes.h"
#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/guard_tree.h"
#include "ingest/messages/frame_line.h"
#include "ingest/messages/record.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// Reads three forms:
///
///   TREE_GUARD_MANAGER:               2.5 and later: a tree, as GuardTreeCounter counts it
///   +- RootGuardManager
///   Guard eval latency = 69.72 us     2.7 and later: how long those guards took
///   GUARDS:                           2.1 to 2.4: behind it one guard a line; only their number is
///   ___check_type_id(L['x'], 9440)    kept, because nothing tells their kinds
///
/// 2.5 and later print "GUARDS:", too, and then parts of guards that stand in the tree as well:
/// there it is passed over. A tree that is cut counts as far as it goes.
///
/// No line of guards names the compiled function. Other records of the process do, by the frame in
/// their compile id; a function is taken from them only where the frame cannot have become another
/// one's in between (torch._dynamo.reset() begins to number anew).
class ProcessGuards {
 public:
  /// Whole compilations go to `printed`, what differs between them to `changes`; both outlive this.
  /// `keeps_texts`: the texts of guards, and what is printed of symbols, are kept as well.
  ProcessGuards(Session& session, std::vector<PrintedGuards>& printed, GuardChanges& changes,
                bool keeps_texts)
      : session_(session), printed_(printed), changes_(changes), keeps_texts_(keeps_texts) {}

  /// A line of the process with torch's prefix, which is `head` as a whole. True: it is one of
  /// guards.
  bool OnPrefixed(const LogPrefix& prefix, std::string_view head, std::string_view text,
                  const RecordOrigin& origin);

  /// A line without a prefix. True: it is one of guards.
  bool OnBare(std::string_view text, const RecordOrigin& origin);

  /// A record names the function whose compilation `compile_id` is.
  void NoteFunction(std::string_view compile_id, std::string_view function, const CodePlace& place);

  /// Ends what is under way.
  void Finish();

  /// The same in a copy of the session, with `printed` and `changes` as copies of what went there
  /// so far.
  std::unique_ptr<ProcessGuards> CopyInto(Session& session, std::vector<PrintedGuards>& printed,
                                          GuardChanges& changes) const;

  /// Whether `text`, without its prefix, may begin guards.
  static bool IsHead(std::string_view text);

  /// Whether a line with a prefix may say something of guards, or name a frame that has some.
  static bool MayBegin(std::string_view text);

  /// Keeps a line of TORCH_LOGS=dynamic. False: it is none.
  bool OnSymbolLine(std::string_view text, std::string_view compile_id, const RecordOrigin& origin);

 private:
  /// What is known of the compilations that share a frame number.
  struct Frame {
    StrId function{};
    StrId file{};
    uint32_t line = 0;
    bool is_named = false;
    uint64_t named_by = 0;        ///< number of the compilation whose record named it
    bool has_guards = false;      ///< some were printed
    uint64_t latest = 0;          ///< number of the compilation whose guards were printed last
    std::vector<size_t> unnamed;  ///< indices into printed_ that a name may still come for
    EntryGuards entry;            ///< the guards that were printed last, for the entry after it
  };

  void Open(std::string_view head, std::string_view compile_id, const RecordOrigin& origin);
  void Close();
  void AddGuard(std::string_view text);
  void KeepGuard(std::string_view guard);
  void TakeUserPlace(std::string_view guard);
  void TellSymbols();
  void NameOpen();
  void CompareOpen();
  bool ReadLatency(std::string_view text, std::string_view compile_id);
  Frame* FrameFor(std::string_view compile_id);

  Session& session_;
  std::vector<PrintedGuards>& printed_;
  GuardChanges& changes_;
  const bool keeps_texts_;
  PrintedGuards open_;
  std::optional<GuardTreeCounter> tree_;    // of open_, unless it is a list
  std::unique_ptr<GuardTextReader> texts_;  // of open_, if they are kept
  PrintedGuards symbols_;                   // what is told of a compilation before its guards
  EntryGuards entry_;                       // of open_
  std::string head_;                        // whole prefix of its first line
  uint32_t list_size_ = 0;
  uint32_t guards_looked_at_ = 0;  // for a place of the user's
  bool is_open_ = false;
  bool takes_bare_ = false;
  size_t latest_ = SIZE_MAX;  // index into printed_: whose latency may come
  std::map<std::string, Frame, std::less<>> frames_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_PROCESS_GUARDS_H_
