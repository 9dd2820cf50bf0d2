#include "ingest/formats/graph_trace/graph_trace_reader.h"

#include <cstring>
#include <vector>

#include "ingest/formats/torch_trace/trace_process.h"
#include "shapewise/support/text_scan.h"
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

bool IsSymbol(TraceLineKind event) {
  return event == TraceLineKind::kCreateSymbol || event == TraceLineKind::kCreateUnbackedSymbol;
}

/// Whether the payload of `line`, an `event` named by `key`, may be a graph.
bool MayBeGraph(const TraceLine& line, std::string_view key, TraceLineKind event) {
  return line.has_payload && (event == TraceLineKind::kGraph || event == TraceLineKind::kArtifact ||
                              key == "exported_program");
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
  // If the first key is not the event, the whole envelope has to be read to find it.
  const bool is_undecided =
      line.event == TraceLineKind::kReserved || line.event == TraceLineKind::kUnknown;
  if (!is_undecided && !IsSymbol(line.event) && !MayBeGraph(line, line.key, line.event)) return;
  simdjson::dom::element root;
  simdjson::dom::object envelope;
  if (!json_.Parse(line.json, root) || root.get(envelope) != simdjson::SUCCESS) {
    graphs_.stats.Bump(Stat::trace_json_damaged, input_, number);
    return;
  }
  const auto [key, event] = FindTraceEvent(line, envelope);
  if (!IsSymbol(event) && !MayBeGraph(line, key, event)) return;
  const TraceHead head = ReadTraceHead(envelope, key, event);
  const CompileKey compile_key(line.process, head.FullId());
  const auto object = JsonObject(envelope, key);
  if (IsSymbol(event)) {
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

void GraphTraceReader::ReadSymbol(simdjson::dom::object event, const CompileKey& key) {
  const std::string_view name = JsonText(event, "symbol");
  if (name.empty()) return;
  Symbol& symbol = symbols_[key][std::string(name)];
  std::string_view hint = JsonText(event, "val");
  const bool is_negative = ConsumeFront(hint, "-");
  if (const auto value = ConsumeUint<int64_t>(hint); value && hint.empty()) {
    symbol.hint = is_negative ? -*value : *value;
  }
  if (const auto range = ParseInterval(JsonText(event, "vr"))) symbol.range = range;
  const std::string_view source = JsonText(event, "source");
  if (source.empty()) return;
  const StrId id = graphs_.strings.Intern(source);
  if (symbol.known_sources.insert(id).second) symbol.sources.push_back(id);
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
    const auto symbols = symbols_.find(graph_keys_[i].second);
    if (symbols == symbols_.end()) continue;
    const size_t end =
        i + 1 < graph_keys_.size() ? graph_keys_[i + 1].first : graphs_.graphs.size();
    for (size_t index = graph_keys_[i].first; index < end; ++index) {
      for (GraphSymbol& symbol : graphs_.graphs[index].symbols) {
        const auto found = symbols->second.find(graphs_.expressions.name(symbol.symbol));
        if (found != symbols->second.end()) Describe(found->second, symbol);
      }
    }
  }
}

void GraphTraceReader::Describe(const Symbol& created, GraphSymbol& symbol) {
  if (created.hint) symbol.hint = created.hint;
  if (created.range) {
    symbol.has_range = true;
    symbol.lower = created.range->lower;
    symbol.upper = created.range->upper;
  }
  // Sources of the graph itself come last.
  std::vector<StrId> sources(created.sources.rbegin(), created.sources.rend());
  const std::set<StrId> known(symbol.sources.begin(), symbol.sources.end());
  std::erase_if(sources, [&known](StrId source) { return known.contains(source); });
  symbol.sources.insert(symbol.sources.begin(), sources.begin(), sources.end());
}

}  // namespace shapewise
