#include "pipeline/replay_plan.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ingest/graph_reader.h"
#include "model/call_history_builder.h"
#include "model/compile_number.h"
#include "model/graph_model.h"
#include "model/source_ref.h"
#include "support/enum_name.h"
#include "support/stats.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string Line(const OrderedJson& json) {
  // Texts are input bytes; "replace" turns invalid UTF-8 into U+FFFD.
  return json.dump(-1, ' ', /*ensure_ascii=*/false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string_view KindName(MarkKind value) {
  return EnumName<MarkKind::kUnbacked>(value, {"dynamic", "maybe", "static", "unbacked"});
}

OrderedJson MarkJson(const DimMark& mark) {
  OrderedJson json = {{"dim", mark.dim}, {"kind", KindName(mark.kind)}};
  if (mark.min) json["min"] = *mark.min;
  if (mark.max) json["max"] = *mark.max;
  return json;
}

/// Adds members of torch._dynamo.config with non-default values.
void AddConfig(const CompilePolicy& policy, OrderedJson& config) {
  const CompilePolicy usual;
  const auto add = [&](const char* name, auto member) {
    if (policy.*member != usual.*member) config[name] = policy.*member;
  };
  add("recompile_limit", &CompilePolicy::recompile_limit);
  add("accumulated_recompile_limit", &CompilePolicy::accumulated_recompile_limit);
  add("automatic_dynamic_shapes", &CompilePolicy::automatic_dynamic_shapes);
  add("automatic_dynamic_exclusion_guard", &CompilePolicy::automatic_dynamic_exclusion_guard);
  add("fail_on_recompile_limit_hit", &CompilePolicy::fail_on_recompile_limit_hit);
  add("error_on_recompile", &CompilePolicy::error_on_recompile);
  add("specialize_int", &CompilePolicy::specialize_int);
  add("specialize_float", &CompilePolicy::specialize_float);
  add("allow_unspec_int_on_nn_module", &CompilePolicy::allow_unspec_int_on_nn_module);
  add("force_parameter_static_shapes", &CompilePolicy::force_parameter_static_shapes);
  add("force_nn_module_property_static_shapes",
      &CompilePolicy::force_nn_module_property_static_shapes);
  add("allow_ignore_mark_dynamic", &CompilePolicy::allow_ignore_mark_dynamic);
  add("capture_scalar_outputs", &CompilePolicy::capture_scalar_outputs);
  add("capture_dynamic_output_shape_ops", &CompilePolicy::capture_dynamic_output_shape_ops);
  if (policy.automatic_dynamic_marks_unbacked) {
    config["automatic_dynamic_shapes_mark_as"] = "unbacked";
  }
}

std::string_view WayName(SizeWay value) {
  return EnumName<SizeWay::kEager>(value, {"static", "dynamic", "aligned", "range", "eager"});
}

/// A number in its shortest form: -100 instead of -100.0.
OrderedJson FillJson(double fill) {
  constexpr double kMostWhole = 1e15;
  const bool is_whole = std::abs(fill) <= kMostWhole && fill == std::trunc(fill);
  return is_whole ? OrderedJson(static_cast<int64_t>(fill)) : OrderedJson(fill);
}

OrderedJson DimJson(const PolicyDim& dim) {
  OrderedJson json = {{"arg", NameOfSource(dim.source)}, {"dim", dim.dim}};
  if (dim.fill != 0) json["fill"] = FillJson(dim.fill);
  return json;
}

OrderedJson ServingJson(const PolicyServing& serving) {
  OrderedJson spans = OrderedJson::array();
  for (const SizeSpan& span : serving.spans) {
    OrderedJson json = {{"first", span.first},
                        {"last", span.last == kNoLast ? OrderedJson() : OrderedJson(span.last)},
                        {"way", WayName(span.way)}};
    if (span.size != 0) json["size"] = span.size;
    spans.push_back(std::move(json));
  }
  OrderedJson json = DimJson(serving.dims.front());
  for (size_t i = 1; i < serving.dims.size(); ++i) json["also"].push_back(DimJson(serving.dims[i]));
  json["spans"] = std::move(spans);
  return json;
}

OrderedJson ShapesJson(const PolicyShapes& shapes) {
  OrderedJson dims = OrderedJson::array();
  for (const PolicyDim& dim : shapes.dims) dims.push_back(DimJson(dim));
  return {{"dims", std::move(dims)}, {"sizes", shapes.shapes}};
}

void AddSettings(const CompileSettings& settings, OrderedJson& json) {
  for (const auto& [name, value] : settings) {
    const bool is_inductor = name.starts_with(kInductorPrefix);
    OrderedJson& member =
        is_inductor ? json["inductor"][name.substr(kInductorPrefix.size())] : json[name];
    std::visit([&](const auto& given) { member = given; }, value);
  }
}

/// A policy in the form of scenarios (analyzer/docs/predict.md), without defaults.
OrderedJson PolicyJson(const CompilePolicy& policy) {
  const CompilePolicy usual;
  OrderedJson json = OrderedJson::object();
  json["dynamic"] = policy.dynamic == DynamicOption::kNone
                        ? OrderedJson()
                        : OrderedJson(policy.dynamic == DynamicOption::kTrue);
  if (policy.fullgraph) json["fullgraph"] = true;
  if (policy.isolate_recompiles) json["isolate"] = true;
  OrderedJson config = OrderedJson::object();
  AddConfig(policy, config);
  if (!config.empty()) json["config"] = std::move(config);
  OrderedJson shape_config = OrderedJson::object();
  if (!policy.use_duck_shape) shape_config["use_duck_shape"] = false;
  if (policy.backed_size_oblivious) shape_config["backed_size_oblivious"] = true;
  if (!shape_config.empty()) json["shape_config"] = std::move(shape_config);
  if (!policy.dynamic_sources.empty()) json["dynamic_sources"] = policy.dynamic_sources;
  if (!policy.unbacked_sources.empty()) json["unbacked_sources"] = policy.unbacked_sources;
  for (const PolicyMark& mark : policy.marks) {
    OrderedJson entry = {{"arg", NameOfSource(mark.source)}};
    entry.update(MarkJson(mark.mark));
    json["marks"].push_back(std::move(entry));
  }
  for (const PolicyBuckets& buckets : policy.buckets) {
    OrderedJson entry = {
        {"arg", NameOfSource(buckets.source)}, {"dim", buckets.dim}, {"sizes", buckets.sizes}};
    if (buckets.fill != 0) entry["fill"] = FillJson(buckets.fill);
    json["buckets"].push_back(std::move(entry));
  }
  AddSettings(policy.settings, json);
  if (policy.shapes) json["shapes"] = ShapesJson(*policy.shapes);
  if (policy.serving) json["serve"] = ServingJson(*policy.serving);
  return json;
}

std::string_view StanceName(Stance value) {
  return EnumName<Stance::kAotEagerThenCompile>(
      value, {"default", "force_eager", "eager_on_recompile", "fail_on_recompile",
              "eager_then_compile", "aot_eager_then_compile"});
}

/// Writes the calls of one history.
class RecordText {
 public:
  RecordText(const CallHistory& history, const Place& function)
      : history_(history), function_(function), lines_(history.signatures.size()) {
    // A source comes after the one that contains it: "L['xs']", "L['xs'][0]".
    for (size_t i = 0; i < history_.sources.size(); ++i) {
      const std::string_view text = Text(history_.sources[i]);
      size_t parent = kNone;
      for (size_t j = i; j-- > 0 && parent == kNone;) {
        const std::string_view other = Text(history_.sources[j]);
        if (text.size() > other.size() && text.starts_with(other) && text[other.size()] == '[') {
          parent = j;
        }
      }
      parents_.push_back(parent);
    }
  }

  std::string Write() {
    std::string text;
    const std::vector<RecordedCall>& calls = history_.calls;
    for (size_t i = 0; i < calls.size();) {
      size_t end = i + 1;
      while (end < calls.size() && IsSame(calls[i], calls[end])) ++end;
      OrderedJson json = Record(calls[i]);
      if (end - i > 1) json["times"] = end - i;
      text += Line(json);
      i = end;
    }
    return text;
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  static bool IsSame(const RecordedCall& one, const RecordedCall& other) {
    return one.signature == other.signature && one.wrapper == other.wrapper &&
           one.stance == other.stance;
  }

  std::string_view Text(StrId id) const { return history_.strings.text(id); }

  OrderedJson Record(const RecordedCall& call) {
    OrderedJson json = OrderedJson::object();
    if (!function_.function.empty()) json["function"] = function_.function;
    if (!function_.file.empty()) json["file"] = function_.file;
    if (function_.line != 0) json["line"] = function_.line;
    if (call.wrapper != 0) json["wrapper"] = call.wrapper;
    if (call.stance != Stance::kDefault) json["stance"] = StanceName(call.stance);
    const CallSignature& signature = history_.signatures[call.signature];
    AddState(Text(signature.state), json);
    OrderedJson& inputs = lines_[call.signature];
    if (inputs.is_null()) inputs = Inputs(signature);
    json["inputs"] = inputs;
    return json;
  }

  /// The grad mode and other state: "grad=off; autocast=bfloat16".
  static void AddState(std::string_view state, OrderedJson& json) {
    if (state.empty()) return;
    const size_t end = std::min(state.find("; "), state.size());
    const std::string_view first = state.substr(0, end);
    if (first == "grad=off") json["grad"] = "off";
    if (first == "inference") json["grad"] = "inference";
    if (json.contains("grad")) state.remove_prefix(std::min(end + 2, state.size()));
    if (!state.empty()) json["state"] = state;
  }

  OrderedJson Inputs(const CallSignature& signature) const {
    OrderedJson inputs = OrderedJson::object();
    for (size_t i = 0; i < signature.values.size(); ++i) {
      if (parents_[i] != kNone || signature.values[i].kind == CallValue::Kind::kAbsent) continue;
      inputs[NameOfSource(Text(history_.sources[i]))] = ValueJson(signature, i);
    }
    return inputs;
  }

  OrderedJson ValueJson(const CallSignature& signature, size_t source) const {
    const CallValue& value = signature.values[source];
    switch (value.kind) {
      case CallValue::Kind::kTensor:
        return TensorJson(history_.tensors[value.tensor]);
      case CallValue::Kind::kInt:
        return value.integer;
      case CallValue::Kind::kFloat:
        return FloatJson(value.number);
      case CallValue::Kind::kBool:
        return value.integer != 0;
      case CallValue::Kind::kStr:
        return Text(value.text);
      case CallValue::Kind::kNone:
        return nullptr;
      case CallValue::Kind::kLength:
        return ListJson(signature, source, value);
      case CallValue::Kind::kKeys:
        return DictJson(signature, source);
      case CallValue::Kind::kOpaque:
        return {{"opaque", Text(value.text)}};
      case CallValue::Kind::kUnknown:
      case CallValue::Kind::kAbsent:
        break;
    }
    return {{"unknown", true}};
  }

  static OrderedJson FloatJson(double number) {
    if (number - number == 0) return number;
    if (number != number) return {{"float", "nan"}};
    return {{"float", number > 0 ? "inf" : "-inf"}};
  }

  OrderedJson ListJson(const CallSignature& signature, size_t source,
                       const CallValue& value) const {
    OrderedJson items = OrderedJson::array();
    ForParts(signature, source,
             [&](std::string_view, size_t part) { items.push_back(ValueJson(signature, part)); });
    // Elements that the log does not show still exist.
    while (items.size() < static_cast<size_t>(std::clamp<int64_t>(value.integer, 0, kMostItems))) {
      items.push_back({{"unknown", true}});
    }
    return {{std::string(Text(value.text)), std::move(items)}};
  }

  OrderedJson DictJson(const CallSignature& signature, size_t source) const {
    OrderedJson items = OrderedJson::object();
    ForParts(signature, source, [&](std::string_view index, size_t part) {
      if (index.size() >= 2) index = index.substr(1, index.size() - 2);
      items[std::string(index)] = ValueJson(signature, part);
    });
    return {{"dict", std::move(items)}};
  }

  /// Passes the part in brackets after the name of `source`, and the index of the containing
  /// source.
  template <typename Use>
  void ForParts(const CallSignature& signature, size_t source, const Use& use) const {
    const size_t head = Text(history_.sources[source]).size();
    for (size_t i = source + 1; i < signature.values.size(); ++i) {
      if (parents_[i] != source || signature.values[i].kind == CallValue::Kind::kAbsent) continue;
      std::string_view index = Text(history_.sources[i]).substr(head + 1);
      if (index.ends_with(']')) index.remove_suffix(1);
      use(index, i);
    }
  }

  OrderedJson TensorJson(const TensorValue& tensor) const {
    OrderedJson json = {{"size", tensor.sizes}};
    if (tensor.has_layout) {
      json["stride"] = tensor.strides;
      if (tensor.storage_offset != 0) json["offset"] = tensor.storage_offset;
    }
    const auto add = [&](const char* name, StrId text) {
      if (!Text(text).empty()) json[name] = Text(text);
    };
    add("dtype", tensor.dtype);
    add("device", tensor.device);
    add("type", tensor.type);
    add("keys", tensor.keys);
    if (tensor.requires_grad) json["requires_grad"] = true;
    if (tensor.object != 0) json["object"] = tensor.object;
    for (const DimMark& mark : tensor.marks) json["marks"].push_back(MarkJson(mark));
    return json;
  }

  static constexpr int64_t kMostItems = 4096;

  const CallHistory& history_;
  const Place& function_;
  std::vector<size_t> parents_;     // by source; kNone: an argument itself
  std::vector<OrderedJson> lines_;  // by signature: its inputs, created on demand
};

OrderedJson SubjectJson(const ReplaySettings& settings, const ReplaySubject& subject) {
  if (!subject.callable.empty()) {
    OrderedJson json = {{"kind", "callable"}, {"spec", subject.callable}};
    if (!settings.make_inputs.empty()) json["make_inputs"] = settings.make_inputs;
    return json;
  }
  return {{"kind", "graph"},
          {"path", settings.folder + "/" + kGraphFile},
          {"trust", true},  // a graph is only run if the user allowed it
          {"inputs", subject.graph_inputs}};
}

constexpr std::string_view kDynamoGraph = "dynamo_output_graph";
constexpr std::string_view kClass = "class GraphModule(torch.nn.Module):\n";
constexpr size_t kMostGraphBytes = size_t{64} << 20;

/// Whether `compile_id` ("0/1", "0/1_2") is one of the function number `frame`.
bool IsOfFrame(std::string_view compile_id, std::optional<uint32_t> frame) {
  const auto number = ParseCompileNumber(compile_id);
  return !frame || (number && number->frame == *frame);
}

/// Collects the payload around one line of a trace: lines that begin with a tab.
class PayloadSink final : public LineSink {
 public:
  explicit PayloadSink(uint64_t line) : line_(line) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    for (uint64_t number = first_line; !lines.empty() && !is_done_; ++number) {
      const size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
      OnLine(lines.substr(0, end), number);
      lines.remove_prefix(end);
    }
  }
  size_t OnPiece(std::string_view piece, uint64_t line, bool, bool) override {
    // Graphs never contain such long lines.
    if (line >= line_) is_done_ = true;
    return piece.size();
  }

  std::string& text() { return text_; }

 private:
  void OnLine(std::string_view line, uint64_t number) {
    if (number < line_ || is_done_) return;
    if (!line.starts_with('\t') || text_.size() > kMostGraphBytes) {
      is_done_ = true;
      return;
    }
    text_ += line.substr(1);
  }

  uint64_t line_;
  bool is_done_ = false;
  std::string text_;
};

/// The placeholders of a program, reduced to what is needed to create values for them.
nlohmann::ordered_json InputsOf(const nlohmann::ordered_json& all) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (const auto& input : all) {
    nlohmann::ordered_json entry = nlohmann::ordered_json::object();
    for (const char* member : {"name", "kind", "source", "type"}) {
      if (input.contains(member)) entry[member] = input[member];
    }
    inputs.push_back(std::move(entry));
  }
  return inputs;
}

}  // namespace

