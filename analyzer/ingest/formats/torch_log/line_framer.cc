#include "ingest/formats/torch_log/line_framer.h"

#include <utility>

#include "ingest/formats/torch_log/repaired_text.h"
#include "shapewise/support/terminal_text.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Longer prefixes are read again each time; none of torch's own is.
constexpr size_t kMaxKeptPrefix = 500;

}  // namespace

void LineFramer::ReadLine(std::string_view line, uint64_t number, bool continues) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = StripEscapes(line, unescaped_);
  // A file that was preallocated, or cut by a crash, is filled up with NUL.
  while (line.ends_with('\0')) line.remove_suffix(1);
  if (!RestorePastedLine(line, restored_)) return ReadRestoredLine(line, number, continues);
  OnPastedLine(line, number);
  for (const std::string& restored : restored_) ReadRestoredLine(restored, number, continues);
}

void LineFramer::FinishLines() {
  const std::string cut = std::exchange(cut_prefix_, {});
  const uint64_t number = std::exchange(cut_line_, 0);
  if (number != 0) ReadWholeLine(cut, number, number, /*continues=*/false);
}

/// Puts a prefix together that was wrapped.
void LineFramer::ReadRestoredLine(std::string_view line, uint64_t number, bool continues) {
  uint64_t begin = number;
  std::string joined;
  if (cut_line_ != 0) {
    LogPrefix prefix;
    const size_t width = cut_prefix_.size();
    joined = cut_prefix_ + std::string(line);
    if (number <= cut_line_ + 1 && FindLogPrefix(joined, 0, prefix) && prefix.names_torch &&
        prefix.begin < width && prefix.text_begin > width) {
      wrap_width_ = width;
      begin = std::exchange(cut_line_, 0);
      line = joined;
    } else {
      FinishLines();
    }
  }
  if (!continues && !RepeatsPrefix(line) && IsCutPrefix(line)) {
    cut_prefix_ = line;
    cut_line_ = begin;
    watched_line_ = number + 1;
    return;
  }
  ReadWholeLine(line, begin, number, continues);
}

void LineFramer::ReadWholeLine(std::string_view line, uint64_t begin, uint64_t number,
                               bool continues) {
  LinePart part;
  part.number = number;
  part.begin = begin;
  part.continues = continues;
  part.width = begin == number ? line.size() : wrap_width_;
  // Ray prints once what several workers print: "text [repeated 3x across cluster]".
  if (line.ends_with(" across cluster]"))
    line = TrimRight(line.substr(0, line.rfind(" [repeated ")));
  // A progress bar rewrites its line: each rewriting is a part of its own.
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

void LineFramer::ReadPart(LinePart part) {
  const std::string_view text = part.text;
  part.foreign = ParseForeignPrefix(text);
  if (!FindPrefix(part)) {
    part.body = text.substr(part.foreign.length);
    return OnPart(part);
  }
  if (part.continues && part.prefix.begin > part.foreign.length) {
    LinePart before = part;
    before.text = text.substr(0, part.prefix.begin);
    before.body = before.text.substr(part.foreign.length);
    before.has_prefix = false;
    before.prefix = {};
    OnPart(before);
  }
  // Several records may have been flattened onto the line.
  for (bool more = true; more;) {
    LogPrefix next;
    more = FindNextLogPrefix(text, part.prefix, next);
    const size_t end = more ? next.begin : text.size();
    part.body = text.substr(part.prefix.text_begin, end - part.prefix.text_begin);
    OnPart(part);
    part.prefix = next;
  }
}

bool LineFramer::FindPrefix(LinePart& part) {
  part.has_prefix = RepeatsPrefix(part.text);
  if (part.has_prefix) {
    part.prefix = last_prefix_;
    return true;
  }
  part.has_prefix = FindLogPrefix(part.text, part.foreign.length, part.prefix);
  if (!part.has_prefix) return false;
  KeepPrefix(part.text, part.prefix);
  part.body = part.text.substr(part.prefix.text_begin);
  const bool is_torchs = part.prefix.names_torch || !part.prefix.artifact.empty();
  part.has_prefix = is_torchs || IsDoubtfulPrefix(part);
  if (!part.has_prefix) part.prefix = {};
  return part.has_prefix;
}

/// Whether `text` begins with the very prefix of the line before, as most lines of messages with
/// many lines do; it need not be read again then.
bool LineFramer::RepeatsPrefix(std::string_view text) const {
  const size_t size = last_head_.size();
  // A '[' behind it may be one more tag.
  return size > 0 && text.starts_with(last_head_) && (text.size() == size || text[size] != '[');
}

void LineFramer::KeepPrefix(std::string_view text, const LogPrefix& prefix) {
  last_head_.clear();
  const std::string_view head = text.substr(0, prefix.text_begin);
  const bool is_plain = prefix.style == PrefixStyle::kGlog && prefix.names_torch;
  if (!is_plain || !head.ends_with(' ') || head.size() > kMaxKeptPrefix) return;
  last_head_ = head;
  last_prefix_ = prefix;
  // The line goes; its copy stays.
  for (std::string_view LogPrefix::* const part :
       {&LogPrefix::emitter, &LogPrefix::compile_id, &LogPrefix::artifact}) {
    std::string_view& view = last_prefix_.*part;
    if (view.empty()) continue;
    const auto at = static_cast<size_t>(view.data() - text.data());
    view = std::string_view(last_head_).substr(at, view.size());
  }
}

}  // namespace shapewise
