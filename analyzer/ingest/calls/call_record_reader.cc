#include "shapewise/ingest/call_record_reader.h"

#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/calls/call_record_lines.h"
#include "ingest/calls/record_values.h"
#include "ingest/calls/scenario_policy.h"
#include "ingest/calls/whole_lines.h"
#include "ingest/json_fields.h"
#include "llvm/ADT/StringMap.h"
#include "shapewise/ingest/redacted_lines.h"
#include "shapewise/redact/redact_calls.h"

namespace shapewise {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMaxRecordedFunctions = 4096;
constexpr int64_t kMaxTimes = int64_t{1} << 24;
constexpr uint64_t kMaxCalls = uint64_t{1} << 27;  // of all functions: 1 GiB
constexpr const char* kTooManyCalls = "there are more calls than can be held";
constexpr const char* kTooManyFunctions = "there are more than 4096 functions";
constexpr const char* kDiffering = "'policy', which differs between its torch.compile calls,";

// Programs repeat themselves: a line that came before need not be parsed again.
constexpr size_t kMaxKeptLines = 8192;
constexpr size_t kMaxKeptLine = 4096;  // bytes

/// A function whose calls are being gathered.
struct OpenFunction {
  explicit OpenFunction(RecordedFunction& recorded)
      : function(recorded), builder(recorded.history) {}

  RecordedFunction& function;
  CallHistoryBuilder builder;
  bool has_policies = false;  ///< its torch.compile calls have policies that differ
};

/// What a line says that came before: the same again.
struct Repeat {
  OpenFunction* function;
  RecordedCall call;
  uint64_t times;
  bool is_ordered;
};

/// Takes lines for call records.
class CallRecordSink final : public CallRecordLines, private WholeLines {
 public:
  explicit CallRecordSink(RecordedFunctions& functions, Redactor* redactor = nullptr)
      : functions_(functions), first_(functions.size()), redactor_(redactor) {}

  LineSink& lines() override { return *this; }
  JsonLineTotals& totals() override { return totals_; }

  void Finish() override {
    for (auto& [key, open] : open_) open->builder.Finish();
    if (redactor_ != nullptr) {
      // In the order of the input, not in that of names.
      for (size_t i = first_; i < functions_.size(); ++i) RedactCalls(*redactor_, *functions_[i]);
      RedactTotals(*redactor_, totals_);
    }
    for (auto& [key, open] : open_) {
      if (open->has_policies) open->function.policy->unknown_options.emplace_back(kDiffering);
    }
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    totals_.NoteLine(text);
    if (const auto known = lines_.find(llvm::StringRef(text.data(), text.size()));
        known != lines_.end()) {
      const Repeat& repeat = known->second;
      if (!HasRoom(repeat.times) ||
          !repeat.function->builder.RepeatCall(repeat.call, repeat.times)) {
        return totals_.NoteDamage(line, kTooManyCalls);
      }
      if (!repeat.is_ordered) repeat.function->function.unordered_calls += repeat.times;
      ++totals_.records;
      return;
    }
    element json;
    object fields;
    if (!parser_.Parse(text, json)) return totals_.NoteDamage(line, "it is no JSON");
    if (json.get(fields) != simdjson::SUCCESS) {
      return totals_.NoteDamage(line, "it is no JSON object");
    }
    std::string why = ReadRecord(text, fields);
    if (!why.empty()) {
      totals_.NoteDamage(line, std::move(why));
    } else {
      ++totals_.records;
    }
  }

  void OnTooLong(uint64_t line) override { totals_.NoteDamage(line, "it is longer than 1 GiB"); }

  using Key = std::tuple<int32_t, std::string, std::string, uint32_t>;

