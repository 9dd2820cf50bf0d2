// Prefixes, parsed by hand: this runs for every torch line, and a capturing regular expression
// would take three times as long as the rest of the reader.

#include "ingest/formats/torch_log/log_prefix.h"

#include "ingest/date_time.h"
#include "ingest/file_rank.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Removes "torch._dynamo.guards" from the front of `text`.
std::string_view ConsumeDottedName(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && (IsWordChar(text[end]) || text[end] == '.')) ++end;
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  return name;
}

/// Removes ": [DEBUG] ", the last blank if it is there.
bool ConsumeLevel(std::string_view& text) {
  if (!ConsumeFront(text, ": [")) return false;
  const size_t end = text.find(']');
  if (end > 10) return false;
  text.remove_prefix(end + 1);
  ConsumeFront(text, " ");
  return true;
}

bool IsLevelLetter(char c) { return std::string_view("VIWECD").find(c) != kNotFound; }

/// Whether the path of an emitting file is in torch, in any of its spellings:
/// "torch/_dynamo/guards.py", "site-packages/torch/...", "Lib\site-packages\torch\_dynamo\x.py".
bool NamesTorchFile(std::string_view path) {
  if (path.starts_with("torch/") || path.starts_with("torch\\")) return true;
  return HasText(path, "/torch/") || HasText(path, "\\torch\\") || HasText(path, "torch_xla/");
}

/// Takes "[0/1]", then "[__artifact]", each optionally after a blank, then one blank. Some messages
/// of
/// 2.13 have the id after the artifact.
std::string_view TakeTags(std::string_view rest, LogPrefix& prefix) {
  for (const bool is_artifact : {false, true, false}) {
    std::string_view tag = rest;
    ConsumeFront(tag, " ");
    if (!is_artifact) {
      if (!prefix.compile_id.empty()) continue;
      prefix.compile_id = ConsumeCompileId(tag);
      if (!prefix.compile_id.empty()) rest = tag;
    } else if (ConsumeFront(tag, "[__")) {
      size_t end = 0;
      while (end < tag.size() && IsWordChar(tag[end])) ++end;
      if (!tag.substr(end).starts_with(']')) break;
      prefix.artifact = tag.substr(0, end);
      rest = tag.substr(end + 1);
    } else {
      break;
    }
  }
  ConsumeFront(rest, " ");
  return rest;
}

/// Takes "path.py:123]" with its tags at `at`, also the hand-trimmed "torch/exc.py:123 [0/1]".
bool TakeLocation(std::string_view line, size_t at, LogPrefix& prefix) {
  const std::string_view window = line.substr(0, at + 401);
  const size_t bracket = window.find(']', at);
  if (bracket == kNotFound) return false;
  const size_t blank = window.find(' ', at);
  for (const size_t close : {bracket, blank}) {
    if (close == kNotFound) return false;
    size_t digits = close;
    while (digits > at && IsDigit(line[digits - 1])) --digits;
    if (digits == close || digits == at || line[digits - 1] != ':') continue;
    const std::string_view path = line.substr(at, digits - 1 - at);
    // "C:\\Program Files\\...": only Windows paths have blanks there.
    const bool is_path = close == blank ? HasText(path, "torch")
                                        : !path.empty() && (blank > close || HasText(path, ":\\"));
    if (!is_path) return false;
    prefix.emitter = line.substr(at, close - at);
    prefix.names_torch = NamesTorchFile(close == blank ? prefix.emitter : path);
    const std::string_view tags = line.substr(close == blank ? close : close + 1);
    prefix.text_begin = line.size() - TakeTags(tags, prefix).size();
    return true;
  }
  return false;
}

/// "V1121 03:52:28.504000 13405 torch/_dynamo/x.py:12] [0/0] [__graph_breaks] ", also with the
/// fraction or the process id cut away.
bool TakeGlog(std::string_view line, size_t at, LogPrefix& prefix) {
  // The shortest: "W0818 21:05:28 x.py:1]".
  if (at + 22 > line.size() || !IsLevelLetter(line[at])) return false;
  LogPrefix read;
  std::string_view rest = line.substr(at);
  if (!ConsumeGlogTime(rest, read.time)) return false;
  rest = TrimLeft(rest);
  std::string_view digits = rest;
  const std::optional<uint64_t> process = ConsumeUint(digits);
  if (process && digits.starts_with(' ')) {
    read.process = *process;
    read.process_digits = static_cast<uint8_t>(rest.size() - digits.size());
    rest = digits.substr(1);
  }
  if (!TakeLocation(line, line.size() - rest.size(), read)) return false;
  read.begin = at;
  read.style = PrefixStyle::kGlog;
  prefix = read;
  return true;
}

/// Sets the data in a logger's name.
void SetLogger(std::string_view line, size_t at, std::string_view name, std::string_view rest,
               LogPrefix& prefix) {
  prefix.begin = at;
  prefix.text_begin = line.size() - rest.size();
  prefix.emitter = name;
  prefix.names_torch = true;
  const size_t artifact = name.rfind(".__");
  if (artifact != kNotFound) prefix.artifact = name.substr(artifact + 3);
}

