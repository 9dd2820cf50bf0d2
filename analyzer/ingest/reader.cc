// Opens inputs, finds the format of each, and lets its reader fill the session.

#include "shapewise/ingest/reader.h"

#include <memory>

#include "ingest/log_format.h"
#include "ingest/retold_events.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Enough of an input's first line to show what it is.
constexpr size_t kShownBytes = 200;

/// Chooses the format by the first kSniffBytes, however they come, and passes everything on to its
/// reader.
class SniffingSink final : public LineSink {
 public:
  SniffingSink(Session& session, uint32_t input, const ReadOptions& options)
      : session_(session), input_(input), options_(options) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    if (!is_sniffed_) {
      if (head_.size() + lines.size() < kSniffBytes) {
        head_ += lines;
        return;
      }
      Sniff(lines);
    }
    reader_->OnLines(lines, first_line);
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    if (!is_sniffed_) Sniff(piece);
    return reader_->OnPiece(piece, line, is_first, is_last);
  }

  void Finish() {
    if (!is_sniffed_ && !head_.empty()) Sniff({});
    if (reader_ == nullptr) return;
    reader_->Finish();
    Input& input = session_.input(input_);
    input.torch_lines = reader_->torch_lines();
    if (input.torch_lines > 0) input.format = format_->name();
  }

 private:
  /// Chooses by the lines kept so far and `text` behind them, then gives the reader what was kept.
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
    Input& input = session_.input(input_);
    input.first_line = FirstText(head);
    for (const std::unique_ptr<LogFormat>& format : BuiltinFormats()) {
      if (!format->Sniff(head)) continue;
      format_ = format.get();
      break;
    }
    reader_ = format_->NewReader(session_, input_, options_);
  }

  /// The first line with anything on it.
  static std::string FirstText(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    return std::string(TrimRight(text.substr(0, text.find('\n'))).substr(0, kShownBytes));
  }

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  std::string head_;  ///< whole lines that came before the format was chosen
  bool is_sniffed_ = false;
  const LogFormat* format_ = nullptr;
  std::unique_ptr<LogReader> reader_;
};

}  // namespace

std::vector<std::string> ReadInputs(const std::vector<std::string>& paths, FileSource& files,
                                    Session& session, const ReadOptions& options) {
  std::vector<std::string> failures;
  for (const std::string& path : paths) {
    Expected<std::vector<std::string>> names = files.Expand(path);
    if (!names) {
      failures.push_back(llvm::toString(names.takeError()));
      continue;
    }
    for (const std::string& name : *names) {
      const uint32_t index = session.AddInput(name);
      SniffingSink sink(session, index, options);
      Expected<TextTotals> totals = files.Read(name, sink, session.stats(), index);
      sink.Finish();
      if (!totals) {
        session.stats().Bump(Stat::input_unreadable, index, 0);
        failures.push_back(llvm::toString(totals.takeError()));
        continue;
      }
      session.input(index).bytes = totals->bytes;
      session.input(index).lines = totals->lines;
    }
  }
  DropRetoldEvents(session);
  session.SortByPlace();
  return failures;
}

void ReadInputFromChunks(const std::string& name, const std::vector<std::string_view>& chunks,
                         Session& session, const ReadOptions& options) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index, options);
  const TextTotals totals = ReadChunks(chunks, sink, session.stats(), index);
  sink.Finish();
  session.input(index).bytes = totals.bytes;
  session.input(index).lines = totals.lines;
  session.SortByPlace();
}

}  // namespace shapewise
