#include "ingest/formats/server_log/server_log_reader.h"

#include <algorithm>
#include <optional>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Far more than any server prints of its starts.
constexpr uint64_t kMaxServerLines = 100'000;

// "05-06 09:12:01".
constexpr size_t kTimeBytes = 14;

std::optional<uint8_t> TwoDigits(std::string_view text, size_t at) {
  if (!IsDigit(text[at]) || !IsDigit(text[at + 1])) return std::nullopt;
  return static_cast<uint8_t>((text[at] - '0') * 10 + (text[at + 1] - '0'));
}

/// The time at the front of `text`, "05-06 09:12:01" or "05-06 09:12:01,120"; unknown if there is
/// none.
LogTime TimeAt(std::string_view text) {
  if (text.size() < kTimeBytes || text[2] != '-' || text[5] != ' ' || text[8] != ':' ||
      text[11] != ':') {
    return {};
  }
  const auto month = TwoDigits(text, 0);
  const auto day = TwoDigits(text, 3);
  const auto hour = TwoDigits(text, 6);
  const auto minute = TwoDigits(text, 9);
  const auto second = TwoDigits(text, 12);
  if (!month || !day || !hour || !minute || !second) return {};
  if (*month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 ||
      *second > 60) {
    return {};
  }
  LogTime time;
  time.month = *month;
  time.day = *day;
  time.micros = ((int64_t{*hour} * 60 + *minute) * 60 + *second) * 1'000'000;
  std::string_view rest = text.substr(kTimeBytes);
  if (ConsumeFront(rest, ",") || ConsumeFront(rest, ".")) {
    const size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (end == 3) time.micros += ConsumeUint<int64_t>(rest).value_or(0) * 1'000;
  }
  return time;
}

/// The last time in `prefix`: outer ones, of containers, stand before it.
LogTime FindTime(std::string_view prefix) {
  for (size_t at = prefix.size(); at-- > 0;) {
    if (prefix[at] != '-' || at < 2) continue;
    const LogTime time = TimeAt(prefix.substr(at - 2));
    if (time.known()) return time;
  }
  return {};
}

/// "Worker_TP0" of "(Worker_TP0 pid=231) INFO ...", of several the innermost; "TP0" of
/// "[2026-03-04 16:46:41 TP0] ".
std::string_view FindWorker(std::string_view prefix, ServerEngine engine) {
  if (engine == ServerEngine::kSglang) {
    const size_t bracket = prefix.rfind(']');
    if (bracket == kNotFound) return {};
    const std::string_view inside = prefix.substr(0, bracket);
    const size_t colon = inside.rfind(':');
    if (colon == kNotFound) return {};
    const size_t blank = inside.find(' ', colon);
    return blank == kNotFound ? std::string_view() : Trim(inside.substr(blank));
  }
  const size_t pid = prefix.rfind(" pid=");
  if (pid == kNotFound) return {};
  const size_t open = prefix.rfind('(', pid);
  return open == kNotFound ? std::string_view() : prefix.substr(open + 1, pid - open - 1);
}

/// "eagle_head" of "... [backends.py:1125] [eagle_head] ".
std::string_view FindModel(std::string_view prefix) {
  if (!prefix.ends_with("] ")) return {};
  prefix.remove_suffix(2);
  const size_t open = prefix.rfind('[');
  if (open == kNotFound) return {};
  const std::string_view inside = prefix.substr(open + 1);
  const bool is_name = !inside.empty() && std::ranges::all_of(inside, IsWordChar);
  return is_name ? inside : std::string_view();
}

/// What stands behind `key` and its separators: `[1, 2]}` of `"cudagraph_capture_sizes": [1, 2]}`.
/// Empty if the key is not there.
std::string_view BehindKey(std::string_view config, std::string_view key) {
  const size_t at = FindText(config, key);
  if (at == kNotFound) return {};
  const std::string_view rest = config.substr(at + key.size());
  return rest.substr(std::min(rest.find_first_not_of("\"': ="), rest.size()));
}

/// Of "1, 2, 4".
CapturedSizes ReadSizes(std::string_view items) {
  CapturedSizes sizes;
  sizes.count = 0;
  while (!(items = TrimLeft(items)).empty()) {
    const std::optional<int64_t> size = ConsumeUint<int64_t>(items);
    if (!size) break;
    ++*sizes.count;
    sizes.largest = std::max(sizes.largest.value_or(0), *size);
    if (!ConsumeFront(items, ",")) break;
  }
  return sizes;
}

/// Of the list behind `key`; nothing where the list is not there, or not whole.
CapturedSizes SizesBehindKey(std::string_view config, std::string_view key) {
  std::string_view rest = BehindKey(config, key);
  if (!ConsumeFront(rest, "[")) return {};
  const size_t close = rest.find(']');
  return close == kNotFound ? CapturedSizes() : ReadSizes(rest.substr(0, close));
}

/// "FULL_AND_PIECEWISE" of `'cudagraph_mode': <CUDAGraphMode.FULL_AND_PIECEWISE: (2, 1)>` and of
/// `"cudagraph_mode":[2,1]`. Source: vllm/config/compilation.py, CUDAGraphMode.
std::string_view ModeOf(std::string_view config) {
  std::string_view rest = BehindKey(config, "cudagraph_mode");
  if (ConsumeFront(rest, "<CUDAGraphMode.")) return rest.substr(0, rest.find(':'));
  if (rest.starts_with("[2,1]") || rest.starts_with("[2, 1]")) return "FULL_AND_PIECEWISE";
  if (rest.starts_with("[2,0]") || rest.starts_with("[2, 0]")) return "FULL_DECODE_ONLY";
  if (rest.starts_with('0')) return "NONE";
  if (rest.starts_with('1')) return "PIECEWISE";
  if (rest.starts_with('2')) return "FULL";
  return {};
}

