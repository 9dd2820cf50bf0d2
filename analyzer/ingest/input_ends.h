// The tracebacks at the ends of inputs.

#ifndef SHAPEWISE_INGEST_INPUT_ENDS_H_
#define SHAPEWISE_INGEST_INPUT_ENDS_H_

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "support/text_input.h"

namespace shapewise {

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

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_INPUT_ENDS_H_
