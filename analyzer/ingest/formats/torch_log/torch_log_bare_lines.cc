// Lines without a prefix: bare messages, wrapped tails, messages with a prefix on their first line
// only.

#include "ingest/formats/torch_log/record_grammar.h"
#include "ingest/formats/torch_log/torch_log_reader.h"
#include "ingest/formats/torch_log/wrapped_lines.h"
#include "llvm/ADT/Hashing.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// A terminal or a document is at least this wide; shorter lines were not wrapped by one.
constexpr size_t kMinWrapWidth = 60;

// Text this far to the right continues the line above, as word processors wrap.
constexpr size_t kHangingIndent = 16;

// A longer line was not wrapped at the width of a terminal: it would have a hundred lines there.
// The bound also keeps the search for what a line lacks from growing with the square of its length.
constexpr size_t kMaxWrapped = size_t{16} << 10;

// Labels that some launcher puts before every line are short.
constexpr size_t kMaxCarrier = 64;

/// Whether a terminal may have wrapped the last line of `record`.
bool MayBeWrapped(const Record& record) {
  return !record.is_cut() && record.last_line().size() <= kMaxWrapped;
}

}  // namespace

void TorchLogReader::ReadBare(const Segment& segment) {
  std::string_view text = segment.text.substr(segment.foreign.length);
  if (ReleaseHeld(segment, text)) return;
  const auto found = last_stream_.find(segment.foreign.key);
  Stream* stream = found == last_stream_.end() ? nullptr : found->second;
  if (stream != nullptr && stream->is_open && IsSameCarrier(stream->carrier, text)) {
    text.remove_prefix(stream->carrier.size());
  }
  if (stream != nullptr && stream->is_open && GoOnBare(*stream, segment, text)) return;
  if (ReadBareGuards(stream, segment, text)) return;

  MessageStart start = FindMessage(text);
  std::string_view first_line = text.substr(start.offset);
  uint64_t first_number = segment.number;
  const std::string_view trimmed = TrimLeft(text);
  LogPrefix previous;
  const bool is_headless = start.kind == RecordKind::kNone &&
                           trimmed.starts_with("Explanation: ") && !Trim(PreviousLine()).empty() &&
                           !FindLogPrefix(PreviousLine(), 0, previous);
  if (is_headless) {
    // The text of a break without the words "Graph break": its type is the line before.
    start.kind = RecordKind::kBreakBlock;
    first_line = TrimRight(PreviousLine());
    first_line.remove_prefix(ParseForeignPrefix(first_line).length);
    --first_number;
  }
  if (start.kind == RecordKind::kNone) {
    if (IsTorchText(text)) {
      CountTorchLine(segment.number);
      is_torchs_ = true;
    }
    CountIfUnknown(segment, LogPrefix{}, text);
    return;
  }
  // A warning of some other library is none of torch's lines; whose it is shows when it is parsed.
  if (start.kind != RecordKind::kWarning) CountTorchLine(segment.number);
  const int32_t rank = RankOf(kNoRank, segment);
  const RecordOrigin origin{input_, first_number, rank, {}};
  sightings_.NoteResumeNames(text, origin);
  if (stream == nullptr) {
    stream = StreamFor(llvm::hash_combine(segment.foreign.key, rank), segment);
    if (stream == nullptr) return;
    last_stream_[segment.foreign.key] = stream;
    last_used_ = nullptr;
  }
  if (stream->is_open) Close(*stream);
  stream->prefix.clear();
  stream->carrier.clear();
  stream->record.Reset();
  stream->record.origin = origin;
  stream->record.raised = start.raised;
  if (start.offset > Indent(text) && start.offset <= kMaxCarrier) {
    stream->carrier = text.substr(0, start.offset);
  }
  Begin(*stream, start.kind, segment, first_line);
  if (is_headless) Add(*stream, segment, text, /*bare=*/true);
}

/// Gives a line without a prefix to the guards of its process. True: it is one of guards.
bool TorchLogReader::ReadBareGuards(Stream* stream, const Segment& segment, std::string_view text) {
  if ((stream == nullptr || stream->guards == nullptr) && !ProcessGuards::IsHead(text)) {
    return false;
  }
  const int32_t rank = RankOf(kNoRank, segment);
  if (stream == nullptr) {
    stream = StreamFor(llvm::hash_combine(segment.foreign.key, rank), segment);
    if (stream == nullptr) return false;
    last_stream_[segment.foreign.key] = stream;
    last_used_ = nullptr;
  }
  if (!GuardsOf(*stream).OnBare(text, {input_, segment.number, rank, {}})) return false;
  CountTorchLine(segment.number);
  watched_line_ = segment.number + 1;
  return true;
}

