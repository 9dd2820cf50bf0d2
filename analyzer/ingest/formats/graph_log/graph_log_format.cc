// Collects the graphs of a log: removes prefixes and separates ranks.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/torch_log/line_framer.h"
#include "ingest/graph_format.h"
#include "ingest/graph_text/graph_scanner.h"
#include "ingest/messages/wording.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "model/graph_model.h"
#include "support/literal_set.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

// A record without a further line for this many lines is complete.
constexpr uint64_t kIdleLines = 1024;

// After this many consecutive lines that are not part of a graph, output without prefixes is
// complete.
constexpr uint64_t kMaxLogLinesBetween = 32;

// Real logs have fewer processes; a hostile input could name millions.
constexpr size_t kMaxStreams = 4096;

// Longer records are read in parts.
constexpr size_t kMaxRecordBytes = size_t{256} << 20;

/// Texts at the start of records that contain a graph.
const LiteralSet& RecordLiterals() {
  static const LiteralSet literals({"TRACED GRAPH", "(torch.nn.Module):", "def forward(",
                                    "graph():", " graph---", "opcode  ", "ExportedProgram:"});
  return literals;
}

/// Whether a line without prefix may be part of a printed graph.
bool LooksLikeGraph(std::string_view body) {
  return body.empty() || IsBlankChar(body[0]) || body[0] == '#' ||
         BeginsWithAny(body,
                       "class |def forward(|graph():|opcode |placeholder |call_|get_attr |output |"
                       "-----|ExportedProgram:|Graph signature|Range constraints");
}

/// One pass over a log. While no graph is being read, a single search skips other lines.
class GraphLogReader final : private LineFramer {
 public:
  GraphLogReader(GraphSet& graphs, uint32_t input)
      : graphs_(graphs), input_(input), scanner_(graphs) {}

  void Read(std::string_view text) {
    const LiteralSet& literals = RecordLiterals();
    uint64_t number = 1;
    size_t at = 0;
    size_t hit = literals.Find(text);
    while (at < text.size()) {
      if (open_.empty() && number != watched_line_) {
        if (hit == LiteralSet::kNotFound) break;
        const size_t begin = std::max(text.substr(0, hit).rfind('\n') + 1, at);
        number += CountNewlines(text.substr(at, begin - at));
        at = begin;
      }
      const size_t newline = text.find('\n', at);
      const size_t end = std::min(newline, text.size());
      has_hit_ = hit < end;
      is_whole_ = newline != kNotFound;
      ReadLine(text.substr(at, end - at), number);
      at = end + 1;
      ++number;
      if (hit < at) hit = literals.Find(text, std::min(at, text.size()));
      if (number >= next_idle_check_) {
        CloseIdle(number > kIdleLines ? number - kIdleLines : 0);
        next_idle_check_ = number + kIdleLines;
      }
    }
    FinishLines();
    CloseIdle(UINT64_MAX);
  }

 private:
  /// Lines with one prefix: those of one record, or those of one process without a prefix.
  struct Stream {
    uint64_t key = 0;
    StrId compile_id{};
    std::string text;
    std::vector<uint64_t> numbers;
    uint64_t last_line = 0;
    uint64_t num_foreign = 0;  ///< consecutive lines without prefix that are not part of a graph
    bool is_open = true;
  };

  void OnPart(LinePart& part) override {
    // Empty lines of a record have no blank after the prefix.
    const std::string_view whole =
        part.has_prefix ? TrimRight(part.prefix.Whole(part.text)) : std::string_view();
    const bool may_begin = has_hit_ && RecordLiterals().Occurs(part.body);
    Stream* const stream =
        StreamFor(llvm::hash_combine(part.foreign.key, llvm::StringRef(whole)), part, may_begin);
    if (stream == nullptr) return;
    if (!part.has_prefix && !may_begin && !LooksLikeGraph(part.body)) {
      if (++stream->num_foreign > kMaxLogLinesBetween) Close(*stream);
      return;
    }
    stream->num_foreign = 0;
    stream->text += part.body;
    if (is_whole_) stream->text += '\n';
    stream->numbers.push_back(part.number);
    stream->last_line = part.number;
    if (stream->text.size() > kMaxRecordBytes) Close(*stream);
  }

  bool IsDoubtfulPrefix(const LinePart&) const override { return false; }
  /// The stream of `key`; creates one only with `may_begin`.
  Stream* StreamFor(uint64_t key, const LinePart& part, bool may_begin) {
    const auto found = open_.find(key);
    if (found != open_.end()) return found->second;
    if (!may_begin) return nullptr;
    if (open_.size() >= kMaxStreams) {
      graphs_.stats.Bump(Stat::streams_too_many, input_, part.number);
      return nullptr;
    }
    std::unique_ptr<Stream>& stream = streams_[part.number];
    if (stream != nullptr) return nullptr;
    stream = std::make_unique<Stream>();
    stream->key = key;
    stream->last_line = part.number;
    stream->compile_id = graphs_.strings.Intern(part.prefix.compile_id);
    open_[key] = stream.get();
    return stream.get();
  }

  void Close(Stream& stream) {
    stream.is_open = false;
    open_.erase(stream.key);
  }

  void CloseIdle(uint64_t idle_since) {
    for (const auto& [line, stream] : streams_) {
      if (stream->is_open && stream->last_line < idle_since) Close(*stream);
    }
    ScanClosed();
  }

  /// Reads the closed records, as long as no record that began before them is open.
  void ScanClosed() {
    while (!streams_.empty() && !streams_.begin()->second->is_open) {
      const Stream& stream = *streams_.begin()->second;
      GraphOrigin origin;
      origin.input = input_;
      origin.format = "torch_log";
      origin.compile_id = stream.compile_id;
      scanner_.Scan(stream.text, 0, stream.numbers, origin);
      streams_.erase(streams_.begin());
    }
  }

  GraphSet& graphs_;
  const uint32_t input_;
  GraphScanner scanner_;
  bool has_hit_ = false;                                 // a graph may begin in the current line
  bool is_whole_ = false;                                // the current line is complete
  std::map<uint64_t, std::unique_ptr<Stream>> streams_;  // by the number of their first line
  std::map<uint64_t, Stream*> open_;                     // by key
  uint64_t next_idle_check_ = 0;
};

constexpr size_t kGraphLogSniffBytes = 4096;

// A graph may come after gigabytes of text; here it is only known that the input is text.
bool SniffGraphLog(const GraphInput& input) {
  const std::string_view front = input.bytes.substr(0, kGraphLogSniffBytes);
  return front.find('\0') == std::string_view::npos && !IsPythonProgram(input.name, front);
}

Error ReadGraphLog(const GraphInput& input, GraphSet& graphs) {
  GraphLogReader(graphs, input.index).Read(input.bytes);
  return Error::success();
}
}  // namespace

const GraphFormat kGraphLogFormat{SniffGraphLog, ReadGraphLog};

namespace {

bool SniffFxText(const GraphInput& input) {
  std::string storage;
  const std::string_view front = StripEscapes(input.bytes.substr(0, kGraphSniffBytes), storage);
  return !IsPythonProgram(input.name, front) && HasGraphHead(front);
}

Error ReadFxText(const GraphInput& input, GraphSet& graphs) {
  std::string storage;
  GraphOrigin origin;
  origin.input = input.index;
  GraphScanner(graphs).Scan(StripEscapes(input.bytes, storage), 1, {}, origin);
  return Error::success();
}
}  // namespace

const GraphFormat kFxTextFormat{SniffFxText, ReadFxText};
}  // namespace shapewise
