// The inputs of one call record.

#ifndef SHAPEWISE_INGEST_CALLS_RECORD_VALUES_H_
#define SHAPEWISE_INGEST_CALLS_RECORD_VALUES_H_

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/call_history_builder.h"

namespace shapewise {

/// Tells a CallHistoryBuilder the inputs of one call.
class RecordValues {
 public:
  /// `builder` outlives this.
  explicit RecordValues(CallHistoryBuilder& builder) : builder_(builder) {}

  /// Sets what the input `name` holds. False: it can't be read, and why() says so.
  bool Read(std::string_view name, simdjson::dom::element json);

  const std::string& why() const { return why_; }

 private:
  bool ReadValue(uint32_t source, const std::string& text, simdjson::dom::element json);
  bool ReadObject(uint32_t source, const std::string& text, simdjson::dom::object json);
  bool ReadTensor(uint32_t source, simdjson::dom::object json);
  bool ReadItems(uint32_t source, const std::string& text, simdjson::dom::array items,
                 std::string_view kind);
  bool ReadKeys(uint32_t source, const std::string& text, simdjson::dom::object items);
  bool Fail(std::string why);

  CallHistoryBuilder& builder_;
  std::string why_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_RECORD_VALUES_H_
