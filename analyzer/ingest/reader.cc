// Opens inputs, finds the format of each, and lets its reader fill the session.

#include "ingest/reader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ingest/log_format.h"
#include "ingest/reconcile/reconciler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/Path.h"
#include "model/append_session.h"
#include "redact/redact.h"
#include "support/decoding_chain.h"
#include "support/in_parallel.h"
#include "support/terminal_text.h"
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

/// Collects lines into blocks as they arrive from disk. Each block has a thread that scans it and
/// passes it to the reader after the preceding block, so the reader receives the same as without
/// threads. Threads and copies are created only once an input proves large.
class BlockPipeline {
 public:
  /// `num_threads` includes the calling one; at least 2. `reader` is called by any of them, never
  /// by two at a time, and not after Drain().
  BlockPipeline(LogReader& reader, size_t num_threads)
      : reader_(reader), ring_(NumHelpers(reader, num_threads) + 1) {}
  ~BlockPipeline() { WaitForBlocks(); }
  BlockPipeline(const BlockPipeline&) = delete;
  BlockPipeline& operator=(const BlockPipeline&) = delete;

  /// As LineSink::OnLines.
  void OnLines(std::string_view lines, uint64_t first_line) {
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

  /// Passes everything that is still pending to the reader.
  void Drain() {
    if (!BlockAt(num_filled_).lines.empty()) Submit();
    WaitForBlocks();
  }

 private:
  struct Block {
    std::string lines;
    uint64_t first_line = 0;
    LineScan scan;
    std::future<void> reading;  ///< valid: the block is or was being read
  };

  Block& BlockAt(uint64_t number) { return ring_[number % ring_.size()]; }
  /// Starts scanning and reading the block that is being filled, and waits until another one is
  /// free.
  void Submit() {
    Block& block = BlockAt(num_filled_);
    const uint64_t number = num_filled_++;
    block.reading = std::async([this, &block, number] { ScanAndRead(block, number); });
    Block& next = BlockAt(num_filled_);
    if (next.reading.valid()) next.reading.wait();
  }
  void ScanAndRead(Block& block, uint64_t number) {
    if (const LineScanner* scanner = reader_.scanner()) scanner->Scan(block.lines, block.scan);
    for (uint64_t read = num_read_; read != number; read = num_read_) num_read_.wait(read);
    reader_.OnScannedLines(block.lines, block.first_line, block.scan);
    block.lines.clear();
    ++num_read_;
    num_read_.notify_all();
  }
  /// Waits for the pending blocks in order; if the system has no more threads, waiting itself reads
  /// them.
  void WaitForBlocks() {
    for (uint64_t i = 0; i < ring_.size(); ++i) {
      Block& block = BlockAt(num_filled_ + i);
      if (block.reading.valid()) block.reading.wait();
    }
  }

  LogReader& reader_;
  uint64_t bytes_before_ = 0;  ///< passed on without threads
  uint64_t num_filled_ = 0;    ///< number of the block that is being filled
  std::atomic<uint64_t> num_read_ = 0;
  std::vector<Block> ring_;
};

/// Chooses the format by the first kSniffBytes, however they arrive, and passes everything to its
/// reader.
class SniffingSink final : public LineSink {
 public:
  /// With more than one of `num_threads`, lines are processed in the background until Finish():
  /// nothing can be shown before.
  SniffingSink(Session& session, uint32_t input, const ReadOptions& options, size_t num_threads = 1)
      : session_(session), input_(input), options_(options), num_threads_(num_threads) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
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
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    if (!is_sniffed_) Sniff(piece);
    if (pipeline_ != nullptr) pipeline_->Drain();
    return reader_->OnPiece(piece, line, is_first, is_last);
  }

