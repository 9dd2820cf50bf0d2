// Partials: data read from part of a job, stored in a file, so that ranks and jobs can be read
// separately and reported together. File format: analyzer/docs/partials.md.

#ifndef SHAPEWISE_PARTIAL_PARTIAL_H_
#define SHAPEWISE_PARTIAL_PARTIAL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "llvm/Support/raw_ostream.h"
#include "model/session.h"

namespace shapewise {

/// The first bytes of every partial, after decompression.
inline constexpr std::string_view kPartialHead = "{\"schema\":\"shapewise.partial/";

/// Writes the sorted `session` to `out`, compressed. Equal facts give equal bytes, whatever the ids
/// in the session. Memory does not grow with the number of events.
void WritePartial(const Session& session, std::string_view tool_version, llvm::raw_ostream& out);

/// Restores the rows of one partial into a session, as if its inputs had been read there.
class PartialReader {
 public:
  /// We never write longer rows; long texts are split.
  static constexpr size_t kMaxRowBytes = size_t{4} << 20;

  /// `input` is the index of the partial itself, the last one of `session`: it is replaced by the
  /// first input of the partial; the others follow.
  PartialReader(Session& session, uint32_t input);
  ~PartialReader();
  PartialReader(const PartialReader&) = delete;
  PartialReader& operator=(const PartialReader&) = delete;

  /// Reads the next line, without its newline; `number` is 1-based. After a failure the rest is
  /// ignored, and rows before it are kept.
  void ReadRow(std::string_view row, uint64_t number);

  /// Ends the partial.
  void Finish();

  /// The error in the file, such as "line 17 is damaged: ..."; empty: none.
  const std::string& failure() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PARTIAL_PARTIAL_H_
