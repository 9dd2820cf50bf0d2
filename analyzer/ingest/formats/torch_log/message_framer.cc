#include "ingest/formats/torch_log/message_framer.h"

#include <algorithm>

#include "ingest/formats/torch_log/repaired_text.h"
#include "llvm/ADT/Hashing.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// More processes than this never share one file; a hostile input could name millions.
constexpr size_t kMaxLogStreams = 4096;

// A bare message that has not gone on for so many lines is over.
constexpr uint64_t kBareIdleLines = 1000;

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

}  // namespace

void MessageFramer::OnPart(LinePart& part) {
  if (TakesPart(part)) return;
  if (part.has_prefix) return ReadPrefixed(part);
  if (IsWrappedComment(part)) {
    part.foreign = {};
    part.body = part.text;
  }
  ReadBare(part);
}

/// It is one in front of torch's own words, or on the line where they are expected.
bool MessageFramer::IsDoubtfulPrefix(const LinePart& part) const {
  if (held_ != nullptr && part.number == held_->last.number + 1) return false;
  const auto found = last_stream_.find(part.foreign.key);
  return (found != last_stream_.end() && found->second->is_open &&
          part.number == found->second->last.number + 1) ||
         MessageAtFront(part.body, part.prefix) != RecordKind::kNone;
}

void MessageFramer::ReadPrefixed(const LinePart& part) {
  if (held_ != nullptr) Close(*held_);
  if (AdoptsBare(part)) return;
  Stream* const stream = StreamFor(part);
  if (stream == nullptr) return;
  const LogPrefix& prefix = part.prefix;
  const std::string_view whole = TrimRight(prefix.Whole(part.text));
  if (stream->is_open) {
    const Record& record = stream->record;
    const bool has_other_id = !prefix.compile_id.empty() && !record.compile_id.empty() &&
                              prefix.compile_id != record.compile_id;
    const PrefixMatch match = stream->prefix == whole ? PrefixMatch::kSame
                              : has_other_id          ? PrefixMatch::kOther
                                                      : PrefixMatch::kSameId;
    if (ContinuesPrefixed(record, part.body, match)) {
      return Add(*stream, part, part.body, /*bare=*/false);
    }
    Close(*stream);
  }
  if (TakesPrefixed(*stream, part, whole)) return;
  const RecordKind kind = MessageAtFront(part.body, prefix);
  // A terminal may have wrapped the line right behind the prefix, or inside the message's head.
  const bool is_held = kind == RecordKind::kNone &&
                       (prefix.artifact.empty() || PrintsOnlyRecords(prefix.artifact)) &&
                       (Trim(part.body).empty() || IsCutMessageStart(part.body));
  if (kind == RecordKind::kNone && !is_held) return OnOtherPart(part, part.body);
  Begin(*stream, kind, part, part.body, OriginOf(part));
  if (is_held) held_ = stream;
}

/// Lets a line with a prefix go on with the message that the line before began, whose prefix was
/// left out. True if it did.
bool MessageFramer::AdoptsBare(const LinePart& part) {
  const auto found = last_stream_.find(part.foreign.key);
  if (found == last_stream_.end()) return false;
  Stream& stream = *found->second;
  Record& record = stream.record;
  if (!stream.is_open || record.prefixed || part.number > stream.last.number + 1 ||
      !ContinuesPrefixed(record, part.body, PrefixMatch::kSameId)) {
    return false;
  }
  record.compile_id = part.prefix.compile_id;
  Add(stream, part, part.body, /*bare=*/false);
  return true;
}