  /// `totals`: the whole input, or as much of it as could be read.
  void Finish(const TextTotals& totals) {
    if (!is_sniffed_ && !head_.empty()) Sniff({});
    if (reader_ == nullptr) return SetTotals(session_, totals, 0);
    if (pipeline_ != nullptr) pipeline_->Drain();
    reader_->Finish();
    if (!reader_->brings_inputs()) SetTotals(session_, totals, reader_->torch_lines());
  }

  /// Adds to `copy`, a copy of the current session, what Finish(totals) would add; without
  /// `with_open`, only complete records.
  void ShowIn(Session& copy, const TextTotals& totals, bool with_open) const {
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

  /// Why the format rejects the input; empty: it does not. Call after Finish().
  std::string failure() const { return reader_ == nullptr ? std::string() : reader_->failure(); }

 private:
  /// Chooses by the lines kept so far followed by `text`, then passes the kept lines to the reader.
  void Sniff(std::string_view text) {
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
  void ChooseReader(std::string_view head) {
    session_.input(input_).first_line = FirstText(head);
    session_.input(input_).is_binary = head.find('\0') != std::string_view::npos;
    format_ = *std::ranges::find_if(BuiltinFormats(),
                                    [&](const LogFormat* format) { return format->sniff(head); });
    reader_ = format_->new_reader(session_, input_, options_);
    if (num_threads_ > 1) pipeline_ = std::make_unique<BlockPipeline>(*reader_, num_threads_);
  }
  void SetTotals(Session& session, const TextTotals& totals, uint64_t torch_lines) const {
    Input& input = session.input(input_);
    input.bytes = totals.bytes;
    input.lines = totals.lines;
    input.torch_lines = torch_lines;
    if (torch_lines > 0) input.format = format_->name;
  }

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  const size_t num_threads_;
  std::string head_;  ///< whole lines received before the format was chosen
  bool is_sniffed_ = false;
  const LogFormat* format_ = nullptr;
  std::unique_ptr<LogReader> reader_;
  std::unique_ptr<BlockPipeline> pipeline_;  ///< nullptr: the reader receives lines directly
};

/// Passes text on and keeps its end.
class EndKeeper final : public LineSink {
 public:
  explicit EndKeeper(LineSink& next) : next_(next) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    Keep(lines);
    next_.OnLines(lines, first_line);
  }
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    const size_t consumed = next_.OnPiece(piece, line, is_first, is_last);
    Keep(is_last ? piece : piece.substr(0, consumed));
    if (is_last) Keep("\n");
    return consumed;
  }

  /// The last InputEnds::kMaxBytes of what came.
  std::string TakeEnd() {
    if (end_.size() > InputEnds::kMaxBytes) end_.erase(0, end_.size() - InputEnds::kMaxBytes);
    return std::exchange(end_, {});
  }

 private:
  void Keep(std::string_view text) {
    constexpr size_t kMost = InputEnds::kMaxBytes;
    if (text.size() >= kMost) {
      end_ = text.substr(text.size() - kMost);
      return;
    }
    // Cut now and then, so that each byte is moved at most once more.
    if (end_.size() + text.size() > 2 * kMost) end_.erase(0, end_.size() + text.size() - kMost);
    end_ += text;
  }

  LineSink& next_;
  std::string end_;
};

/// The maximum number of threads.
size_t MaxThreads(const ReadOptions& options) {
  return options.jobs > 0 ? options.jobs : NumProcessors();
}

/// Reads the input `name` into `session` with this many threads. Returns why it could not be read;
/// empty: it was.
std::string ReadOne(const std::string& name, FileSource& files, Session& session,
                    const ReadOptions& options, size_t num_threads) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index, options, num_threads);
  Stats on_the_way;  // the session's own may be in use by another thread until Finish()
  TextTotals totals;
  EndKeeper keeper(sink);
  LineSink& first = options.ends == nullptr ? static_cast<LineSink&>(sink) : keeper;
  Error error = files.Read(name, first, on_the_way, index, totals);
  sink.Finish(totals);
  if (options.ends != nullptr) options.ends->Set(name, keeper.TakeEnd());
  session.stats().Add(on_the_way);
  std::string failure = sink.failure();
  if (!failure.empty()) failure = "cannot read " + MakePrintable(name) + ": " + failure;
  if (error) {
    failure = llvm::toString(std::move(error));
  } else if (totals.bytes == 0 && on_the_way.count(Stat::archive_damaged).times > 0) {
    failure = "cannot read " + MakePrintable(name) + ": a damaged archive, from its start on";
  }
  if (!failure.empty()) session.stats().Bump(Stat::input_unreadable, index, 0);
  return failure;
}

