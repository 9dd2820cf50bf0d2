#include "ingest/formats/torch_log/message_framer.h"

#include <algorithm>

#include "ingest/data_tables.h"
#include "ingest/formats/torch_log/wrapped_line.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "llvm/ADT/Hashing.h"
#include "model/code_owner.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Real files have fewer processes; a hostile input could name millions.
constexpr size_t kMaxLogStreams = 4096;

// A message without prefix that did not continue for this many lines is complete.
constexpr uint64_t kBareIdleLines = 1000;

// Text with this much indentation continues the line above, as word processors wrap.
constexpr size_t kHangingIndent = 16;

// A longer line, or one of more parts, was not wrapped. The bounds also keep the search for the
// missing rest of a line from taking quadratic time.
constexpr size_t kMaxWrapped = size_t{8} << 10;
constexpr size_t kMaxTails = 128;

// Some lines of a message are not known to be its own; they are fewer than these before the user's
// code.
constexpr uint64_t kMaxLinesToUserCode = 100;

// How far above the words that close a stack its innermost frames are.
constexpr uint64_t kMaxLostLines = 12;

// Below a line of a traceback there are its code, a line of carets, and then the exception.
constexpr uint64_t kMaxLinesOfFrame = 3;

constexpr std::string_view kComment = "# ";

/// What code does with compiled code.
enum class CompilerPhase : uint8_t { kNone, kCompiles, kRuns };

std::string_view PhaseName(CompilerPhase phase) {
  return phase == CompilerPhase::kNone ? "none"
                                       : (phase == CompilerPhase::kRuns ? "runs" : "compiles");
}

/// What the code in `file` does with compiled code.
CompilerPhase PhaseOf(std::string_view file) {
  std::string path;  // with '/', also on Windows
  if (HasText(file, "\\")) {
    path = file;
    std::ranges::replace(path, '\\', '/');
    file = path;
  }
  static const WordTable<CompilerPhase> phases =
      ReadWordTable(DataTable("names"), "compiler_files", CompilerPhase::kRuns, PhaseName);
  return FindWords(phases, file).value_or(CompilerPhase::kNone);
}

/// The text of an exception in `line`, which is above the user's code or the words that close it.
/// Empty: it has none. `is_right_above`: "from user code:" is next. `shows_code`: there is code
/// between this line and the closing words.
std::string_view ErrorAboveUserCode(std::string_view line, bool is_right_above, bool shows_code) {
  const size_t at = FindAnyException(line);
  if (at == 0 || (at != kNotFound && !is_right_above && !shows_code)) return line.substr(at);
  // A logger prints it without the class.
  const bool is_text = is_right_above && !TrimLeft(line).starts_with("```") &&
                       !line.ends_with(':') && !BeginsInnerLine(RecordKind::kNone, line);
  return is_text ? line : std::string_view();
}

}  // namespace

MessageFramer::MessageFramer(const MessageFramer& other, Stats& stats)
    : LineFramer(other),
      stats_(stats),
      input_(other.input_),
      has_limit_(other.has_limit_),
      file_rank_(other.file_rank_),
      num_taking_bare_(other.num_taking_bare_),
      next_idle_check_(other.next_idle_check_),
      last_message_line_(other.last_message_line_),
      compiler_frame_(other.compiler_frame_),
      compiled_frame_(other.compiled_frame_) {
  std::unordered_map<const Stream*, Stream*> copies;
  for (const auto& [key, stream] : other.streams_) {
    std::unique_ptr<Stream>& copy = streams_[key];
    copy = std::make_unique<Stream>();
    // Nothing is needed of a complete record.
    if (stream->is_open) *copy = *stream;
    copy->number = stream->number;
    copy->previous = nullptr;
    copies[stream.get()] = copy.get();
  }
  for (const auto& [key, stream] : other.last_stream_) last_stream_[key] = copies[stream];
  if (other.last_added_ != nullptr) last_added_ = copies[other.last_added_];
}

void MessageFramer::OnPart(LinePart& part) {
  if (TakesPart(part)) return;
  if (part.has_prefix) return ReadPrefixed(part);
  if (IsWrappedComment(part)) {
    part.foreign.length =
        TrimRight(part.text.substr(0, part.foreign.length - kComment.size())).size();
    part.body = part.text.substr(part.foreign.length);
  }
  ReadBare(part);
}

