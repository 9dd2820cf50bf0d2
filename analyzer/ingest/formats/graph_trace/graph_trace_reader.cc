#include "ingest/formats/graph_trace/graph_trace_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "ingest/formats/torch_trace/trace_process.h"
#include "ingest/graph_text/finish_graph.h"
#include "shapewise/symbolic/facts.h"

namespace shapewise {
namespace {

/// Whether the payload of `event` is a graph. An artifact is one if its name says so.
bool IsGraphPayload(TraceLineKind event, std::string_view name) {
  if (name == "inductor_output_code") return false;  // generated kernels
  if (event == TraceLineKind::kGraph || name == "exported_program") return true;
  return event == TraceLineKind::kArtifact &&
         (name.ends_with("_grad_graph") || name == "compiled_autograd_graph_pre_reordering");
}

}  // namespace

void GraphTraceReader::Read(std::string_view text) {
  uint64_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const void* const newline = memchr(text.data() + at, '\n', text.size() - at);
    const size_t end = newline == nullptr
                           ? text.size()
                           : static_cast<size_t>(static_cast<const char*>(newline) - text.data());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (IsPayloadLine(line)) {
      if (!keeps_payload_) continue;
      payload_ += line.substr(1);
      if (newline != nullptr) payload_ += '\n';
      payload_numbers_.push_back(number);
      continue;
    }
    TraceLine parsed;
    // Lines of something else may come between those of a payload, which then goes on.
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!ParseTraceLine(line, parsed)) continue;
    ReadPayload();
    ReadEnvelope(parsed, number);
  }
  ReadPayload();
  DescribeSymbols();
}

void GraphTraceReader::ReadEnvelope(const TraceLine& line, uint64_t number) {
  const bool is_symbol = line.event == TraceLineKind::kCreateSymbol ||
                         line.event == TraceLineKind::kCreateUnbackedSymbol;
  const bool may_be_graph =
      line.has_payload &&
      (line.event == TraceLineKind::kGraph || line.event == TraceLineKind::kArtifact ||
       line.event == TraceLineKind::kReserved || line.key == "exported_program");
  if (!is_symbol && !may_be_graph) return;
  simdjson::dom::element root;
  simdjson::dom::object envelope;
  if (!json_.Parse(line.json, root) || root.get(envelope) != simdjson::SUCCESS) {
    graphs_.stats.Bump(Stat::trace_json_damaged, input_, number);
    return;
  }
  std::string_view key = line.key;
  TraceLineKind event = line.event;
  if (event == TraceLineKind::kReserved) {
    for (const simdjson::dom::key_value_pair field : envelope) {
      key = field.key;
      event = TraceEventOfKey(key);
      if (event != TraceLineKind::kReserved) break;
    }
  }
  const TraceHead head = ReadTraceHead(envelope, key, event);
  const CompileKey compile_key(line.process, head.FullId());
  const auto object = JsonObject(envelope, key);
  if (is_symbol) {
    if (object) ReadSymbol(*object, compile_key);
    return;
  }
  if (!IsGraphPayload(event, head.name)) return;
  keeps_payload_ = true;
  payload_key_ = compile_key;
  payload_name_ = head.name;
  const std::string_view own_name = object ? JsonText(*object, "name") : std::string_view();
  if (event == TraceLineKind::kGraph && !own_name.empty()) payload_name_ = own_name;
}

void GraphTraceReader::ReadSymbol(simdjson::dom::object symbol, const CompileKey& key) {
  const std::string_view name = JsonText(symbol, "symbol");
  if (name.empty()) return;
  std::vector<Symbol>& symbols = symbols_[key];
  symbols.push_back({std::string(name), std::string(JsonText(symbol, "val")),
                     std::string(JsonText(symbol, "vr")), std::string(JsonText(symbol, "source"))});
}

void GraphTraceReader::ReadPayload() {
  if (!keeps_payload_) return;
  keeps_payload_ = false;
  GraphOrigin origin;
  origin.input = input_;
  origin.format = "torch_trace";
  origin.name = payload_name_;
  origin.compile_id = graphs_.strings.Intern(payload_key_.second);
  graph_keys_.emplace_back(graphs_.graphs.size(), payload_key_);
  scanner_.Scan(payload_, 0, payload_numbers_, origin);
  payload_.clear();
  payload_numbers_.clear();
}

/// Gives the symbols of each graph what create_symbol said of them.
void GraphTraceReader::DescribeSymbols() {
  for (size_t i = 0; i < graph_keys_.size(); ++i) {
    const auto found = symbols_.find(graph_keys_[i].second);
    if (found == symbols_.end()) continue;
    const size_t end =
        i + 1 < graph_keys_.size() ? graph_keys_[i + 1].first : graphs_.graphs.size();
    for (size_t index = graph_keys_[i].first; index < end; ++index) {
      GraphModel& graph = graphs_.graphs[index];
      for (const Symbol& told : found->second) {
        GraphSymbol* const symbol = FindSymbol(graphs_, graph, told.name);
        if (symbol == nullptr) continue;
        int64_t hint = 0;
        const char* const hint_end = told.hint.data() + told.hint.size();
        const auto [stop, error] = std::from_chars(told.hint.data(), hint_end, hint);
        if (error == std::errc() && stop == hint_end) symbol->hint = hint;
        if (const std::optional<Interval> range = ParseInterval(told.range)) {
          symbol->has_range = true;
          symbol->lower = range->lower;
          symbol->upper = range->upper;
        }
        if (told.source.empty()) continue;
        const StrId source = graphs_.strings.Intern(told.source);
        std::vector<StrId>& sources = symbol->sources;
        if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
          sources.insert(sources.begin(), source);
        }
      }
    }
  }
}

}  // namespace shapewise
