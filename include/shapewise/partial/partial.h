// Partials: what was read of a part of a job, kept in a file, so that ranks and jobs can be read
// apart and told together. analyzer/docs/partials.md describes the file.

#ifndef SHAPEWISE_PARTIAL_PARTIAL_H_
#define SHAPEWISE_PARTIAL_PARTIAL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// What every partial begins with, once it is decompressed.
inline constexpr std::string_view kPartialHead = "{\"schema\":\"shapewise.partial/";

/// Writes everything that was read into `session`, which was sorted, to `out`, compressed. Equal
/// facts give equal bytes, whatever the ids in the session. Memory does not grow with the events.
void WritePartial(const Session& session, std::string_view tool_version, llvm::raw_ostream& out);

/// Puts the rows of one partial back into a session, as if the inputs it was made of had been read
/// there.
class PartialReader {
 public:
  /// Longer rows are none of ours; texts are cut into several.
  static constexpr size_t kMaxRowBytes = size_t{4} << 20;

  /// `input` is the index of the partial itself, the last one of `session`: the first input of the
  /// partial takes its place, the others follow.
  PartialReader(Session& session, uint32_t input);
  ~PartialReader();
  PartialReader(const PartialReader&) = delete;
  PartialReader& operator=(const PartialReader&) = delete;

  /// The next line, without its newline; `number` is 1-based. After a failure nothing more is read,
  /// what was read before stays.
  void ReadRow(std::string_view row, uint64_t number);

  /// No rows follow.
  void Finish();

  /// What is wrong with the file, such as "line 17 is damaged: ..."; empty if nothing is.
  const std::string& failure() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PARTIAL_PARTIAL_H_
