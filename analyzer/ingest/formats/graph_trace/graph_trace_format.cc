// Graphs among the payloads of a structured trace.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/torch_trace/trace_framer.h"
#include "ingest/graph_format.h"
#include "ingest/graph_text/graph_scanner.h"
#include "model/graph_model.h"
#include "support/text_scan.h"
#include "symbolic/interval.h"

namespace shapewise {
namespace {

// Larger than any real graph.
constexpr size_t kMaxGraphBytes = size_t{256} << 20;

/// Whether the payload of `head` is a graph. An artifact is one if its name says so.
bool IsGraphPayload(const TraceHead& head) {
  if (head.name == "inductor_output_code") return false;  // generated kernels
  if (head.event == TraceLineKind::kGraph || head.name == "exported_program") return true;
  return head.event == TraceLineKind::kArtifact &&
         (head.name.ends_with("_grad_graph") ||
          head.name == "compiled_autograd_graph_pre_reordering");
}

bool IsSymbol(TraceLineKind event) {
  return event == TraceLineKind::kCreateSymbol || event == TraceLineKind::kCreateUnbackedSymbol;
}

/// Adds the data of the create_symbol events of one compilation to a symbol.
void Describe(const GraphSymbol& created, GraphSymbol& symbol) {
  if (created.hint) symbol.hint = created.hint;
  if (created.has_range) {
    symbol.has_range = true;
    symbol.lower = created.lower;
    symbol.upper = created.upper;
  }
  // Sources of the graph itself come last; those of later events come first.
  const std::set<StrId> known(symbol.sources.begin(), symbol.sources.end());
  std::vector<StrId> sources(created.sources.rbegin(), created.sources.rend());
  std::erase_if(sources, [&known](StrId source) { return known.contains(source); });
  symbol.sources.insert(symbol.sources.begin(), sources.begin(), sources.end());
}

/// One pass over a trace: reads payloads of graphs and skips all others.
class GraphTraceReader final : private TraceHandler {
 public:
  GraphTraceReader(GraphSet& graphs, uint32_t input)
      : graphs_(graphs), input_(input), scanner_(graphs) {}

  void Read(std::string_view text) {
    TraceFramer framer(*this, graphs_.stats, input_, /*rank=*/-1, kMaxGraphBytes);
    framer.OnLines(text, 1);
    framer.Finish();
    DescribeSymbols();
  }

 private:
  /// Process and full id of a compilation: "0/1_1".
  using CompileKey = std::pair<uint64_t, std::string>;

  bool Reads(TraceLineKind event, std::string_view key) const override {
    return IsSymbol(event) || event == TraceLineKind::kGraph || event == TraceLineKind::kArtifact ||
           key == "exported_program";
  }

  bool OnEnvelope(const TraceEnvelope& envelope) override {
    const TraceHead& head = envelope.head;
    const auto object = JsonObject(envelope.json, envelope.key);
    if (IsSymbol(head.event)) {
      if (object) ReadSymbol(*object, {head.process, head.FullId()});
      return false;
    }
    graph_name_ = head.name;
    const std::string_view own_name = object ? JsonText(*object, "name") : std::string_view();
    if (head.event == TraceLineKind::kGraph && !own_name.empty()) graph_name_ = own_name;
    return envelope.has_payload && IsGraphPayload(head);
  }

  void OnPayload(const TracePayload& payload) override {
    GraphOrigin origin;
    origin.input = input_;
    origin.format = "torch_trace";
    origin.name = graph_name_;
    origin.compile_id = graphs_.strings.Intern(payload.head.FullId());
    graph_keys_.emplace_back(graphs_.graphs.size(),
                             CompileKey(payload.head.process, payload.head.FullId()));
    scanner_.Scan(payload.text, 0, payload.numbers, origin);
  }

  void ReadSymbol(simdjson::dom::object event, const CompileKey& key) {
    const std::string_view name = JsonText(event, "symbol");
    if (name.empty()) return;
    // If there are two hints or ranges, the later one is used.
    GraphSymbol& symbol = symbols_[key][std::string(name)];
    if (const auto hint = ParseNumber(JsonText(event, "val"))) symbol.hint = hint;
    if (const auto range = ParseInterval(JsonText(event, "vr"))) {
      symbol.has_range = true;
      symbol.lower = range->lower;
      symbol.upper = range->upper;
    }
    const std::string_view source = JsonText(event, "source");
    const StrId id = graphs_.strings.Intern(source);
    if (!source.empty() && known_sources_.emplace(&symbol, id).second) symbol.sources.push_back(id);
  }

  /// Adds the data of create_symbol to the symbols of each graph.
  void DescribeSymbols() {
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

  GraphSet& graphs_;
  const uint32_t input_;
  GraphScanner scanner_;
  std::map<CompileKey, std::map<std::string, GraphSymbol, std::less<>>> symbols_;  ///< by name
  std::set<std::pair<const GraphSymbol*, StrId>> known_sources_;
  std::vector<std::pair<size_t, CompileKey>> graph_keys_;  ///< first graph of each payload
  std::string graph_name_;
};

bool SniffGraphTrace(const GraphInput& input) {
  return IsTrace(input.bytes.substr(0, kGraphSniffBytes));
}

Error ReadGraphTrace(const GraphInput& input, GraphSet& graphs) {
  GraphTraceReader(graphs, input.index).Read(input.bytes);
  return Error::success();
}

}  // namespace

const GraphFormat kGraphTraceFormat{SniffGraphTrace, ReadGraphTrace};

}  // namespace shapewise
