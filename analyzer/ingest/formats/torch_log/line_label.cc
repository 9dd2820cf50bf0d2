#include "ingest/formats/torch_log/line_framer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/formats/torch_log/pasted_line.h"
#include "ingest/messages/message_table.h"
#include "ingest/messages/wording.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Longer than the label of any logger, with its time and place.
constexpr size_t kMaxLabel = 160;

// An input has one label, or one for each of a few processes. The bounds keep logs without labels
// as fast as they are.
constexpr size_t kMaxLabels = 8;
constexpr uint32_t kMaxTries = 256;

size_t SkipDigits(std::string_view text, size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

size_t SkipBlanks(std::string_view text, size_t at) {
  while (at < text.size() && IsBlankChar(text[at])) ++at;
  return at;
}

/// Bytes of `text` that begin like `label`, with other numbers; 0: it begins differently. The
/// blanks at the end of a label may be missing.
size_t MatchLabel(std::string_view label, std::string_view text) {
  size_t i = SkipBlanks(label, 0);
  size_t j = SkipBlanks(text, 0);
  const std::string_view core = TrimRight(label);
  while (i < core.size()) {
    if (j == text.size()) return 0;
    if (IsDigit(core[i])) {
      if (!IsDigit(text[j])) return 0;
      i = SkipDigits(core, i);
      j = SkipDigits(text, j);
    } else if (IsBlankChar(core[i])) {
      // Numbers are padded.
      const size_t next = SkipBlanks(text, j);
      if (next == j) return 0;
      i = SkipBlanks(core, i);
      j = next;
    } else if (core[i++] != text[j++]) {
      return 0;
    }
  }
  if (core.size() < label.size() && IsWordChar(core.back()) && SkipBlanks(text, j) == j &&
      j < text.size()) {
    return 0;
  }
  const size_t most = std::min(text.size(), j + label.size() - core.size());
  return std::min(most, SkipBlanks(text, j));
}

/// Whether a message of torch's begins `text`.
bool BeginsMessage(std::string_view text) {
  LogPrefix prefix;
  const bool has_prefix = FindLogPrefix(text, 0, prefix) && prefix.begin == Indent(text) &&
                          (prefix.names_torch || !prefix.artifact.empty());
  return has_prefix || MessageAtFront(text, {}) != RecordKind::kNone;
}

/// Whether torch's own text begins `text`.
bool BeginsTorchText(std::string_view text) {
  return BeginsMessage(text) || BeginsInnerLine(RecordKind::kNone, text);
}

/// Whether `text` is a warning of Python's, below its place in code.
bool BeginsWarning(std::string_view text) {
  return text.substr(0, text.find(' ')).ends_with("Warning:");
}

/// Whether text after `label` is labelled by it: not the rest of a word, a quotation, a warning
/// after its place in code.
bool MayEndLabel(std::string_view label) {
  const std::string_view core = TrimRight(label);
  if (core.empty() || HasText(core, "Warning:")) return false;
  const char last = core.back();
  return core.size() < label.size() ||
         (!IsWordChar(last) && std::string_view("\"'`(.{%/\\[<").find(last) == kNotFound);
}

/// The front of `line` as the reader will see it.
std::string Plain(std::string_view line) {
  std::string storage;
  std::vector<std::string> restored;
  const std::string_view front = StripEscapes(line.substr(0, 3 * kMaxLabel), storage);
  if (RestorePastedLine(front, restored) && !restored.empty()) return restored.front();
  return std::string(front);
}

/// The length of a line number before torch's prefix in `line`, "12: V1121 ...", which is not the
/// rank that srun puts there: the next line is of the same message, or at least of the same
/// process. 0: no number.
size_t LineNumberLength(std::string_view line, std::string_view after) {
  std::string_view text = line;
  std::string_view next = after;
  const auto number = ConsumeUint(text);
  if (!number || ConsumeUint(next) != *number + 1 || !ConsumeFront(text, ": ") ||
      !ConsumeFront(next, ": ")) {
    return 0;
  }
  // Processes in containers have small ids.
  constexpr uint64_t kMinProcess = 100;
  LogPrefix prefix;
  LogPrefix next_prefix;
  const bool has_prefix = FindLogPrefix(text, 0, prefix);
  const bool is_numbered =
      FindLogPrefix(next, 0, next_prefix)
          ? has_prefix && prefix.process >= kMinProcess && prefix.process == next_prefix.process
          : BeginsInnerLine(RecordKind::kNone, next);
  return is_numbered ? line.size() - text.size() : 0;
}

/// Whether one of `neighbours` begins with `label`, too.
bool IsShared(std::string_view label, std::span<const std::string> neighbours) {
  return std::ranges::any_of(
      neighbours, [&](const std::string& other) { return MatchLabel(label, other) > 0; });
}

}  // namespace