/// It counts as a prefix before torch's own words (or their beginning), or on a line where they are
/// expected.
bool MessageFramer::IsDoubtfulPrefix(const LinePart& part) const {
  const auto found = last_stream_.find(part.foreign.key);
  return (found != last_stream_.end() && found->second->is_open &&
          part.number == found->second->last.number + 1) ||
         MessageAtFront(part.body, part.prefix) != RecordKind::kNone || IsCutStart(part.body);
}

void MessageFramer::ReadPrefixed(const LinePart& part) {
  if (AdoptsBare(part)) return;
  Stream* const stream = StreamOfPrefix(part);
  if (stream == nullptr) return;
  const LogPrefix& prefix = part.prefix;
  const std::string_view whole = TrimRight(prefix.Whole(part.text));
  if (stream->is_open) {
    const Record& record = stream->record;
    const bool has_other_id = !prefix.compile_id.empty() && !record.compile_id.empty() &&
                              prefix.compile_id != record.compile_id;
    // A line of an excerpt may lack the front of its prefix.
    const bool lacks_front =
        part.number == stream->last.number + 1 && !stream->prefix.empty() &&
        (whole.ends_with(stream->prefix) || std::string_view(stream->prefix).ends_with(whole));
    const PrefixMatch match = stream->prefix == whole || lacks_front ? PrefixMatch::kSame
                              : has_other_id                         ? PrefixMatch::kOther
                                                                     : PrefixMatch::kSameId;
    if (lacks_front && whole.size() > stream->prefix.size()) stream->prefix = whole;
    if (match == PrefixMatch::kSame && RepeatsInside(*stream, part)) {
      return JoinTail(*stream, part, part.body);
    }
    if (ContinuesPrefixed(record, part.body, match)) {
      return Add(*stream, part, part.body, /*bare=*/false);
    }
    Close(*stream);
  }
  if (TakesPrefixed(*stream, part, whole)) return;
  const RecordKind kind = MessageAtFront(part.body, prefix);
  if (kind == RecordKind::kNone) return OnOtherPart(part, part.body);
  Begin(*stream, kind, part, part.body, OriginOf(part));
}

/// The stream of a line with a prefix. An excerpt may begin within a prefix: the next line shows
/// the process of the first one.
MessageFramer::Stream* MessageFramer::StreamOfPrefix(const LinePart& part) {
  Stream* const stream = StreamFor(part);
  Stream* const last = last_added_;
  if (stream == nullptr || stream->is_open || last == nullptr || !last->is_open) return stream;
  const std::string_view whole = TrimRight(part.prefix.Whole(part.text));
  if (last->record.prefixed && part.number == last->last.number + 1 && !last->prefix.empty() &&
      last->prefix.size() < whole.size() && whole.ends_with(last->prefix) &&
      last->record.origin.rank == RankOf(part)) {
    std::swap(*stream, *last);
    std::swap(stream->number, last->number);
    last_added_ = stream;
  }
  return stream;
}

/// Whether a line with the same prefix as the previous line is its tail: a tool wrapped texts and
/// put the prefix before each line.
bool MessageFramer::RepeatsInside(const Stream& stream, const LinePart& part) const {
  const RecordKind kind = stream.record.kind;
  return Indent(part.body) <= 1 && (kind == RecordKind::kRecompile || kind == RecordKind::kLimit) &&
         part.number <= stream.last.number + 1 && !Trim(part.body).empty() &&
         !BeginsInnerLine(kind, part.body) && LacksItsEnd(stream.record.last_line());
}

/// Makes a line with a prefix continue the message that the previous line began without one.
/// Returns whether it did.
bool MessageFramer::AdoptsBare(const LinePart& part) {
  const auto is_bare = [&](const Stream* stream) {
    return stream != nullptr && stream->is_open && !stream->record.prefixed &&
           part.number <= stream->last.number + 1;
  };
  const auto found = last_stream_.find(part.foreign.key);
  Stream* stream = found == last_stream_.end() ? nullptr : found->second;
  // The label of its process is missing, too.
  if (!is_bare(stream)) stream = last_added_;
  if (!is_bare(stream)) return false;
  Record& record = stream->record;
  const int32_t rank = RankOf(part);
  const bool is_others = record.origin.rank != kNoRank && record.origin.rank != rank;
  // Only the first line of a break lost its prefix: what follows in the log of breaks belongs to
  // it.
  const bool is_head_of_break = HasBreakText(record.kind) &&
                                part.prefix.artifact.starts_with("graph_breaks") &&
                                MessageAtFront(part.body, part.prefix) != RecordKind::kGraphBreak;
  const PrefixMatch match = is_head_of_break ? PrefixMatch::kSame : PrefixMatch::kSameId;
  if (is_others || !ContinuesPrefixed(record, part.body, match)) return false;
  record.origin.rank = rank;
  record.compile_id = part.prefix.compile_id;
  Add(*stream, part, part.body, /*bare=*/false);
  return true;
}

