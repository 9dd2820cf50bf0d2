#include "ingest/formats/chrome_trace/event_scanner.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxKeptKey = 64;     // none of the keys looked for is longer
constexpr size_t kMaxKeptScalar = 32;  // an int64 has 20 bytes

using ByteSet = std::array<bool, 256>;

constexpr ByteSet MakeByteSet(std::string_view bytes) {
  ByteSet set{};
  for (const char c : bytes) set[static_cast<unsigned char>(c)] = true;
  return set;
}

// Bytes that mean something inside of an event: outside of its texts, and within.
constexpr ByteSet kBracketOrQuote = MakeByteSet("\"{}[]");
constexpr ByteSet kTextEnd = MakeByteSet("\"\\\n");

/// Offset of the first byte of `text` at or after `at` that is in `set`; its size if none is.
size_t FindOf(const ByteSet& set, std::string_view text, size_t at) {
  while (at < text.size() && !set[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

}  // namespace

void EventScanner::Feed(std::string_view text, uint64_t line, OnEvent on_event) {
  line_ = line;
  counted_ = 0;
  event_begin_ = 0;
  is_carried_ = is_in_event_;
  size_t at = 0;
  while (at < text.size()) {
    if (is_in_event_ && !is_escaped_) {
      at = FindOf(is_in_text_ ? kTextEnd : kBracketOrQuote, text, at);
      if (at == text.size()) break;
    }
    if (is_in_text_) {
      ReadInText(text[at]);
      ++at;
      continue;
    }
    switch (text[at]) {
      case '"':
        is_in_text_ = true;
        is_escaped_ = false;
        if (!is_in_event_) key_.clear();
        break;
      case '{':
      case '[':
        OpenBracket(text[at], text, at);
        break;
      case '}':
      case ']':
        CloseBracket(text, at, on_event);
        break;
      case ':':
        if (depth_ == 1) section_ = key_;
        is_in_scalar_ = true;
        scalar_.clear();
        break;
      case ',':
        EndScalar();
        break;
      default:
        if (is_in_scalar_ && scalar_.size() < kMaxKeptScalar && IsDigit(text[at])) {
          scalar_.push_back(text[at]);
        }
        break;
    }
    ++at;
  }
  if (is_in_event_) Carry(text.substr(is_carried_ ? 0 : event_begin_));
}

void EventScanner::ReadInText(char c) {
  if (is_escaped_) {
    is_escaped_ = false;
  } else if (c == '\\') {
    is_escaped_ = true;
  } else if (c == '"') {
    is_in_text_ = false;
  } else if (c == '\n') {
    is_in_text_ = false;
    is_broken_ = true;
  } else if (!is_in_event_ && key_.size() < kMaxKeptKey) {
    key_.push_back(c);
  }
}

/// Keeps `part` of the event under way for the next call.
void EventScanner::Carry(std::string_view part) {
  if (pending_.size() + part.size() > kMaxTraceEventBytes) is_broken_ = true;
  if (is_broken_) {
    pending_.clear();
  } else {
    pending_ += part;
  }
}

void EventScanner::OpenBracket(char bracket, std::string_view text, size_t at) {
  is_in_scalar_ = false;
  ++depth_;
  if (is_in_event_) return;
  if (events_depth_ == 0) {
    const bool is_document = depth_ == 1 && section_.empty();
    const bool is_section = depth_ == 2 && section_ == "traceEvents";
    if (bracket == '[' && (is_document || is_section)) events_depth_ = depth_;
    return;
  }
  if (bracket != '{' || depth_ != events_depth_ + 1) return;
  is_in_event_ = true;
  is_broken_ = false;
  event_begin_ = at;
  event_line_ = LineAt(text, at);
}

void EventScanner::CloseBracket(std::string_view text, size_t at, OnEvent on_event) {
  EndScalar();
  if (depth_ > 0) --depth_;
  if (is_in_event_) {
    if (depth_ <= events_depth_) EndEvent(text, at + 1, on_event);
  } else if (depth_ < events_depth_) {
    events_depth_ = 0;
    section_ = "-";  // the document's own array is over; another one is none of its events
  }
}

void EventScanner::EndScalar() {
  if (!is_in_scalar_ || is_in_event_) return;
  is_in_scalar_ = false;
  std::string_view digits = scalar_;
  if (key_ == "baseTimeNanoseconds" && depth_ == 1) {
    if (const auto value = ConsumeUint<int64_t>(digits)) base_time_ns_ = *value;
  } else if (key_ == "rank" && section_ == "distributedInfo" && depth_ == 2) {
    if (const auto value = ConsumeUint<int32_t>(digits)) rank_ = *value;
  }
}

void EventScanner::EndEvent(std::string_view text, size_t end, OnEvent on_event) {
  is_in_event_ = false;
  ScannedEvent event;
  event.line = event_line_;
  if (is_carried_) Carry(text.substr(0, end));
  event.is_whole = !is_broken_ && end - event_begin_ <= kMaxTraceEventBytes;
  if (event.is_whole) {
    event.json = is_carried_ ? pending_ : text.substr(event_begin_, end - event_begin_);
  }
  on_event(event);
  pending_.clear();
  is_carried_ = false;
}

uint64_t EventScanner::LineAt(std::string_view text, size_t at) {
  const std::string_view passed = text.substr(counted_, at - counted_);
  line_ += static_cast<uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
  counted_ = at;
  return line_;
}

}  // namespace shapewise
