#include "shapewise/ingest/scenario_reader.h"

#include <string_view>
#include <utility>

#include "ingest/calls/scenario_arguments.h"
#include "ingest/calls/scenario_policy.h"
#include "ingest/calls/whole_lines.h"
#include "ingest/json_fields.h"
#include "shapewise/ingest/redacted_lines.h"
#include "shapewise/redact/redact_calls.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// Reads the calls of one scenario.
class CallReader {
 public:
  CallReader(Scenario& scenario, const ScenarioPolicy& policy)
      : policy_(policy), builder_(scenario.history), arguments_(builder_, policy) {}

  /// Empty, or what can't be read.
  std::string Read(array names, array calls) {
    for (const element name : names) {
      std::string_view text;
      if (name.get(text) != simdjson::SUCCESS) return "argnames: not a list of names";
      names_.push_back(text);
    }
    for (const element call : calls) {
      object json;
      std::string why = call.get(json) == simdjson::SUCCESS ? ReadCall(json) : "no object";
      if (!why.empty()) return "calls[" + std::to_string(number_) + "]: " + std::move(why);
      ++number_;
    }
    builder_.Finish();
    return builder_.is_incomplete() ? "more calls or arguments than can be held" : "";
  }

 private:
  std::string ReadCall(object json) {
    RecordedCall call;
    StrId state = StrId::kNone;
    const std::optional<array> values = JsonArray(json, "args");
    if (!values) return "no args";
    size_t argument = 0;
    for (const element value : *values) {
      if (argument == names_.size()) break;  // as zip() does
      if (!arguments_.Read(names_[argument], value, number_)) {
        return "args[" + std::to_string(argument) + "]: " + arguments_.why();
      }
      ++argument;
    }
    const std::string_view grad = JsonText(json, "grad");
    if (grad == "off") {
      state = builder_.strings().Intern("grad=off");
    } else if (grad == "inference") {
      state = builder_.strings().Intern("inference");
    } else if (!grad.empty() && grad != "on") {
      return "grad '" + std::string(grad) + "' is not known";
    }
    const int64_t wrapper = JsonInt(json, "inst").value_or(0);
    if (wrapper < 0 || wrapper > UINT16_MAX) return "inst is no small number";
    call.wrapper = static_cast<uint16_t>(wrapper);
    if (const auto set = policy_.stances.find(number_); set != policy_.stances.end()) {
      stance_ = set->second;
    }
    call.stance = stance_;
    for (const auto& [key, value] : json) {
      if (key == "args" || key == "grad" || key == "inst") continue;
      return "'" + std::string(key) + "' is not known";
    }
    builder_.EndCall(call, state);
    return {};
  }

  const ScenarioPolicy& policy_;
  CallHistoryBuilder builder_;
  ScenarioArguments arguments_;
  std::vector<std::string_view> names_;
  Stance stance_ = Stance::kDefault;
  int64_t number_ = 0;  // of the call that is being read
};

/// Takes lines for scenarios.
class ScenarioSink final : public WholeLines {
 public:
  ScenarioSink(llvm::function_ref<void(const Scenario&)> handle, Redactor* redactor)
      : handle_(handle), redactor_(redactor) {}

  JsonLineTotals& totals() { return totals_; }

 protected:
  void OnLine(std::string_view text, uint64_t line) override {
    totals_.NoteLine(text);
    element json;
    object fields;
    if (!parser_.Parse(text, json)) return totals_.NoteDamage(line, "it is no JSON");
    if (json.get(fields) != simdjson::SUCCESS)
      return totals_.NoteDamage(line, "it is no JSON object");
    Scenario scenario;
    scenario.line = line;
    scenario.id = JsonText(fields, "id");
    if (scenario.id.empty()) return totals_.NoteDamage(line, "it has no id");
    scenario.function = JsonText(fields, "fn");
    scenario.category = JsonText(fields, "category");
    scenario.damage = Fill(fields, scenario);
    if (!scenario.damage.empty()) totals_.NoteDamage(line, scenario.damage);
    ++totals_.records;
    if (redactor_ != nullptr) Redact(scenario);
    handle_(scenario);
  }

  void OnTooLong(uint64_t line) override { totals_.NoteDamage(line, "it is longer than 1 GiB"); }

 private:
  void Redact(Scenario& scenario) const {
    scenario.id = redactor_->Rewrite(TextKind::kExpression, scenario.id);
    scenario.function = redactor_->Rewrite(TextKind::kExpression, scenario.function);
    RedactHistory(*redactor_, scenario.history);
    RedactPolicy(*redactor_, scenario.policy);
    scenario.damage = redactor_->Rewrite(TextKind::kProse, scenario.damage);
  }

  static std::string Fill(object fields, Scenario& scenario) {
    ScenarioPolicy policy;
    if (const std::optional<object> json = JsonObject(fields, "policy")) {
      policy = ReadScenarioPolicy(*json);
    } else if (JsonField(fields, "policy")) {
      return "its policy is no object";
    }
    scenario.policy = policy.policy;
    const std::optional<array> names = JsonArray(fields, "argnames");
    const std::optional<array> calls = JsonArray(fields, "calls");
    if (!names) return "it has no argnames";
    if (!calls) return "it has no calls";
    return CallReader(scenario, policy).Read(*names, *calls);
  }

  llvm::function_ref<void(const Scenario&)> handle_;
  Redactor* const redactor_;
  JsonParser parser_;
  JsonLineTotals totals_;
};

}  // namespace

Expected<JsonLineTotals> ReadScenarios(const std::string& path, FileSource& files,
                                       llvm::function_ref<void(const Scenario&)> handle,
                                       Redactor* redactor) {
  ScenarioSink sink(handle, redactor);
  Stats stats;
  TextTotals read;
  Error error = files.Read(path, sink, stats, 0, read);
  if (redactor != nullptr) RedactTotals(*redactor, sink.totals());
  if (error) return RedactedError(std::move(error), redactor);
  if (stats.count(Stat::archive_damaged).times > 0) {
    return RedactedError(
        MakeError(path + ": the archive is cut or damaged; what could be read of it was answered"),
        redactor);
  }
  return std::move(sink.totals());
}

}  // namespace shapewise
