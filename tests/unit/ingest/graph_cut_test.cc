// A dump that ends anywhere gives what stands before its end.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

/// The text dumps of corpora/dumps, ordered by path.
std::vector<std::filesystem::path> TextDumps() {
  std::vector<std::filesystem::path> paths;
  const auto root = std::filesystem::path(SourceDir()) / "corpora" / "dumps";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const bool is_dump = name.ends_with(".txt") || name.starts_with("fx_graph_");
    if (entry.is_regular_file() && is_dump && !name.starts_with("ir_")) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Kind, target and, but for placeholders, name of each node: a placeholder is renamed below the
/// signature.
std::vector<std::string> Nodes(const GraphSet& graphs, const GraphModel& graph) {
  std::vector<std::string> texts;
  for (const GraphNode& node : graph.nodes) {
    std::string text(NodeKindName(node.kind));
    text += " " + std::string(graphs.strings.text(node.target));
    if (node.kind != NodeKind::kPlaceholder && node.num_values > 0) {
      text += " " + std::string(graphs.strings.text(graph.values[node.first_value].name));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

bool IsPrefix(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

void CheckCut(const std::string& name, std::string_view text, const GraphSet& whole) {
  GraphSet cut;
  REQUIRE(ReadGraphsFromBytes(name, text, cut).empty());
  REQUIRE(cut.graphs.size() <= whole.graphs.size());
  for (size_t i = 0; i < cut.graphs.size(); ++i) {
    const std::vector<std::string> nodes = Nodes(cut, cut.graphs[i]);
    const std::vector<std::string> all = Nodes(whole, whole.graphs[i]);
    if (!IsPrefix(nodes, all)) FAIL(name << " cut at " << text.size() << ", graph " << i);
    if (nodes.size() < all.size() && !cut.graphs[i].is_cut) {
      FAIL(name << " cut at " << text.size() << ": graph " << i << " is not said to be cut");
    }
  }
}

TEST_CASE("a dump that is cut has the first nodes of the whole one", "[ingest][graph]") {
  const std::vector<std::filesystem::path> paths = TextDumps();
  REQUIRE(paths.size() > 60);
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::string name = path.filename().string();
    // What a statement of TorchScript's code binds names the node before it.
    if (name.ends_with("_code.txt")) continue;
    GraphSet whole;
    REQUIRE(ReadGraphsFromBytes(name, text, whole).empty());
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) {
      CheckCut(name, std::string_view(text).substr(0, end), whole);
      CheckCut(name, std::string_view(text).substr(0, end + 1), whole);
    }
    for (size_t end = 0; end < text.size(); end += 23) {
      CheckCut(name, std::string_view(text).substr(0, end), whole);
    }
  }
}

}  // namespace
}  // namespace shapewise
