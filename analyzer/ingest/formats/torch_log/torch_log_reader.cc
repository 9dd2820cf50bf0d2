// TORCH_LOGS text, from lines to records.
//
// Speed: nearly all lines of a training log are not torch's. They are passed over by one search for
// literals a line. The reader looks closer only at lines with such a literal and at the line right
// behind one that was read, which may be its wrapped tail or the next line of a bare message.

#include "ingest/formats/torch_log/torch_log_reader.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "ingest/file_rank.h"
#include "ingest/formats/torch_log/pasted_text.h"
#include "ingest/formats/torch_log/record_grammar.h"
#include "ingest/formats/torch_log/symbol_line.h"
#include "ingest/formats/torch_log/unknown_line.h"
#include "ingest/formats/torch_log/wrapped_lines.h"
#include "ingest/reconcile/resume_name.h"
#include "llvm/ADT/Hashing.h"
#include "shapewise/model/guard.h"
#include "shapewise/support/terminal_text.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// More processes than this never share one file; a hostile input could name millions.
constexpr size_t kMaxLogStreams = 4096;

// A bare message that has not gone on for so many lines is over.
constexpr uint64_t kBareIdleLines = 1000;

// Longer prefixes are read again each time; none of torch's own is.
constexpr size_t kMaxKeptPrefix = 500;

// The type of a break, looked back at when its explanation appears, is a short line.
constexpr size_t kMaxPreviousLine = 512;

// Bytes from a line that is read on in which names of resume functions are looked for at once.
constexpr size_t kNamesWindow = 4096;

/// Finds the first literal of torch's in each line.
class TorchLineScanner final : public LineScanner {
 public:
  void Scan(std::string_view lines, LineScan& scan) const override {
    scan.finds.clear();
    const LiteralSet& literals = TorchLiterals();
    size_t line = 0;
    size_t at = 0;
    for (size_t hit = literals.Find(lines); hit != kNotFound; hit = literals.Find(lines, at)) {
      line += CountNewlines(lines.substr(at, hit - at));
      scan.finds.push_back({static_cast<uint32_t>(hit), static_cast<uint32_t>(line)});
      const size_t newline = lines.find('\n', hit);
      if (newline == kNotFound) return;
      at = newline + 1;
      ++line;
    }
  }
};

/// Whether a line with a prefix may say something of guards, or name a frame that has some.
bool MayTellGuards(std::string_view text) {
  return text.starts_with("torchdynamo start ") || text.starts_with("Step 1: torchdynamo start ") ||
         ProcessGuards::IsHead(text);
}

/// Whether the event of `record` names the frame that its compile id numbers.
bool NamesFrame(const Record& record) {
  return record.kind == RecordKind::kRecompile || record.kind == RecordKind::kLimit;
}

/// Hands the guards that changed to `reconciler`, which looks for reasons.
void AddGuardChanges(const GuardChanges& changes, Reconciler& reconciler) {
  for (const auto& [key, change] : changes.by_id) {
    reconciler.NoteChangedGuards(key.first, key.second, change.entry, change.guards);
  }
}

/// Parses a record that does not go on.
ParsedMessage ParseEndOf(Record& record, bool ends_input, Session& session) {
  record.ends_input = ends_input;
  record.is_torn = record.num_lines() > 0 && LacksItsEnd(record.last_line());
  return ParseMessage(record, session.strings());
}

/// Gives `guards` the function that `record` names.
void NoteFunction(const Record& record, const ParsedMessage& parsed, ProcessGuards& guards) {
  const EventDetail& detail = parsed.facts.back().detail;
  CodePlace place;
  place.file = parsed.strings.text(detail.file);
  place.line = detail.function_line;
  guards.NoteFunction(record.compile_id, parsed.strings.text(detail.function), place);
}

}  // namespace

TorchLogReader::TorchLogReader(Session& session, uint32_t input, const ReadOptions& options)
    : session_(session),
      input_(input),
      keeps_guard_texts_(options.guard_texts),
      file_rank_(RankInFileName(session.input(input).name)),
      reconciler_(session, input),
      server_(session, input) {}

const LineScanner* TorchLogReader::scanner() const {
  static const TorchLineScanner instance;
  return &instance;
}

void TorchLogReader::OnLines(std::string_view lines, uint64_t first_line) {
  scanner()->Scan(lines, scan_);
  OnScannedLines(lines, first_line, scan_);
}