void MessageFramer::ReadBare(const LinePart& part) {
  std::string_view text = part.body;
  const auto found = last_stream_.find(part.foreign.key);
  Stream* stream = found == last_stream_.end() ? nullptr : found->second;
  // The tail of a wrapped line lacks the label of its process, as do the lines below a message
  // whose first line alone was pasted with it.
  if (last_added_ != nullptr && last_added_ != stream && last_added_->is_open &&
      !part.is_overwritten && part.foreign.key == ForeignPrefix().key) {
    if (JoinsWrapped(*last_added_, part, text)) return JoinTail(*last_added_, part, text);
    const bool follows = part.number == last_added_->last.number + 1;
    const bool is_first = stream == nullptr || !stream->is_open;
    if (follows && is_first && GoesOnBare(*last_added_, part, text)) return;
  }
  if (stream != nullptr && stream->is_open) {
    if (GoesOnBare(*stream, part, text)) return;
  }
  if (TakesBare(stream, part, text)) return;

  MessageStart start = FindMessage(text);
  // The indentation of the lines below is relative to this.
  const bool keeps_indent = start.offset == Indent(text);
  std::string_view first_line =
      keeps_indent ? text : text.substr(start.offset, start.end - start.offset);
  RecordOrigin origin = OriginOf(part);
  origin.line = part.number;
  LostHead lost;
  if (start.kind == RecordKind::kNone) lost = FindLostHead(part, text);
  if (lost.kind != RecordKind::kNone) {
    start.kind = lost.kind;
    origin.line -= lost.num_lines;
    lost.lines.emplace_back(text);
    first_line = lost.lines.front();
  }
  if (start.kind == RecordKind::kNone) {
    WatchTraceback(part, text);
    return OnOtherPart(part, text);
  }
  if (stream == nullptr) stream = StreamFor(part);
  if (stream == nullptr) return;
  if (stream->is_open) Close(*stream);
  Begin(*stream, start.kind, part, first_line, origin);
  stream->record.raised = start.raised;
  stream->record.is_compilers = lost.is_compilers;
  if (start.kind == RecordKind::kException) {
    stream->record.inner_error = ErrorAbove();
    const bool asks_user = HasText(first_line, "data-dependent expression") ||
                           HasText(first_line, "non-empty donated buffers") ||
                           HasText(first_line, "support double backward");
    stream->record.frame_above = FrameAbove(/*of_package=*/!asks_user);
    if (IsBelowCompilersFrame(part)) stream->record.compiled_frame = compiled_frame_;
  }
  for (size_t i = 1; i < lost.lines.size(); ++i) Add(*stream, part, lost.lines[i], /*bare=*/true);
  // Below a reason that prose quotes, the prose goes on.
  if (start.kind == RecordKind::kRecompile && start.end != kNotFound) Close(*stream);
}

/// Notes whether the innermost frame so far is the compiler's, or code that it wrote, and has the
/// lines below it read.
void MessageFramer::WatchTraceback(const LinePart& part, std::string_view text) {
  if (const auto frame = ParseFrameLine(text)) {
    const CompilerPhase phase = PhaseOf(frame->file);
    compiler_frame_ = phase == CompilerPhase::kNone ? 0 : part.number;
    compiled_frame_ = phase == CompilerPhase::kRuns ? text : std::string_view();
  }
  if (compiler_frame_ > 0 && part.number < compiler_frame_ + kMaxLinesOfFrame) {
    watched_line_ = part.number + 1;
  }
}

/// Whether the innermost frame of a traceback right above is the compiler's, or of code that it
/// wrote.
bool MessageFramer::IsBelowCompilersFrame(const LinePart& part) const {
  return compiler_frame_ > 0 && part.number > compiler_frame_ &&
         part.number <= compiler_frame_ + kMaxLinesOfFrame;
}

