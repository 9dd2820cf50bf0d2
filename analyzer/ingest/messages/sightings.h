// What a log tells without saying it: a resume function means a break, an id N/1 a recompile.

#ifndef SHAPEWISE_INGEST_MESSAGES_SIGHTINGS_H_
#define SHAPEWISE_INGEST_MESSAGES_SIGHTINGS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "ingest/messages/parsers.h"
#include "ingest/messages/record.h"
#include "shapewise/model/session.h"
#include "shapewise/support/literal_set.h"

namespace shapewise {

/// A resume function's name taken apart: "torch_dynamo_resume_in_forward_at_11" is what is left of
/// `forward` behind its break at line 11.
struct PrintedResumeName {
  std::string_view function;  ///< the one that broke
  uint32_t line = 0;          ///< of the break; 0: older names do not say
  size_t begin = 0;           ///< where the whole name begins in its text
  size_t end = 0;
};

/// Finds the names of resume functions in a text, one after the other. 2.0: "<graph break in f>";
/// 2.2: "resume_in_f"; 2.3 and later as above, nested by repetition. Linear in the text for all of
/// its names together.
class ResumeNameScanner {
 public:
  explicit ResumeNameScanner(std::string_view text) : text_(text) {}

  /// Moves on to the next name; false at the end of the text.
  bool Next(PrintedResumeName& name);

 private:
  void FindNext();

  std::string_view text_;
  size_t from_ = 0;
  size_t next_ = 0;      // the next name of the newer spellings, once searched for
  size_t next_old_ = 0;  // the next "<graph break in "
  bool is_searched_ = false;
};

/// One of these is in every text that names a resume function.
const LiteralSet& ResumeNameLiterals();

/// Collects sightings of one input. Memory grows with the distinct functions and ids.
class Sightings {
 public:
  /// Notes every resume function named in `text`.
  void NoteResumeNames(std::string_view text, const RecordOrigin& origin);

  /// Notes the id of a line's own prefix, such as "0/1" or "0/1_2".
  void NoteCompileId(std::string_view compile_id, const RecordOrigin& origin);

  /// Adds the implied breaks and recompiles that no event of `input` accounts for. An implied break
  /// whose line is in the stack of a break that `memory` knows bears its place, an implied
  /// recompile what differs between printed guards as its reasons.
  void AddImpliedEvents(Session& session, uint32_t input, const ParseMemory& memory) const;

 private:
  struct Resume {
    RecordOrigin first;
    std::string file;
  };
  struct Id {
    RecordOrigin first;
  };
  std::map<std::tuple<int32_t, std::string, uint32_t>, Resume> resumes_;
  std::map<std::pair<int32_t, std::string>, Id> ids_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_SIGHTINGS_H_
