// Prefixes, read by hand: this runs for every line of torch's, and a capturing regular expression
// would cost three times the rest of the reader.

#include "ingest/formats/torch_log/log_prefix.h"

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

bool IsLevelLetter(char c) {
  return c == 'V' || c == 'I' || c == 'W' || c == 'E' || c == 'C' || c == 'D';
}

/// Reads `digits` decimal digits at `at`; -1 if they are not there.
int TakeDigits(std::string_view text, size_t at, size_t digits) {
  if (at + digits > text.size()) return -1;
  int value = 0;
  for (size_t i = at; i < at + digits; ++i) {
    if (!IsDigit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/// "15:54:35" with an optional fraction led by '.' or ','. Returns the length taken, 0 if none.
size_t TakeClock(std::string_view text, size_t at, int64_t& micros) {
  const int hours = TakeDigits(text, at, 2);
  const int minutes = TakeDigits(text, at + 3, 2);
  const int seconds = TakeDigits(text, at + 6, 2);
  if (hours < 0 || minutes < 0 || seconds < 0 || text[at + 2] != ':' || text[at + 5] != ':') {
    return 0;
  }
  // Partials refuse what is no time of a day; 60 is a leap second.
  if (hours > 23 || minutes > 59 || seconds > 60) return 0;
  micros = ((hours * 60LL + minutes) * 60 + seconds) * 1000000;
  size_t end = at + 8;
  if (end < text.size() && (text[end] == '.' || text[end] == ',')) {
    int64_t unit = 100000;
    size_t digit = end + 1;
    for (; digit < text.size() && IsDigit(text[digit]); ++digit, unit /= 10) {
      micros += (text[digit] - '0') * unit;
    }
    if (digit > end + 1) end = digit;
  }
  return end - at;
}

/// Whether the path of an emitting file is one of torch's, in any of its spellings:
/// "torch/_dynamo/guards.py", "site-packages/torch/...", "Lib\site-packages\torch\_dynamo\x.py".
bool NamesTorchFile(std::string_view path) {
  if (path.starts_with("torch/") || path.starts_with("torch\\")) return true;
  return HasText(path, "/torch/") || HasText(path, "\\torch\\") || HasText(path, "torch_xla/");
}

/// " [0/1]" and " [__artifact]" behind the location, then the one blank before the text.
void TakeTags(std::string_view line, size_t at, LogPrefix& prefix) {
  std::string_view rest = line.substr(at);
  std::string_view after_blank = rest;
  if (ConsumeFront(after_blank, " ")) {
    std::string_view tags = after_blank;
    const std::string_view id = ConsumeCompileId(tags);
    if (!id.empty()) {
      prefix.compile_id = id;
      rest = tags;
      after_blank = rest;
      ConsumeFront(after_blank, " ");
    }
    std::string_view artifact = after_blank;
    if (ConsumeFront(artifact, "[__")) {
      size_t end = 0;
      while (end < artifact.size() && IsWordChar(artifact[end])) ++end;
      if (end < artifact.size() && artifact[end] == ']') {
        prefix.artifact = artifact.substr(0, end);
        rest = artifact.substr(end + 1);
        // Some messages of 2.13 carry the id in their text.
        std::string_view text = rest;
        if (prefix.compile_id.empty() && ConsumeFront(text, " ")) {
          prefix.compile_id = ConsumeCompileId(text);
          if (!prefix.compile_id.empty()) rest = text;
        }
      }
    }
  }
  ConsumeFront(rest, " ");
  prefix.text_begin = line.size() - rest.size();
}

/// "path.py:123]" with its tags at `at`. `slack` also takes the hand-trimmed "path.py:123 [0/1]".
bool TakeLocation(std::string_view line, size_t at, bool slack, LogPrefix& prefix) {
  size_t close = line.find(']', at);
  if (close == kNotFound || close - at > 400) return false;
  size_t digits = close;
  while (digits > at && IsDigit(line[digits - 1])) --digits;
  if (digits == close || digits == at || line[digits - 1] != ':') {
    if (!slack) return false;
    // "torch/_dynamo/exc.py:518 [4/0] text": the bracket behind the line number was cut.
    close = line.find(' ', at);
    if (close == kNotFound) return false;
    digits = close;
    while (digits > at && IsDigit(line[digits - 1])) --digits;
    if (digits == close || digits == at || line[digits - 1] != ':') return false;
    if (line.substr(at, digits - 1 - at).find("torch") == kNotFound) return false;
    prefix.emitter = line.substr(at, close - at);
    prefix.names_torch = NamesTorchFile(prefix.emitter);
    TakeTags(line, close, prefix);
    return true;
  }
  const std::string_view path = line.substr(at, digits - 1 - at);
  // "C:\\Program Files\\...": only Windows has blanks there.
  if (path.empty() || (path.find(' ') != kNotFound && path.find(":\\") == kNotFound)) return false;
  prefix.emitter = line.substr(at, close - at);
  prefix.names_torch = NamesTorchFile(path);
  TakeTags(line, close + 1, prefix);
  return true;
}

/// "V1121 03:52:28.504000 13405 torch/_dynamo/x.py:12] [0/0] [__graph_breaks] ", also with the
/// fraction or the process id cut away.
bool TakeGlog(std::string_view line, size_t at, LogPrefix& prefix) {
  // The shortest: "W0818 21:05:28 x.py:1]".
  if (at + 22 > line.size() || !IsLevelLetter(line[at])) return false;
  const int month = TakeDigits(line, at + 1, 2);
  const int day = TakeDigits(line, at + 3, 2);
  if (month < 1 || month > 12 || day < 1 || day > 31 || line[at + 5] != ' ') return false;
  LogTime time{0, static_cast<uint8_t>(month), static_cast<uint8_t>(day), -1};
  const size_t clock = TakeClock(line, at + 6, time.micros);
  if (clock == 0) return false;
  size_t rest = at + 6 + clock;
  while (rest < line.size() && line[rest] == ' ') ++rest;
  size_t digits_end = rest;
  uint64_t process = 0;
  while (digits_end < line.size() && IsDigit(line[digits_end])) {
    process = process * 10 + static_cast<uint64_t>(line[digits_end++] - '0');
  }
  if (digits_end > rest && digits_end < line.size() && line[digits_end] == ' ') {
    prefix.process = process;
    prefix.process_digits = static_cast<uint8_t>(std::min<size_t>(digits_end - rest, 255));
    rest = digits_end + 1;
  }
  if (!TakeLocation(line, rest, /*slack=*/true, prefix)) return false;
  prefix.style = PrefixStyle::kGlog;
  prefix.begin = at;
  prefix.time = time;
  return true;
}

/// "[2023-11-06 14:54:45,922] [0/0] torch._dynamo.guards.__recompiles: [DEBUG] ".
bool TakeLogger(std::string_view line, size_t at, LogPrefix& prefix) {
  if (at + 24 > line.size() || line[at] != '[') return false;
  const int year = TakeDigits(line, at + 1, 4);
  const int month = TakeDigits(line, at + 6, 2);
  const int day = TakeDigits(line, at + 9, 2);
  if (year < 2000 || month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (line[at + 5] != '-' || line[at + 8] != '-' || line[at + 11] != ' ') return false;
  LogTime time{year, static_cast<uint8_t>(month), static_cast<uint8_t>(day), -1};
  const size_t clock = TakeClock(line, at + 12, time.micros);
  if (clock == 0) return false;
  std::string_view rest = line.substr(at + 12 + clock);
  if (!ConsumeFront(rest, "] ")) return false;
  const std::string_view id = ConsumeCompileId(rest);
  rest = TrimLeft(rest);
  size_t name_end = 0;
  while (name_end < rest.size() && (IsWordChar(rest[name_end]) || rest[name_end] == '.')) {
    ++name_end;
  }
  const std::string_view name = rest.substr(0, name_end);
  rest.remove_prefix(name_end);
  if (!name.starts_with("torch") || !ConsumeFront(rest, ": [")) return false;
  const size_t level_end = rest.find(']');
  if (level_end > 10) return false;
  rest.remove_prefix(level_end + 1);
  ConsumeFront(rest, " ");
  prefix.style = PrefixStyle::kLogger;
  prefix.begin = at;
  prefix.text_begin = line.size() - rest.size();
  prefix.time = time;
  prefix.emitter = name;
  prefix.compile_id = id;
  prefix.names_torch = true;
  const size_t artifact = name.rfind(".__");
  if (artifact != kNotFound) prefix.artifact = name.substr(artifact + 3);
  return true;
}

/// "DEBUG:torch._dynamo.guards.__recompiles:" and, cut on the left, "torch._dynamo.x: [WARNING] ".
bool TakeShort(std::string_view line, size_t at, LogPrefix& prefix) {
  std::string_view rest = line.substr(at);
  bool has_level = false;
  for (const std::string_view level : {"DEBUG:", "INFO:", "WARNING:", "ERROR:", "CRITICAL:"}) {
    if (ConsumeFront(rest, level)) {
      has_level = true;
      break;
    }
  }
  if (!rest.starts_with("torch.")) return false;
  size_t name_end = 0;
  while (name_end < rest.size() && (IsWordChar(rest[name_end]) || rest[name_end] == '.')) {
    ++name_end;
  }
  const std::string_view name = rest.substr(0, name_end);
  rest.remove_prefix(name_end);
  if (has_level) {
    if (!ConsumeFront(rest, ":")) return false;
  } else {
    if (!ConsumeFront(rest, ": [")) return false;
    const size_t level_end = rest.find("] ");
    if (level_end > 10) return false;
    rest.remove_prefix(level_end + 2);
  }
  prefix.style = PrefixStyle::kShort;
  prefix.begin = at;
  prefix.text_begin = line.size() - rest.size();
  prefix.emitter = name;
  prefix.names_torch = true;
  const size_t artifact = name.rfind(".__");
  if (artifact != kNotFound) prefix.artifact = name.substr(artifact + 3);
  return true;
}

/// What people leave of a prefix when they paste: "W convert_frame.py:1676] [0/8] ",
/// "torch/_dynamo/guards.py:2813] [1/4] [__recompiles] ", "[0/1] [__recompiles] ", "W [0/8] ",
/// "[__perf_hints] ".
bool TakeTrimmed(std::string_view line, size_t at, LogPrefix& prefix) {
  while (at < line.size() && IsBlankChar(line[at])) ++at;
  prefix.begin = at;
  prefix.style = PrefixStyle::kTrimmed;
  size_t rest = at;
  if (rest + 2 < line.size() && IsLevelLetter(line[rest]) && line[rest + 1] == ' ') rest += 2;
  if (rest >= line.size()) return false;
  if (line[rest] == '[') {
    LogPrefix tags = prefix;
    // TakeTags expects the blank that stands before the first tag.
    if (rest > 0 && line[rest - 1] == ' ') {
      TakeTags(line, rest - 1, tags);
    } else {
      std::string_view text = line.substr(rest);
      tags.compile_id = ConsumeCompileId(text);
      if (!tags.compile_id.empty()) {
        const std::string_view id = tags.compile_id;
        TakeTags(line, line.size() - text.size(), tags);
        tags.compile_id = id;
      } else if (ConsumeFront(text, "[__")) {
        size_t end = 0;
        while (end < text.size() && IsWordChar(text[end])) ++end;
        if (end == text.size() || text[end] != ']') return false;
        tags.artifact = text.substr(0, end);
        text.remove_prefix(end + 1);
        ConsumeFront(text, " ");
        tags.text_begin = line.size() - text.size();
      }
    }
    if (tags.compile_id.empty() && tags.artifact.empty()) return false;
    prefix = tags;
    return true;
  }
  // A file name without blanks that ends in .py, then ":123]".
  const size_t py = FindText(line.substr(0, std::min(line.size(), rest + 400)), ".py:", rest);
  if (py == kNotFound || line.substr(rest, py - rest).find_first_of(" [(\"'") != kNotFound)
    return false;
  return TakeLocation(line, rest, /*slack=*/true, prefix);
}

/// The start of the path that ends before `at`: a run of non-blanks. kNotFound if a bracket closes
/// in it, which no path of a prefix has; a line of nothing but ".py:1]" is read once that way.
size_t PathStart(std::string_view line, size_t from, size_t at) {
  while (at > from && line[at - 1] != ' ' && line[at - 1] != '\t') {
    if (line[at - 1] == ']') return kNotFound;
    --at;
  }
  return at;
}

/// A glog prefix anywhere: found by its ".py:123]", then read backwards to where it begins.
bool FindGlogInside(std::string_view line, size_t from, LogPrefix& prefix) {
  for (size_t py = FindText(line, ".py:", from); py != kNotFound;
       py = FindText(line, ".py:", py + 4)) {
    size_t end = py + 4;
    while (end < line.size() && IsDigit(line[end])) ++end;
    if (end == py + 4 || end == line.size() || line[end] != ']') continue;
    const size_t path = PathStart(line, from, py);
    if (path == kNotFound) continue;
    // Something of "W1018 04:27:34.433000 10585 " stands before the path, at most 60 bytes.
    const size_t window = path > from + 60 ? path - 60 : from;
    for (size_t start = window; start < path; ++start) {
      if (!IsLevelLetter(line[start]) || start + 1 >= line.size() || !IsDigit(line[start + 1])) {
        continue;
      }
      if (TakeGlog(line, start, prefix) && prefix.text_begin > end) return true;
    }
    // "torch/_dynamo/guards.py:2813] [1/4] ": only the path is left.
    const std::string_view name = line.substr(path, py - path);
    if (name.starts_with("torch/") || name.starts_with("site-packages/torch/")) {
      prefix = LogPrefix{};
      if (TakeTrimmed(line, path, prefix)) return true;
    }
  }
  return false;
}

/// An old-style prefix anywhere, found by its "] torch." or ": [WARNING]".
bool FindLoggerInside(std::string_view line, size_t from, LogPrefix& prefix) {
  for (size_t at = FindText(line, "torch", from); at != kNotFound;
       at = FindText(line, "torch", at + 5)) {
    // "[2023-10-04 16:26:53,379] [0/0] torch._dynamo": the date is at most 50 bytes before.
    const size_t window = at > from + 50 ? at - 50 : from;
    for (size_t start = window; start < at; ++start) {
      if (line[start] == '[' && TakeLogger(line, start, prefix)) return true;
    }
  }
  return false;
}

/// "[rank3]:" right before `prefix`, or before the blanks there, belongs to it.
void TakeRankBefore(std::string_view line, LogPrefix& prefix) {
  // "[rank12345]: " at most: a line may be a megabyte long.
  const size_t from = prefix.begin > 24 ? prefix.begin - 24 : 0;
  const std::string_view before = line.substr(from, prefix.begin - from);
  const size_t open = before.rfind("[rank");
  if (open == kNotFound) return;
  std::string_view rest = before.substr(open + 5);
  const std::optional<int32_t> rank = ConsumeUint<int32_t>(rest);
  if (!rank || !ConsumeFront(rest, "]:") || !Trim(rest).empty()) return;
  prefix.rank = *rank;
  prefix.begin = from + open;
}

}  // namespace

std::string_view ConsumeCompileId(std::string_view& text) {
  if (text.size() < 3 || text[0] != '[') return {};
  size_t end = 1;
  size_t slashes = 0;
  size_t digits = 0;
  const bool compiled_autograd = text[end] == '!';
  if (compiled_autograd) ++end;
  for (; end < text.size() && text[end] != ']'; ++end) {
    if (text[end] == '/') {
      if (digits == 0) return {};
      ++slashes;
      digits = 0;
    } else if (text[end] == '_') {
      if (digits == 0) return {};
      digits = 0;
    } else if (IsDigit(text[end])) {
      ++digits;
    } else {
      return {};
    }
    if (end > 40) return {};
  }
  if (end == text.size() || digits == 0) return {};
  // "0/1", "!0" and "!0/3/0" are ids; "[12]" is not.
  if (compiled_autograd ? (slashes != 0 && slashes != 2) : slashes != 1) return {};
  const std::string_view id = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return id;
}

bool FindLogPrefix(std::string_view line, size_t line_start, LogPrefix& prefix) {
  size_t at = line_start;
  while (at < line.size() && IsBlankChar(line[at])) ++at;
  prefix = LogPrefix{};
  bool found = TakeGlog(line, at, prefix) || TakeLogger(line, at, prefix) ||
               TakeShort(line, at, prefix) || TakeTrimmed(line, at, prefix);
  if (!found) {
    prefix = LogPrefix{};
    found = FindGlogInside(line, line_start, prefix);
    // A glog prefix later in the line must not hide an old-style one before it.
    const std::string_view before = line.substr(0, found ? prefix.begin : line.size());
    LogPrefix logger;
    if (FindLoggerInside(before, line_start, logger)) {
      prefix = logger;
      found = true;
    }
  }
  if (found) TakeRankBefore(line, prefix);
  return found;
}

bool FindNextLogPrefix(std::string_view line, const LogPrefix& previous, LogPrefix& prefix) {
  prefix = LogPrefix{};
  const bool found = previous.style == PrefixStyle::kLogger
                         ? FindLoggerInside(line, previous.text_begin, prefix)
                         : FindGlogInside(line, previous.text_begin, prefix);
  if (found) TakeRankBefore(line, prefix);
  return found;
}

}  // namespace shapewise
