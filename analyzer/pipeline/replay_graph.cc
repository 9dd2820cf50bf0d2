#include "pipeline/replay_job.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ingest/graph_reader.h"
#include "model/compile_number.h"
#include "model/graph_model.h"
#include "support/stats.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kDynamoGraph = "dynamo_output_graph";
constexpr std::string_view kClass = "class GraphModule(torch.nn.Module):\n";
constexpr size_t kMostBytes = size_t{64} << 20;

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
    if (!line.starts_with('\t') || text_.size() > kMostBytes) {
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