void TorchLogReader::OnScannedLines(std::string_view lines, uint64_t first_line,
                                    const LineScan& scan) {
  block_ = lines;
  uint64_t number = first_line;
  size_t at = 0;
  auto hit = scan.finds.begin();
  const auto no_hit = scan.finds.end();
  const LiteralSet& names = ResumeNameLiterals();
  // Names are looked for only where lines are read, some of them at a time: most lines are not.
  size_t name_hit = kNotFound;
  size_t names_known_to = 0;
  while (at < lines.size()) {
    const bool is_close_look = number == watched_line_ || num_taking_bare_ > 0;
    if (!is_close_look) {
      // Pass over everything up to the line of the next literal.
      if (hit == no_hit) break;
      const size_t newline = lines.substr(0, hit->offset).rfind('\n');
      at = newline == kNotFound ? 0 : newline + 1;
      number = first_line + hit->line;
    }
    const void* newline = memchr(lines.data() + at, '\n', lines.size() - at);
    const size_t end = newline == nullptr
                           ? lines.size()
                           : static_cast<size_t>(static_cast<const char*>(newline) - lines.data());
    const std::string_view line = lines.substr(at, end - at);
    const bool is_prefixed_by_others =
        num_taking_bare_ > 0 && !line.empty() &&
        (line[0] == '[' || line[0] == '(' || line[0] == '#' || IsDigit(line[0]));
    const bool is_hit = hit != no_hit && hit->offset < end;
    if (is_hit || number == watched_line_ || is_prefixed_by_others) {
      line_begin_ = at;
      if (end > names_known_to || name_hit < at) {
        names_known_to = std::max(end, std::min(at + kNamesWindow, lines.size()));
        name_hit = names.Find(lines.substr(0, names_known_to), at);
      }
      may_name_resume_ = name_hit < end;
      ReadLine(line, number, /*continues=*/false);
    }
    if (is_hit) ++hit;
    at = end + 1;
    ++number;
  }
  // The next call may have to look back at the last line of this one.
  line_begin_ = lines.size();
  previous_line_copy_ = PreviousLine().substr(0, kMaxPreviousLine);
  block_ = {};
  line_begin_ = 0;
}

std::string_view TorchLogReader::PreviousLine() const {
  if (line_begin_ == 0) return previous_line_copy_;
  // The line before ends with the newline right before this one.
  size_t end = line_begin_;
  if (block_[end - 1] == '\n') --end;
  const size_t newline = block_.substr(0, end).rfind('\n');
  const size_t begin = newline == kNotFound ? 0 : newline + 1;
  return block_.substr(begin, std::min(end - begin, kMaxPreviousLine));
}

size_t TorchLogReader::OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) {
  size_t dealt_with = piece.size();
  if (!is_last) {
    // A record that is cut by the end of the piece is given again as a whole; without one, the last
    // bytes are, which may be the first half of a prefix.
    dealt_with = piece.size() - std::min<size_t>(piece.size() / 2, 512);
    const size_t half = piece.size() / 2;
    LogPrefix last;
    last.text_begin = half;
    for (LogPrefix next; FindNextLogPrefix(piece, last, next); last = next) {
      if (next.style == PrefixStyle::kGlog && next.begin > half) dealt_with = next.begin;
    }
  }
  previous_line_copy_.clear();
  may_name_resume_ = true;
  ReadLine(piece.substr(0, dealt_with), line, /*continues=*/!is_first);
  return dealt_with;
}

void TorchLogReader::Finish() {
  if (cut_prefix_line_ != 0) {
    const uint64_t line = std::exchange(cut_prefix_line_, 0);
    ReadWholeLine(std::string(std::move(cut_prefix_)), line, line, /*continues=*/false);
  }
  is_at_end_ = true;
  CloseAll(UINT64_MAX);
  for (const Stream* stream : StreamsInOrder()) {
    if (stream->guards != nullptr) stream->guards->Finish();
  }
  for (PrintedGuards& printed : printed_guards_) session_.AddPrintedGuards(std::move(printed));
  AddGuardChanges(guard_changes_, reconciler_);
  reconciler_.Finish(is_torchs_);
}

