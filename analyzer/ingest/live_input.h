// Reads an input that is still growing.

#ifndef SHAPEWISE_INGEST_LIVE_INPUT_H_
#define SHAPEWISE_INGEST_LIVE_INPUT_H_

#include <memory>
#include <string>
#include <string_view>

#include "ingest/reader.h"
#include "model/session.h"

namespace shapewise {

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

#endif  // SHAPEWISE_INGEST_LIVE_INPUT_H_
