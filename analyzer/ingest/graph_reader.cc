// Opens dumps, finds the format of each, and lets its reader append the graphs.

#include "ingest/graph_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ingest/data_tables.h"
#include "ingest/formats/torchscript/pickle_reader.h"
#include "ingest/graph_format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"
#include "support/zip_archive.h"

namespace shapewise {

namespace {

// Larger than any real graph; a compressed dump that expands to more is rejected.
constexpr size_t kMaxDecodedBytes = size_t{1} << 30;

constexpr size_t kMaxFirstLineBytes = 200;

/// Collects the whole text, up to kMaxDecodedBytes.
struct CollectingSink final : LineSink {
  void OnLines(std::string_view lines, uint64_t) override { Append(lines); }
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool is_last) override {
    Append(piece);
    if (is_last) Append("\n");
    return piece.size();
  }
  void Append(std::string_view more) {
    is_too_long |= more.size() > kMaxDecodedBytes - text.size();
    if (!is_too_long) text += more;
  }

  std::string text;
  bool is_too_long = false;
};

/// Whether the bytes are text that must be unpacked or transcoded first.
bool IsEncoded(std::string_view bytes) {
  constexpr std::string_view kHeads[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xff\xfe", "\xfe\xff",
                                         "\xef\xbb\xbf"};
  return llvm::any_of(kHeads, [&](std::string_view head) { return bytes.starts_with(head); });
}

Error ReadText(const GraphInput& input, GraphSet& graphs) {
  GraphSet::Input& kept = graphs.inputs[input.index];
  kept.lines = CountNewlines(input.bytes);
  for (const GraphFormat* format : BuiltinGraphFormats()) {
    if (!format->sniff(input)) continue;
    const size_t num_before = graphs.graphs.size();
    if (Error error = format->read(input, graphs)) return error;
    if (graphs.graphs.size() == num_before) continue;
    kept.format = graphs.graphs[num_before].format;
    return Error::success();
  }
  kept.first_line = input.bytes.substr(0, std::min(input.bytes.find('\n'), kMaxFirstLineBytes));
  return Error::success();
}

Error ReadBytes(const std::string& name, std::string_view bytes, GraphSet& graphs) {
  const auto index = static_cast<uint32_t>(graphs.inputs.size());
  graphs.inputs.push_back({.name = name, .format = {}, .first_line = {}});
  if (!IsEncoded(bytes)) return ReadText({index, name, bytes}, graphs);
  CollectingSink sink;
  ReadChunks({bytes}, sink, graphs.stats, index);
  if (sink.is_too_long) return MakeError("it unpacks to more than 1 GiB");
  return ReadText({index, name, sink.text}, graphs);
}

std::string_view FileName(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

/// Whether two graphs have the same nodes. Functions may be spelled shorter in one than in the
/// other; names of values are the same in both.
bool IsSameGraph(const GraphModel& a, const GraphModel& b) {
  if (a.nodes.size() != b.nodes.size() || a.is_cut || b.is_cut) return false;
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const GraphNode& left = a.nodes[i];
    const GraphNode& right = b.nodes[i];
    if (left.kind != right.kind || left.target != right.target) return false;
    if (left.num_values != right.num_values) return false;
    for (uint32_t v = 0; v < left.num_values; ++v) {
      if (a.values[left.first_value + v].name != b.values[right.first_value + v].name) return false;
    }
  }
  return true;
}

/// Whether `type` contains everything in `other`, and more.
bool SaysMore(const ValueType& type, const ValueType& other) {
  if (type.kind != other.kind || type.shape != other.shape) return false;
  return (type.has_stride && !other.has_stride) ||
         (type.device != StrId::kNone && other.device == StrId::kNone);
}

void GiveWhatIsNew(const GraphSet& graphs, const GraphModel& from, GraphModel& to) {
  for (size_t i = 0; i < to.values.size(); ++i) {
    const uint32_t type = from.values[i].type;
    uint32_t& kept = to.values[i].type;
    if (type == kNoIndex) continue;
    if (kept == kNoIndex || SaysMore(graphs.types[type], graphs.types[kept])) kept = type;
  }
  if (to.torch_version == StrId::kNone) to.torch_version = from.torch_version;
  for (GraphSymbol& symbol : to.symbols) {
    const auto found = llvm::find_if(
        from.symbols, [&](const GraphSymbol& other) { return other.symbol == symbol.symbol; });
    if (found == from.symbols.end()) continue;
    if (!symbol.hint) symbol.hint = found->hint;
    if (!symbol.has_range && found->has_range) {
      symbol.has_range = true;
      symbol.lower = found->lower;
      symbol.upper = found->upper;
    }
  }
  if (to.symbols.empty()) to.symbols = from.symbols;
}

/// Removes the graphs that `is_gone` marks; the others keep their order.
void RemoveGraphs(GraphSet& graphs, const std::vector<bool>& is_gone) {
  std::vector<uint32_t> new_index(graphs.graphs.size());
  uint32_t next = 0;
  for (size_t i = 0; i < is_gone.size(); ++i) {
    new_index[i] = next;
    if (is_gone[i]) continue;
    if (next != i) graphs.graphs[next] = std::move(graphs.graphs[i]);
    ++next;
  }
  graphs.graphs.resize(next);
  for (GraphModel& graph : graphs.graphs) {
    for (uint32_t& subgraph : graph.subgraphs) subgraph = new_index[subgraph];
  }
}

/// Whether the file `name` in a TORCH_COMPILE_DEBUG folder is known to contain no FX graph:
/// kernels, scheduler nodes, notes of the compiler, logs that repeat other files.
bool HoldsNoGraph(std::string_view name) {
  const std::string_view file = FileName(name);
  return IsOneOf(file, {"output_code.py", "compile.prof"}) || file.starts_with("ir_p") ||
         file.ends_with("debug.log") || file.ends_with(".svg") ||
         file.starts_with("inductor_provenance_") ||
         file.starts_with("inductor_triton_kernel_to_post_grad");
}

/// Among the inputs from `first_input` on, merges graphs of one folder that are the same graph in
/// fx_graph_readable.py, fx_graph_transformed.py and fx_graph_runnable.py: keeps the first and adds
/// what only another one contains (strides, devices, hints, torch's version).
void JoinDebugFolders(GraphSet& graphs, size_t first_input) {
  // Graphs of one folder that may be the same, by folder.
  llvm::StringMap<std::vector<uint32_t>> by_folder;
  std::vector<bool> is_gone(graphs.graphs.size(), false);
  bool is_any_gone = false;
  for (size_t i = 0; i < graphs.graphs.size(); ++i) {
    const GraphModel& graph = graphs.graphs[i];
    if (graph.input < first_input) continue;
    const std::string_view path = graphs.inputs[graph.input].name;
    const std::string_view file = FileName(path);
    if (!file.starts_with("fx_graph_")) continue;
    const std::string_view folder = path.substr(0, path.size() - file.size());
    std::vector<uint32_t>& kept = by_folder[llvm::StringRef(folder)];
    const auto same = llvm::find_if(kept, [&](uint32_t other) {
      // Two graphs of one file are distinct.
      return graphs.graphs[other].input != graph.input && IsSameGraph(graphs.graphs[other], graph);
    });
    if (same == kept.end()) {
      kept.push_back(static_cast<uint32_t>(i));
      continue;
    }
    GiveWhatIsNew(graphs, graph, graphs.graphs[*same]);
    is_gone[i] = true;
    is_any_gone = true;
  }
  if (!is_any_gone) return;
  // A kept graph refers to its own copies of the graphs below it.
  for (size_t i = 0; i < graphs.graphs.size(); ++i) {
    if (is_gone[i]) continue;
    for (const uint32_t subgraph : graphs.graphs[i].subgraphs) is_gone[subgraph] = false;
  }
  RemoveGraphs(graphs, is_gone);
}

}  // namespace