void TorchLogReader::ReadLine(std::string_view line, uint64_t number, bool continues) {
  if (num_taking_bare_ > 0 && number > next_idle_check_) {
    CloseAll(number > kBareIdleLines ? number - kBareIdleLines : 0);
    next_idle_check_ = number + kBareIdleLines;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = StripEscapes(line, unescaped_);
  // A file that was preallocated, or cut by a crash, is filled up with NUL.
  while (line.ends_with('\0')) line.remove_suffix(1);
  if (!RestorePastedLine(line, restored_)) return ReadRestoredLine(line, number, continues);
  // What was restored has no progress bars.
  server_.ReadProgress(line, number);
  for (const std::string& restored : restored_) {
    may_name_resume_ = true;
    ReadRestoredLine(restored, number, continues);
  }
}

/// Puts a prefix together that was wrapped.
void TorchLogReader::ReadRestoredLine(std::string_view line, uint64_t number, bool continues) {
  uint64_t begin = number;
  std::string joined;
  if (cut_prefix_line_ != 0) {
    const std::string before = std::move(cut_prefix_);
    const uint64_t before_line = std::exchange(cut_prefix_line_, 0);
    LogPrefix prefix;
    joined = before + std::string(line);
    if (number <= before_line + 1 && FindLogPrefix(joined, 0, prefix) && prefix.names_torch &&
        prefix.begin < before.size() && prefix.text_begin > before.size()) {
      wrap_width_ = before.size();
      begin = before_line;
      line = joined;
      may_name_resume_ = true;
    } else {
      ReadWholeLine(before, before_line, before_line, /*continues=*/false);
    }
  }
  if (!continues && IsCutPrefix(line)) {
    cut_prefix_ = line;
    cut_prefix_line_ = begin;
    watched_line_ = number + 1;
    return;
  }
  ReadWholeLine(line, begin, number, continues);
}

void TorchLogReader::ReadWholeLine(std::string_view line, uint64_t begin, uint64_t number,
                                   bool continues) {
  const size_t width = begin == number ? line.size() : wrap_width_;
  // Ray tells once what several workers print: "text [repeated 3x across cluster]".
  if (line.ends_with(" across cluster]"))
    line = TrimRight(line.substr(0, line.rfind(" [repeated ")));
  // A progress bar rewrites its line: each rewriting is a segment of its own.
  while (true) {
    const size_t carriage = line.find('\r');
    const std::string_view text = line.substr(0, carriage);
    if (carriage == kNotFound || !text.empty()) {
      const bool is_overwritten = carriage != kNotFound && carriage + 1 < line.size();
      ReadSegment(
          {text, number, begin, width, ParseForeignPrefix(text), continues, is_overwritten});
    }
    if (carriage == kNotFound) return;
    line.remove_prefix(carriage + 1);
    continues = false;
    if (line.empty()) return;
  }
}

void TorchLogReader::ReadSegment(Segment segment) {
  LogPrefix prefix;
  const std::string_view text = segment.text;
  bool found = RepeatsPrefix(text);
  if (found) {
    prefix = last_prefix_;
  } else {
    found = FindLogPrefix(text, segment.foreign.length, prefix);
    if (found) KeepPrefix(text, prefix);
  }
  // "[3/10] step" of a training loop looks like a trimmed prefix; it is one only in front of
  // torch's own words, or on the line where they are expected.
  if (found && !prefix.names_torch && prefix.artifact.empty()) {
    const std::string_view message = text.substr(prefix.text_begin);
    const auto stream = last_stream_.find(segment.foreign.key);
    const bool goes_on = stream != last_stream_.end() && stream->second->is_open &&
                         segment.number == stream->second->last_line + 1;
    const bool is_held = held_ != nullptr && segment.number == held_->last_line + 1;
    if (is_held || (!goes_on && MessageAtFront(message, prefix) == RecordKind::kNone))
      found = false;
  }
  if (!found && server_.Read(text, segment.number)) {
    CountTorchLine(segment.number);
    return;
  }
  if (!found) {
    if (IsWrappedComment(text, segment.number)) segment.foreign = {};
    ReadBare(segment);
    return;
  }
  if (segment.continues && prefix.begin > segment.foreign.length) {
    Segment before = segment;
    before.text = text.substr(0, prefix.begin);
    ReadBare(before);
  }
  while (true) {
    LogPrefix next;
    const bool more = FindNextLogPrefix(text, prefix, next);
    const size_t end = more ? next.begin : text.size();
    ReadPrefixed(segment, prefix, text.substr(prefix.text_begin, end - prefix.text_begin));
    if (!more) return;
    prefix = next;
  }
}

/// Whether `text` begins with the very prefix of the line before, as most lines of messages with
/// many lines do; it need not be read again then.
bool TorchLogReader::RepeatsPrefix(std::string_view text) const {
  const size_t size = last_head_.size();
  // A '[' behind it may be one more tag.
  return size > 0 && text.starts_with(last_head_) && (text.size() == size || text[size] != '[');
}

void TorchLogReader::KeepPrefix(std::string_view text, const LogPrefix& prefix) {
  last_head_.clear();
  const std::string_view head = text.substr(0, prefix.text_begin);
  const bool is_plain = prefix.style == PrefixStyle::kGlog && prefix.names_torch;
  if (!is_plain || !head.ends_with(' ') || head.size() > kMaxKeptPrefix) return;
  last_head_ = head;
  last_prefix_ = prefix;
  // The line goes; its copy stays.
  const auto moved = [&](std::string_view part) {
    if (part.empty()) return part;
    return std::string_view(last_head_)
        .substr(static_cast<size_t>(part.data() - text.data()), part.size());
  };
  last_prefix_.emitter = moved(prefix.emitter);
  last_prefix_.compile_id = moved(prefix.compile_id);
  last_prefix_.artifact = moved(prefix.artifact);
}

/// A line counts once, however many records were flattened onto it.
void TorchLogReader::CountTorchLine(uint64_t number) {
  if (number != last_torch_line_) ++torch_lines_;
  last_torch_line_ = number;
}

/// Counts a line that no record contains, if torch.compile said something in it. It counts once,
/// however many pieces or records were on it.
void TorchLogReader::CountIfUnknown(const Segment& segment, const LogPrefix& prefix,
                                    std::string_view text) {
  // The end of a warning that was torn apart is nothing new where warnings were read before.
  const bool ends_lost_limit = !has_limit_ && EndsLimitWarning(text);
  if (!ends_lost_limit && !IsUnknownMessage(prefix, text)) return;
  if (segment.number == last_unknown_line_) return;
  last_unknown_line_ = segment.number;
  is_torchs_ = true;
  CountTorchLine(segment.number);
  session_.CountUnknownLines(input_, segment.number, TrimRight(segment.text));
}

int32_t TorchLogReader::RankOf(int32_t own, const Segment& segment) const {
  if (own != kNoRank) return own;
  return segment.foreign.rank != kNoRank ? segment.foreign.rank : file_rank_;
}

void TorchLogReader::ReadPrefixed(const Segment& segment, const LogPrefix& prefix,
                                  std::string_view text) {
  if (held_ != nullptr) Close(*held_);
  CountTorchLine(segment.number);
  is_torchs_ = true;
  const int32_t rank = RankOf(prefix.rank, segment);
  const RecordOrigin origin{input_, segment.begin, rank, prefix.time};
  NoteVersion(prefix, segment.number);
  if (!prefix.compile_id.empty() && (prefix.names_torch || !prefix.artifact.empty()) &&
      (rank != last_id_rank_ || prefix.compile_id != last_id_)) {
    reconciler_.NoteCompileId(prefix.compile_id, origin);
    last_id_ = prefix.compile_id;
    last_id_rank_ = rank;
  }
  if (may_name_resume_) reconciler_.NoteResumeNames(text, origin);

  const uint64_t key = llvm::hash_combine(segment.foreign.key, rank, prefix.process);
  Stream* const stream = StreamFor(key, segment);
  if (stream == nullptr) return;
  if (stream != last_used_ || segment.foreign.key != last_foreign_) {
    last_stream_[segment.foreign.key] = stream;
    last_used_ = stream;
    last_foreign_ = segment.foreign.key;
  }
  const std::string_view whole = TrimRight(prefix.Whole(segment.text));
  if (stream->is_open) {
    const Record& record = stream->record;
    const bool has_other_id = !prefix.compile_id.empty() && !record.compile_id.empty() &&
                              prefix.compile_id != record.compile_id;
    const PrefixMatch match = stream->prefix == whole ? PrefixMatch::kSame
                              : has_other_id          ? PrefixMatch::kOther
                                                      : PrefixMatch::kSameId;
    if (ContinuesPrefixed(record, text, match)) {
      Add(*stream, segment, text, /*bare=*/false);
      return;
    }
    Close(*stream);
  }
  if (stream->guards != nullptr || prefix.artifact == "guards" || MayTellGuards(text)) {
    if (GuardsOf(*stream).OnPrefixed(prefix, whole, text, origin)) {
      watched_line_ = segment.number + 1;
      return;
    }
  }
  if (keeps_guard_texts_ && IsSymbolLine(text) &&
      GuardsOf(*stream).OnSymbolLine(text, prefix.compile_id, origin)) {
    return;
  }
  const RecordKind kind = MessageAtFront(text, prefix);
  // A terminal may have wrapped the line right behind the prefix, or inside the message's head.
  const bool is_held = kind == RecordKind::kNone &&
                       (prefix.artifact.empty() || PrintsOnlyRecords(prefix.artifact)) &&
                       (Trim(text).empty() || IsCutMessageStart(text));
  if (kind == RecordKind::kNone && !is_held) {
    CountIfUnknown(segment, prefix, text);
    return;
  }
  stream->prefix = whole;
  stream->carrier.clear();
  Record& record = stream->record;
  record.Reset();
  record.origin = origin;
  record.compile_id = prefix.compile_id;
  record.emitter = prefix.emitter;
  record.artifact = prefix.artifact;
  record.prefixed = true;
  Begin(*stream, kind, segment, text);
  if (is_held) held_ = stream;
}

void TorchLogReader::Begin(Stream& stream, RecordKind kind, const Segment& segment,
                           std::string_view text) {
  stream.is_open = true;
  stream.record.kind = kind;
  has_limit_ |= kind == RecordKind::kLimit;
  // Takes bare lines until a line with a prefix shows that this message repeats it.
  stream.takes_bare = true;
  ++num_taking_bare_;
  Add(stream, segment, text, /*bare=*/false);
  const bool is_wrapped =
      stream.record.prefixed && (segment.width == wrap_width_ || LacksItsEnd(text));
  if (IsOneLine(kind, text) && !is_wrapped) Close(stream);
}

void TorchLogReader::Add(Stream& stream, const Segment& segment, std::string_view text, bool bare) {
  const bool is_first = stream.record.num_lines() == 0;
  size_t begin = 0;
  while (begin != kNotFound) {
    // A line that is flattened holds several.
    const size_t next = FindFlattenedLine(stream.record.kind, text, begin + 1);
    const std::string_view line = text.substr(begin, next == kNotFound ? kNotFound : next - begin);
    stream.record.AddLine(TrimRight(line), bare, session_.stats());
    begin = next;
  }
  stream.awaits_text = !bare && Trim(text).empty();
  last_added_ = &stream;
  NoteWidth(segment.width);
  if (!is_first && !bare && stream.takes_bare) {
    stream.takes_bare = false;
    --num_taking_bare_;
  }
  if (stream.record.kind != RecordKind::kWarning) CountTorchLine(segment.number);
  stream.last_line = segment.number;
  stream.last_width = segment.width;
  stream.is_commented = TrimLeft(segment.text).starts_with('#');
  stream.trimmed_blanks = text.size() - TrimRight(text).size();
  watched_line_ = segment.number + 1;
}

void TorchLogReader::NoteWidth(size_t width) {
  if (width > widest_) num_widest_ = 0;
  widest_ = std::max(width, widest_);
  if (width == widest_) ++num_widest_;
}

void TorchLogReader::Close(Stream& stream) {
  if (held_ == &stream) held_ = nullptr;
  if (!stream.is_open) return;
  stream.is_open = false;
  if (stream.takes_bare) --num_taking_bare_;
  stream.takes_bare = false;
  const ParsedMessage parsed = ParseEndOf(stream.record, is_at_end_, session_);
  if (!reconciler_.Add(stream.record, parsed)) return;
  is_torchs_ = true;
  CountTorchLine(stream.record.origin.line);
  if (NamesFrame(stream.record)) NoteFunction(stream.record, parsed, GuardsOf(stream));
}

ProcessGuards& TorchLogReader::GuardsOf(Stream& stream) {
  if (stream.guards == nullptr) {
    stream.guards = std::make_unique<ProcessGuards>(session_, printed_guards_, guard_changes_,
                                                    keeps_guard_texts_);
  }
  return *stream.guards;
}

std::vector<const TorchLogReader::Stream*> TorchLogReader::StreamsInOrder() const {
  std::vector<const Stream*> streams;
  for (const auto& [key, stream] : streams_) streams.push_back(stream.get());
  std::sort(streams.begin(), streams.end(),
            [](const Stream* a, const Stream* b) { return a->number < b->number; });
  return streams;
}

uint64_t TorchLogReader::ShowOpen(Session& copy) const {
  std::vector<const Stream*> streams = StreamsInOrder();
  std::vector<PrintedGuards> printed = printed_guards_;
  GuardChanges changes = guard_changes_;
  std::map<const Stream*, std::unique_ptr<ProcessGuards>> guards;
  for (const Stream* stream : streams) {
    if (stream->guards != nullptr)
      guards[stream] = stream->guards->CopyInto(copy, printed, changes);
  }
  std::vector<const Stream*> open = streams;
  std::erase_if(open, [](const Stream* stream) { return !stream->is_open; });
  std::sort(open.begin(), open.end(), [](const Stream* a, const Stream* b) {
    return a->record.origin.line < b->record.origin.line;
  });
  Reconciler reconciler(copy, reconciler_);
  uint64_t torch_lines = torch_lines_;
  uint64_t last_torch_line = last_torch_line_;
  bool is_torchs = is_torchs_;
  for (const Stream* stream : open) {
    Record record = stream->record;
    const ParsedMessage parsed = ParseEndOf(record, /*ends_input=*/true, copy);
    if (!reconciler.Add(record, parsed)) continue;
    is_torchs = true;
    if (NamesFrame(record) && guards.contains(stream)) {
      NoteFunction(record, parsed, *guards[stream]);
    }
    const uint64_t line = record.origin.line;
    if (line == last_torch_line) continue;
    ++torch_lines;
    last_torch_line = line;
  }
  for (const Stream* stream : streams) {
    if (guards.contains(stream)) guards[stream]->Finish();
  }
  for (PrintedGuards& shown : printed) copy.AddPrintedGuards(std::move(shown));
  AddGuardChanges(changes, reconciler);
  reconciler.Finish(is_torchs);
  return torch_lines;
}

/// Closes the records that have not gone on since line `idle_since`, in the order they began.
void TorchLogReader::CloseAll(uint64_t idle_since) {
  std::vector<Stream*> idle;
  for (const auto& [key, stream] : streams_) {
    const bool counts = idle_since == UINT64_MAX || stream->takes_bare;
    if (stream->is_open && counts && stream->last_line < idle_since) idle.push_back(stream.get());
  }
  std::sort(idle.begin(), idle.end(), [](const Stream* a, const Stream* b) {
    return a->record.origin.line < b->record.origin.line;
  });
  for (Stream* stream : idle) Close(*stream);
}

TorchLogReader::Stream* TorchLogReader::StreamFor(uint64_t key, const Segment& segment) {
  if (key == last_key_ && last_keyed_ != nullptr) return last_keyed_;
  std::unique_ptr<Stream>& stream = streams_[key];
  if (stream == nullptr) {
    if (streams_.size() > kMaxLogStreams) {
      streams_.erase(key);
      session_.stats().Bump(Stat::streams_too_many, input_, segment.number);
      return nullptr;
    }
    stream = std::make_unique<Stream>();
    stream->number = streams_.size();
  }
  last_key_ = key;
  last_keyed_ = stream.get();
  return stream.get();
}

/// Marks that tell the version by the prefix alone.
void TorchLogReader::NoteVersion(const LogPrefix& prefix, uint64_t number) {
  enum : uint32_t { kOldPrefix = 1, kThreadId = 2, kProcessId = 4, kNoMark = 0 };
  uint32_t mark = kNoMark;
  VersionMark version;
  if (prefix.style == PrefixStyle::kLogger) {
    mark = kOldPrefix;
    version = {"dated log prefix", 200, 202, input_, number};
  } else if (prefix.style == PrefixStyle::kGlog && prefix.process_digits >= 12) {
    mark = kThreadId;
    version = {"thread id in the log prefix", 203, 204, input_, number};
  } else if (prefix.style == PrefixStyle::kGlog && prefix.process_digits >= 1 &&
             prefix.process_digits <= 7) {
    mark = kProcessId;
    version = {"process id in the log prefix", 205, 0, input_, number};
  }
  if (mark == kNoMark || (noted_versions_ & mark) != 0) return;
  noted_versions_ |= mark;
  session_.NoteVersionMark(version);
}

}  // namespace shapewise