/// The number behind the last slash of "19/19 [00:04<00:00,"; absent if there is none.
std::optional<int64_t> TotalOfBar(std::string_view bar) {
  for (size_t at = 0; at + 1 < bar.size(); ++at) {
    if (bar[at] != '/' || at == 0 || !IsDigit(bar[at - 1]) || !IsDigit(bar[at + 1])) continue;
    std::string_view rest = bar.substr(at + 1);
    return ConsumeUint<int64_t>(rest);
  }
  return std::nullopt;
}

}  // namespace

bool ServerLogReader::Read(std::string_view line, uint64_t number) {
  // A progress bar and the next line may stand on one line.
  constexpr int kMostMessages = 4;
  bool found = false;
  for (int i = 0; i < kMostMessages; ++i) {
    const std::optional<ServerMessage> message = FindServerMessage(line);
    if (!message) break;
    found = true;
    Add(*message, number);
    line = message->behind;
  }
  return found;
}

void ServerLogReader::ReadProgress(std::string_view line, uint64_t number) {
  while (!line.empty()) {
    const std::string_view bar = line.substr(0, line.find('\r'));
    line.remove_prefix(std::min(bar.size() + 1, line.size()));
    const std::optional<ServerMessage> message = FindServerMessage(bar);
    const bool is_bar = message && message->kind == ServerLineKind::kCaptureProgress;
    if (is_bar) Add(*message, number);
  }
}

void ServerLogReader::Add(const ServerMessage& message, uint64_t number) {
  StringPool& strings = session_.strings();
  ServerLine line;
  line.kind = message.kind;
  line.engine = message.engine;
  line.input = input_;
  line.line = number;
  line.time = FindTime(message.before);
  line.worker = strings.Intern(FindWorker(message.before, message.engine));
  line.model = strings.Intern(FindModel(message.before));
  line.text = strings.Intern(message.text.substr(0, kMaxShownLine));
  line.seconds = message.seconds;
  line.gib = message.gib;
  line.expected_gib = message.expected_gib;
  line.count = message.count;
  switch (message.kind) {
    case ServerLineKind::kCaptureProgress:
      return AddProgress(line, message);
    case ServerLineKind::kRunning:
    case ServerLineKind::kUncaptured:
      if (IsNewMaximum(line)) Keep(line);
      return;
    case ServerLineKind::kCaptureSizes:
      line.text = StrId::kNone;
      return AddSizes(line, ReadSizes(message.text));
    case ServerLineKind::kStart:
      bars_.clear();
      maxima_.clear();
      break;
    case ServerLineKind::kCapture:
      // What is captured after this is another round.
      bars_.clear();
      break;
    case ServerLineKind::kCompileOff:
      line.text =
          strings.Intern(TrimRight(std::string_view(message.before.data() + message.before.size(),
                                                    static_cast<size_t>(message.behind.data() -
                                                                        message.before.data()) -
                                                        message.before.size()))
                             .substr(0, kMaxShownLine));
      break;
    default:
      break;
  }
  Keep(line);
  if (message.kind == ServerLineKind::kStart) AddConfiguration(line, message.behind);
}

void ServerLogReader::AddConfiguration(const ServerLine& start, std::string_view config) {
  ServerLine line = start;
  line.kind = ServerLineKind::kCaptureSizes;
  const bool is_vllm = start.engine == ServerEngine::kVllm;
  const bool compiles = FindText(config, "enable_torch_compile=True") != kNotFound;
  line.text =
      session_.strings().Intern(is_vllm ? ModeOf(config) : (compiles ? "torch_compile" : ""));
  AddSizes(line, SizesBehindKey(config, is_vllm ? "cudagraph_capture_sizes" : "cuda_graph_bs"));
  std::string_view drafts = BehindKey(config, "num_spec_tokens");
  line.text = StrId::kNone;
  line.kind = ServerLineKind::kDraftTokens;
  line.count = ConsumeUint<int64_t>(drafts);
  if (line.count) Keep(line);
}

void ServerLogReader::AddSizes(ServerLine line, const CapturedSizes& sizes) {
  line.count = sizes.count;
  if (line.count || line.text != StrId::kNone) Keep(line);
  line.text = StrId::kNone;
  line.kind = ServerLineKind::kLargestSize;
  line.count = sizes.largest;
  if (line.count) Keep(line);
}

void ServerLogReader::AddProgress(ServerLine line, const ServerMessage& message) {
  line.count = TotalOfBar(message.behind);
  if (!line.count) return;
  // "mixed prefill-decode, PIECEWISE".
  const size_t comma = message.text.rfind(',');
  const std::string_view mode =
      Trim(comma == kNotFound ? message.text : message.text.substr(comma + 1));
  line.text = session_.strings().Intern(mode);
  if (bars_.insert({line.worker, line.text, *line.count}).second) Keep(line);
}

bool ServerLogReader::IsNewMaximum(const ServerLine& line) {
  const auto [known, is_new] = maxima_.try_emplace({line.kind, line.worker}, *line.count);
  if (!is_new && *line.count <= known->second) return false;
  known->second = *line.count;
  return true;
}

void ServerLogReader::Keep(const ServerLine& line) {
  if (++num_kept_ > kMaxServerLines) {
    session_.stats().Bump(Stat::server_lines_too_many, input_, line.line);
    return;
  }
  session_.AddServerLine(line);
}

}  // namespace shapewise
