// The arguments of one call of a scenario.

#ifndef SHAPEWISE_INGEST_CALLS_SCENARIO_ARGUMENTS_H_
#define SHAPEWISE_INGEST_CALLS_SCENARIO_ARGUMENTS_H_

#include <simdjson.h>

#include <string>
#include <string_view>

#include "ingest/calls/scenario_policy.h"
#include "shapewise/model/call_history_builder.h"

namespace shapewise {

/// Tells a CallHistoryBuilder the arguments of one call after the other.
class ScenarioArguments {
 public:
  /// Both outlive this.
  ScenarioArguments(CallHistoryBuilder& builder, const ScenarioPolicy& policy)
      : builder_(builder), policy_(policy) {}

  /// Sets what the argument `name` brings in call number `call`. False: it can't be read, and why()
  /// says so.
  bool Read(std::string_view name, simdjson::dom::element json, int64_t call);

  const std::string& why() const { return why_; }

 private:
  bool ReadValue(uint32_t source, const std::string& text, simdjson::dom::element json);
  bool ReadTensor(uint32_t source, simdjson::dom::object json, std::string_view kind);
  bool ReadPlain(uint32_t source, simdjson::dom::object json, std::string_view kind);
  bool ReadItems(uint32_t source, const std::string& text, simdjson::dom::object json,
                 std::string_view kind);
  bool ReadKeys(uint32_t source, const std::string& text, simdjson::dom::object json);
  bool Fail(std::string why);

  void Pad(std::vector<int64_t>& sizes) const;
  std::vector<DimMark> Marks(size_t dims) const;

  CallHistoryBuilder& builder_;
  const ScenarioPolicy& policy_;
  std::string_view argument_;  // being read; empty inside of a container
  int64_t call_ = 0;
  std::string why_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_SCENARIO_ARGUMENTS_H_
