#include "ingest/formats/torch_log/line_framer.h"

#include <algorithm>
#include <utility>

#include "ingest/file_rank.h"
#include "ingest/formats/torch_log/pasted_line.h"
#include "ingest/messages/wording.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "support/literal_set.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A longer line was not wrapped: it would have hundreds of parts.
constexpr size_t kMaxHeld = size_t{8} << 10;

// Lines of a server that were joined are longer, and the label before each of them is, too.
constexpr size_t kMinJoined = 160;
constexpr size_t kMinLabel = 16;

// A head with its place in code.
constexpr size_t kMaxHead = 512;

// Longer than the labels of a process, such as "(EngineCore pid=62) [rank0]:".
constexpr size_t kMaxLabelInside = 160;

/// Heads of messages, and lines of them without indentation.
constexpr std::string_view kHeads =
    "Recompiling function %* in %*:%n|Graph break in user code at %*:%n|"
    "torch._dynamo hit config.%*(%n)";
constexpr std::string_view kLines =
    "Graph Break Reason: |User code traceback:|from user code:|To log all recompilation reasons|"
    "To diagnose recompilation issues|triggered by the following guard failure|"
    "tensor 'L[|function: '|last reason: |Explanation: |"
    "Developer debug context: ";

/// Where one of them begins in `text`, a line without a prefix, right after other text: a page from
/// which line breaks were removed. A second head may also follow a blank. kNotFound: nowhere.
size_t FindGluedLine(std::string_view text) {
  static const LiteralSet begins([] {
    std::vector<std::string_view> list = SplitWordings(kLines);
    for (const std::string_view head : SplitWordings(kHeads)) list.push_back(HeadOf(head));
    return list;
  }());
  bool has_head = false;
  for (size_t at = begins.Find(text); at != kNotFound; at = begins.Find(text, at + 1)) {
    const std::string_view rest = text.substr(at, kMaxHead);
    const bool is_head = BeginsWithAny(rest, kHeads);
    if (!is_head && !BeginsWithAny(rest, kLines)) continue;
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool is_escape = text.substr(0, at).ends_with("\\n");
    if ((IsWordChar(before) && !is_escape) || std::string_view(".):").find(before) != kNotFound ||
        (has_head && is_head && IsBlankChar(before))) {
      return at;
    }
    has_head = has_head || is_head;
  }
  return kNotFound;
}

/// Whether torch printed a prefix, as far as it shows.
bool IsTorchs(const LogPrefix& prefix) { return prefix.names_torch || !prefix.artifact.empty(); }

bool BeginsWithLetter(llvm::StringRef text) { return IsIdentifier(text.take_front()); }

/// Quote marks and blanks at the front of both `line` and `tail`.
size_t CommonMargin(std::string_view line, std::string_view tail) {
  size_t size = 0;
  while (size < std::min(line.size(), tail.size()) && line[size] == tail[size] &&
         (IsBlankChar(line[size]) || std::string_view(">#|").find(line[size]) != kNotFound)) {
    ++size;
  }
  return size;
}

/// Whether `joined`, made of a line and its tail, is complete in the part where it was wrapped: a
/// prefix, or the first words of a message or of an inner line.
bool IsWhole(std::string_view line, std::string_view joined) {
  LogPrefix before;
  LogPrefix prefix;
  const size_t front = ParseForeignPrefix(joined).length;
  const bool had_prefix = FindLogPrefix(line, ParseForeignPrefix(line).length, before);
  const bool has_prefix = FindLogPrefix(joined, front, prefix);
  if (has_prefix && prefix.begin >= line.size()) return false;
  if (prefix.style == PrefixStyle::kGlog && prefix.process_digits == 0 && IsDigit(line.back())) {
    return false;  // the number of the process, joined to a path or a time
  }
  if (prefix.style != PrefixStyle::kTrimmed && prefix.names_torch &&
      (!had_prefix || before.begin != prefix.begin || before.compile_id != prefix.compile_id ||
       before.artifact != prefix.artifact)) {
    return true;
  }
  const std::string_view text = joined.substr(has_prefix ? prefix.text_begin : front);
  const std::string_view old_text = line.substr(std::min(joined.size() - text.size(), line.size()));
  const RecordKind kind = MessageAtFront(text, prefix);
  if (!Trim(old_text).empty()) {
    return kind != RecordKind::kNone || (BeginsInnerLine(RecordKind::kNone, text) &&
                                         !BeginsInnerLine(RecordKind::kNone, old_text));
  }
  // A traceback below an empty line is a separate message.
  return kind != RecordKind::kNone
             ? kind != RecordKind::kBreakTail && kind != RecordKind::kException
             : BeginsInnerLine(RecordKind::kRecompile, text) &&
                   !TrimLeft(text).starts_with("File ");
}

}  // namespace