std::string ReplayJobText(const ReplaySettings& settings, const ReplaySubject& subject,
                          const std::vector<NamedPolicy>& policies,
                          const std::vector<InputDim>& varied) {
  OrderedJson list = OrderedJson::array();
  for (const NamedPolicy& named : policies) {
    OrderedJson policy = PolicyJson(named.policy);
    if (!settings.mode.empty() && !policy.contains("mode")) policy["mode"] = settings.mode;
    if (!settings.backend.empty()) policy["backend"] = settings.backend;
    list.push_back({{"name", named.name}, {"policy", std::move(policy)}});
  }
  OrderedJson job = {{"schema", "shapewise.replay-job/1"},
                     {"subject", SubjectJson(settings, subject)},
                     {"calls", settings.folder + "/" + kCallsFile},
                     {"policies", std::move(list)},
                     {"backward", settings.backward}};
  const auto add = [&](const char* name, const auto& value) {
    if (value) job[name] = *value;
  };
  if (!settings.device.empty()) job["device"] = settings.device;
  add("seed", settings.seed);
  add("threads", settings.threads);
  add("repetitions", settings.repetitions);
  add("tolerance", settings.tolerance);
  add("timeout_seconds", settings.timeout_seconds);
  for (const InputDim& place : varied) {
    job["varied"].push_back({{"arg", place.name}, {"dim", place.dim}});
  }
  if (!settings.script.empty()) job["script"] = settings.script;
  return job.dump(1, ' ', /*ensure_ascii=*/false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string CallRecordText(const CallHistory& history, const Place& function) {
  return RecordText(history, function).Write();
}

Expected<CapturedGraph> FindCapturedGraph(const std::vector<std::string>& paths,
                                          std::optional<uint32_t> frame,
                                          const GraphProgramText& program_of, FileSource& files) {
  GraphSet graphs;
  ReadGraphs(paths, files, graphs);
  size_t chosen = graphs.graphs.size();
  for (size_t i = 0; i < graphs.graphs.size(); ++i) {
    const GraphModel& graph = graphs.graphs[i];
    const bool fits = graph.format == "torch_trace" && graph.name == kDynamoGraph &&
                      !graph.is_cut && graph.line != 0 && graph.subgraphs.empty() &&
                      IsOfFrame(graphs.strings.text(graph.compile_id), frame);
    if (!fits) continue;
    const bool is_better = chosen == graphs.graphs.size() ||
                           graph.symbols.size() >= graphs.graphs[chosen].symbols.size();
    if (is_better) chosen = i;
  }
  if (chosen == graphs.graphs.size()) {
    return MakeError(
        "nothing to run: expected --callable FILE.py:FUNCTION, or a structured trace "
        "(TORCH_TRACE), whose graph is run");
  }
  const GraphModel& graph = graphs.graphs[chosen];
  PayloadSink sink(graph.line);
  Stats stats;
  const std::string& input = graphs.inputs[graph.input].name;
  TextTotals totals;
  if (Error error = files.Read(input, sink, stats, 0, totals)) return error;
  CapturedGraph captured;
  const std::string id(graphs.strings.text(graph.compile_id));
  captured.name = "the captured graph" + (id.empty() ? std::string() : " " + id);
  captured.text = std::move(sink.text());
  if (!Trim(captured.text).starts_with("class ")) {
    captured.text = std::string(kClass) + captured.text;
  }
  const std::string program = program_of(graphs, chosen);
  const auto json = nlohmann::ordered_json::parse(program, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("inputs") || !json["inputs"].is_array()) {
    return MakeError(MakePrintable(captured.name) + ": its inputs are not listed");
  }
  captured.inputs = InputsOf(json["inputs"]);
  return captured;
}

}  // namespace shapewise
