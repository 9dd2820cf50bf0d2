// An input that still grows.

#ifndef SHAPEWISE_INGEST_LIVE_INPUT_H_
#define SHAPEWISE_INGEST_LIVE_INPUT_H_

#include <memory>
#include <string>
#include <string_view>

#include "shapewise/ingest/reader.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// Reads what is appended, as ReadInputs would read it from a pipe, and can tell in between what
/// has come so far.
class LiveInput {
 public:
  /// Adds the input `name` to `session`, which must outlive this.
  LiveInput(const std::string& name, Session& session, const ReadOptions& options);
  ~LiveInput();
  LiveInput(const LiveInput&) = delete;
  LiveInput& operator=(const LiveInput&) = delete;

  /// The next bytes, cut anywhere.
  void Append(std::string_view bytes);

  /// Adds to `copy`, a copy of the session as it is, what the session does not hold yet: how much
  /// was read and, `with_open`, the records that may go on and what they imply, as if the input
  /// ended with the last whole line. (A format that cannot show these adds them in Finish only.)
  void ShowIn(Session& copy, bool with_open) const;

  /// Nothing follows. Called once, last.
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_LIVE_INPUT_H_