void LineFramer::ReadLine(std::string_view line, uint64_t number, bool continues) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = StripEscapes(line, unescaped_);
  // A file that was preallocated, or truncated by a crash, is padded with NUL.
  while (line.ends_with('\0')) line.remove_suffix(1);
  if (!RestorePastedLine(line, restored_)) return ReadLabelledLine(line, number, continues);
  OnPastedLine(line, number);
  for (size_t i = 0; i < restored_.size(); ++i) {
    const auto line_at = [this](size_t at) {
      return at < restored_.size() ? std::string_view(restored_[at]) : std::string_view();
    };
    const std::string_view text = restored_[i];
    if (restored_.size() > 1 && labels_.MayLearn(text) &&
        FindMessage(text).kind != RecordKind::kNone) {
      labels_.Learn(line_at(i - 1), text, line_at(i + 1));
    }
    ReadLabelledLine(text, number, continues);
  }
}

void LineFramer::ReadLabelledLine(std::string_view line, uint64_t number, bool continues) {
  // Lines with torch's own prefix are taken apart by that.
  const bool may_be_joined = line.size() >= kMinJoined && (IsDigit(line[0]) || !IsDigit(line[1]));
  std::string_view label;
  if (may_be_joined) label = Trim(line.substr(0, ParseForeignPrefix(line).length));
  while (label.size() >= kMinLabel) {
    const size_t next = line.find(label, label.size());
    if (next == kNotFound) break;
    ReadRestoredLine(TrimRight(line.substr(0, next)), number, std::exchange(continues, false));
    line.remove_prefix(next);
  }
  ReadRestoredLine(line, number, continues);
}

void LineFramer::FinishLines() {
  if (held_.begin == 0) return;
  const HeldLine held = std::exchange(held_, {});
  is_released_ = true;
  ReadWholeLine(
      {.text = held.text, .number = held.number, .begin = held.begin, .width = held.width});
  is_released_ = false;
}

void LineFramer::ReadRestoredLine(std::string_view line, uint64_t number, bool continues) {
  if (held_.begin != 0) {
    if (!continues && JoinHeld(line, number)) return;
    FinishLines();
  }
  ReadWholeLine({.text = line,
                 .number = number,
                 .begin = number,
                 .width = line.size(),
                 .continues = continues});
}

void LineFramer::ReadWholeLine(LinePart part) {
  std::string_view line = part.text;
  // Ray prints output of several workers once: "text [repeated 3x across cluster]".
  if (line.ends_with(" across cluster]"))
    line = TrimRight(line.substr(0, line.rfind(" [repeated ")));
  // A progress bar overwrites its line: each version is a part of its own.
  while (true) {
    const size_t carriage = line.find('\r');
    part.text = line.substr(0, carriage);
    part.is_overwritten = carriage != kNotFound && carriage + 1 < line.size();
    if (carriage == kNotFound || !part.text.empty()) ReadPart(part);
    if (!part.is_overwritten) return;
    line.remove_prefix(carriage + 1);
    part.continues = false;
  }
}

void LineFramer::ReadPart(LinePart& part) {
  const std::string_view text = part.text;
  FindPrefix(part);
  if (!part.has_prefix) {
    for (size_t end = FindGluedLine(part.text); end != kNotFound; end = FindGluedLine(part.text)) {
      LinePart front = part;
      front.text = part.text.substr(0, end);
      front.body = front.text.substr(std::min(front.foreign.length, end));
      OnPart(front);
      part.text.remove_prefix(end);
      part.foreign.length = 0;
    }
    part.body = part.text.substr(part.foreign.length);
    return StopsEarly(part) ? Hold(part, 0) : OnPart(part);
  }
  if (ReadQuoted(part) || JoinPrevious(part)) return;
  if (part.continues && part.prefix.begin > part.foreign.length) {
    LinePart before = part;
    before.text = text.substr(0, part.prefix.begin);
    before.body = before.text.substr(part.foreign.length);
    before.has_prefix = false;
    before.prefix = {};
    OnPart(before);
  }
  // Several records may have been joined on the line.
  size_t begin = 0;
  for (bool more = true; more;) {
    LogPrefix next;
    more = FindNextLogPrefix(text, part.prefix, next);
    const size_t end = more ? next.begin : text.size();
    part.body = text.substr(part.prefix.text_begin, end - part.prefix.text_begin);
    if (!more && StopsEarly(part)) return Hold(part, begin);
    OnPart(part);
    part.prefix = next;
    if (more) TakeLabelInside(part);
    begin = end;
  }
}