void MessageFramer::ReadBare(const LinePart& part) {
  std::string_view text = part.body;
  if (held_ != nullptr && ReleaseHeld(part)) return;
  const auto found = last_stream_.find(part.foreign.key);
  Stream* stream = found == last_stream_.end() ? nullptr : found->second;
  // The tail of a wrapped line lacks the label of its process.
  if (last_added_ != nullptr && last_added_ != stream && last_added_->is_open &&
      !part.is_overwritten && part.foreign.length == 0 && JoinsWrapped(*last_added_, part, text)) {
    return JoinTail(*last_added_, part, text);
  }
  if (stream != nullptr && stream->is_open) {
    if (IsSameCarrier(stream->carrier, text)) text.remove_prefix(stream->carrier.size());
    if (GoesOnBare(*stream, part, text)) return;
  }
  if (TakesBare(stream, part, text)) return;

  MessageStart start = FindMessage(text);
  // How far the lines below are indented counts from here.
  const bool keeps_indent = HasBreakText(start.kind) && start.offset == Indent(text);
  std::string_view first_line = keeps_indent ? text : text.substr(start.offset);
  RecordOrigin origin = OriginOf(part);
  origin.line = part.number;
  LogPrefix previous;
  const bool is_headless =
      start.kind == RecordKind::kNone && TrimLeft(text).starts_with("Explanation: ") &&
      !Trim(PreviousLine()).empty() && !FindLogPrefix(PreviousLine(), 0, previous);
  if (is_headless) {
    // The text of a break without the words "Graph break": its type is the line before.
    start.kind = RecordKind::kBreakBlock;
    first_line = TrimRight(PreviousLine());
    first_line.remove_prefix(ParseForeignPrefix(first_line).length);
    --origin.line;
  }
  const bool is_cut_head = start.kind == RecordKind::kNone && IsCutMessageStart(text);
  if (start.kind == RecordKind::kNone && !is_cut_head) return OnOtherPart(part, text);
  if (stream == nullptr) stream = StreamFor(part);
  if (stream == nullptr) return;
  if (stream->is_open) Close(*stream);
  Begin(*stream, start.kind, part, first_line, origin);
  stream->record.raised = start.raised;
  if (start.offset > Indent(text) && start.offset <= kMaxCarrier) {
    stream->carrier = text.substr(0, start.offset);
  }
  if (is_cut_head) held_ = stream;
  if (is_headless) Add(*stream, part, text, /*bare=*/true);
}

/// Whether a part begins with the code of a reason, "# return act(x)", at which a terminal wrapped.
/// Of a text that was commented out all lines have a '#'.
bool MessageFramer::IsWrappedComment(const LinePart& part) const {
  return TrimLeft(part.text).starts_with("# ") && last_added_ != nullptr && last_added_->is_open &&
         !last_added_->last.is_commented && part.number <= last_added_->last.number + 1;
}

/// Lets a line without a prefix go on with the open record of its stream. True if it did.
bool MessageFramer::GoesOnBare(Stream& stream, const LinePart& part, std::string_view text) {
  if (part.is_overwritten) return false;
  if (part.continues && part.number == stream.last.number) {
    stream.record.ExtendLastLine(text, stats_);
    return true;
  }
  // A label of unknown form stands before the next message.
  const MessageStart next = FindMessage(text);
  const bool begins_other = next.offset > Indent(text) && (next.kind == RecordKind::kGraphBreak ||
                                                           next.kind == RecordKind::kRecompile ||
                                                           next.kind == RecordKind::kLimit);
  const bool is_over = begins_other && !stream.record.prefixed;
  const bool follows = part.number <= stream.last.number + 1;
  if (!is_over && JoinsWrapped(stream, part, text)) {
    JoinTail(stream, part, text);
    return true;
  }
  if (!is_over && (follows || part.foreign.length > 0) &&
      (stream.takes_bare || stream.awaits_text) && ContinuesBare(stream.record, text)) {
    Add(stream, part, text, /*bare=*/true);
    return true;
  }
  // Prints of the program may come between the lines of a prefixed message; a bare one is over.
  if (stream.record.prefixed) {
    StopTakingBare(stream);
  } else {
    Close(stream);
  }
  return false;
}