MessageFramer::LostHead MessageFramer::FindLostHead(const LinePart& part,
                                                    std::string_view text) const {
  LogPrefix prefix;
  if (TrimLeft(text).starts_with("Explanation: ")) {
    // The text of a break without the words "Graph break": its type is on the previous line, if
    // that is not missing, too.
    std::string_view type = TrimRight(PreviousLine());
    type.remove_prefix(FindForeignPrefix(type).length);
    if (Trim(type).empty() || TrimLeft(type).starts_with("```")) {
      return {RecordKind::kBreakBlock, {}};
    }
    if (FindLogPrefix(type, 0, prefix)) return {};
    return {RecordKind::kBreakBlock, {std::string(type)}, 1};
  }
  if (IsBelowCompilersFrame(part) && FindAnyException(text) == 0) {
    return {RecordKind::kException, {}, 0, /*is_compilers=*/true};
  }
  // Below a message that is known, the user's code belongs to it.
  const bool is_near =
      last_message_line_ > 0 && part.number <= last_message_line_ + kMaxLinesToUserCode;
  if (is_near || !ShowsUserCode(text)) return {};
  LostHead lost;
  lost.kind = RecordKind::kUserStack;
  const std::string before = PreviousText();
  std::string_view rest = before;
  bool shows_code = false;
  for (uint64_t back = 1; back <= kMaxLostLines && !rest.empty(); ++back) {
    const std::string_view line = TakeLastLine(rest);
    // Above the user's code there are only blank lines; above the closing words, the code.
    if (Trim(line).empty()) continue;
    const std::string_view error =
        ErrorAboveUserCode(line, TrimLeft(text).starts_with("from user code:"), shows_code);
    if (error.empty() && BeginsUserCode(text)) break;
    lost.lines.insert(lost.lines.begin(), std::string(error.empty() ? line : error));
    lost.num_lines = back;
    if (!error.empty()) {
      lost.kind = RecordKind::kException;
      break;
    }
    shows_code |= ParseFrameLine(line).has_value();
  }
  return lost;
}

/// The exception right above the current line, of which the next one is the consequence. Empty:
/// there is none.
std::string MessageFramer::ErrorAbove() const {
  const std::string before = PreviousText();
  std::string_view rest = before;
  while (!rest.empty()) {
    std::string_view line = Trim(TakeLastLine(rest));
    if (line.empty() || line.starts_with("The above exception was the direct cause")) continue;
    if (line.starts_with('`')) line = line.substr(1, line.find('`', 1) - 1);
    return std::string(FindAnyException(line) == 0 ? line : std::string_view());
  }
  return {};
}

/// The innermost frame of user code in the traceback right above the current line, with the line of
/// code below it; `of_package`: the frame right above it, if it is of another installed package
/// than PyTorch, which the compiler called. Empty: not found.
std::string MessageFramer::FrameAbove(bool of_package) const {
  const std::string before = PreviousText();
  std::string_view rest = before;
  std::string_view code;
  for (uint64_t back = 0; !rest.empty() && (!of_package || back < kMaxLinesOfFrame); ++back) {
    const std::string_view line = TakeLastLine(rest);
    if (line.starts_with("Traceback (most")) break;
    const auto frame = ParseFrameLine(line);
    if (frame && (of_package ? IsOtherPackage(frame->file) : OwnerOf(frame->file).IsUser())) {
      return std::string(Trim(line)).append("\n").append(Trim(code));
    }
    if (frame && of_package) break;
    code = line;
  }
  return {};
}

/// Removes the last line from `rest` and returns it without its prefix.
std::string_view MessageFramer::TakeLastLine(std::string_view& rest) const {
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  std::string_view line = TrimRight(rest.substr(rest.rfind('\n') + 1));
  rest.remove_suffix(rest.size() - static_cast<size_t>(line.data() - rest.data()));
  line.remove_prefix(FindForeignPrefix(line).length);
  return line;
}

/// Whether a part begins with the code of a reason, "# return act(x)", at which a terminal wrapped.
/// In a commented-out text all lines have a '#'.
bool MessageFramer::IsWrappedComment(const LinePart& part) const {
  return part.text.substr(0, part.foreign.length).ends_with(kComment) && last_added_ != nullptr &&
         last_added_->is_open && !last_added_->last.is_commented &&
         part.number <= last_added_->last.number + 1;
}

