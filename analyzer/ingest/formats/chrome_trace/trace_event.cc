#include "ingest/formats/chrome_trace/trace_event.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ingest/data_tables.h"
#include "llvm/ADT/STLExtras.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t kMaxKeptKey = 64;     // longer than all keys that are looked up
constexpr size_t kMaxKeptScalar = 32;  // an int64 has 20 bytes
constexpr double kMaxMicros = 5e15;    // the year 2128

using ByteSet = std::array<bool, 256>;

constexpr ByteSet MakeByteSet(std::string_view bytes) {
  ByteSet set{};
  for (const char c : bytes) set[static_cast<unsigned char>(c)] = true;
  return set;
}

// Structural bytes of an event: outside of its strings, and within.
constexpr ByteSet kBracketOrQuote = MakeByteSet("\"{}[]");
constexpr ByteSet kTextEnd = MakeByteSet("\"\\\n");

/// Offset of the first byte of `text` at or after `at` that is in `set`; its size if none is.
size_t FindOf(const ByteSet& set, std::string_view text, size_t at) {
  while (at < text.size() && !set[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

/// A number or a string, as written but without quotes and blanks.
std::string_view RawWord(ondemand::value value) {
  std::string_view raw = TrimRight(value.raw_json_token());
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') {
    raw = raw.substr(1, raw.size() - 2);
  }
  return raw;
}

/// A time in microseconds: a number, or a quoted one, as some exporters write it.
bool ReadMicros(ondemand::value value, double& micros) {
  ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  const auto error = type == ondemand::json_type::string ? value.get_double_in_string().get(micros)
                                                         : value.get_double().get(micros);
  return error == simdjson::SUCCESS && std::isfinite(micros) && std::abs(micros) < kMaxMicros;
}

/// Arguments are a string or an object of any depth; only its scalar members are read.
void ReadArguments(ondemand::value arguments, TraceEvent& event) {
  ondemand::object object;
  if (arguments.get_object().get(object) != simdjson::SUCCESS) return;
  for (auto entry : object) {
    ondemand::field field;
    if (std::move(entry).get(field) != simdjson::SUCCESS) return;
    const ondemand::raw_json_string key = field.key();
    if (key == "name") event.arg_name = RawWord(field.value());
    if (key == "labels") event.arg_labels = RawWord(field.value());
    if (key == "compile_id") event.arg_compile_id = RawWord(field.value());
  }
}

/// Lists of tables/profiles.json.
struct KnownNames {
  std::vector<std::string_view> compile = Read("compile");
  std::vector<std::string_view> cudagraph = Read("cudagraph");
  std::vector<std::string_view> capture_begin = Read("capture_begin");
  std::vector<std::string_view> capture_end = Read("capture_end");
  std::vector<std::string_view> garbage_collection = Read("garbage_collection");
  /// A process with events of these runs torch.
  std::vector<std::string_view> torch_categories = Read("torch_categories");

 private:
  static std::vector<std::string_view> Read(std::string_view key) {
    return JsonTexts(DataTable("profiles"), key);
  }
};

constexpr std::string_view kTimed = " (dynamo_timed)";

/// "step 12", "Iteration 12", "train_step:12"; the name of a step must contain a number.
bool ReadNamedStep(std::string_view name, int64_t& number) {
  for (const std::string_view word :
       {"step", "Step", "iteration", "Iteration", "iter", "train_step", "training_step"}) {
    std::string_view rest = name;
    if (!ConsumeFront(rest, word) || rest.empty()) continue;
    if (rest[0] != ' ' && rest[0] != '_' && rest[0] != ':' && rest[0] != '#') continue;
    rest.remove_prefix(1);
    const auto value = ConsumeUint<int64_t>(rest);
    if (!value || !rest.empty()) continue;
    number = *value;
    return true;
  }
  return false;
}

}  // namespace

void TraceEventScanner::Feed(std::string_view text, uint64_t line, OnEvent on_event) {
  line_ = line;
  counted_ = 0;
  event_begin_ = 0;
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
  if (is_in_event_) KeepEvent(text, text.size());
}

void TraceEventScanner::ReadInText(char c) {
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

/// Keeps the part of the current event in `text`, which extends to `end`.
void TraceEventScanner::KeepEvent(std::string_view text, size_t end) {
  const std::string_view part = text.substr(event_begin_, end - event_begin_);
  is_broken_ |= event_text_.size() + part.size() > kMaxTraceEventBytes;
  if (!is_broken_) event_text_ += part;
}

void TraceEventScanner::OpenBracket(char bracket, std::string_view text, size_t at) {
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
  event_text_.clear();
  event_begin_ = at;
  event_line_ = LineAt(text, at);
}

void TraceEventScanner::CloseBracket(std::string_view text, size_t at, OnEvent on_event) {
  EndScalar();
  if (depth_ > 0) --depth_;
  if (is_in_event_) {
    if (depth_ <= events_depth_) EndEvent(text, at + 1, on_event);
  } else if (depth_ < events_depth_) {
    events_depth_ = 0;
    section_ = "-";  // the document's own array has ended; another one contains no events
  }
}

void TraceEventScanner::EndScalar() {
  if (!is_in_scalar_ || is_in_event_) return;
  is_in_scalar_ = false;
  std::string_view digits = scalar_;
  if (key_ == "baseTimeNanoseconds" && depth_ == 1) {
    if (const auto value = ConsumeUint<int64_t>(digits)) base_time_ns_ = value;
  } else if (key_ == "rank" && section_ == "distributedInfo" && depth_ == 2) {
    if (const auto value = ConsumeUint<int32_t>(digits)) rank_ = *value;
  }
}

void TraceEventScanner::EndEvent(std::string_view text, size_t end, OnEvent on_event) {
  is_in_event_ = false;
  KeepEvent(text, end);
  on_event(!is_broken_ && Parse() ? &event_ : nullptr, event_line_);
}

bool TraceEventScanner::Parse() {
  event_ = {};
  event_text_.reserve(event_text_.size() + simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  const simdjson::padded_string_view view(event_text_.data(), event_text_.size(),
                                          event_text_.capacity());
  if (parser_.iterate(view).get(document) != simdjson::SUCCESS) return false;
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;

  for (auto entry : object) {
    ondemand::field field;
    if (std::move(entry).get(field) != simdjson::SUCCESS) return false;
    const ondemand::raw_json_string key = field.key();
    ondemand::value value = field.value();
    if (key == "ph") {
      const std::string_view phase = RawWord(value);
      event_.phase = phase.size() == 1 ? phase[0] : '\0';
    } else if (key == "name") {
      if (value.get_string().get(event_.name) != simdjson::SUCCESS) return false;
    } else if (key == "cat") {
      event_.category = RawWord(value);
    } else if (key == "pid") {
      event_.process = RawWord(value);
    } else if (key == "tid") {
      event_.thread = RawWord(value);
    } else if (key == "ts") {
      if (!ReadMicros(value, event_.begin_us)) return false;
    } else if (key == "dur") {
      if (!ReadMicros(value, event_.duration_us) || event_.duration_us < 0) return false;
    } else if (key == "args") {
      ReadArguments(value, event_);
    }
  }
  return true;
}

uint64_t TraceEventScanner::LineAt(std::string_view text, size_t at) {
  const std::string_view passed = text.substr(counted_, at - counted_);
  line_ += static_cast<uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
  counted_ = at;
  return line_;
}

NamedEvent ReadTraceName(std::string_view name, std::string_view category) {
  static const KnownNames known;
  // The device's copy of an annotation lasts as long as its kernels, not as long as the program's
  // step.
  if (category == "gpu_user_annotation") return {TraceName::kTorch};
  std::string_view rest = name;
  if (ConsumeFront(rest, "ProfilerStep#")) {
    const auto number = ConsumeUint<int64_t>(rest);
    if (number && rest.empty()) return {TraceName::kProfilerStep, *number, {}};
  }
  if (const size_t note = FindText(name, "_data: "); note != std::string_view::npos) {
    const std::string_view id = TextBetween(name.substr(note), "compile_id=", ",");
    if (!id.empty()) return {TraceName::kCompileNote, -1, Trim(id)};
  }
  if (std::string_view region = name; ConsumeFront(region, "Torch-Compiled Region")) {
    ConsumeFront(region, ": ");  // older releases do not name it
    return {TraceName::kCompiledRegion, -1, Trim(region)};
  }
  std::string_view plain = name;
  const bool is_timed = plain.ends_with(kTimed) || category == "dynamo_timed";
  if (plain.ends_with(kTimed)) plain.remove_suffix(kTimed.size());
  const bool is_torch = is_timed || llvm::is_contained(known.torch_categories, category);

  if (is_torch && llvm::is_contained(known.compile, plain)) return {TraceName::kCompile};
  if (llvm::is_contained(known.cudagraph, plain)) return {TraceName::kCudagraphRecord};
  if (is_timed) return {TraceName::kCompilePhase};
  if (llvm::is_contained(known.capture_begin, name)) return {TraceName::kCaptureBegin};
  if (llvm::is_contained(known.capture_end, name)) return {TraceName::kCaptureEnd};
  if (llvm::is_contained(known.garbage_collection, name)) return {TraceName::kGarbageCollection};
  if (category != "cpu_op" && category != "kernel") {
    int64_t number = -1;
    if (ReadNamedStep(name, number)) return {TraceName::kNamedStep, number, {}};
  }
  // Kineto's own marks, in entries that are not real processes.
  const bool is_mark =
      name.starts_with("Iteration Start: PyTorch Profiler") || name == "Record Window End";
  return {is_torch || is_mark ? TraceName::kTorch : TraceName::kOther};
}

}  // namespace shapewise