/// Whether `text` is the tail of the record's last line, which a terminal or an editor wrapped.
bool MessageFramer::JoinsWrapped(const Stream& stream, const LinePart& part,
                                 std::string_view text) const {
  const Record& record = stream.record;
  const Stream::LastLine& last = stream.last;
  const std::string_view tail = Trim(text);
  if (part.number > last.number + 1 || tail.empty() || tail.starts_with("```")) return false;
  if (record.is_cut() || record.last_line().size() > kMaxWrapped) return false;
  // The brackets that close a list of strings.
  if (Indent(text) > 0 && std::ranges::none_of(tail, IsWordChar)) return false;
  const RecordKind next = MessageAtFront(text, {});
  if (next != RecordKind::kNone && next != RecordKind::kBareUnsupported) return false;
  if (record.prefixed && wrap_width_ != 0 && last.width == wrap_width_ &&
      part.width <= wrap_width_) {
    return true;
  }
  if (BeginsInnerLine(record.kind, text)) return false;
  const std::string_view line = record.last_line();
  if (LacksItsEnd(line)) return true;
  // Between the lines of a break, which quote code and advice, a print of the program does no harm.
  const bool may_go_on = HasBreakText(record.kind) || HasCutComment(line);
  if (record.prefixed && may_go_on && last.width > kMaxFilled && last.width == widest_ &&
      part.width <= widest_) {
    return true;
  }
  if (Indent(text) >= kHangingIndent) {
    return record.prefixed &&
           (record.kind == RecordKind::kLimit || record.kind == RecordKind::kRecompile);
  }
  return IsParagraph(line) && Indent(text) == 0 && last.width >= kMinWrapWidth &&
         (IsWordChar(tail[0]) || tail[0] == '.' || tail[0] == '\'');
}

/// Adds the tail of a wrapped line to the record's last line.
void MessageFramer::JoinTail(Stream& stream, const LinePart& part, std::string_view text) {
  Record& record = stream.record;
  const std::string_view tail = Trim(text);
  const size_t width = stream.last.width;
  const bool is_hard = width >= kMinWrapWidth && (width == wrap_width_ || width > kMaxFilled ||
                                                  (width == widest_ && num_widest_ > 1));
  // The blank at which a line was wrapped went when the line was added.
  const bool at_blank = stream.last.trimmed_blanks > 0 || Indent(text) > 0 ||
                        (!is_hard && WasWrappedAtBlank(record.last_line(), tail));
  NoteWrap(stream, /*splits_words=*/!at_blank);
  // Two blanks or more stand before the code of a reason.
  if (at_blank) record.ExtendLastLine(tail.starts_with("# ") ? "  " : " ", stats_);
  record.ExtendLastLine(tail, stats_);
  stream.awaits_text = false;
  NoteAdded(stream, part, text);
}

/// The last line of `stream` was wrapped: other lines are at its width.
void MessageFramer::NoteWrap(const Stream& stream, bool splits_words) {
  const size_t width = stream.last.width;
  if ((splits_words && width >= kMinWrapWidth) || width > kMaxFilled) wrap_width_ = width;
}

/// Gives the line behind a held prefix to it, if together they begin a message. True if they do.
bool MessageFramer::ReleaseHeld(const LinePart& part) {
  Stream& stream = *held_;
  Record& record = stream.record;
  held_ = nullptr;
  std::string_view text = part.body;
  std::string_view behind_id = TrimLeft(text);
  const std::string_view id = ConsumeCompileId(behind_id);
  if (!id.empty() && record.compile_id.empty()) {
    record.compile_id = id;
    text = behind_id;
  }
  const MessageSource source{record.emitter, record.compile_id, record.artifact, true};
  const std::string head(record.last_line());
  for (const std::string_view blank : {"", " "}) {
    if (part.number != stream.last.number + 1) break;
    const std::string tail = std::string(blank) + std::string(Trim(text));
    record.kind = MessageAtFront(head + tail, source);
    if (record.kind == RecordKind::kNone) continue;
    record.ExtendLastLine(tail, stats_);
    if (!head.empty()) NoteWrap(stream, /*splits_words=*/blank.empty());
    stream.last.number = part.number;
    stream.last.width = part.width;
    watched_line_ = part.number + 1;
    if (IsOneLine(record.kind, record.last_line())) Close(stream);
    return true;
  }
  Close(stream);
  return false;
}

void MessageFramer::Begin(Stream& stream, RecordKind kind, const LinePart& part,
                          std::string_view text, const RecordOrigin& origin) {
  has_limit_ |= kind == RecordKind::kLimit;
  Record& record = stream.record;
  record.Reset();
  record.kind = kind;
  record.origin = origin;
  record.prefixed = part.has_prefix;
  record.compile_id = part.prefix.compile_id;
  record.emitter = part.prefix.emitter;
  record.artifact = part.prefix.artifact;
  stream.prefix = part.has_prefix ? TrimRight(part.prefix.Whole(part.text)) : std::string_view();
  stream.carrier.clear();
  stream.is_open = true;
  // Takes bare lines until a line with a prefix shows that this message repeats it.
  stream.takes_bare = true;
  ++num_taking_bare_;
  Add(stream, part, text, /*bare=*/false);
  const bool is_wrapped = record.prefixed && (part.width == wrap_width_ || LacksItsEnd(text));
  if (IsOneLine(kind, text) && !is_wrapped) Close(stream);
}