/// Lets a line without a prefix go on with the open record of its stream. True if it did.
bool TorchLogReader::GoOnBare(Stream& stream, const Segment& segment, std::string_view text) {
  const bool follows = segment.number <= stream.last_line + 1 || segment.foreign.length > 0;
  if (segment.continues && segment.number == stream.last_line) {
    stream.record.ExtendLastLine(text, session_.stats());
    return true;
  }
  if (segment.number == stream.last_line + 1 && stream.last_width >= kMinWrapWidth &&
      !text.empty() && (IsWordChar(text[0]) || text[0] == '.' || text[0] == '\'') &&
      !IsOwnLine(text) && MayBeWrapped(stream.record) &&
      HasLostItsTail(stream.record.last_line())) {
    stream.record.ExtendLastLine(TrimRight(text), session_.stats());
    stream.last_line = segment.number;
    stream.last_width = segment.width;
    watched_line_ = segment.number + 1;
    return true;
  }
  if (follows && stream.takes_bare && ContinuesBare(stream.record, text)) {
    const int32_t rank = stream.record.origin.rank;
    sightings_.NoteResumeNames(text, {input_, segment.number, rank, {}});
    Add(stream, segment, text, /*bare=*/true);
    return true;
  }
  if (segment.number == stream.last_line + 1 && JoinsWrapped(stream, segment, text)) {
    const bool hanging = Indent(text) >= kHangingIndent;
    // The blank at which a line was wrapped went when the line was added.
    if (hanging || stream.trimmed_blanks == 1) stream.record.ExtendLastLine(" ", session_.stats());
    stream.record.ExtendLastLine(hanging ? Trim(text) : TrimRight(text), session_.stats());
    stream.last_line = segment.number;
    stream.last_width = segment.width;
    watched_line_ = segment.number + 1;
    return true;
  }
  // Prints of the program may come between the lines of a prefixed message; a bare one is over.
  if (!stream.record.prefixed) {
    Close(stream);
  } else if (stream.takes_bare) {
    stream.takes_bare = false;
    --num_taking_bare_;
  }
  return false;
}

/// Whether `text` is the tail of the record's last line, which a terminal or an editor wrapped.
bool TorchLogReader::JoinsWrapped(const Stream& stream, const Segment& segment,
                                  std::string_view text) {
  if (!stream.record.prefixed || Trim(text).empty()) return false;
  if (Indent(text) >= kHangingIndent) {
    return stream.record.kind == RecordKind::kLimit || stream.record.kind == RecordKind::kRecompile;
  }
  if (stream.last_width < kMinWrapWidth || !MayBeWrapped(stream.record)) return false;
  if (wrap_width_ != 0 && stream.last_width == wrap_width_) return true;
  if (!LooksCut(stream.record) || segment.width > stream.last_width) return false;
  wrap_width_ = stream.last_width;
  return true;
}

/// Gives the line behind a held prefix to it, if together they begin a message. True if they do.
bool TorchLogReader::ReleaseHeld(const Segment& segment, std::string_view text) {
  if (held_ == nullptr) return false;
  Stream& stream = *held_;
  held_ = nullptr;
  Record& record = stream.record;
  if (segment.number == stream.last_line + 1) {
    std::string_view rest = text;
    std::string_view tail = TrimLeft(text);
    const std::string_view id = ConsumeCompileId(tail);
    if (!id.empty() && record.compile_id.empty()) {
      record.compile_id = id;
      rest = tail;
    }
    if (Trim(record.last_line()).empty()) rest = TrimLeft(rest);
    record.ExtendLastLine(TrimRight(rest), session_.stats());
    LogPrefix prefix;
    prefix.emitter = record.emitter;
    record.kind = MessageAtFront(record.last_line(), prefix);
    if (record.kind != RecordKind::kNone) {
      if (stream.last_width >= kMinWrapWidth && wrap_width_ == 0 && rest == text) {
        wrap_width_ = stream.last_width;
      }
      stream.last_line = segment.number;
      stream.last_width = segment.width;
      watched_line_ = segment.number + 1;
      if (IsOneLine(record.kind, record.last_line())) Close(stream);
      return true;
    }
  }
  Close(stream);
  return false;
}

}  // namespace shapewise
