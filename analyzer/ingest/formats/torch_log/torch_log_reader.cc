// TORCH_LOGS text, from lines to events.
//
// Speed: nearly all lines of a training log are not torch output. One search for literals per line
// skips them. The reader looks closer only at lines with such a literal and at the line right after
// one that was read, which may be its wrapped tail or the next line of a message without prefix.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/file_rank.h"
#include "ingest/formats/server_log/server_log_reader.h"
#include "ingest/formats/torch_log/message_framer.h"
#include "ingest/formats/torch_log/process_guards.h"
#include "ingest/formats/torch_log/step_print.h"
#include "ingest/log_format.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/reconcile/reconciler.h"
#include "support/literal_set.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// The type of a break, looked up when its explanation appears, is a short line.
constexpr size_t kMaxPreviousLine = 512;

// Some frames of a stack, with the exception above them.
constexpr size_t kMaxPreviousText = 8192;

// "Step 1: torchdynamo start tracing <graph break in f> /w/x.py:3" of TORCH_LOGS=dynamo.
constexpr std::string_view kStartsTracing = "torchdynamo start tracing ";

// "torch" in UTF-16, of a file that was appended to one in UTF-8.
constexpr std::string_view kWideTorch("t\0o\0r\0c\0h", 9);

/// Whether a line belongs to a structured trace or is UTF-16: another file follows the log.
bool IsOfOtherFile(const LinePart& part, std::string_view text) {
  if (part.has_prefix) {
    return part.prefix.names_torch && part.prefix.artifact.empty() && text.starts_with("{\"") &&
           TrimRight(text).ends_with('}');
  }
  return part.text.find('\0') != kNotFound && HasText(part.text, kWideTorch);
}

/// Finds a torch or server literal in each line.
class TorchLineScanner final : public LineScanner {
 public:
  void Scan(std::string_view lines, LineScan& scan) const override {
    // Made at first use: building the table costs some microseconds that --version need not pay.
    static const LiteralSet literals([] {
      std::vector<std::string_view> all = MessageLiterals();
      for (const auto& list : {ServerLiterals(), ServerPrefixes()}) {
        all.insert(all.end(), list.begin(), list.end());
      }
      all.push_back(kWideTorch);
      return all;
    }());
    scan.finds.clear();
    size_t line = 0;
    size_t at = 0;
    size_t hit = literals.FindLine(lines);
    for (; hit != kNotFound; hit = literals.FindLine(lines, at)) {
      const std::string_view skipped = lines.substr(at, hit - at);
      // Between lines that are read one after the other there is no other.
      if (skipped.find('\n') != kNotFound) line += CountNewlines(skipped);
      scan.finds.push_back({static_cast<uint32_t>(hit), static_cast<uint32_t>(line)});
      const size_t newline = lines.find('\n', hit);
      if (newline == kNotFound) return;
      at = newline + 1;
      ++line;
    }
  }
};

/// The first line of `text` that has any letters, after its newline.
std::string_view LineAfter(std::string_view text) {
  text = text.substr(0, kMaxPreviousText);
  const size_t begin = text.find_first_not_of("\r\n");
  return begin == kNotFound ? std::string_view()
                            : text.substr(begin, text.find('\n', begin) - begin);
}

/// Adds the guards to `session`, and passes changed ones to `reconciler`, which looks for reasons.
void AddGuards(GuardPrints& prints, Session& session, Reconciler& reconciler) {
  for (PrintedGuards& printed : prints.printed) session.AddPrintedGuards(std::move(printed));
  for (const auto& [key, change] : prints.changes) {
    reconciler.NoteChangedGuards(key.first, key.second, change.entry, change.guards);
  }
}

/// Whether the event of `record` names the frame that its compile id numbers.
bool NamesFrame(const Record& record) {
  return record.kind == RecordKind::kRecompile || record.kind == RecordKind::kLimit;
}

