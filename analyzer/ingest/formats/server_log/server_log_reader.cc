#include "ingest/formats/server_log/server_log_reader.h"

#include <algorithm>
#include <optional>

#include "ingest/data_tables.h"
#include "ingest/date_time.h"
#include "ingest/messages/wording.h"
#include "support/literal_set.h"
#include "support/text_scan.h"

namespace shapewise {

/// A message found in a line. Views point into the line.
struct ServerMessage : WordingValues {
  ServerLineKind kind = ServerLineKind::kStart;
  ServerEngine engine = ServerEngine::kVllm;
  std::string_view before;  ///< the line up to the message: prefixes
  std::string_view matched;
  std::string_view behind;  ///< the line after the text matched by the pattern
};

namespace {

// More than any server prints when it starts.
constexpr uint64_t kMaxServerLines = 100'000;

// A message of a server is not wrapped more often, and a longer line was not wrapped.
constexpr uint64_t kMostWrapped = 3;
constexpr size_t kMaxWrappedLine = 512;

using ServerKind = ServerLineKind;

/// The messages of `engine`.
const WordTable<ServerKind>& RowsOf(ServerEngine engine) {
  static const auto read = [](ServerEngine of) {
    return ReadWordTable(DataTable("servers"), ServerEngineName(of), ServerKind::kWaiting,
                         ServerLineKindName);
  };
  static const WordTable<ServerKind> vllm = read(ServerEngine::kVllm);
  static const WordTable<ServerKind> sglang = read(ServerEngine::kSglang);
  return engine == ServerEngine::kVllm ? vllm : sglang;
}

/// Parses the front of `rest` with the first matching row of `engine`.
bool ReadFirst(ServerEngine engine, std::string_view rest, ServerMessage& message) {
  for (const auto& [wording, kind] : RowsOf(engine)) {
    if (!rest.starts_with(HeadOf(wording))) continue;
    WordingValues values;
    std::string_view behind = rest;
    if (!ReadWording(wording, behind, &values)) continue;
    message = {values, kind, engine, {}, rest.substr(0, rest.size() - behind.size()), behind};
    return true;
  }
  return false;
}

/// The first message in `line`, which has no escape sequences; absent if not found. Linear in the
/// length of the line.
std::optional<ServerMessage> FindServerMessage(std::string_view line) {
  // The text of a head may occur elsewhere in a line, so try the next one, a few times.
  constexpr int kMostHeads = 4;
  static const LiteralSet heads(ServerLiterals());
  size_t from = 0;
  for (int i = 0; i < kMostHeads; ++i) {
    const size_t at = heads.Find(line, from);
    if (at == LiteralSet::kNotFound) return std::nullopt;
    ServerMessage message;
    const std::string_view rest = line.substr(at);
    if (ReadFirst(ServerEngine::kVllm, rest, message) ||
        ReadFirst(ServerEngine::kSglang, rest, message)) {
      message.before = line.substr(0, at);
      return message;
    }
    from = at + 1;
  }
  return std::nullopt;
}

/// The last time in `prefix`: outer ones, from containers, come before it.
LogTime FindTime(std::string_view prefix) {
  for (size_t at = prefix.size(); at-- > 0;) {
    if (prefix[at] != '-' || at < 2) continue;
    std::string_view rest = prefix.substr(at - 2);
    LogTime time;
    if (ConsumeMonthTime(rest, time)) return time;
  }
  return {};
}

/// "2026-03-04 16:46:41 TP0" in "... [2026-03-04 16:46:41 TP0] ", SGLang's prefix; empty if not
/// found.
std::string_view SglangPrefix(std::string_view prefix) {
  const size_t open = prefix.rfind('[');
  if (open == kNotFound) return {};
  const std::string_view inside = prefix.substr(open + 1);
  const bool has_year =
      inside.size() > 4 && inside[4] == '-' && std::ranges::all_of(inside.substr(0, 4), IsDigit);
  const size_t close = inside.find(']');
  return has_year && close + 2 >= inside.size() ? inside.substr(0, close) : std::string_view();
}

/// "Worker_TP0" in "(Worker_TP0 pid=231) INFO ...", the innermost of several; "RayWorkerWrapper
/// pid=231"; "TP0" in "[2026-03-04 16:46:41 TP0] ".
std::string_view FindWorker(std::string_view prefix) {
  if (const std::string_view inside = SglangPrefix(prefix); !inside.empty()) {
    const size_t blank = inside.find(' ', std::min(inside.rfind(':'), inside.size()));
    return blank == kNotFound ? std::string_view() : Trim(inside.substr(blank));
  }
  const size_t pid = prefix.rfind(" pid=");
  if (pid == kNotFound) return {};
  // In "(MapWorker(Batches(Stage)) pid=4385) ", the first bracket that is open there.
  size_t open = pid;
  for (int depth = 1; depth > 0 && open > 0;) {
    --open;
    depth += prefix[open] == ')' ? 1 : (prefix[open] == '(' ? -1 : 0);
  }
  std::string_view name = prefix.substr(open, pid - open);
  if (!ConsumeFront(name, "(")) return {};
  if (!IsOneOf(name, {"VllmWorkerProcess", "RayWorkerWrapper"})) return name;
  // All workers have this name; only their processes differ.
  const size_t end = prefix.find_first_not_of("0123456789", pid + 5);
  return prefix.substr(open + 1, std::min(end, prefix.size()) - open - 1);
}

/// "eagle_head" in "... [backends.py:1125] [eagle_head] ".
std::string_view FindModel(std::string_view prefix) {
  if (!prefix.ends_with("] ")) return {};
  prefix.remove_suffix(2);
  const size_t open = prefix.rfind('[');
  if (open == kNotFound) return {};
  const std::string_view inside = prefix.substr(open + 1);
  const bool is_name = !inside.empty() && std::ranges::all_of(inside, IsWordChar);
  return is_name ? inside : std::string_view();
}

/// Whether a server's prefix begins in `line`: "(Worker_TP0 pid=231) INFO 04-18 08:26:11",
/// "[2026-".
bool MayBeginPrefix(std::string_view line) {
  return line.starts_with('(') || line.starts_with("[20") ||
         BeginsWithAny(line, "INFO %n|WARNING %n|DEBUG %n");
}

/// Whether a bracket of a prefix that is open at the end of `front` is closed in `before`, the text
/// of the next line up to its message.
bool ClosesPrefix(std::string_view front, std::string_view before) {
  const size_t open = front.find_last_of("([");
  return open != kNotFound && front.find_first_of(")]", open) == kNotFound &&
         before.find_first_of(")]") < before.find_first_of("([");
}

/// The text after `key` and its separators: `[1, 2]}` in `"cudagraph_capture_sizes": [1, 2]}`.
/// Empty if the key is not found.
std::string_view TextAfterKey(std::string_view config, std::string_view key) {
  const size_t at = FindText(config, key);
  if (at == kNotFound) return {};
  const std::string_view rest = config.substr(at + key.size());
  return rest.substr(std::min(rest.find_first_not_of("\"': ="), rest.size()));
}

/// The sizes in "1, 2, 4".
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

/// The sizes in the list after `key`; none if the list is missing or truncated.
CapturedSizes SizesAfterKey(std::string_view config, std::string_view key) {
  std::string_view rest = TextAfterKey(config, key);
  if (!ConsumeFront(rest, "[")) return {};
  const size_t close = rest.find(']');
  return close == kNotFound ? CapturedSizes() : ReadSizes(rest.substr(0, close));
}

/// Sizes of batches that SGLang captures. Releases from 0.5.14 list them in
/// `cuda_graph_config=CudaGraphConfig(decode=PhaseConfig(backend='full', max_bs=2, bs=[1, 2], ...`,
/// those that print a dictionary in `'cuda_graph_config': {'decode': {'backend': 'full', ...`.
CapturedSizes SglangSizes(std::string_view config) {
  const std::string_view decode = TextAfterKey(TextAfterKey(config, "cuda_graph_config"), "decode");
  if (decode.empty()) return SizesAfterKey(config, "cuda_graph_bs");
  if (TextAfterKey(decode, "backend").starts_with("disabled")) return {};
  return SizesAfterKey(decode, decode.starts_with('{') ? "'bs'" : " bs=");
}

/// "FULL_AND_PIECEWISE" of `'cudagraph_mode': <CUDAGraphMode.FULL_AND_PIECEWISE: (2, 1)>` and of
/// `"cudagraph_mode":[2,1]`. Source: vllm/config/compilation.py, CUDAGraphMode.
std::string_view ModeOf(std::string_view config) {
  std::string_view rest = TextAfterKey(config, "cudagraph_mode");
  if (ConsumeFront(rest, "<CUDAGraphMode.")) return rest.substr(0, rest.find(':'));
  if (rest.starts_with("[2,1]") || rest.starts_with("[2, 1]")) return "FULL_AND_PIECEWISE";
  if (rest.starts_with("[2,0]") || rest.starts_with("[2, 0]")) return "FULL_DECODE_ONLY";
  if (rest.starts_with('0')) return "NONE";
  if (rest.starts_with('1')) return "PIECEWISE";
  if (rest.starts_with('2')) return "FULL";
  return {};
}

/// The number after the last slash of "19/19 [00:04<00:00,"; absent if not found.
std::optional<int64_t> TotalOfBar(std::string_view bar) {
  for (size_t at = 0; at + 1 < bar.size(); ++at) {
    if (bar[at] != '/' || at == 0 || !IsDigit(bar[at - 1]) || !IsDigit(bar[at + 1])) continue;
    std::string_view rest = bar.substr(at + 1);
    return ConsumeUint<int64_t>(rest);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> ServerLiterals() {
  std::vector<std::string_view> literals;
  // The blank at which a line was wrapped may be missing.
  for (const ServerEngine engine : {ServerEngine::kVllm, ServerEngine::kSglang}) {
    for (const auto& [wording, kind] : RowsOf(engine)) {
      literals.push_back(TrimRight(HeadOf(wording)));
    }
  }
  std::ranges::sort(literals);
  literals.erase(std::ranges::unique(literals).begin(), literals.end());
  return literals;
}

std::vector<std::string_view> ServerPrefixes() {
  return SplitWordings(
      "(EngineCore|(Worker_|(VllmWorker|[backends.py:|[monitor.py:|[decorators.py:|[gpu_worker.py:|"
      "[gpu_model_runner.py:|[model_runner.py:|[core.py:|[kv_cache_utils.py:|[default_loader.py:");
}

bool ServerLogReader::Read(std::string_view line, uint64_t number) {
  // Bug reports may set numbers in bold: "took **34.11 seconds**".
  if (line.find('*') != kNotFound && HasText(line, "**")) {
    plain_.clear();
    for (const char c : line) {
      if (c != '*') plain_ += c;
    }
    line = plain_;
  }
  if (ReadTail(line, number) || ReadMessages(line, number)) {
    fronts_.clear();
    return true;
  }
  static const LiteralSet heads(ServerLiterals());
  if (fronts_.empty() && line.size() < kMaxWrappedLine &&
      (MayBeginPrefix(line) || heads.Occurs(line))) {
    fronts_ = {std::string(line)};
    front_line_ = last_line_ = number;
  }
  return false;
}

bool ServerLogReader::ReadTail(std::string_view line, uint64_t number) {
  std::vector<std::string> joined;
  const bool follows = number == last_line_ + 1 && number < front_line_ + kMostWrapped;
  if (!follows || line.size() > kMaxWrappedLine || MayBeginPrefix(line)) fronts_.clear();
  for (const std::string& front : fronts_) {
    for (const std::string_view blank : {"", " "}) {
      const std::string_view tail = blank.empty() ? line : TrimLeft(line);
      joined.push_back(front + std::string(blank) + std::string(tail));
      const std::string_view text = joined.back();
      const std::optional<ServerMessage> message = FindServerMessage(text);
      if (!message) continue;
      const size_t begin = message->before.size();
      const bool spans = begin < front.size() && begin + message->matched.size() > front.size();
      if (spans ||
          (begin >= front.size() && ClosesPrefix(front, message->before.substr(front.size())))) {
        return ReadMessages(text, front_line_);
      }
    }
  }
  fronts_ = std::move(joined);
  last_line_ = number;
  return false;
}

bool ServerLogReader::ReadMessages(std::string_view line, uint64_t number) {
  // A progress bar and the next message may be on one line; where a form flattened a log, a whole
  // start is. The bound keeps a hostile line from being searched once for each of its words.
  constexpr int kMostMessages = 64;
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
  // SGLang prints some messages of vLLM, because it contains vLLM's code.
  if (!SglangPrefix(message.before).empty()) line.engine = ServerEngine::kSglang;
  line.worker = strings.Intern(FindWorker(message.before));
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
    case ServerLineKind::kStartTiming:
      return AddTimings(line, message.behind);
    case ServerLineKind::kStart:
      bars_.clear();
      maxima_.clear();
      break;
    case ServerLineKind::kCapture:
      // Later captures belong to another round.
      bars_.clear();
      break;
    case ServerLineKind::kCompileOff:
      line.text = strings.Intern(TrimRight(message.matched).substr(0, kMaxShownLine));
      break;
    default:
      break;
  }
  Keep(line);
  if (message.kind == ServerLineKind::kStart) AddConfiguration(line, message.behind);
  const bool has_sizes =
      line.kind == ServerKind::kCaptureBegin || line.kind == ServerKind::kCapture;
  if (!has_sizes || line.text == StrId::kNone) return;
  line.kind = ServerLineKind::kCaptureSizes;
  line.text = StrId::kNone;
  line.seconds.reset();
  AddSizes(line, SizesAfterKey(message.behind, " bs="));
}

void ServerLogReader::AddConfiguration(const ServerLine& start, std::string_view config) {
  ServerLine line = start;
  line.kind = ServerLineKind::kCaptureSizes;
  const bool is_vllm = start.engine == ServerEngine::kVllm;
  const bool compiles = TextAfterKey(config, "enable_torch_compile").starts_with("True");
  line.text =
      session_.strings().Intern(is_vllm ? ModeOf(config) : (compiles ? "torch_compile" : ""));
  AddSizes(line, is_vllm ? SizesAfterKey(config, "cudagraph_capture_sizes") : SglangSizes(config));
  std::string_view drafts = TextAfterKey(config, "num_spec_tokens");
  line.text = StrId::kNone;
  line.kind = ServerLineKind::kDraftTokens;
  line.count = ConsumeUint<int64_t>(drafts);
  if (line.count) Keep(line);
}

void ServerLogReader::AddTimings(ServerLine line, std::string_view timings) {
  std::string group;
  while (true) {
    if (ConsumeFront(timings, "}")) group.clear();
    ConsumeFront(timings, ", ");
    const std::string_view name = timings.substr(0, timings.find('='));
    if (name.empty() || !std::ranges::all_of(name, IsWordChar)) return;
    timings.remove_prefix(std::min(name.size() + 1, timings.size()));
    if (ConsumeFront(timings, "{")) {
      group = std::string(name) + ".";
      continue;
    }
    WordingValues number;
    if (!ReadWording("%s", timings, &number)) return;
    line.text = session_.strings().Intern(group + std::string(name));
    line.seconds = number.seconds;
    Keep(line);
  }
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
