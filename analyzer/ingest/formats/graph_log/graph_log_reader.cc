#include "ingest/formats/graph_log/graph_log_reader.h"

#include <algorithm>
#include <cstring>

#include "ingest/formats/torch_log/log_prefix.h"
#include "llvm/ADT/Hashing.h"
#include "shapewise/support/literal_set.h"
#include "shapewise/support/terminal_text.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// A record that has not gone on for so many lines is over.
constexpr uint64_t kIdleLines = 1024;

// So many lines in a row that are no part of a graph: what was printed without prefixes is over.
constexpr uint64_t kMaxLogLinesBetween = 32;

// More processes than this never share one file; a hostile input could name millions.
constexpr size_t kMaxStreams = 4096;

// Longer records are read in parts.
constexpr size_t kMaxRecordBytes = size_t{256} << 20;

/// Texts with which a record that holds a graph may begin.
const LiteralSet& RecordLiterals() {
  static const LiteralSet literals({"TRACED GRAPH", "(torch.nn.Module):", "def forward(",
                                    "graph():", " graph---", "opcode  ", "ExportedProgram:"});
  return literals;
}

/// Whether a line without prefix may be part of a printed graph.
bool LooksLikeGraph(std::string_view body) {
  if (body.empty() || IsBlankChar(body[0]) || body[0] == '#') return true;
  constexpr std::string_view kHeads[] = {
      "class ",          "def forward(",     "graph():", "opcode ", "placeholder ",
      "call_",           "get_attr ",        "output ",  "-----",   "ExportedProgram:",
      "Graph signature", "Range constraints"};
  return std::any_of(std::begin(kHeads), std::end(kHeads),
                     [&](std::string_view head) { return body.starts_with(head); });
}

}  // namespace

void GraphLogReader::Read(std::string_view text) {
  const LiteralSet& literals = RecordLiterals();
  uint64_t number = 1;
  size_t at = 0;
  size_t hit = literals.Find(text);
  while (at < text.size()) {
    if (open_.empty()) {
      if (hit == LiteralSet::kNotFound) break;
      const size_t newline = hit == 0 ? std::string_view::npos : text.rfind('\n', hit - 1);
      const size_t begin = newline == std::string_view::npos || newline < at ? at : newline + 1;
      number +=
          static_cast<uint64_t>(std::count(text.begin() + static_cast<ptrdiff_t>(at),
                                           text.begin() + static_cast<ptrdiff_t>(begin), '\n'));
      at = begin;
    }
    const void* const newline = memchr(text.data() + at, '\n', text.size() - at);
    const size_t end = newline == nullptr
                           ? text.size()
                           : static_cast<size_t>(static_cast<const char*>(newline) - text.data());
    ReadLine(text.substr(at, end - at), number, hit < end, newline != nullptr);
    at = end + 1;
    ++number;
    if (hit < at) hit = literals.Find(text, std::min(at, text.size()));
    if (number >= next_idle_check_) {
      CloseIdle(number > kIdleLines ? number - kIdleLines : 0);
      next_idle_check_ = number + kIdleLines;
    }
  }
  CloseIdle(UINT64_MAX);
}

void GraphLogReader::ReadLine(std::string_view line, uint64_t number, bool has_hit, bool is_whole) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = StripEscapes(line, unescaped_);
  // Most lines have the very prefix of the line before.
  if (last_ != nullptr && !last_->head.empty() && line.starts_with(last_->head) &&
      (line.size() == last_->head.size() || line[last_->head.size()] != '[')) {
    Add(*last_, line.substr(last_->head.size()), number, is_whole);
    return;
  }
  const ForeignPrefix foreign = ParseForeignPrefix(line);
  LogPrefix prefix;
  const bool is_prefixed = FindLogPrefix(line, foreign.length, prefix) &&
                           (prefix.names_torch || !prefix.artifact.empty());
  if (is_prefixed) {
    // Lines of a record that are empty have no blank behind the prefix.
    const std::string_view whole = TrimRight(prefix.Whole(line));
    const uint64_t key = llvm::hash_combine(
        foreign.key, llvm::hash_value(llvm::StringRef(whole.data(), whole.size())));
    Stream* const stream = StreamFor(key, number, has_hit);
    if (stream == nullptr) return;
    if (stream->head.empty()) {
      stream->head = line.substr(0, prefix.text_begin);
      stream->compile_id = graphs_.strings.Intern(prefix.compile_id);
    }
    Add(*stream, line.substr(prefix.text_begin), number, is_whole);
    return;
  }
  const std::string_view body = line.substr(foreign.length);
  Stream* const stream = StreamFor(llvm::hash_combine(foreign.key, 0), number, has_hit);
  if (stream == nullptr) return;
  if (!LooksLikeGraph(body) && !has_hit) {
    if (++stream->num_foreign > kMaxLogLinesBetween) Close(*stream);
    return;
  }
  stream->num_foreign = 0;
  Add(*stream, body, number, is_whole);
}

void GraphLogReader::Add(Stream& stream, std::string_view body, uint64_t number, bool is_whole) {
  stream.text += body;
  if (is_whole) stream.text += '\n';
  stream.numbers.push_back(number);
  stream.last_line = number;
  last_ = &stream;
  if (stream.text.size() > kMaxRecordBytes) Close(stream);
}

/// The stream of `key`; a new one only with `may_open`.
GraphLogReader::Stream* GraphLogReader::StreamFor(uint64_t key, uint64_t number, bool may_open) {
  const auto found = open_.find(key);
  if (found != open_.end()) return found->second;
  if (!may_open) return nullptr;
  if (open_.size() >= kMaxStreams) {
    graphs_.stats.Bump(Stat::streams_too_many, input_, number);
    return nullptr;
  }
  std::unique_ptr<Stream>& stream = streams_[number];
  stream = std::make_unique<Stream>();
  stream->key = key;
  stream->last_line = number;
  open_[key] = stream.get();
  return stream.get();
}

void GraphLogReader::Close(Stream& stream) {
  stream.is_open = false;
  open_.erase(stream.key);
  if (last_ == &stream) last_ = nullptr;
}

void GraphLogReader::CloseIdle(uint64_t idle_since) {
  for (const auto& [line, stream] : streams_) {
    if (stream->is_open && stream->last_line < idle_since) Close(*stream);
  }
  ScanClosed();
}

void GraphLogReader::ScanClosed() {
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

}  // namespace shapewise