std::span<const GraphFormat* const> BuiltinGraphFormats() {
  static constexpr const GraphFormat* kFormats[] = {
      &kPt2Format,           &kTorchScriptFormat,     &kOtherArchiveFormat,
      &kTorchScriptIrFormat, &kTorchScriptCodeFormat, &kGraphTraceFormat,
      &kFxTextFormat,        &kGraphLogFormat,
  };
  return kFormats;
}

std::vector<std::string> ReadGraphs(const std::vector<std::string>& paths, FileSource& files,
                                    GraphSet& graphs) {
  std::vector<std::string> failures;
  for (const std::string& path : paths) {
    Expected<std::vector<std::string>> names = files.Expand(path);
    if (!names) {
      failures.push_back(llvm::toString(names.takeError()));
      continue;
    }
    const size_t first_input = graphs.inputs.size();
    const bool is_folder = names->size() != 1 || names->front() != path;
    for (const std::string& name : *names) {
      if (is_folder && HoldsNoGraph(name)) continue;
      Expected<std::unique_ptr<llvm::MemoryBuffer>> bytes = files.Open(name);
      if (!bytes) {
        failures.push_back(llvm::toString(bytes.takeError()));
        continue;
      }
      const llvm::StringRef text = (*bytes)->getBuffer();
      for (std::string& failure : ReadGraphsFromBytes(name, {text.data(), text.size()}, graphs)) {
        failures.push_back(std::move(failure));
      }
      if (Error error = CheckUncut(name, **bytes)) {
        failures.push_back(llvm::toString(std::move(error)));
      }
    }
    if (is_folder) JoinDebugFolders(graphs, first_input);
  }
  return failures;
}

std::vector<std::string> ReadGraphsFromBytes(const std::string& name, std::string_view bytes,
                                             GraphSet& graphs) {
  Error error = ReadBytes(name, bytes, graphs);
  if (!error) return {};
  graphs.inputs.back().is_refused = true;
  graphs.stats.Bump(Stat::input_unreadable, static_cast<uint32_t>(graphs.inputs.size() - 1), 0);
  return {"cannot read " + MakePrintable(name) + ": " + llvm::toString(std::move(error))};
}

namespace {

bool SniffOtherArchive(const GraphInput& input) {
  return LooksLikeZip(input.bytes) || LooksLikePickle(input.bytes);
}

Error ReadOtherArchive(const GraphInput& input, GraphSet& graphs) {
  graphs.inputs[input.index].lines = 0;
  if (!LooksLikeZip(input.bytes)) {
    return MakeError(
        "it is a pickle, such as torch.save wrote before 1.6: a checkpoint of tensors, not a "
        "graph; save the program with torch.export.save or torch.jit.save");
  }
  Expected<ZipArchive> archive = ZipArchive::Open(input.bytes);
  if (!archive) return archive.takeError();
  // The message for an archive with a member whose path contains a mark.
  for (const auto& row : JsonTextRows(DataTable("names"), "archives")) {
    const bool fits = llvm::any_of(archive->members(), [&](const ZipArchive::Member& member) {
      return member.name.find(row[0]) != std::string_view::npos;
    });
    if (fits) return MakeError(std::string(row[1]));
  }
  return MakeError("it is a zip archive, but none that torch.export.save or torch.jit.save made");
}

}  // namespace

const GraphFormat kOtherArchiveFormat{SniffOtherArchive, ReadOtherArchive};

}  // namespace shapewise