/// Passes the function of `record` to `guards`.
void NoteFunction(const Record& record, const ParsedMessage& parsed, ProcessGuards& guards) {
  const EventDetail& detail = parsed.facts.back().detail;
  CodePlace place;
  place.file = parsed.strings.text(detail.file);
  place.line = detail.function_line;
  guards.NoteFunction(record.compile_id, parsed.strings.text(detail.function), place);
}

/// Whether the last lines of `text` are a traceback without its exception.
bool EndsInTraceback(std::string_view text) {
  constexpr int kMaxLines = 3;  // code and carets below the frame
  for (int i = 0; i < kMaxLines && !text.empty();) {
    text = TrimRight(text);
    const std::string_view line = text.substr(text.rfind('\n') + 1);
    text.remove_suffix(line.size());
    if (TrimLeft(line).starts_with("```")) continue;
    if (const size_t frame = FindText(line, "File \""); frame != kNotFound) {
      return ParseFrameLine(line.substr(frame)).has_value();
    }
    if (FindAnyException(TrimLeft(line)) != kNotFound) return false;
    ++i;
  }
  return false;
}

/// One pass over one input. A line without torch output costs one search for literals; other lines
/// go through the framer, and each message is parsed when it is complete.
class TorchLogReader final : public LogReader, private MessageFramer {
 public:
  TorchLogReader(Session& session, uint32_t input, const ReadOptions& options);

  void OnLines(std::string_view lines, uint64_t first_line) override {
    scanner()->Scan(lines, scan_);
    OnScannedLines(lines, first_line, scan_);
  }

  const LineScanner* scanner() const override {
    static const TorchLineScanner instance;
    return &instance;
  }

  void OnScannedLines(std::string_view lines, uint64_t first_line, const LineScan& scan) override {
    if (open_.NeedsMore(lines)) {
      open_.lines += lines;
      return;
    }
    ReadOpen(lines);
    ReadLines(lines, first_line, scan, /*following=*/std::nullopt);
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    size_t dealt_with = piece.size();
    if (!is_last) {
      // A record that is split at the end of the piece is read again as a whole; otherwise re-read
      // the last bytes, which may be the first half of a prefix.
      dealt_with = piece.size() - std::min<size_t>(piece.size() / 2, 512);
      const size_t half = piece.size() / 2;
      LogPrefix last;
      last.text_begin = half;
      for (LogPrefix next; FindNextLogPrefix(piece, last, next); last = next) {
        if (next.style == PrefixStyle::kGlog && next.begin > half) dealt_with = next.begin;
      }
    }
    ReadOpen({});
    previous_text_copy_.clear();
    CloseOld(line);
    ReadLine(piece.substr(0, dealt_with), line, /*continues=*/!is_first);
    return dealt_with;
  }

  void Finish() override { FinishAs(/*is_whole=*/true); }

  uint64_t torch_lines() const override { return torch_lines_; }
  uint64_t ShowOpen(Session& copy) const override {
    TorchLogReader reader(*this, copy);
    reader.FinishAs(/*is_whole=*/false);
    return reader.torch_lines_;
  }

 private:
  /// Continues in `copy`, a copy of the session, between two lines of `other`.
  TorchLogReader(const TorchLogReader& other, Session& copy);

  /// Ends the input. Unless it `is_whole`, the rest of a traceback may still come.
  void FinishAs(bool is_whole) {
    ReadOpen({});
    FinishLines();
    CloseOpen(UINT64_MAX);
    for (const auto& guards : guards_) {
      if (guards != nullptr) guards->Finish();
    }
    AddGuards(guard_prints_, session_, reconciler_);
    reconciler_.Finish(is_torchs_, is_whole && EndsInTraceback(previous_text_copy_));
  }

  void OnMessage(Stream& stream) override {
    const Record& record = stream.record;
    const ParsedMessage parsed = ParseMessage(record, session_.strings());
    if (!reconciler_.Add(record, parsed)) return;
    is_torchs_ = true;
    // Its lines may belong to another library until it is parsed.
    if (record.kind == RecordKind::kWarning) CountTorchLine(record.origin.line);
    if (NamesFrame(record)) NoteFunction(record, parsed, GuardsOf(stream));
  }

