// Opens inputs, finds the format of each, and lets its reader fill the session.

#include "shapewise/ingest/reader.h"

#include <memory>

#include "ingest/log_format.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Enough of an input's first line to show what it is.
constexpr size_t kShownBytes = 200;

/// Chooses the format at the first text that comes, and passes everything on to its reader.
class SniffingSink final : public LineSink {
 public:
  SniffingSink(Session& session, uint32_t input) : session_(session), input_(input) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    ReaderFor(lines).OnLines(lines, first_line);
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    return ReaderFor(piece).OnPiece(piece, line, is_first, is_last);
  }

  void Finish() {
    if (reader_ == nullptr) return;
    reader_->Finish();
    Input& input = session_.input(input_);
    input.torch_lines = reader_->torch_lines();
    if (input.torch_lines > 0) input.format = format_->name();
  }

 private:
  LogReader& ReaderFor(std::string_view head) {
    if (reader_ != nullptr) return *reader_;
    session_.input(input_).first_line = FirstText(head);
    for (const std::unique_ptr<LogFormat>& format : BuiltinFormats()) {
      if (!format->Sniff(head)) continue;
      format_ = format.get();
      break;
    }
    reader_ = format_->NewReader(session_, input_);
    return *reader_;
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
  const LogFormat* format_ = nullptr;
  std::unique_ptr<LogReader> reader_;
};

}  // namespace

Error ReadInputs(const std::vector<std::string>& paths, FileSource& files, Session& session) {
  Error failure = Error::success();
  for (const std::string& path : paths) {
    Expected<std::vector<std::string>> names = files.Expand(path);
    if (!names) {
      failure = llvm::joinErrors(std::move(failure), names.takeError());
      continue;
    }
    for (const std::string& name : *names) {
      const uint32_t index = session.AddInput(name);
      SniffingSink sink(session, index);
      Expected<TextTotals> totals = files.Read(name, sink, session.stats(), index);
      sink.Finish();
      if (!totals) {
        session.stats().Bump(Stat::input_unreadable, index, 0);
        failure = llvm::joinErrors(std::move(failure), totals.takeError());
        continue;
      }
      session.input(index).bytes = totals->bytes;
      session.input(index).lines = totals->lines;
    }
  }
  session.SortEvents();
  return failure;
}

void ReadInputFromChunks(const std::string& name, const std::vector<std::string_view>& chunks,
                         Session& session) {
  const uint32_t index = session.AddInput(name);
  SniffingSink sink(session, index);
  const TextTotals totals = ReadChunks(chunks, sink, session.stats(), index);
  sink.Finish();
  session.input(index).bytes = totals.bytes;
  session.input(index).lines = totals.lines;
  session.SortEvents();
}

}  // namespace shapewise
