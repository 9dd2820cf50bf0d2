#include "ingest/sniffing_sink.h"

#include <algorithm>

#include "ingest/live_input.h"
#include "support/decoding_chain.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Enough of an input's first line to show its contents.
constexpr size_t kShownBytes = 200;

/// The first non-blank line.
std::string FirstText(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return std::string(TrimRight(text.substr(0, text.find('\n'))).substr(0, kShownBytes));
}

// Smaller inputs are read without starting a thread.
constexpr uint64_t kMinBytes = uint64_t{4} << 20;

// Large enough to amortize a thread, small enough for a processor's own cache.
constexpr size_t kBlockBytes = size_t{512} << 10;

// One thread receives the bytes and one reads: more scanners than these would wait for them.
constexpr size_t kMaxHelpers = 3;

size_t NumHelpers(const LogReader& reader, size_t num_threads) {
  const size_t most = reader.scanner() == nullptr ? 1 : kMaxHelpers;
  return std::min(num_threads - 1, most);
}

}  // namespace

std::span<const LogFormat* const> BuiltinFormats() {
  static constexpr const LogFormat* kFormats[] = {
      &kPartialFormat,   &kCallRecordLogFormat, &kChromeTraceFormat,
      &kStepTimesFormat, &kTorchTraceFormat,    &kTorchLogFormat,
  };
  return kFormats;
}

void SniffingSink::OnLines(std::string_view lines, uint64_t first_line) {
  if (!is_sniffed_) {
    if (head_.size() + lines.size() < kSniffBytes) {
      head_ += lines;
      return;
    }
    Sniff(lines);
  }
  if (pipeline_ != nullptr) return pipeline_->OnLines(lines, first_line);
  reader_->OnLines(lines, first_line);
}

size_t SniffingSink::OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) {
  if (!is_sniffed_) Sniff(piece);
  if (pipeline_ != nullptr) pipeline_->Drain();
  return reader_->OnPiece(piece, line, is_first, is_last);
}

void SniffingSink::Finish(const TextTotals& totals) {
  if (!is_sniffed_ && !head_.empty()) Sniff({});
  if (reader_ == nullptr) return SetTotals(session_, totals, 0);
  if (pipeline_ != nullptr) pipeline_->Drain();
  reader_->Finish();
  if (!reader_->brings_inputs()) SetTotals(session_, totals, reader_->torch_lines());
}

void SniffingSink::ShowIn(Session& copy, const TextTotals& totals, bool with_open) const {
  if (!is_sniffed_) {
    // Not enough input yet to choose the format for good.
    SniffingSink sink(copy, input_, options_);
    if (with_open && !head_.empty()) sink.OnLines(head_, 1);
    return sink.Finish(totals);
  }
  if (reader_->brings_inputs()) return;
  const uint64_t torch_lines = with_open ? reader_->ShowOpen(copy) : reader_->torch_lines();
  SetTotals(copy, totals, torch_lines);
}

void SniffingSink::SetTotals(Session& session, const TextTotals& totals,
                             uint64_t torch_lines) const {
  Input& input = session.input(input_);
  input.bytes = totals.bytes;
  input.lines = totals.lines;
  input.torch_lines = torch_lines;
  if (torch_lines > 0) input.format = format_->name;
}

void SniffingSink::Sniff(std::string_view text) {
  is_sniffed_ = true;
  std::string joined;
  if (!head_.empty() && !text.empty()) {
    joined = head_;
    joined += text.substr(0, kSniffBytes);
  }
  const std::string_view head = joined.empty() ? (head_.empty() ? text : head_) : joined;
  ChooseReader(head.substr(0, kSniffBytes));
  if (!head_.empty()) reader_->OnLines(head_, 1);
  head_.clear();
}

void SniffingSink::ChooseReader(std::string_view head) {
  session_.input(input_).first_line = FirstText(head);
  session_.input(input_).is_binary = head.find('\0') != std::string_view::npos;
  format_ = *std::ranges::find_if(BuiltinFormats(),
                                  [&](const LogFormat* format) { return format->sniff(head); });
  reader_ = format_->new_reader(session_, input_, options_);
  if (num_threads_ > 1) pipeline_ = std::make_unique<BlockPipeline>(*reader_, num_threads_);
}

struct LiveInput::State {
  State(Session& session, uint32_t input, const ReadOptions& options)
      : sink(session, input, options), chain(sink, session.stats(), input) {}

  SniffingSink sink;
  DecodingChain chain;
};

LiveInput::LiveInput(const std::string& name, Session& session, const ReadOptions& options)
    : state_(std::make_unique<State>(session, session.AddInput(name), options)) {}
LiveInput::~LiveInput() = default;

void LiveInput::Append(std::string_view bytes) { state_->chain.Append(bytes); }

void LiveInput::ShowIn(Session& copy, bool with_open) const {
  state_->sink.ShowIn(copy, state_->chain.totals_so_far(), with_open);
}

void LiveInput::Finish() { state_->sink.Finish(state_->chain.Finish()); }

BlockPipeline::BlockPipeline(LogReader& reader, size_t num_threads)
    : reader_(reader), ring_(NumHelpers(reader, num_threads) + 1) {}

void BlockPipeline::OnLines(std::string_view lines, uint64_t first_line) {
  if (bytes_before_ < kMinBytes) {
    bytes_before_ += lines.size();
    reader_.OnLines(lines, first_line);
    return;
  }
  Block& block = BlockAt(num_filled_);
  if (block.lines.empty()) block.first_line = first_line;
  block.lines += lines;
  if (block.lines.size() >= kBlockBytes) Submit();
}

void BlockPipeline::Submit() {
  Block& block = BlockAt(num_filled_);
  const uint64_t number = num_filled_++;
  block.reading = std::async([this, &block, number] { ScanAndRead(block, number); });
  Block& next = BlockAt(num_filled_);
  if (next.reading.valid()) next.reading.wait();
}

void BlockPipeline::ScanAndRead(Block& block, uint64_t number) {
  if (const LineScanner* scanner = reader_.scanner()) scanner->Scan(block.lines, block.scan);
  for (uint64_t read = num_read_; read != number; read = num_read_) num_read_.wait(read);
  reader_.OnScannedLines(block.lines, block.first_line, block.scan);
  block.lines.clear();
  ++num_read_;
  num_read_.notify_all();
}

void BlockPipeline::Drain() {
  if (!BlockAt(num_filled_).lines.empty()) Submit();
  WaitForBlocks();
}

void BlockPipeline::WaitForBlocks() {
  for (uint64_t i = 0; i < ring_.size(); ++i) {
    Block& block = BlockAt(num_filled_ + i);
    if (block.reading.valid()) block.reading.wait();
  }
}

}  // namespace shapewise
