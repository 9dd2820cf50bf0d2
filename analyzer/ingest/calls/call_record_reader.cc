#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/call_record_reader.h"
#include "ingest/calls/json_values.h"
#include "ingest/json_fields.h"
#include "ingest/json_line_totals.h"
#include "ingest/log_format.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/StringMap.h"
#include "model/source_ref.h"
#include "redact/redact.h"

namespace shapewise {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMaxRecordedFunctions = 4096;
constexpr int64_t kMaxTimes = int64_t{1} << 24;
constexpr uint64_t kMaxCalls = uint64_t{1} << 27;  // of all functions: 1 GiB
constexpr const char* kTooManyCalls = "there are more calls than can be held";
constexpr const char* kTooManyFunctions = "there are more than 4096 functions";
constexpr const char* kDiffering = "'policy', which differs between its torch.compile calls,";

// Programs repeat themselves: a line that was seen before need not be parsed again.
constexpr size_t kMaxKeptLines = 8192;
constexpr size_t kMaxKeptLine = 4096;  // bytes

/// Sets the inputs of one call after the other.
class RecordValues final : public JsonValues {
 public:
  /// `builder` outlives this.
  explicit RecordValues(CallHistoryBuilder& builder) : JsonValues(builder) {}

  /// Sets the input `name`. False: why() gives the reason.
  bool Read(std::string_view name, element json) {
    const std::string text = DynamoSource(name);
    return ReadValue(builder_.Source(CallHistoryBuilder::kNoParent, text), text, json);
  }

 private:
  using Kind = CallValue::Kind;

  bool ReadValue(uint32_t source, const std::string& text, element json) override {
    switch (json.type()) {
      case simdjson::dom::element_type::OBJECT:
        return ReadObject(source, text, *JsonAs<object>(json));
      case simdjson::dom::element_type::NULL_VALUE:
        return SetPlain(source, Kind::kNone, json);
      case simdjson::dom::element_type::BOOL:
        return SetPlain(source, Kind::kBool, json);
      case simdjson::dom::element_type::INT64:
        return SetPlain(source, Kind::kInt, json);
      case simdjson::dom::element_type::DOUBLE:
        return SetPlain(source, Kind::kFloat, json);
      case simdjson::dom::element_type::STRING:
        return SetPlain(source, Kind::kStr, json);
      default:
        return Fail(text + ": neither a value nor an object");
    }
  }

  bool ReadObject(uint32_t source, const std::string& text, object json) {
    if (JsonField(json, "size")) return ReadTensor(source, json) || Fail(text + ": " + why());
    for (const std::string_view kind : {"list", "tuple"}) {
      if (const auto items = JsonArray(json, kind)) return ReadItems(source, text, *items, kind);
    }
    if (const auto items = JsonObject(json, "dict")) return ReadKeys(source, text, *items);
    CallValue value;
    // "nan", "inf" and "-inf" are no JSON numbers.
    if (const auto number = ParseNumber<double>(JsonText(json, "float"))) {
      value.kind = Kind::kFloat;
      value.number = *number;
    } else if (const std::string_view opaque = JsonText(json, "opaque"); !opaque.empty()) {
      value.kind = Kind::kOpaque;
      value.text = Intern(opaque);
    } else if (JsonIsTrue(json, "unknown")) {
      value.kind = Kind::kUnknown;
    } else {
      return Fail(text +
                  ": an object with none of size, list, tuple, dict, float, opaque, unknown");
    }
    builder_.Set(source, value);
    return true;
  }