  bool TakesPart(const LinePart& part) override {
    if (!part.has_prefix) {
      const bool is_servers = server_.Read(part.text, part.number);
      if (server_.awaits_tail()) watched_line_ = part.number + 1;
      if (!is_servers) return false;
      CountTorchLine(part.number);
      return true;
    }
    CountTorchLine(part.number);
    is_torchs_ = true;
    const LogPrefix& prefix = part.prefix;
    const RecordOrigin origin = OriginOf(part);
    NoteVersion(prefix, part.number);
    if (!prefix.compile_id.empty() && (prefix.names_torch || !prefix.artifact.empty()) &&
        (origin.rank != last_id_rank_ || prefix.compile_id != last_id_)) {
      reconciler_.NoteCompileId(prefix.compile_id, origin);
      last_id_ = prefix.compile_id;
      last_id_rank_ = origin.rank;
    }
    reconciler_.NoteResumeNames(part.body, origin);
    return false;
  }

  bool TakesPrefixed(Stream& stream, const LinePart& part, std::string_view whole) override {
    const std::string_view text = part.body;
    const RecordOrigin origin = OriginOf(part);
    if ((FindGuards(stream) != nullptr || part.prefix.artifact == "guards" ||
         ProcessGuards::MayBegin(text)) &&
        GuardsOf(stream).OnPrefixed(part.prefix, whole, text, origin)) {
      watched_line_ = part.number + 1;
      return true;
    }
    return ProcessGuards::IsSymbolLine(text) &&
           GuardsOf(stream).OnSymbolLine(text, part.prefix.compile_id, origin);
  }

  bool TakesBare(Stream* stream, const LinePart& part, std::string_view text) override {
    if ((stream == nullptr || FindGuards(*stream) == nullptr) && !ProcessGuards::IsHead(text)) {
      return false;
    }
    if (stream == nullptr) stream = StreamFor(part);
    if (stream == nullptr || !GuardsOf(*stream).OnBare(text, OriginOf(part))) return false;
    CountTorchLine(part.number);
    watched_line_ = part.number + 1;
    return true;
  }

  void OnBarePart(const LinePart& part, std::string_view text, const Record& record) override {
    // A warning of another library does not count as a torch line; its origin is known after
    // parsing.
    if (record.kind != RecordKind::kWarning) CountTorchLine(part.number);
    reconciler_.NoteResumeNames(text, {input_, part.number, record.origin.rank, {}});
  }

  /// Counts a line that no record contains, if torch.compile printed it. It counts once, however
  /// many pieces or records were on it.
  void OnOtherPart(const LinePart& part, std::string_view text) override {
    // The end of a split warning is nothing new if warnings were read before.
    const bool is_unknown = (!has_limit_ && EndsLimitWarning(text)) ||
                            IsUnknownMessage(text, part.prefix) || IsOfOtherFile(part, text);
    if (is_unknown || (!part.has_prefix && IsTorchText(text))) {
      is_torchs_ = true;
      CountTorchLine(part.number);
    }
    // Names in other lines without a prefix may be code or prose.
    if (!part.has_prefix && HasText(text, kStartsTracing)) {
      reconciler_.NoteResumeNames(text, OriginOf(part));
    }
    if (!is_unknown || part.number == last_unknown_line_) return;
    last_unknown_line_ = part.number;
    std::string shown(TrimRight(part.text));
    std::erase(shown, '\0');
    session_.CountUnknownLines(input_, part.number, shown);
  }

  void OnPastedLine(std::string_view line, uint64_t number) override {
    // Restored lines contain no progress bars.
    server_.ReadProgress(line, number);
  }

  std::string_view PreviousLine() const override {
    // The line before ends with the newline right before this one.
    std::string_view before = block_.substr(0, line_begin_);
    if (line_begin_ == 0) before = previous_text_copy_;
    if (before.ends_with('\n')) before.remove_suffix(1);
    return before.substr(before.rfind('\n') + 1).substr(0, kMaxPreviousLine);
  }

