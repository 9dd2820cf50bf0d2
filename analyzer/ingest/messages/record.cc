// The buffer of a message that is being read, and facts about its last lines.

#include "ingest/messages/record.h"

#include <utility>

#include "ingest/messages/traceback_lines.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// For longer lines Record::last_text() contains this many bytes of the front and of the end, where
// the relevant words are.
constexpr size_t kEndBytes = 256;

}  // namespace

void Record::Reset() {
  Record empty;
  // Keeps the memory.
  text_.swap(empty.text_);
  lines_.swap(empty.lines_);
  empty.text_.clear();
  empty.lines_.clear();
  *this = std::move(empty);
}

void Record::AddLine(std::string_view text, bool bare, Stats& stats) {
  const bool is_blank = Trim(text).empty();
  if (num_lines_seen_ > 0 && is_blank && last_.is_blank) return;
  ++num_lines_seen_;
  before_last_ = last_;
  had_blank_before_last_ = has_blank_line_;
  if (!is_cut_ && lines_.size() < kMaxLines) {
    lines_.push_back({static_cast<uint32_t>(text_.size()), 0, bare});
    Append(text, stats);
  } else if (!is_blank) {
    MarkCut(stats);
  }
  NoteLastLine(text);
}

void Record::ExtendLastLine(std::string_view text, Stats& stats) {
  if (lines_.empty()) return AddLine(text, /*bare=*/false, stats);
  if (is_cut_ || num_lines_seen_ > lines_.size()) {
    if (!Trim(text).empty()) MarkCut(stats);
    return NoteLastLine(text);
  }
  Append(text, stats);
  NoteLastLine(last_line());
}

/// Appends as much of `text` to the last line as fits.
void Record::Append(std::string_view text, Stats& stats) {
  const std::string_view front = FrontOf(text, kMaxBytes - text_.size());
  if (front.size() < text.size()) MarkCut(stats);
  text_.append(front);
  lines_.back().size += static_cast<uint32_t>(front.size());
}

/// Updates the facts about the last line, `text`.
void Record::NoteLastLine(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  last_ = {trimmed.empty(), ParseFrameLine(trimmed).has_value()};
  has_blank_line_ = had_blank_before_last_ || last_.is_blank;
  if (num_lines_seen_ == 1) {
    head_indent_ = Indent(line(0));
  } else if (trimmed.starts_with("Traceback (most")) {
    has_traceback_ = true;
  }
  if (trimmed.starts_with("AUTOTUNE ")) has_autotune_table_ = true;
  if (trimmed.size() > 2 * kEndBytes) {
    last_text_.assign(trimmed.substr(0, kEndBytes));
    last_text_ += trimmed.substr(trimmed.size() - kEndBytes);
  } else if (!trimmed.empty()) {
    last_text_.assign(trimmed);
  }
}

void Record::MarkCut(Stats& stats) {
  if (is_cut_) return;
  is_cut_ = true;
  stats.Bump(Stat::record_too_long, origin.input, origin.line);
}

}  // namespace shapewise