  bool ReadTensor(uint32_t source, object json) {
    TensorValue tensor;
    std::optional<std::vector<int64_t>> sizes = ReadSizes(json, "size");
    if (!sizes) return Fail("size is no list of sizes");
    if (sizes->size() > TensorValue::kMaxDims) return Fail("a tensor of more than 64 dims");
    tensor.sizes = std::move(*sizes);
    tensor.strides = ContiguousStrides(tensor.sizes);
    if (JsonArray(json, "stride")) {
      std::optional<std::vector<int64_t>> strides = ReadSizes(json, "stride");
      if (!strides || strides->size() != tensor.sizes.size()) {
        return Fail("stride does not fit size");
      }
      tensor.strides = std::move(*strides);
      tensor.has_layout = true;
    }
    tensor.storage_offset = JsonInt(json, "offset").value_or(0);
    if (const std::string_view dtype = JsonText(json, "dtype"); !dtype.empty()) {
      const bool is_short = dtype.find('.') == std::string_view::npos;
      tensor.dtype = Intern((is_short ? "torch." : "") + std::string(dtype));
    }
    tensor.device = Intern(JsonText(json, "device"));
    const std::string_view type = JsonText(json, "type");
    if (type != "Tensor") tensor.type = Intern(type);
    tensor.keys = Intern(JsonText(json, "keys"));
    tensor.requires_grad = JsonIsTrue(json, "requires_grad");
    const int64_t same = JsonInt(json, "object").value_or(0);
    if (same < 0 || same > UINT32_MAX) return Fail("object is no small number");
    tensor.object = static_cast<uint32_t>(same);
    if (const auto marks = JsonArray(json, "marks")) {
      for (const element entry : *marks) {
        const auto fields = JsonAs<object>(entry);
        if (!fields) return Fail("a mark is no object");
        const std::optional<DimMark> mark = ReadDimMark(*fields);
        if (!mark) return Fail("a mark has no dim, or a kind that is not known");
        tensor.marks.push_back(*mark);
      }
    }
    builder_.SetTensor(source, tensor);
    return true;
  }

  /// Sizes or strides; absent: one of them is no number, or negative.
  static std::optional<std::vector<int64_t>> ReadSizes(object json, std::string_view key) {
    const auto list = JsonField(json, key);
    auto sizes = list ? JsonInts(*list) : std::nullopt;
    const auto is_negative = [](int64_t size) { return size < 0; };
    return sizes && std::ranges::any_of(*sizes, is_negative) ? std::nullopt : sizes;
  }
};

/// A function whose calls are being collected.
struct OpenFunction {
  explicit OpenFunction(RecordedFunction& recorded)
      : function(recorded), builder(recorded.history) {}

  RecordedFunction& function;
  CallHistoryBuilder builder;
  bool has_policies = false;  ///< its torch.compile calls have different policies
};

/// The result of parsing a line, for reuse if the line repeats.
struct Repeat {
  OpenFunction* function;
  RecordedCall call;
  uint64_t times;
  bool is_ordered;
};

/// Reads one call per line.
class CallRecordSink final : public CallRecordLines {
 public:
  CallRecordSink(RecordedFunctions& functions, JsonLineTotals& totals, Redactor* redactor)
      : CallRecordLines(totals),
        functions_(functions),
        first_(functions.size()),
        redactor_(redactor) {}

  void Finish() override {
    for (auto& [key, open] : open_) open->builder.Finish();
    if (redactor_ != nullptr) {
      // In the order of the input, not of the names.
      for (size_t i = first_; i < functions_.size(); ++i) RedactCalls(*redactor_, *functions_[i]);
      RedactTotals(*redactor_, totals_);
    }
    for (auto& [key, open] : open_) {
      if (open->has_policies) open->function.policy->unknown_options.emplace_back(kDiffering);
    }
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    const auto known = lines_.find(llvm::StringRef(text.data(), text.size()));
    if (known == lines_.end()) return JsonLines::OnLine(text, line);
    const Repeat& repeat = known->second;
    if (!HasRoom(repeat.times) || !repeat.function->builder.RepeatCall(repeat.call, repeat.times)) {
      return totals_.NoteDamage(line, kTooManyCalls);
    }
    if (!repeat.is_ordered) repeat.function->function.unordered_calls += repeat.times;
    ++totals_.records;
  }