  std::string PreviousText() const override {
    const size_t begin = line_begin_ - std::min(line_begin_, kMaxPreviousText);
    const std::string_view here = block_.substr(begin, line_begin_ - begin);
    const std::string_view copy = previous_text_copy_;
    const size_t missing = std::min(kMaxPreviousText - here.size(), copy.size());
    return std::string(copy.substr(copy.size() - missing)).append(here);
  }

  /// The end of the calls before: a line of which the next one has to show whether it is labelled,
  /// and empty lines.
  struct OpenLines {
    /// Whether `following` does not contain the next line either.
    bool NeedsMore(std::string_view following) const;

    std::string lines;
    uint64_t first_line = 0;
    size_t first_size = 0;  ///< bytes of the first line
    uint32_t hit = 0;       ///< where its literal is
  };

  void ReadOpen(std::string_view following) {
    if (open_.lines.empty()) return;
    const OpenLines open = std::exchange(open_, {});
    LineScan scan;
    scan.finds.push_back({open.hit, 0});
    ReadLines(open.lines, open.first_line, scan, following);
  }

  void ReadLines(std::string_view lines, uint64_t first_line, const LineScan& scan,
                 std::optional<std::string_view> following) {
    block_ = lines;
    uint64_t number = first_line;
    size_t at = 0;
    auto hit = scan.finds.begin();
    while (at < lines.size()) {
      if (number != watched_line_ && !takes_bare()) {
        // Skip everything up to the line of the next literal.
        if (hit == scan.finds.end()) break;
        if (first_line + hit->line != number) at = lines.substr(0, hit->offset).rfind('\n') + 1;
        number = first_line + hit->line;
      }
      const size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string_view line = lines.substr(at, end - at);
      const bool is_hit = hit != scan.finds.end() && hit->offset < end;
      const bool may_be_prefixed =
          !line.empty() && (line[0] == '[' || line[0] == '(' || line[0] == '#' || IsDigit(line[0]));
      if (is_hit || number == watched_line_ || may_be_prefixed) {
        line_begin_ = at;
        if (is_hit && labels_.MayLearn(line)) {
          const auto after = FindLineAfter(lines, end, following);
          if (!after) {
            open_ = {std::string(lines.substr(at)), number, end - at,
                     static_cast<uint32_t>(hit->offset - at)};
            block_ = lines = lines.substr(0, at);
            break;
          }
          labels_.Learn(PreviousLine(), line, *after);
        }
        CloseOld(number);
        ReadLine(line, number);
      }
      if (is_hit) ++hit;
      at = end + 1;
      ++number;
    }
    // The next call may have to look back at the last line of this one.
    line_begin_ = lines.size();
    previous_text_copy_ = PreviousText();
    block_ = {};
    line_begin_ = 0;
  }

  /// Whether there is `after`, the text of the line after one that ends at `end`, or no such line.
  /// Where a block of lines ends must not matter.
  static std::optional<std::string_view> FindLineAfter(std::string_view lines, size_t end,
                                                       std::optional<std::string_view> following) {
    const std::string_view rest = lines.substr(end);
    const std::string_view after = LineAfter(rest);
    if (!after.empty() || rest.size() >= kMaxPreviousText) return after;
    if (!following) return std::nullopt;
    return LineAfter(following->substr(0, kMaxPreviousText - rest.size()));
  }

  ProcessGuards* FindGuards(const Stream& stream) const {
    return stream.number < guards_.size() ? guards_[stream.number].get() : nullptr;
  }

  ProcessGuards& GuardsOf(const Stream& stream) {
    if (stream.number >= guards_.size()) guards_.resize(stream.number + 1);
    std::unique_ptr<ProcessGuards>& guards = guards_[stream.number];
    if (guards == nullptr) {
      guards = std::make_unique<ProcessGuards>(session_, guard_prints_, keeps_guard_texts_);
    }
    return *guards;
  }