void MessageFramer::Add(Stream& stream, const LinePart& part, std::string_view text, bool bare) {
  if (stream.record.num_lines() > 0 && !bare) StopTakingBare(stream);
  for (size_t begin = 0; begin != kNotFound;) {
    // A line that is flattened holds several.
    const size_t next = FindFlattenedLine(stream.record.kind, text, begin + 1);
    const std::string_view line = text.substr(begin, next == kNotFound ? kNotFound : next - begin);
    stream.record.AddLine(TrimRight(line), bare, stats_);
    begin = next;
  }
  stream.awaits_text = !bare && Trim(text).empty();
  stream.last.is_commented = TrimLeft(part.text).starts_with('#');
  NoteAdded(stream, part, text);
  if (!part.has_prefix) OnBarePart(part, text, stream.record);
}

void MessageFramer::NoteAdded(Stream& stream, const LinePart& part, std::string_view text) {
  stream.last.number = part.number;
  stream.last.width = part.width;
  stream.last.trimmed_blanks = text.size() - TrimRight(text).size();
  last_added_ = &stream;
  watched_line_ = part.number + 1;
  if (part.width > widest_) num_widest_ = 0;
  widest_ = std::max(part.width, widest_);
  if (part.width == widest_) ++num_widest_;
}

void MessageFramer::StopTakingBare(Stream& stream) {
  if (stream.takes_bare) --num_taking_bare_;
  stream.takes_bare = false;
}

void MessageFramer::Close(Stream& stream, bool is_at_end) {
  if (held_ == &stream) held_ = nullptr;
  if (!stream.is_open) return;
  stream.is_open = false;
  StopTakingBare(stream);
  MarkEnd(stream.record, is_at_end);
  OnMessage(stream);
}

void MessageFramer::MarkEnd(Record& record, bool is_at_end) {
  record.ends_input = is_at_end;
  record.is_torn = record.num_lines() > 0 && LacksItsEnd(record.last_line());
}

void MessageFramer::CloseOld(uint64_t number) {
  if (num_taking_bare_ == 0 || number <= next_idle_check_) return;
  next_idle_check_ = number + kBareIdleLines;
  CloseOpen(number > kBareIdleLines ? number - kBareIdleLines : 0);
}

void MessageFramer::CloseOpen(uint64_t idle_since) {
  const bool is_at_end = idle_since == UINT64_MAX;
  std::vector<Stream*> idle;
  for (const auto& [key, stream] : streams_) {
    const bool counts = is_at_end || stream->takes_bare;
    if (stream->is_open && counts && stream->last.number < idle_since) idle.push_back(stream.get());
  }
  std::ranges::sort(idle, {}, [](const Stream* stream) { return stream->record.origin.line; });
  for (Stream* stream : idle) Close(*stream, is_at_end);
}

int32_t MessageFramer::RankOf(const LinePart& part) const {
  if (part.has_prefix && part.prefix.rank != kNoRank) return part.prefix.rank;
  return part.foreign.rank != kNoRank ? part.foreign.rank : file_rank_;
}

MessageFramer::Stream* MessageFramer::StreamFor(const LinePart& part) {
  const uint64_t process = part.has_prefix ? part.prefix.process : UINT64_MAX;
  const uint64_t key = llvm::hash_combine(part.foreign.key, RankOf(part), process);
  std::unique_ptr<Stream>& stream = streams_[key];
  if (stream == nullptr) {
    if (streams_.size() > kMaxLogStreams) {
      streams_.erase(key);
      stats_.Bump(Stat::streams_too_many, input_, part.number);
      return nullptr;
    }
    stream = std::make_unique<Stream>();
    stream->number = streams_.size();
  }
  last_stream_[part.foreign.key] = stream.get();
  return stream.get();
}

std::vector<const MessageFramer::Stream*> MessageFramer::StreamsInOrder() const {
  std::vector<const Stream*> streams;
  for (const auto& [key, stream] : streams_) streams.push_back(stream.get());
  std::ranges::sort(streams, {}, &Stream::number);
  return streams;
}

}  // namespace shapewise
