// Reads files, and an input that is still growing, into a Session of events.

#ifndef SHAPEWISE_INGEST_READER_H_
#define SHAPEWISE_INGEST_READER_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"
#include "support/text_input.h"

namespace shapewise {

class InputEnds;
class Redactor;

/// Optional things to read.
struct ReadOptions {
  bool keep_phases = false;      ///< spans of the phases of each compilation, for a timeline
  bool step_prints = false;      ///< step times that the program itself prints
  bool guard_texts = false;      ///< the guards of each compilation, not only their number
  Redactor* redactor = nullptr;  ///< rewrites all texts; null: texts are kept
  unsigned jobs = 0;             ///< threads; 0: one per core
  /// Receives a message for each input that is skipped because it repeats another; null: no
  /// messages.
  std::vector<std::string>* notes = nullptr;
  InputEnds* ends = nullptr;  ///< receives the end of each input; null: ends are not kept
};

/// Reads every file in `paths` ("-" is standard input; folders are searched) into `session`, then
/// sorts its events. Files are read in parallel; the result does not depend on it. The
/// Input::format of an unrecognized input stays empty. A file that is named twice is read once, and
/// so are a log and its compressed copy (run.log, run.log.gz) if their texts are equal.
///
/// Returns one message, in order, for each path that does not exist, cannot be opened, or fails
/// while being read. Anything read before the failure is kept.
std::vector<std::string> ReadInputs(const std::vector<std::string>& paths, FileSource& files,
                                    Session& session, const ReadOptions& options = {});

/// Whether inputs of this Input::format contain messages printed by PyTorch; false for an unknown
/// format.
bool HoldsMessages(std::string_view format);

/// Reads one input from memory, split into `chunks`, as ReadInputs would read it from a pipe.
void ReadInputFromChunks(const std::string& name, const std::vector<std::string_view>& chunks,
                         Session& session, const ReadOptions& options = {});

/// The end of each input from its last Python traceback on, kept while the input is read: standard
/// input can be read only once. Inputs without a traceback take no memory. Thread-safe.
class InputEnds {
 public:
  /// A traceback and the message of its exception fit in this.
  static constexpr size_t kMaxBytes = size_t{1} << 16U;

  /// Keeps what `end`, the last text of the input `name`, has from its last traceback on.
  void Set(const std::string& name, std::string_view end);
  /// At most kMaxBytes; empty: the input has no traceback there.
  std::string Of(const std::string& name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> ends_;
};

/// Reads appended bytes as ReadInputs would read them from a pipe, and can show intermediate
/// results.
class LiveInput {
 public:
  /// Adds the input `name` to `session`, which must outlive this.
  LiveInput(const std::string& name, Session& session, const ReadOptions& options);
  ~LiveInput();
  LiveInput(const LiveInput&) = delete;
  LiveInput& operator=(const LiveInput&) = delete;

  /// Adds the next bytes, split anywhere.
  void Append(std::string_view bytes);

  /// Adds to `copy`, a copy of the session, what the session does not contain yet: the amount read
  /// and, with `open`, unfinished records and what they imply, as if the input ended with the last
  /// complete line. (Formats that cannot do this add them only in Finish.)
  void ShowIn(Session& copy, bool with_open) const;

  /// Ends the input. Call once, last.
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_READER_H_