  /// Marks that show the version by the prefix alone.
  void NoteVersion(const LogPrefix& prefix, uint64_t number) {
    const bool is_glog = prefix.style == PrefixStyle::kGlog && prefix.process_digits > 0;
    VersionMark version;
    if (prefix.style == PrefixStyle::kLogger) {
      version = {"dated log prefix", 200, 202, input_, number};
    } else if (is_glog && prefix.process_digits >= 12) {
      version = {"thread id in the log prefix", 203, 204, input_, number};
    } else if (is_glog && prefix.process_digits <= 7) {
      version = {"process id in the log prefix", 205, 0, input_, number};
    } else {
      return;
    }
    const uint32_t mark = 1U << (version.from % 10);
    if ((noted_versions_ & mark) != 0) return;
    noted_versions_ |= mark;
    session_.NoteVersionMark(version);
  }

  /// A line counts once, however many records were joined on it.
  void CountTorchLine(uint64_t number) {
    if (number != last_torch_line_) ++torch_lines_;
    last_torch_line_ = number;
  }

  Session& session_;
  const bool keeps_guard_texts_;
  Reconciler reconciler_;
  ServerLogReader server_;
  LineScan scan_;  // of lines that came without one
  GuardPrints guard_prints_;
  // By number of the stream; created when guards are first printed.
  std::vector<std::unique_ptr<ProcessGuards>> guards_;
  uint64_t torch_lines_ = 0;
  uint64_t last_torch_line_ = 0;
  uint64_t last_unknown_line_ = 0;  // last line counted as not understood
  bool is_torchs_ = false;          // something in the input can only come from torch.compile
  std::string_view block_;          // lines of the current call
  size_t line_begin_ = 0;           // in block_: of the current line
  std::string previous_text_copy_;  // the last lines of the calls before
  OpenLines open_;
  std::string last_id_;  // last id, to skip the look-up if it repeats
  int32_t last_id_rank_ = kNoRank;
  uint32_t noted_versions_ = 0;
};

TorchLogReader::TorchLogReader(Session& session, uint32_t input, const ReadOptions& options)
    : MessageFramer(session.stats(), input, RankInFileName(session.input(input).name)),
      session_(session),
      keeps_guard_texts_(options.guard_texts),
      reconciler_(session, input),
      server_(session, input) {}

TorchLogReader::TorchLogReader(const TorchLogReader& other, Session& copy)
    : MessageFramer(other, copy.stats()),
      session_(copy),
      keeps_guard_texts_(other.keeps_guard_texts_),
      reconciler_(copy, other.reconciler_),
      server_(copy, other.input_),
      guard_prints_(other.guard_prints_),
      guards_(other.guards_.size()),
      torch_lines_(other.torch_lines_),
      last_torch_line_(other.last_torch_line_),
      last_unknown_line_(other.last_unknown_line_),
      is_torchs_(other.is_torchs_),
      previous_text_copy_(other.previous_text_copy_),
      open_(other.open_),
      last_id_(other.last_id_),
      last_id_rank_(other.last_id_rank_),
      noted_versions_(other.noted_versions_) {
  for (size_t i = 0; i < guards_.size(); ++i) {
    if (other.guards_[i] != nullptr) guards_[i] = other.guards_[i]->CopyInto(copy, guard_prints_);
  }
}

bool TorchLogReader::OpenLines::NeedsMore(std::string_view following) const {
  return !lines.empty() && lines.size() - first_size < kMaxPreviousText &&
         following.find_first_not_of("\r\n") == kNotFound;
}

bool SniffTorchLog(std::string_view) { return true; }

std::unique_ptr<LogReader> NewTorchLogReader(Session& session, uint32_t input,
                                             const ReadOptions& options) {
  auto reader = std::make_unique<TorchLogReader>(session, input, options);
  if (!options.step_prints) return reader;
  return NewStepPrintReader(std::move(reader), session, input);
}
}  // namespace

// The fallback format: any text may contain torch log output.
const LogFormat kTorchLogFormat{"torch-log", SniffTorchLog, NewTorchLogReader,
                                /*holds_messages=*/true};
}  // namespace shapewise