/// Reads inputs in parallel, each into a session of its own, and appends these to `session` in the
/// order of the inputs, so the result does not depend on the number of threads. Returns the result
/// of ReadOne for each input.
std::vector<std::string> ReadSideBySide(llvm::ArrayRef<std::string> names, FileSource& files,
                                        const ReadOptions& options, size_t num_threads,
                                        Session& session) {
  // Number of inputs that may wait for an earlier one: many small ones after a large one would
  // otherwise all be in memory.
  constexpr size_t kMaxWaiting = 256;
  const size_t threads_per_input = MaxThreads(options) / std::max<size_t>(num_threads, 1);
  std::vector<std::string> failures(names.size());
  std::vector<std::unique_ptr<Session>> read(names.size());
  std::mutex mutex;  // of `read`, `num_appended` and `session`
  std::condition_variable appended;
  size_t num_appended = 0;
  InParallel(names.size(), num_threads, [&](size_t index) {
    {
      std::unique_lock lock(mutex);
      appended.wait(lock, [&] { return index < num_appended + kMaxWaiting; });
    }
    auto own = std::make_unique<Session>();
    failures[index] = ReadOne(names[index], files, *own, options, threads_per_input);
    own->SortByPlace();
    {
      const std::scoped_lock lock(mutex);
      read[index] = std::move(own);
      for (; num_appended < read.size() && read[num_appended] != nullptr; ++num_appended) {
        AppendSession(*read[num_appended], nullptr, session);
        read[num_appended] = nullptr;
      }
    }
    appended.notify_all();
  });
  return failures;
}

/// Digests the text of one input.
struct DigestSink final : LineSink {
  void OnLines(std::string_view lines, uint64_t) override { digest.update(lines); }
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool is_last) override {
    digest.update(piece);
    if (is_last) digest.update("\n");
    return piece.size();
  }

  llvm::MD5 digest;
};