/// Makes a line without a prefix continue the open record of its stream. Returns whether it did.
bool MessageFramer::GoesOnBare(Stream& stream, const LinePart& part, std::string_view text) {
  if (part.is_overwritten) return false;
  if (!stream.record.prefixed && TrimLeft(text).starts_with("```")) {
    Close(stream, /*is_at_end=*/true);
    return false;
  }
  if (part.continues && part.number == stream.last.number) {
    stream.record.ExtendLastLine(text, stats_);
    return true;
  }
  // A label of unknown form comes before the next message.
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
  // Output of the program may come between the lines of a prefixed message; a bare one has ended.
  if (stream.record.prefixed) {
    StopTakingBare(stream);
  } else {
    Close(stream);
  }
  return false;
}

/// Whether `text` is the tail of the record's last line, wrapped by a terminal or an editor.
bool MessageFramer::JoinsWrapped(const Stream& stream, const LinePart& part,
                                 std::string_view text) const {
  const Record& record = stream.record;
  const Stream::LastLine& last = stream.last;
  if (part.number > last.number + 1) return false;
  const std::string_view line = record.last_line();
  // The reason of a break may begin like an exception.
  if (!MayBeTail(text) && Trim(line) != "Reason:") return false;
  if (record.is_cut() || line.size() > kMaxWrapped || last.num_tails > kMaxTails) return false;
  if (BeginsInnerLine(record.kind, text) || EndsWithPage(line)) return false;
  if (GoesOnWith(line, last.width, text) || Trim(line) == "Reason:") return true;
  // The comment of a reason, on lines of its own.
  if (record.kind == RecordKind::kRecompile && TrimLeft(text).starts_with("# ") &&
      Indent(text) > last.indent && TrimLeft(line).starts_with("- ")) {
    return true;
  }
  // Between the lines of a break, which quote code and advice, output of the program does no harm.
  const bool may_go_on = HasBreakText(record.kind) || HasCutComment(line);
  if (record.prefixed && (widths_.IsFullBefore(last.width, text) ||
                          (may_go_on && last.width > kMaxFilled && part.width <= last.width &&
                           (widths_.IsFull(last.width) ||
                            (widths_.IsWidest(last.width) && IsOpenLine(line, text)))))) {
    return true;
  }
  // Of a text that is not torch's, only equal widths show that a terminal wrapped it.
  if (record.kind == RecordKind::kException && !record.prefixed && last.width >= kMinWrapWidth &&
      part.width <= last.width && (part.width == last.width || widths_.IsFull(last.width)) &&
      IsOpenLine(line, text)) {
    return true;
  }
  if (Indent(text) >= kHangingIndent) {
    return record.prefixed &&
           (record.kind == RecordKind::kLimit || record.kind == RecordKind::kRecompile);
  }
  const char first = Trim(text)[0];
  return IsParagraph(line) && Indent(text) <= last.indent && last.width >= kMinWrapWidth &&
         (IsWordChar(first) || first == '.' || first == '\'');
}

/// Adds the tail of a wrapped line to the record's last line.
void MessageFramer::JoinTail(Stream& stream, const LinePart& part, std::string_view text) {
  Record& record = stream.record;
  const std::string_view tail = Trim(text);
  const size_t width = stream.last.width;
  // The blank at which a line was wrapped was removed when the line was added.
  // A deeper indentation is that of all wrapped lines.
  const bool shows_blank = stream.last.trimmed_blanks > 0 || Indent(text) == stream.last.indent + 1;
  const WrapPlace place =
      shows_blank ? WrapPlace::kUnknown
                  : widths_.FindPlace(width, record.last_line(), tail,
                                      /*is_indented=*/Indent(text) > stream.last.indent + 1);
  const bool at_blank = shows_blank || place == WrapPlace::kAtBlank;
  widths_.NoteWrap(width, place);
  // At least two blanks come before the code of a reason.
  if (at_blank) record.ExtendLastLine(tail.starts_with("# ") ? "  " : " ", stats_);
  // Frames may follow a head on its own line.
  const size_t next = record.num_lines() == 1 ? FindFlattenedLine(record.kind, tail, 1) : kNotFound;
  record.ExtendLastLine(TrimRight(tail.substr(0, next)), stats_);
  if (next != kNotFound) AddLines(record, tail.substr(next), /*bare=*/!part.has_prefix);
  stream.awaits_text = false;
  ++stream.last.num_tails;
  NoteAdded(stream, part, text);
}