/// "[2023-11-06 14:54:45,922] [0/0] torch._dynamo.guards.__recompiles: [DEBUG] ".
bool TakeLogger(std::string_view line, size_t at, LogPrefix& prefix) {
  if (at + 24 > line.size() || line[at] != '[') return false;
  std::string_view rest = line.substr(at + 1);
  LogTime time;
  if (!ConsumeLocalTime(rest, time) || !ConsumeFront(rest, "] ")) return false;
  const std::string_view id = ConsumeCompileId(rest);
  rest = TrimLeft(rest);
  const std::string_view name = ConsumeDottedName(rest);
  if (!name.starts_with("torch") || !ConsumeLevel(rest)) return false;
  prefix.style = PrefixStyle::kLogger;
  prefix.time = time;
  prefix.compile_id = id;
  SetLogger(line, at, name, rest, prefix);
  return true;
}

/// "DEBUG:torch._dynamo.guards.__recompiles:" and, cut on the left, "[0/0] torch._dynamo.x:
/// [WARNING] ".
bool TakeShort(std::string_view line, size_t at, LogPrefix& prefix) {
  std::string_view rest = line.substr(at);
  bool has_level = false;
  for (const std::string_view level : {"DEBUG:", "INFO:", "WARNING:", "ERROR:", "CRITICAL:"}) {
    has_level = has_level || ConsumeFront(rest, level);
  }
  const std::string_view id = ConsumeCompileId(rest);
  if (!id.empty()) rest = TrimLeft(rest);
  const std::string_view name = ConsumeDottedName(rest);
  if (!name.starts_with("torch.")) return false;
  if (has_level ? !ConsumeFront(rest, ":") : !ConsumeLevel(rest)) return false;
  prefix.style = PrefixStyle::kShort;
  prefix.compile_id = id;
  SetLogger(line, at, name, rest, prefix);
  return true;
}

/// Prefixes trimmed by hand when pasting: "W convert_frame.py:1676] [0/8] ",
/// "torch/_dynamo/guards.py:2813] [1/4] [__recompiles] ", "[0/1] [__recompiles] ", "W [0/8] ",
/// "[__perf_hints] ".
bool TakeTrimmed(std::string_view line, size_t at, LogPrefix& prefix) {
  at += Indent(line.substr(at));
  prefix.begin = at;
  prefix.style = PrefixStyle::kTrimmed;
  if (at + 2 < line.size() && IsLevelLetter(line[at]) && line[at + 1] == ' ') at += 2;
  if (at >= line.size()) return false;
  if (line[at] == '[') {
    prefix.text_begin = line.size() - TakeTags(line.substr(at), prefix).size();
    return !prefix.compile_id.empty() || !prefix.artifact.empty();
  }
  // A file name without blanks that ends in .py, then ":123]".
  const size_t py = FindText(line.substr(0, at + 400), ".py:", at);
  return py != kNotFound && line.substr(at, py - at).find_first_of(" [(\"'") == kNotFound &&
         TakeLocation(line, at, prefix);
}

/// The start of the path that ends before `at`: a run of non-blanks. kNotFound if it contains a
/// closing bracket, which no path of a prefix does; this also keeps a line of only ".py:1]" linear.
size_t PathStart(std::string_view line, size_t from, size_t at) {
  while (at > from && line[at - 1] != ' ' && line[at - 1] != '\t') {
    if (line[at - 1] == ']') return kNotFound;
    --at;
  }
  return at;
}