bool LineLabels::MayLearn(std::string_view line) const {
  if (labels_.size() == kMaxLabels || num_tries_ == kMaxTries || line.size() < 8) return false;
  // Most lines of torch's begin with its own prefix, "V1121 03:52:28".
  return line[0] < 'A' || line[0] > 'Z' || !IsDigit(line[1]);
}

void LineLabels::Learn(std::string_view before, std::string_view line, std::string_view after) {
  // What comes before a progress bar is its name, behind which a record was printed.
  if (HasText(line.substr(0, 3 * kMaxLabel), "%|")) return;
  const std::string text = Plain(line);
  const size_t known = Find(text).length;
  if (known == 0) ++num_tries_;
  if (const size_t length = LineNumberLength(line, after); known == 0 && length > 0) {
    labels_.emplace_back(text.substr(0, length));
    return;
  }
  // A longer label may begin with it.
  const size_t front = known + ParseForeignPrefix(std::string_view(text).substr(known)).length;
  if (BeginsTorchText(std::string_view(text).substr(front))) return;
  if (known > 0) ++num_tries_;
  const std::string neighbours[] = {Plain(after), Plain(before)};
  size_t most = std::min(text.size(), kMaxLabel);
  if (LogPrefix prefix; FindLogPrefix(text, front, prefix)) most = std::min(most, prefix.begin + 1);
  size_t longest = 0;
  for (size_t end = 1; end < most; ++end) {
    const std::string_view label = std::string_view(text).substr(0, end);
    if (IsBlankChar(text[end]) || (front > 0 && end <= front) || !MayEndLabel(label)) continue;
    if (known > 0 && std::ranges::none_of(label.substr(known), IsWordChar)) continue;
    if (!IsShared(label, neighbours)) break;
    if (!IsWordChar(TrimRight(label).back())) longest = end;
    std::string_view rest = std::string_view(text).substr(end);
    rest.remove_prefix(ParseForeignPrefix(rest).length);
    // Torch itself puts "- " before the lines of a stack.
    const bool is_mark = std::ranges::none_of(label, IsWordChar);
    if (is_mark ? BeginsMessage(rest) : BeginsTorchText(rest)) return Add(label, neighbours);
  }
  // Other text may come between the label, which ends with a mark, and the message: the class of an
  // exception.
  const std::string_view label = std::string_view(text).substr(0, longest);
  const std::string_view rest = std::string_view(text).substr(longest);
  const bool has_mark = !std::ranges::all_of(Trim(label), IsWordChar) &&
                        (label.ends_with(' ') || std::ranges::any_of(label, IsWordChar));
  const bool is_place = HasText(label, ".py:") && BeginsWarning(rest);
  // "1/0: tensor 'x' size mismatch ..." begins with the cache entry that did not fit.
  const bool is_entry = BeginsWithAny(Trim(label), "%n/%n:");
  if (has_mark && !is_place && !is_entry && FindMessage(rest).kind != RecordKind::kNone) {
    Add(label, neighbours);
  }
}

/// Adds `label`. The indentation of the text after it is not part of the label.
void LineLabels::Add(std::string_view label, std::span<const std::string> neighbours) {
  const std::string_view core = TrimRight(label);
  size_t blanks = label.size() - core.size();
  for (const std::string& other : neighbours) {
    const size_t end = MatchLabel(core, other);
    if (end > 0) blanks = std::min(blanks, SkipBlanks(other, end) - end);
  }
  labels_.emplace_back(label.substr(0, core.size() + blanks));
}

LineLabels::Match LineLabels::Find(std::string_view text) const {
  Match best;
  for (size_t i = 0; i < labels_.size(); ++i) {
    const size_t length = MatchLabel(labels_[i], text);
    if (length > best.length) best = {length, i + 1};
  }
  return best;
}

}  // namespace shapewise
