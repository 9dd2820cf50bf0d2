// Opens dumps, finds the form of each, and lets its reader append the graphs.

#include "shapewise/ingest/graph_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ingest/debug_folder.h"
#include "ingest/graph_format.h"
#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

// More text than any graph has; a compressed dump that unfolds to more is refused.
constexpr size_t kMaxDecodedBytes = size_t{1} << 30;

constexpr size_t kMaxFirstLineBytes = 200;

/// Keeps the whole text, up to kMaxDecodedBytes.
class CollectingSink final : public LineSink {
 public:
  void OnLines(std::string_view lines, uint64_t /*first_line*/) override { Append(lines); }

  size_t OnPiece(std::string_view piece, uint64_t /*line*/, bool /*is_first*/,
                 bool is_last) override {
    Append(piece);
    if (is_last) Append("\n");
    return piece.size();
  }

  bool is_too_long() const { return is_too_long_; }
  const std::string& text() const { return text_; }

 private:
  void Append(std::string_view text) {
    is_too_long_ |= text.size() > kMaxDecodedBytes - text_.size();
    if (!is_too_long_) text_ += text;
  }

  std::string text_;
  bool is_too_long_ = false;
};

/// Whether the bytes are text that must be unpacked or transcoded first.
bool IsEncoded(std::string_view bytes) {
  constexpr std::string_view kHeads[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xff\xfe", "\xfe\xff",
                                         "\xef\xbb\xbf"};
  return llvm::any_of(kHeads, [&](std::string_view head) { return bytes.starts_with(head); });
}

std::string FirstLine(std::string_view bytes) {
  return std::string(bytes.substr(0, std::min(bytes.find('\n'), kMaxFirstLineBytes)));
}

Error ReadText(const GraphInput& input, GraphSet& graphs) {
  GraphSet::Input& kept = graphs.inputs[input.index];
  kept.lines = static_cast<uint64_t>(std::count(input.bytes.begin(), input.bytes.end(), '\n'));
  for (const GraphFormat* format : BuiltinGraphFormats()) {
    if (!format->sniff(input)) continue;
    const size_t num_before = graphs.graphs.size();
    if (Error error = format->read(input, graphs)) return error;
    if (graphs.graphs.size() == num_before) continue;
    kept.format = graphs.graphs[num_before].format;
    return Error::success();
  }
  kept.first_line = FirstLine(input.bytes);
  return Error::success();
}

Error ReadBytes(const std::string& name, std::string_view bytes, GraphSet& graphs) {
  const auto index = static_cast<uint32_t>(graphs.inputs.size());
  graphs.inputs.push_back({.name = name, .format = {}, .first_line = {}});
  if (!IsEncoded(bytes)) return ReadText({index, name, bytes}, graphs);
  CollectingSink sink;
  ReadChunks({bytes}, sink, graphs.stats, index);
  if (sink.is_too_long()) return MakeError("it unpacks to more than 1 GiB");
  return ReadText({index, name, sink.text()}, graphs);
}

}  // namespace

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

}  // namespace shapewise