/// Whether the line of `part` continues on the next one.
bool LineFramer::StopsEarly(const LinePart& part) const {
  if (is_released_ || part.is_overwritten || part.continues || part.text.size() > kMaxHeld) {
    return false;
  }
  if (part.has_prefix) return widths_.IsFull(part.width) || IsCutText(part.body, part.prefix);
  return IsCutStart(part.body) || IsCutPrefix(TrimLeft(part.body));
}

/// Keeps `part` until its tail arrives. The line was read up to `begin`.
void LineFramer::Hold(const LinePart& part, size_t begin) {
  held_ = {std::string(part.text.substr(0, std::min(part.foreign.length, begin))), part.begin,
           part.number, part.width};
  held_.text_begin =
      held_.text.size() + static_cast<size_t>(part.body.data() - part.text.data()) - begin;
  held_.text += part.text.substr(begin);
  watched_line_ = part.number + 1;
}

/// Reads the held line and `line`, the next one, as one. False if they are separate lines.
bool LineFramer::JoinHeld(std::string_view line, uint64_t number) {
  line.remove_prefix(labels_.Find(line).length);
  std::string_view tail = line.substr(CommonMargin(held_.text, line));
  const std::string_view trimmed = Trim(tail);
  // An indentation, not the blank at which it was wrapped; but blanks come before a comment, and
  // one after each tag of a prefix.
  const bool is_indented =
      Indent(tail) > 1 && !IsBlankChar(held_.text.back()) && !trimmed.starts_with("# ");
  if (is_indented) {
    tail.remove_prefix(Indent(tail) - (held_.text.ends_with(']') ? 1 : 0));
  }
  LogPrefix other;
  if (trimmed.empty() || (FindLogPrefix(line, ParseForeignPrefix(line).length, other) &&
                          other.style != PrefixStyle::kTrimmed)) {
    return false;
  }
  const std::string glued = held_.text + std::string(tail);
  const std::string spaced = held_.text + " " + std::string(trimmed);
  const bool shows_blank = held_.text.ends_with(' ') || tail.starts_with(' ');
  const bool glues = IsWhole(held_.text, glued) || IsCutPrefix(TrimLeft(glued));
  const std::string_view text = std::string_view(held_.text).substr(held_.text_begin);
  const bool spaces = !(glues && IsCutPrefix(TrimLeft(text))) && IsWhole(held_.text, spaced);
  const bool is_full =
      widths_.IsFullBefore(held_.width, tail) ||
      (widths_.IsFull(held_.width) && line.size() <= held_.width && MayBeTail(tail));
  std::string joined = glued;
  WrapPlace place = WrapPlace::kUnknown;
  if (glues != spaces) {
    const bool splits_word = IsWordChar(held_.text.back()) && IsWordChar(tail[0]);
    if (spaces) place = WrapPlace::kAtBlank;
    if (glues && splits_word) place = WrapPlace::kInWord;
  } else if (glues || is_full) {
    if (!shows_blank) place = widths_.FindPlace(held_.width, text, tail, is_indented);
  } else {
    joined = held_.text + std::string(trimmed);
    if (!IsWhole(held_.text, joined)) return false;
  }
  if (place == WrapPlace::kAtBlank) joined = spaced;
  const HeldLine held = std::exchange(held_, {});
  widths_.NoteLine(held.width);
  if (shows_blank || place != WrapPlace::kUnknown) widths_.NoteWrap(held.width, place);
  ReadWholeLine({.text = joined, .number = number, .begin = held.begin, .width = line.size()});
  return true;
}

/// The same for a line that begins with the end of a prefix whose front is on the previous line,
/// which does not show that it is torch's.
bool LineFramer::JoinPrevious(const LinePart& part) {
  if (part.prefix.style != PrefixStyle::kTrimmed || part.prefix.emitter.empty() ||
      part.begin != part.number || is_released_) {
    return false;
  }
  const std::string_view previous = TrimRight(PreviousLine());
  if (!IsCutPrefix(TrimLeft(previous.substr(ParseForeignPrefix(previous).length)))) return false;
  held_ = {std::string(previous), part.number - 1, part.number - 1, previous.size()};
  if (JoinHeld(part.text, part.number)) return true;
  held_ = {};
  return false;
}

