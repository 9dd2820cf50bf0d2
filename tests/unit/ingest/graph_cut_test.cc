// Archives of corpora/ whose members end anywhere, or have a byte that is wrong: what is left is
// refused, or read and said to be cut. A dump that ends anywhere gives what stands before its end.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"
#include "support/graph_indices.h"
#include "support/source_dir.h"
#include "support/zip_archive.h"
#include "support/zip_builder.h"

namespace shapewise {
namespace {

/// An archive of corpora/dumps from which a graph is read.
struct Archive {
  std::string name;
  std::string bytes;
  std::vector<ZipEntry> entries;
};

std::vector<Archive> GraphArchives() {
  std::vector<Archive> archives;
  const auto root = std::filesystem::path(SourceDir()) / "corpora" / "dumps";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".pt" && extension != ".pt2" && extension != ".ptl") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    Archive archive{
        entry.path().filename().string(), {std::istreambuf_iterator<char>(file), {}}, {}};
    GraphSet set;
    if (!ReadGraphsFromBytes(archive.name, archive.bytes, set).empty()) continue;
    ZipArchive zip = llvm::cantFail(ZipArchive::Open(archive.bytes));
    for (const ZipArchive::Member& member : zip.members()) {
      archive.entries.push_back({.name = std::string(member.name),
                                 .text = std::string(llvm::cantFail(zip.Read(member)))});
    }
    archives.push_back(std::move(archive));
  }
  std::sort(archives.begin(), archives.end(),
            [](const Archive& a, const Archive& b) { return a.name < b.name; });
  return archives;
}

bool IsCode(std::string_view member) { return member.ends_with(".py"); }

/// Whether `member` says what the graph is: the program, or the objects of TorchScript.
bool IsNeeded(std::string_view member) {
  const bool is_model = member.find("models/") != std::string_view::npos;
  return (is_model && member.ends_with(".json")) || member.ends_with("/constants.pkl") ||
         member.ends_with("/data.pkl") || member.ends_with("serialized_exported_program.json");
}

TEST_CASE("an archive of a graph that ends anywhere is refused", "[ingest][archive]") {
  const std::vector<Archive> archives = GraphArchives();
  REQUIRE(archives.size() > 8);
  for (const Archive& archive : archives) {
    INFO(archive.name);
    for (size_t end = 4; end < archive.bytes.size(); end += 1 + end / 100) {
      GraphSet set;
      const auto cut = std::string_view(archive.bytes).substr(0, end);
      const std::vector<std::string> failures = ReadGraphsFromBytes(archive.name, cut, set);
      REQUIRE(failures.size() == 1);
      CHECK(failures[0].find("missing or damaged") != std::string::npos);
      CHECK(set.graphs.empty());
    }
  }
}

TEST_CASE("a member that ends anywhere makes no wrong graph", "[ingest][archive]") {
  size_t num_refused = 0;
  for (const Archive& archive : GraphArchives()) {
    for (size_t i = 0; i < archive.entries.size(); ++i) {
      const std::string& member = archive.entries[i].name;
      if (!IsNeeded(member) && !IsCode(member)) continue;
      const size_t size = archive.entries[i].text.size();
      // The last byte of each is its closing brace, or the instruction to stop.
      for (size_t end = 0; end < size; end += 1 + size / 200) {
        INFO(archive.name << " " << member << " cut at " << end);
        std::vector<ZipEntry> entries = archive.entries;
        entries[i].text.resize(end);
        GraphSet set;
        const bool is_refused = !ReadGraphsFromBytes("cut", BuildZip(entries), set).empty();
        REQUIRE(IndicesHold(set));
        if (!IsNeeded(member)) continue;
        CHECK(is_refused);
        ++num_refused;
      }
    }
  }
  CHECK(num_refused > 1000);
}

TEST_CASE("a member with a wrong byte makes no wrong index", "[ingest][archive]") {
  for (const Archive& archive : GraphArchives()) {
    for (size_t i = 0; i < archive.entries.size(); ++i) {
      const std::string& member = archive.entries[i].name;
      if (!IsNeeded(member) && !IsCode(member)) continue;
      const size_t size = archive.entries[i].text.size();
      for (size_t at = 0; at < size; at += 1 + size / 100) {
        INFO(archive.name << " " << member << " changed at " << at);
        std::vector<ZipEntry> entries = archive.entries;
        entries[i].text[at] = static_cast<char>(entries[i].text[at] ^ 0x15);
        GraphSet set;
        CHECK(ReadGraphsFromBytes("changed", BuildZip(entries), set).size() <= 1);
        REQUIRE(IndicesHold(set));
      }
    }
  }
}

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
