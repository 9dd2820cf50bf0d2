#include "ingest/formats/graph_trace/graph_trace_reader.h"

#include <vector>

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

// More text than any graph has.
constexpr size_t kMaxGraphBytes = size_t{256} << 20;

}  // namespace

void GraphTraceReader::Read(std::string_view text) {
  TraceFramer framer(*this, graphs_.stats, input_, /*rank=*/-1, kMaxGraphBytes);
  framer.OnLines(text, 1);
  framer.Finish();
  DescribeSymbols();
}

bool GraphTraceReader::Reads(TraceLineKind event, std::string_view key) const {
  return IsSymbol(event) || event == TraceLineKind::kGraph || event == TraceLineKind::kArtifact ||
         key == "exported_program";
}

bool GraphTraceReader::OnEnvelope(const TraceEnvelope& envelope) {
  const TraceHead& head = envelope.head;
  payload_key_ = CompileKey(envelope.line.process, head.FullId());
  const auto object = JsonObject(envelope.json, envelope.key);
  if (IsSymbol(head.event)) {
    if (object) ReadSymbol(*object, payload_key_);
    return false;
  }
  payload_name_ = head.name;
  const std::string_view own_name = object ? JsonText(*object, "name") : std::string_view();
  if (head.event == TraceLineKind::kGraph && !own_name.empty()) payload_name_ = own_name;
  return envelope.line.has_payload && IsGraphPayload(head.event, head.name);
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

void GraphTraceReader::OnPayload(const TracePayload& payload) {
  GraphOrigin origin;
  origin.input = input_;
  origin.format = "torch_trace";
  origin.name = payload_name_;
  origin.compile_id = graphs_.strings.Intern(payload_key_.second);
  graph_keys_.emplace_back(graphs_.graphs.size(), payload_key_);
  scanner_.Scan(payload.text, 0, payload.numbers, origin);
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
