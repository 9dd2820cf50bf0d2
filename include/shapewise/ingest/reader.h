// From paths to a Session full of events.

#ifndef SHAPEWISE_INGEST_READER_H_
#define SHAPEWISE_INGEST_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

class Redactor;

/// What to read beyond what every run is read for.
struct ReadOptions {
  bool keep_phases = false;      ///< spans of the phases of each compilation, for a timeline
  bool step_prints = false;      ///< step times from the prints of the program itself
  bool guard_texts = false;      ///< the guards of each compilation, not only their number
  Redactor* redactor = nullptr;  ///< rewrites all texts once they are read; null: they stay
  unsigned jobs = 0;             ///< threads; 0: as many as the machine has
  /// Takes a message for each input that ReadInputs leaves out because it repeats another; null: no
  /// messages.
  std::vector<std::string>* notes = nullptr;
};

/// Reads every file that `paths` name ("-" is standard input; folders are walked) into `session`,
/// then sorts its events. Several files are read side by side, and tell the same as one by one. An
/// input in which nothing is recognised keeps an empty Input::format. A file that is named twice is
/// read once, and so are a log and its compressed copy (run.log, run.log.gz) if their texts are
/// equal.
///
/// Returns one message for each path that does not exist, cannot be opened, or breaks off while it
/// is read, in their order. What was read before such a failure stays in the session.
std::vector<std::string> ReadInputs(const std::vector<std::string>& paths, FileSource& files,
                                    Session& session, const ReadOptions& options = {});

/// Whether messages of PyTorch are printed into inputs of the format called `format`, as
/// Input::format has it; false for what is no format.
bool HoldsMessages(std::string_view format);

/// Reads one input from memory, cut into `chunks`, as ReadInputs would read it from a pipe.
void ReadInputFromChunks(const std::string& name, const std::vector<std::string_view>& chunks,
                         Session& session, const ReadOptions& options = {});

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_READER_H_
