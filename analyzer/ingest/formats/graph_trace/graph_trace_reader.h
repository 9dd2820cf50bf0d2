// Reads one structured trace for the graphs and symbols in it.

#ifndef SHAPEWISE_INGEST_FORMATS_GRAPH_TRACE_GRAPH_TRACE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_GRAPH_TRACE_GRAPH_TRACE_READER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/torch_trace/trace_framer.h"
#include "ingest/graph_text/graph_scanner.h"
#include "shapewise/model/graph_model.h"
#include "shapewise/symbolic/facts.h"

namespace shapewise {

/// One pass over a trace: payloads of graphs are read, all others passed over.
class GraphTraceReader final : private TraceHandler {
 public:
  GraphTraceReader(GraphSet& graphs, uint32_t input)
      : graphs_(graphs), input_(input), scanner_(graphs) {}

  void Read(std::string_view text);

 private:
  /// Process and full id of a compilation: "0/1_1".
  using CompileKey = std::pair<uint64_t, std::string>;

  /// What the create_symbol events of one compilation say of a symbol; of two hints or ranges the
  /// later stands.
  struct Symbol {
    std::optional<int64_t> hint;
    std::optional<Interval> range;
    std::vector<StrId> sources;  ///< each once, in the order of the events
    std::set<StrId> known_sources;
  };

  bool Reads(TraceLineKind event, std::string_view key) const override;
  bool OnEnvelope(const TraceEnvelope& envelope) override;
  void OnPayload(const TracePayload& payload) override;
  void ReadSymbol(simdjson::dom::object event, const CompileKey& key);
  void DescribeSymbols();
  static void Describe(const Symbol& created, GraphSymbol& symbol);

  GraphSet& graphs_;
  const uint32_t input_;
  GraphScanner scanner_;
  std::map<CompileKey, std::map<std::string, Symbol, std::less<>>> symbols_;  ///< by name
  std::vector<std::pair<size_t, CompileKey>> graph_keys_;  ///< first graph of each payload

  CompileKey payload_key_;
  std::string payload_name_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_GRAPH_TRACE_GRAPH_TRACE_READER_H_