void MessageFramer::Begin(Stream& stream, RecordKind kind, const LinePart& part,
                          std::string_view text, const RecordOrigin& origin) {
  has_limit_ |= kind == RecordKind::kLimit;
  Record& record = stream.record;
  record.Reset();
  record.kind = kind;
  record.origin = origin;
  record.prefixed = part.has_prefix;
  record.margin = Indent(part.has_prefix ? text : part.body);
  record.compile_id = part.prefix.compile_id;
  record.emitter = part.prefix.emitter;
  record.artifact = part.prefix.artifact;
  stream.prefix = part.has_prefix ? TrimRight(part.prefix.Whole(part.text)) : std::string_view();
  stream.previous = last_added_;
  stream.is_open = true;
  // Accepts lines without prefix until a line with a prefix shows that this message repeats it.
  stream.takes_bare = true;
  ++num_taking_bare_;
  Add(stream, part, text, /*bare=*/false);
  if (IsOneLine(kind, text) && !(record.prefixed && LacksItsEnd(text))) Close(stream);
}

/// Adds the lines of `text`: a joined line contains several.
void MessageFramer::AddLines(Record& record, std::string_view text, bool bare) {
  for (size_t begin = 0; begin != kNotFound;) {
    const size_t next = FindFlattenedLine(record.kind, text, begin + 1);
    const std::string_view line = text.substr(begin, next == kNotFound ? kNotFound : next - begin);
    record.AddLine(TrimRight(line), bare, stats_);
    begin = next;
  }
}

void MessageFramer::Add(Stream& stream, const LinePart& part, std::string_view text, bool bare) {
  if (stream.record.num_lines() > 0 && !bare) StopTakingBare(stream);
  AddLines(stream.record, text, bare);
  stream.awaits_text = !bare && Trim(text).empty();
  stream.last.is_commented = part.text.substr(0, part.foreign.length).find('#') != kNotFound;
  stream.last.indent = part.has_prefix ? Indent(part.text) : stream.record.margin;
  stream.last.num_tails = 0;
  NoteAdded(stream, part, text);
  if (!part.has_prefix) OnBarePart(part, text, stream.record);
}

void MessageFramer::NoteAdded(Stream& stream, const LinePart& part, std::string_view text) {
  stream.last.number = part.number;
  stream.last.width = part.width;
  stream.last.trimmed_blanks = text.size() - TrimRight(text).size();
  last_added_ = &stream;
  watched_line_ = part.number + 1;
  last_message_line_ = part.number;
  widths_.NoteLine(part.width);
}

void MessageFramer::StopTakingBare(Stream& stream) {
  if (stream.takes_bare) --num_taking_bare_;
  stream.takes_bare = false;
}

void MessageFramer::Close(Stream& stream, bool is_at_end) {
  if (!stream.is_open) return;
  stream.is_open = false;
  StopTakingBare(stream);
  Record& record = stream.record;
  // Bare messages are passed on in the order in which they began, unless one continues meanwhile.
  Stream* const previous = stream.previous;
  if (!record.prefixed && previous != nullptr && !previous->record.prefixed &&
      previous->last.number < record.origin.line) {
    Close(*previous, is_at_end);
  }
  record.ends_input = is_at_end;
  record.is_torn = record.num_lines() > 0 && LacksItsEnd(record.last_line());
  OnMessage(stream);
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
  const StreamKey key{part.foreign.key, RankOf(part), process};
  // Most lines are of the same process as the one before.
  if (current_ != nullptr && key == current_key_) return current_;
  const uint64_t hash = std::apply(
      [](const auto&... parts) -> uint64_t { return llvm::hash_combine(parts...); }, key);
  std::unique_ptr<Stream>& stream = streams_[hash];
  if (stream == nullptr) {
    if (streams_.size() > kMaxLogStreams) {
      streams_.erase(hash);
      stats_.Bump(Stat::streams_too_many, input_, part.number);
      return nullptr;
    }
    stream = std::make_unique<Stream>();
    stream->number = streams_.size();
  }
  last_stream_[part.foreign.key] = stream.get();
  current_key_ = key;
  current_ = stream.get();
  return current_;
}

}  // namespace shapewise