/// A glog prefix anywhere: found by its ".py:123]", then read backwards to its start.
bool FindGlogInside(std::string_view line, size_t from, LogPrefix& prefix) {
  for (size_t py = FindText(line, ".py:", from); py != kNotFound;
       py = FindText(line, ".py:", py + 4)) {
    size_t end = py + 4;
    while (end < line.size() && IsDigit(line[end])) ++end;
    if (end == py + 4 || end == line.size() || line[end] != ']') continue;
    const size_t path = PathStart(line, from, py);
    if (path == kNotFound) continue;
    // A part of "W1018 04:27:34.433000 10585 " comes before the path, at most 60 bytes.
    for (size_t start = path > from + 60 ? path - 60 : from; start < path; ++start) {
      if (TakeGlog(line, start, prefix) && prefix.text_begin > end) return true;
    }
    // "torch/_dynamo/guards.py:2813] [1/4] ": only the path remains.
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
    for (size_t start = at > from + 50 ? at - 50 : from; start < at; ++start) {
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

// Prefixes of launchers, containers, test runners and quoting. Each function returns the length of
// the prefix at the front of `text`.

/// "[rank3]:" (torch), "[default0]:" and "[torchrun1]:" (torchrun --tee), "[trainer0|2]:".
size_t TakeBracketedRole(std::string_view text, int32_t& rank) {
  const size_t close = text.substr(0, 40).find("]:");
  if (close == kNotFound) return 0;
  const std::string_view role = text.substr(1, close - 1);
  const bool is_role =
      !role.empty() && !IsDigit(role.front()) && IsDigit(role.back()) &&
      std::ranges::all_of(role, [](char c) { return IsWordChar(c) || c == '-' || c == '|'; });
  if (!is_role) return 0;
  if (const int32_t own = RankIn(role); own != kNoRank) rank = own;
  return close + 2;
}

/// "(EngineCore pid=62) ", "(VllmWorker rank=3 pid=296) ", "(pid=123, ip=10.0.0.1) ".
size_t TakeWorker(std::string_view text, int32_t& rank) {
  const size_t close = text.substr(0, 120).find(')');
  if (close == kNotFound || !HasText(text.substr(0, close), "pid=")) return 0;
  if (const int32_t own = RankIn(text.substr(0, close)); own != kNoRank) rank = own;
  return close + (text.substr(close + 1).starts_with(' ') ? 2 : 1);
}

/// "[1,0]<stderr>:" (Open MPI --tag-output).
size_t TakeMpi(std::string_view text, int32_t& rank) {
  std::string_view rest = text.substr(1);
  if (!ConsumeUint(rest) || !ConsumeFront(rest, ",")) return 0;
  const std::optional<int32_t> number = ConsumeUint<int32_t>(rest);
  if (!number || !ConsumeFront(rest, "]<std")) return 0;
  const size_t close = rest.substr(0, 8).find(">:");
  if (close == kNotFound) return 0;
  rank = *number;
  return text.size() - rest.size() + close + 2;
}

/// "0: " (srun --label), only in front of torch's own prefix: "12: text" is too common elsewhere.
size_t TakeSrunLabel(std::string_view text, int32_t& rank) {
  std::string_view rest = text;
  const std::optional<int32_t> number = ConsumeUint<int32_t>(rest);
  if (!number || *number > 99999 || !ConsumeFront(rest, ": ") || rest.size() < 6) return 0;
  const bool glog = rest[0] >= 'A' && rest[0] <= 'Z' && IsDigit(rest[1]) && rest[5] == ' ';
  if (!glog && !rest.starts_with("[20") && !rest.starts_with("[rank")) return 0;
  rank = *number;
  return text.size() - rest.size();
}

/// "> ", ">> " and "# " of quoted pastes, "E   " of pytest.
size_t TakeQuote(std::string_view text) {
  if (text.starts_with("E   ")) return 4;
  const size_t marks =
      text.starts_with('#') ? 1 : std::min(text.find_first_not_of('>'), text.size());
  if (marks == text.size()) return marks;
  return marks > 0 && text[marks] == ' ' ? marks + 1 : 0;
}

}  // namespace

ForeignPrefix ParseForeignPrefix(std::string_view line) {
  ForeignPrefix prefix;
  // More than a few levels do not occur: launcher, container, quoting.
  for (int part = 0; part < 8; ++part) {
    const std::string_view rest = line.substr(prefix.length);
    const std::string_view text = TrimLeft(rest);
    if (text.empty()) break;
    const size_t blanks = rest.size() - text.size();
    size_t taken = 0;
    bool names_process = true;
    if (text[0] == '[') {
      taken = TakeBracketedRole(text, prefix.rank);
      if (taken == 0) taken = TakeMpi(text, prefix.rank);
    } else if (text[0] == '(') {
      taken = TakeWorker(text, prefix.rank);
    } else {
      taken = TakeQuote(text);
      names_process = taken == 0;
      if (part == 0 && blanks == 0 && IsDigit(text[0])) taken = TakeSrunLabel(text, prefix.rank);
    }
    if (taken == 0) break;
    if (names_process) {
      prefix.key = llvm::hash_combine(prefix.key, llvm::StringRef(text).take_front(taken));
    }
    prefix.length += blanks + taken;
  }
  return prefix;
}

std::string_view ConsumeCompileId(std::string_view& text) {
  if (!text.starts_with('[')) return {};
  const std::string_view front = text.substr(1, 40);
  const std::string_view id = front.substr(0, front.find(']'));
  if (id.size() == front.size()) return {};
  const bool compiled_autograd = id.starts_with('!');
  size_t slashes = 0;
  bool after_digit = false;
  for (const char c : id.substr(compiled_autograd ? 1 : 0)) {
    const bool is_separator = (c == '/' || c == '_') && after_digit;
    if (!IsDigit(c) && !is_separator) return {};
    if (c == '/') ++slashes;
    after_digit = !is_separator;
  }
  // "0/1", "!0" and "!0/3/0" are ids; "[12]" is not.
  if (!after_digit || (compiled_autograd ? slashes != 0 && slashes != 2 : slashes != 1)) return {};
  text.remove_prefix(id.size() + 2);
  return id;
}

bool FindLogPrefix(std::string_view line, size_t line_start, LogPrefix& prefix) {
  const size_t at = line_start + Indent(line.substr(std::min(line_start, line.size())));
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
