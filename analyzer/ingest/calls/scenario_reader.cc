#include "ingest/call_record_reader.h"

#include <string_view>
#include <utility>

#include "ingest/calls/json_values.h"
#include "ingest/json_line_totals.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "redact/redact.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr int64_t kOffsetOfLayout = 3;  // for the layout "off"

/// Strides of the scenarios' layouts. Doubling a size makes the strides before it look as if the
/// tensor were a slice of a wider one.
std::vector<int64_t> StridesOf(std::string_view layout, const std::vector<int64_t>& sizes) {
  const size_t dims = sizes.size();
  std::vector<int64_t> like = sizes;
  if (layout == "t" && dims >= 2) {
    std::swap(like[dims - 1], like[dims - 2]);
    std::vector<int64_t> strides = ContiguousStrides(like);
    std::swap(strides[dims - 1], strides[dims - 2]);
    return strides;
  }
  if (layout == "s2" && dims >= 1) {
    if (__builtin_mul_overflow(like.back(), int64_t{2}, &like.back())) like.back() = INT64_MAX;
    std::vector<int64_t> strides = ContiguousStrides(like);
    strides.back() = 2;
    return strides;
  }
  return ContiguousStrides(sizes);
}

/// Sets the arguments of one call after the other.
class ScenarioArguments final : public JsonValues {
 public:
  /// Both outlive this.
  ScenarioArguments(CallHistoryBuilder& builder, const ScenarioPolicy& policy)
      : JsonValues(builder), policy_(policy) {}

  /// Sets the argument `name` of call number `call`. False: why() gives the reason.
  bool Read(std::string_view name, element json, int64_t call) {
    argument_ = name;
    call_ = call;
    const std::string text = SourceOfKey("L", name);
    return ReadValue(builder_.Source(CallHistoryBuilder::kNoParent, text), text, json);
  }

 private:
  bool ReadValue(uint32_t source, const std::string& text, element json) override {
    const auto value = JsonAs<object>(json);
    if (!value) return Fail("an argument is no object");
    const std::string_view kind = JsonText(*value, "k");
    if (kind == "T" || kind == "ids") return ReadTensor(source, *value, kind);
    if (kind != "list" && kind != "tuple" && kind != "dict") return ReadPlain(source, *value, kind);
    argument_ = {};
    if (kind == "dict") {
      const std::optional<object> items = JsonObject(*value, "v");
      return items ? ReadKeys(source, text, *items) : Fail("a dict without items");
    }
    const std::optional<array> items = JsonArray(*value, "v");
    return items ? ReadItems(source, text, *items, kind)
                 : Fail("a " + std::string(kind) + " without items");
  }

  bool ReadTensor(uint32_t source, object json, std::string_view kind) {
    const std::optional<element> shape = JsonField(json, "shape");
    if (!shape || !shape->is_array()) return Fail("a tensor without a shape");
    const auto sizes = JsonInts(*shape);
    if (!sizes || llvm::any_of(*sizes, [](int64_t size) { return size < 0; })) {
      return Fail("a size that is no number");
    }
    if (sizes->size() > TensorValue::kMaxDims) return Fail("a tensor of more than 64 dims");
    TensorValue tensor;
    tensor.sizes = *sizes;
    Pad(tensor.sizes);
    const bool is_ids = kind == "ids";
    const std::string_view dtype = is_ids ? "int64" : JsonText(json, "dtype");
    const std::string_view layout = is_ids ? "" : JsonText(json, "layout");
    if (!IsOneOf(layout, {"", "c", "t", "s2", "off"})) {
      return Fail("layout '" + std::string(layout) + "' is not known");
    }
    tensor.dtype = Intern("torch." + std::string(dtype.empty() ? "float32" : dtype));
    tensor.device = Intern("cpu");
    tensor.requires_grad = !is_ids && JsonIsTrue(json, "rg");
    tensor.has_layout = true;
    tensor.strides = StridesOf(layout, tensor.sizes);
    tensor.storage_offset = layout == "off" ? kOffsetOfLayout : 0;
    tensor.marks = Marks(tensor.sizes.size());
    builder_.SetTensor(source, tensor);
    return true;
  }

  bool ReadPlain(uint32_t source, object json, std::string_view kind) {
    using Kind = CallValue::Kind;
    if (kind == "none") return SetPlain(source, Kind::kNone, {});
    const std::optional<element> given = JsonField(json, "v");
    if (!given) return Fail("an argument of kind '" + std::string(kind) + "' without a value");
    const auto plain = llvm::StringSwitch<std::optional<Kind>>(kind)
                           .Case("int", Kind::kInt)
                           .Case("float", Kind::kFloat)
                           .Case("bool", Kind::kBool)
                           .Case("str", Kind::kStr)
                           .Default(std::nullopt);
    if (!plain) return Fail("argument kind '" + std::string(kind) + "' is not known");
    return SetPlain(source, *plain, *given) ||
           Fail("an argument of kind '" + std::string(kind) + "' with another value");
  }

  void Pad(std::vector<int64_t>& sizes) const {
    for (const ScenarioBuckets& buckets : policy_.buckets) {
      const auto dim = static_cast<size_t>(buckets.dim);
      if (buckets.argument != argument_ || dim >= sizes.size()) continue;
      std::optional<int64_t> least;
      for (const int64_t size : buckets.sizes) {
        if (size >= sizes[dim] && (!least || size < *least)) least = size;
      }
      if (least) sizes[dim] = *least;
    }
  }

  std::vector<DimMark> Marks(size_t dims) const {
    std::vector<DimMark> marks;
    for (const ScenarioMark& mark : policy_.marks) {
      if (mark.argument != argument_ || mark.mark.dim >= static_cast<int64_t>(dims)) continue;
      if (mark.calls && !llvm::is_contained(*mark.calls, call_)) continue;
      marks.push_back(mark.mark);
    }
    return marks;
  }

  const ScenarioPolicy& policy_;
  std::string_view argument_;  // being read; empty inside a container
  int64_t call_ = 0;
};

/// Reads the calls of one scenario.
class CallReader {
 public:
  CallReader(Scenario& scenario, const ScenarioPolicy& policy)
      : policy_(policy), builder_(scenario.history), arguments_(builder_, policy) {}

  /// Returns why it cannot be read; empty: it was.
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
  int64_t number_ = 0;  // of the call being read
};

/// Reads one scenario per line.
class ScenarioSink final : public JsonLines {
 public:
  ScenarioSink(llvm::function_ref<void(const Scenario&)> handle, Redactor* redactor,
               JsonLineTotals& totals)
      : JsonLines(totals), handle_(handle), redactor_(redactor) {}

 private:
  void OnObject(object fields, std::string_view, uint64_t line) override {
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
};

}  // namespace

Expected<JsonLineTotals> ReadScenarios(const std::string& path, FileSource& files,
                                       llvm::function_ref<void(const Scenario&)> handle,
                                       Redactor* redactor) {
  JsonLineTotals totals;
  ScenarioSink sink(handle, redactor, totals);
  Error error = ReadUndamaged(path, files, sink, "; what could be read of it was answered");
  if (redactor != nullptr) RedactTotals(*redactor, totals);
  if (error) return RedactedError(std::move(error), redactor);
  return totals;
}

}  // namespace shapewise