/// Reads the strings of a list, or a single one, that begin before the prefix. False if no quote
/// comes before it.
bool LineFramer::ReadQuoted(const LinePart& part) {
  const size_t begin = part.prefix.begin;
  if (begin == 0 || part.continues || !IsQuotingMark(part.text[begin - 1]) ||
      !IsTorchs(part.prefix)) {
    return false;
  }
  std::vector<std::string> lines;
  RestoreQuoted(part.text, begin - 1, lines);
  for (const std::string& line : lines) ReadRestoredLine(line, part.number, /*continues=*/false);
  return true;
}

ForeignPrefix LineFramer::FindForeignPrefix(std::string_view text) const {
  ForeignPrefix prefix = ParseForeignPrefix(text);
  const LineLabels::Match label = labels_.Find(text);
  if (label.length <= prefix.length) return prefix;
  const ForeignPrefix after = ParseForeignPrefix(text.substr(label.length));
  prefix.length = label.length + after.length;
  if (after.rank != kNoRank) prefix.rank = after.rank;
  if (prefix.rank == kNoRank) prefix.rank = RankIn(text.substr(0, label.length));
  // Numbers and marks name no process; the name at the front, "trainer-1  | ", may contain one.
  const llvm::StringRef printed(TrimLeft(text.substr(0, label.length)));
  if (llvm::any_of(llvm::split(printed, ' '), BeginsWithLetter)) {
    const auto is_of_name = [](char c) { return IsWordChar(c) || c == '-' || c == '.'; };
    const llvm::StringRef name =
        BeginsWithLetter(printed) ? printed.take_while(is_of_name) : llvm::StringRef();
    prefix.key = llvm::hash_combine(prefix.key, after.key, label.number, name);
  }
  return prefix;
}

/// Other output, such as a progress bar, may come before the label of the process, because it does
/// not end its line. The next lines begin with that label, and so its key is theirs.
void LineFramer::TakeLabelInside(LinePart& part) const {
  const size_t end = part.prefix.begin;
  const std::string_view before = part.text.substr(0, part.prefix.text_begin);
  const size_t from = std::max(part.foreign.length, end - std::min(end, kMaxLabelInside));
  for (size_t at = before.find_first_of("[(", from); at <= end;
       at = before.find_first_of("[(", at + 1)) {
    const ForeignPrefix label = ParseForeignPrefix(before.substr(at));
    if (label.length == 0 || at + label.length < end) continue;
    part.foreign.key = label.key;
    if (label.rank != kNoRank) part.foreign.rank = label.rank;
    return;
  }
}

void LineFramer::FindPrefix(LinePart& part) {
  // Most lines of a message repeat the prefix of the line before; a '[' after it is one more tag.
  const size_t size = last_head_.size();
  part.has_prefix =
      size > 0 && part.text.starts_with(last_head_) && !part.text.substr(size).starts_with('[');
  part.foreign = part.has_prefix ? last_foreign_ : FindForeignPrefix(part.text);
  if (part.has_prefix) {
    // Its views point into last_head_.
    if (last_prefix_.text_begin == 0) FindLogPrefix(last_head_, part.foreign.length, last_prefix_);
    part.prefix = last_prefix_;
    return;
  }
  part.has_prefix = FindLogPrefix(part.text, part.foreign.length, part.prefix);
  if (!part.has_prefix) return;
  const std::string_view head = part.text.substr(0, part.prefix.text_begin);
  last_head_.clear();
  if (part.prefix.style == PrefixStyle::kGlog && part.prefix.names_torch && head.ends_with(' ') &&
      Trim(head.substr(part.foreign.length, part.prefix.begin - part.foreign.length)).empty()) {
    last_head_ = head;
    last_foreign_ = part.foreign;
    last_prefix_ = {};
  }
  part.body = part.text.substr(part.prefix.text_begin);
  part.has_prefix = IsTorchs(part.prefix) || IsDoubtfulPrefix(part);
  if (!part.has_prefix) {
    part.prefix = {};
  } else if (part.prefix.begin > part.foreign.length) {
    TakeLabelInside(part);
  }
}

}  // namespace shapewise