  void OnObject(object json, std::string_view text, uint64_t line) override {
    std::string why = ReadRecord(text, json);
    if (!why.empty()) return totals_.NoteDamage(line, std::move(why));
    ++totals_.records;
  }

  using Key = std::tuple<int32_t, std::string, std::string, uint32_t>;

  /// Returns why the record cannot be read; empty: it was.
  std::string ReadRecord(std::string_view text, object json) {
    if (const std::string_view schema = JsonText(json, "schema"); !schema.empty()) {
      if (schema != kCallRecordsSchema) {
        return "its schema is not " + std::string(kCallRecordsSchema);
      }
      if (!JsonField(json, "inputs")) return {};
    }
    if (const std::optional<object> dropped = JsonObject(json, "dropped")) {
      const int64_t calls = JsonInt(*dropped, "calls").value_or(-1);
      if (calls < 0) return "dropped has no number of calls";
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
    const bool is_ordered = JsonAs<bool>(json["order"]).value_or(true);
    if (!JsonAs<bool>(json["compiled"]).value_or(true)) open->function.is_compiled = false;
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

  /// A policy applies to all torch.compile calls of a function; if they differ, predictions are
  /// uncertain.
  static void AddPolicy(CompilePolicy policy, OpenFunction& open) {
    std::optional<CompilePolicy>& known = open.function.policy;
    if (!known) {
      known = std::move(policy);
    } else if (policy != *known) {
      open.has_policies = true;
    }
  }

  /// Counts `times` calls; returns false, without counting, if that is too many.
  bool HasRoom(uint64_t times) {
    if (times > kMaxCalls - num_calls_) return false;
    num_calls_ += times;
    return true;
  }

  /// "grad=off", "inference", and other modes in "state".
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
  const size_t first_;  // of the functions read from this input
  Redactor* const redactor_;
  std::map<Key, std::unique_ptr<OpenFunction>> open_;
  llvm::StringMap<Repeat> lines_;
  uint64_t num_calls_ = 0;
};

}  // namespace

std::unique_ptr<CallRecordLines> NewCallRecordLines(RecordedFunctions& functions,
                                                    JsonLineTotals& totals, Redactor* redactor) {
  return std::make_unique<CallRecordSink>(functions, totals, redactor);
}

Expected<JsonLineTotals> ReadCallRecords(const std::string& path, FileSource& files,
                                         RecordedFunctions& functions, Redactor* redactor) {
  JsonLineTotals totals;
  CallRecordSink sink(functions, totals, redactor);
  Error error = ReadUndamaged(path, files, sink);
  sink.Finish();
  if (error) return RedactedError(std::move(error), redactor);
  return totals;
}

namespace {

class CallRecordCounter final : public LogReader {
 public:
  CallRecordCounter(Session&, uint32_t) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    ForEachLine(lines, first_line, [&](std::string_view line, uint64_t) {
      if (!Trim(line).empty()) ++num_lines_;
    });
  }
  size_t OnPiece(std::string_view piece, uint64_t, bool is_first, bool) override {
    if (is_first) ++num_lines_;
    return piece.size();
  }
  void Finish() override {}
  uint64_t torch_lines() const override { return num_lines_; }

 private:
  uint64_t num_lines_ = 0;
};

/// A first line with the schema, as recorders write it. Records without it could also be output of
/// a program in its log.
bool SniffCallRecords(std::string_view head) {
  const std::string_view line = Trim(head.substr(0, head.find('\n')));
  JsonParser parser;
  simdjson::dom::object fields;
  return line.starts_with('{') && parser.Parse(line, fields) &&
         JsonText(fields, "schema") == kCallRecordsSchema;
}

}  // namespace

const LogFormat kCallRecordLogFormat{kCallRecordsFormat, SniffCallRecords,
                                     NewLogReader<CallRecordCounter>};

}  // namespace shapewise
