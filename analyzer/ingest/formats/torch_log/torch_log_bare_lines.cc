// Lines without a prefix: bare messages, wrapped tails, messages with a prefix on their first line
// only.

#include <algorithm>
#include <string>

#include "ingest/formats/torch_log/record_grammar.h"
#include "ingest/formats/torch_log/torch_log_reader.h"
#include "ingest/formats/torch_log/wrapped_lines.h"
#include "llvm/ADT/Hashing.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// A terminal or a document is at least this wide; shorter lines were not wrapped by one.
constexpr size_t kMinWrapWidth = 60;

// People and editors fill lines up to 80 columns, at blanks; wider ones were wrapped by a terminal,
// which splits words.
constexpr size_t kMaxFilled = 90;

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
  // The tail of a wrapped line lacks the label of its process.
  if (last_added_ != nullptr && last_added_ != stream && last_added_->is_open &&
      !segment.is_overwritten && segment.foreign.length == 0 &&
      segment.number <= last_added_->last_line + 1 && JoinsWrapped(*last_added_, segment, text)) {
    JoinTail(*last_added_, segment, text);
    return;
  }
  if (stream != nullptr && stream->is_open && IsSameCarrier(stream->carrier, text)) {
    text.remove_prefix(stream->carrier.size());
  }
  if (stream != nullptr && stream->is_open && GoOnBare(*stream, segment, text)) return;
  if (ReadBareGuards(stream, segment, text)) return;

  MessageStart start = FindMessage(text);
  // How far the lines below are indented counts from here.
  const bool keeps_indent = HasBreakText(start.kind) && start.offset == Indent(text);
  std::string_view first_line = keeps_indent ? text : text.substr(start.offset);
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
  const bool is_cut_head = start.kind == RecordKind::kNone && IsCutMessageStart(text);
  if (start.kind == RecordKind::kNone && !is_cut_head) {
    if (IsTorchText(text)) {
      CountTorchLine(segment.number);
      is_torchs_ = true;
    }
    CountIfUnknown(segment, LogPrefix{}, text);
    return;
  }
  // A warning of some other library is none of torch's lines; whose it is shows when it is parsed.
  if (start.kind != RecordKind::kWarning && !is_cut_head) CountTorchLine(segment.number);
  const int32_t rank = RankOf(kNoRank, segment);
  const RecordOrigin origin{input_, first_number, rank, {}};
  reconciler_.NoteResumeNames(text, origin);
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
  if (is_cut_head) held_ = stream;
  if (is_headless) Add(*stream, segment, text, /*bare=*/true);
}