  /// Empty, or what can't be read.
  std::string ReadRecord(std::string_view text, object json) {
    if (const std::string_view schema = JsonText(json, "schema"); !schema.empty()) {
      if (schema != kCallRecordsSchema) {
        return "its schema is not " + std::string(kCallRecordsSchema);
      }
      if (!JsonField(json, "inputs")) return {};
    }
    if (const std::optional<object> dropped = JsonObject(json, "dropped")) {
      const int64_t calls = JsonInt(*dropped, "calls").value_or(-1);
      if (calls < 0) return "dropped tells no number of calls";
      OpenFunction* open = Find(json);
      if (open == nullptr) return kTooManyFunctions;
      open->function.dropped_calls += static_cast<uint64_t>(calls);
      return {};
    }
    const std::optional<object> inputs = JsonObject(json, "inputs");
    if (!inputs) return "it has no inputs";
    RecordedCall call;
    const int64_t wrapper = JsonInt(json, "wrapper").value_or(0);
    if (wrapper < 0 || wrapper > UINT16_MAX) return "wrapper is no small number";
    call.wrapper = static_cast<uint16_t>(wrapper);
    if (const std::string_view name = JsonText(json, "stance"); !name.empty()) {
      const std::optional<Stance> stance = StanceNamed(name);
      if (!stance) return "stance '" + std::string(name) + "' is not known";
      call.stance = *stance;
    }
    const int64_t times = JsonInt(json, "times").value_or(1);
    if (times < 1 || times > kMaxTimes) return "times is no number from 1 to 16777216";
    if (!HasRoom(static_cast<uint64_t>(times))) return kTooManyCalls;
    OpenFunction* open = Find(json);
    if (open == nullptr) return kTooManyFunctions;
    RecordValues values(open->builder);
    for (const auto& [name, value] : *inputs) {
      if (values.Read(name, value)) continue;
      open->builder.DropCall();
      return "inputs: " + values.why();
    }
    if (const std::optional<object> policy = JsonObject(json, "policy")) {
      AddPolicy(ReadScenarioPolicy(*policy).policy, *open);
    }
    const bool is_ordered = !JsonIsFalse(json, "order");
    if (JsonIsFalse(json, "compiled")) open->function.is_compiled = false;
    const StrId state = open->builder.strings().Intern(StateOf(json));
    if (!open->builder.EndCall(call, state, static_cast<uint64_t>(times))) {
      return kTooManyCalls;
    }
    if (!is_ordered) open->function.unordered_calls += static_cast<uint64_t>(times);
    if (text.size() <= kMaxKeptLine && lines_.size() < kMaxKeptLines) {
      lines_.try_emplace(llvm::StringRef(text.data(), text.size()),
                         Repeat{open, open->function.history.calls.back(),
                                static_cast<uint64_t>(times), is_ordered});
    }
    return {};
  }

  /// A policy is that of all torch.compile calls of a function; where they differ, what follows
  /// from it is not certain.
  static void AddPolicy(CompilePolicy policy, OpenFunction& open) {
    std::optional<CompilePolicy>& known = open.function.policy;
    if (!known) {
      known = std::move(policy);
    } else if (policy != *known) {
      open.has_policies = true;
    }
  }

  static bool JsonIsFalse(object json, std::string_view name) {
    const std::optional<element> value = JsonField(json, name);
    bool is_true = true;
    return value && value->get(is_true) == simdjson::SUCCESS && !is_true;
  }

  /// Counts `times` calls; false, and nothing counted, if they are too many.
  bool HasRoom(uint64_t times) {
    if (times > kMaxCalls - num_calls_) return false;
    num_calls_ += times;
    return true;
  }

  /// "grad=off", "inference", and what else "state" tells.
  static std::string StateOf(object json) {
    const std::string_view grad = JsonText(json, "grad");
    std::string state;
    if (grad == "off") state = "grad=off";
    if (grad == "inference") state = "inference";
    if (const std::string_view other = JsonText(json, "state"); !other.empty()) {
      state += (state.empty() ? "" : "; ") + std::string(other);
    }
    return state;
  }

  OpenFunction* Find(object json) {
    const auto rank = static_cast<int32_t>(JsonInt(json, "rank").value_or(-1));
    const auto line = static_cast<uint32_t>(JsonInt(json, "line").value_or(0));
    Key key(rank, JsonText(json, "function"), JsonText(json, "file"), line);
    if (const auto known = open_.find(key); known != open_.end()) return known->second.get();
    if (open_.size() == kMaxRecordedFunctions) return nullptr;
    RecordedFunction& function = *functions_.emplace_back(std::make_unique<RecordedFunction>());
    function.rank = rank;
    function.function = std::get<1>(key);
    function.file = std::get<2>(key);
    function.line = line;
    return open_.emplace(std::move(key), std::make_unique<OpenFunction>(function))
        .first->second.get();
  }

  RecordedFunctions& functions_;
  const size_t first_;  // of the functions that are read here
  Redactor* const redactor_;
  std::map<Key, std::unique_ptr<OpenFunction>> open_;
  llvm::StringMap<Repeat> lines_;
  uint64_t num_calls_ = 0;
  JsonParser parser_;
  JsonLineTotals totals_;
};

}  // namespace

std::unique_ptr<CallRecordLines> NewCallRecordLines(RecordedFunctions& functions) {
  return std::make_unique<CallRecordSink>(functions);
}

Expected<JsonLineTotals> ReadCallRecords(const std::string& path, FileSource& files,
                                         RecordedFunctions& functions, Redactor* redactor) {
  CallRecordSink sink(functions, redactor);
  Stats stats;
  TextTotals read;
  Error error = files.Read(path, sink.lines(), stats, 0, read);
  sink.Finish();
  if (error) return RedactedError(std::move(error), redactor);
  if (stats.count(Stat::archive_damaged).times > 0) {
    return RedactedError(MakeError(path + ": the archive is cut or damaged"), redactor);
  }
  return std::move(sink.totals());
}

}  // namespace shapewise