/// The digest of the decompressed contents of `name`; absent: it cannot be read completely.
std::optional<std::string> DigestOf(const std::string& name, FileSource& files) {
  DigestSink sink;
  Stats stats;
  TextTotals totals;
  if (Error error = files.Read(name, sink, stats, 0, totals)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  if (stats.count(Stat::archive_damaged).times > 0) return std::nullopt;
  llvm::MD5::MD5Result result;
  sink.digest.final(result);
  return std::string(result.digest());
}

/// Finds inputs that would count twice: files that are named twice, and a log and its compressed
/// copy, whose texts are compared before either is read.
class RepeatedNames {
 public:
  RepeatedNames(FileSource& files, std::vector<std::string>* notes)
      : files_(files), notes_(notes) {}

  /// Whether `name` repeats an earlier one.
  bool IsRepeated(const std::string& name) {
    if (name == "-") return false;
    llvm::SmallString<256> path(name);
    llvm::sys::path::remove_dots(path);
    if (!paths_.insert(path).second) {
      Note(MakePrintable(name) + " is named more than once and is read once");
      return true;
    }
    llvm::StringRef stem = path;
    if (!stem.consume_back(".gz")) stem.consume_back(".zst");
    const auto [first, is_new] = by_stem_.try_emplace(stem, name);
    if (is_new || !HaveSameText(first->second, name)) return false;
    Note(MakePrintable(name) + " has the same text as " + MakePrintable(first->second) +
         " and is not read");
    return true;
  }

 private:
  bool HaveSameText(const std::string& a, const std::string& b) {
    const auto digest = DigestOf(a, files_);
    return digest && digest == DigestOf(b, files_);
  }

  void Note(std::string note) {
    if (notes_ != nullptr) notes_->push_back(std::move(note));
  }

  FileSource& files_;
  std::vector<std::string>* notes_;
  llvm::StringSet<> paths_;
  llvm::StringMap<std::string> by_stem_;
};

size_t ThreadsFor(llvm::ArrayRef<std::string> names, const ReadOptions& options) {
  // Standard input that is named twice is read once.
  if (llvm::count(names, "-") > 1) return 1;
  return std::min(MaxThreads(options), names.size());
}

std::vector<std::string> ReadAll(const std::vector<std::string>& paths, FileSource& files,
                                 Session& session, const ReadOptions& options) {
  std::vector<std::string> failures;
  std::vector<std::string> names;
  std::vector<size_t> places;  // of each name's failure
  RepeatedNames repeated(files, options.notes);
  for (const std::string& path : paths) {
    Expected<std::vector<std::string>> expanded = files.Expand(path);
    if (!expanded) {
      failures.push_back(llvm::toString(expanded.takeError()));
      continue;
    }
    for (std::string& name : *expanded) {
      if (repeated.IsRepeated(name)) continue;
      names.push_back(std::move(name));
      places.push_back(failures.size());
      failures.emplace_back();
    }
  }
  if (names.size() == 1) {
    failures[places[0]] = ReadOne(names[0], files, session, options, MaxThreads(options));
  } else {
    std::vector<std::string> messages =
        ReadSideBySide(names, files, options, ThreadsFor(names, options), session);
    for (size_t i = 0; i < names.size(); ++i) failures[places[i]] = std::move(messages[i]);
  }
  std::erase(failures, std::string());
  session.SortByPlace();
  ReconcileLogsAndTraces(session);
  return failures;
}

}  // namespace

std::span<const LogFormat* const> BuiltinFormats() {
  static constexpr const LogFormat* kFormats[] = {
      &kPartialFormat,   &kCallRecordLogFormat, &kChromeTraceFormat,
      &kStepTimesFormat, &kTorchTraceFormat,    &kTorchLogFormat,
  };
  return kFormats;
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

void InputEnds::Set(const std::string& name, std::string_view end) {
  const size_t begin = end.rfind("Traceback (most recent call last):");
  if (begin == end.npos) return;
  const std::scoped_lock lock(mutex_);
  ends_[name] = end.substr(begin);
}

std::string InputEnds::Of(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = ends_.find(name);
  return found == ends_.end() ? std::string() : found->second;
}

std::vector<std::string> ReadInputs(const std::vector<std::string>& paths, FileSource& files,
                                    Session& session, const ReadOptions& options) {
  if (options.redactor == nullptr) return ReadAll(paths, files, session, options);
  Session open;
  std::vector<std::string> failures = ReadAll(paths, files, open, options);
  RedactSession(open, *options.redactor, session);
  const auto rewrite = [&](std::string& text) {
    text = options.redactor->Rewrite(TextKind::kProse, text);
  };
  llvm::for_each(failures, rewrite);
  if (options.notes != nullptr) llvm::for_each(*options.notes, rewrite);
  return failures;
}

bool HoldsMessages(std::string_view format) {
  return llvm::any_of(BuiltinFormats(), [&](const LogFormat* known) {
    return known->name == format && known->holds_messages;
  });
}

void ReadInputFromChunks(const std::string& name, const std::vector<std::string_view>& chunks,
                         Session& session, const ReadOptions& options) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index, options, MaxThreads(options));
  Stats on_the_way;
  sink.Finish(ReadChunks(chunks, sink, on_the_way, index));
  session.stats().Add(on_the_way);
  session.SortByPlace();
}

}  // namespace shapewise