/// Whether `text` begins with the code of a reason, "# return act(x)", at which a terminal wrapped.
/// Of a text that was commented out all lines have a '#'.
bool TorchLogReader::IsWrappedComment(std::string_view text, uint64_t number) const {
  return TrimLeft(text).starts_with("# ") && last_added_ != nullptr && last_added_->is_open &&
         !last_added_->is_commented && number <= last_added_->last_line + 1;
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
  if (segment.is_overwritten) return false;
  const bool follows = segment.number <= stream.last_line + 1 || segment.foreign.length > 0;
  if (segment.continues && segment.number == stream.last_line) {
    stream.record.ExtendLastLine(text, session_.stats());
    return true;
  }
  // A label of unknown form stands before the next message.
  const MessageStart next = FindMessage(text);
  const bool begins_other = next.offset > Indent(text) && (next.kind == RecordKind::kGraphBreak ||
                                                           next.kind == RecordKind::kRecompile ||
                                                           next.kind == RecordKind::kLimit);
  if (begins_other && !stream.record.prefixed) {
    Close(stream);
    return false;
  }
  if (segment.number <= stream.last_line + 1 && JoinsWrapped(stream, segment, text)) {
    JoinTail(stream, segment, text);
    return true;
  }
  const bool takes_bare = stream.takes_bare || stream.awaits_text;
  if (follows && takes_bare && ContinuesBare(stream.record, text)) {
    const int32_t rank = stream.record.origin.rank;
    reconciler_.NoteResumeNames(text, {input_, segment.number, rank, {}});
    Add(stream, segment, text, /*bare=*/true);
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
                                  std::string_view text) const {
  const std::string_view tail = Trim(text);
  if (tail.empty() || tail.starts_with("```") || !MayBeWrapped(stream.record)) return false;
  // The brackets that close a list of strings.
  if (Indent(text) > 0 && std::ranges::none_of(tail, IsWordChar)) return false;
  const RecordKind kind = stream.record.kind;
  const RecordKind next = MessageAtFront(text, LogPrefix{});
  const bool begins_message = next != RecordKind::kNone && next != RecordKind::kBareUnsupported;
  if (begins_message) return false;
  if (stream.record.prefixed && wrap_width_ != 0 && stream.last_width == wrap_width_ &&
      segment.width <= wrap_width_) {
    return true;
  }
  if (BeginsInnerLine(kind, text)) return false;
  const std::string_view line = stream.record.last_line();
  if (LacksItsEnd(line)) return true;
  // Between the lines of a break, which quote code and advice, a print of the program does no harm.
  const bool may_go_on = HasBreakText(kind) || HasCutComment(line);
  if (stream.record.prefixed && may_go_on && stream.last_width > kMaxFilled &&
      stream.last_width == widest_ && segment.width <= widest_) {
    return true;
  }
  if (Indent(text) >= kHangingIndent) {
    return stream.record.prefixed && (kind == RecordKind::kLimit || kind == RecordKind::kRecompile);
  }
  return IsParagraph(line) && Indent(text) == 0 && stream.last_width >= kMinWrapWidth &&
         (IsWordChar(tail[0]) || tail[0] == '.' || tail[0] == '\'');
}

/// Adds the tail of a wrapped line to the record's last line.
void TorchLogReader::JoinTail(Stream& stream, const Segment& segment, std::string_view text) {
  Record& record = stream.record;
  const std::string_view tail = Trim(text);
  const bool is_hard = stream.last_width >= kMinWrapWidth &&
                       (stream.last_width == wrap_width_ || stream.last_width > kMaxFilled ||
                        (stream.last_width == widest_ && num_widest_ > 1));
  // The blank at which a line was wrapped went when the line was added.
  const bool at_blank = stream.trimmed_blanks > 0 || Indent(text) > 0 ||
                        (!is_hard && WasWrappedAtBlank(record.last_line(), tail));
  const bool splits_words = !at_blank && stream.last_width >= kMinWrapWidth;
  if (splits_words || stream.last_width > kMaxFilled) wrap_width_ = stream.last_width;
  // Two blanks or more stand before the code of a reason.
  if (at_blank) record.ExtendLastLine(tail.starts_with("# ") ? "  " : " ", session_.stats());
  record.ExtendLastLine(tail, session_.stats());
  stream.last_line = segment.number;
  stream.last_width = segment.width;
  stream.trimmed_blanks = text.size() - TrimRight(text).size();
  stream.awaits_text = false;
  last_added_ = &stream;
  NoteWidth(segment.width);
  watched_line_ = segment.number + 1;
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
    LogPrefix prefix;
    prefix.emitter = record.emitter;
    prefix.names_torch = true;
    prefix.artifact = record.artifact;
    const std::string line(record.last_line());
    rest = Trim(rest);
    std::string joined = line + std::string(rest);
    record.kind = MessageAtFront(joined, prefix);
    if (record.kind == RecordKind::kNone && !line.empty()) {
      joined = line + " " + std::string(rest);
      record.kind = MessageAtFront(joined, prefix);
    }
    record.ExtendLastLine(std::string_view(joined).substr(line.size()), session_.stats());
    if (record.kind != RecordKind::kNone) {
      const bool splits_words = !line.empty() && joined.size() == line.size() + rest.size() &&
                                stream.last_width >= kMinWrapWidth;
      if (splits_words || (!line.empty() && stream.last_width > kMaxFilled)) {
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
