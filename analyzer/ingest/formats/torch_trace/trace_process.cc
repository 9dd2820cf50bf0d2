// TORCH_TRACE files: envelopes and payloads in, events and compilations out. The payloads quote
// messages, which would look like logged ones if a trace were read as text.
//
// The envelopes of one process are assigned to compilations, and their data is read.

#include "ingest/formats/torch_trace/trace_process.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "ingest/file_rank.h"
#include "ingest/formats/torch_trace/trace_framer.h"
#include "ingest/log_format.h"
#include "ingest/reconcile/reconciler.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

// Numbers of texts are consecutive; a damaged one may have any value.
constexpr int64_t kMaxTexts = int64_t{1} << 20;

// They are paths.
constexpr size_t kMaxTextBytes = 4096;

// Further shapes add no information.
constexpr size_t kMaxShapes = 64;
constexpr size_t kMaxSymbolFacts = 1024;
constexpr size_t kMaxPayloads = 256;
constexpr size_t kMaxNodeShapes = 1024;
constexpr size_t kMaxTensors = size_t{1} << 16;

// Real processes compile less often than this; a hostile input could claim more.
constexpr size_t kMaxCompilations = 200'000;

constexpr size_t kMaxPhaseDepth = 1024;

/// An artifact that is a graph or source code: its place is kept.
bool IsGraphArtifact(std::string_view name) {
  return name.ends_with("_graph") || name == "fx_graph_runnable";
}

/// An artifact written when a graph is lowered. After the metrics of a compilation it belongs to
/// its backward part, which is lowered when it first runs.
bool IsOfLowering(const TraceHead& head) {
  return head.event == TraceLineKind::kGraph || IsGraphArtifact(head.name) ||
         head.name.starts_with("fx_graph_cache_");
}

/// `["s77", 4]` as "[s77, 4]".
std::string ListText(simdjson::dom::array list) {
  const auto text_of = [](simdjson::dom::element item) {
    const auto text = JsonAs<std::string_view>(item);
    return text ? std::string(*text) : simdjson::minify(item);
  };
  return "[" + Joined(list, ", ", text_of) + "]";
}

}  // namespace

void TraceProcess::OnEvent(const TraceHead& head, simdjson::dom::element value) {
  if (head.event == TraceLineKind::kString) return DefineText(value);
  const auto object = JsonAs<JsonObjectValue>(value);
  if (!object) return;
  struct Reader {
    TraceLineKind event;
    void (TraceProcess::*read)(const TraceHead& head, JsonObjectValue object);
  };
  static constexpr Reader kReaders[] = {
      {TraceLineKind::kPhase, &TraceProcess::OnPhase},
      {TraceLineKind::kArtifact, &TraceProcess::OnArtifact},
      {TraceLineKind::kDescribeTensor, &TraceProcess::OnDescribeTensor},
      {TraceLineKind::kDescribeSource, &TraceProcess::OnDescribeSource},
      {TraceLineKind::kCreateSymbol, &TraceProcess::OnSymbol},
      {TraceLineKind::kCreateUnbackedSymbol, &TraceProcess::OnSymbol},
      {TraceLineKind::kSpecialization, &TraceProcess::OnSymbol},
      {TraceLineKind::kGuardAdded, &TraceProcess::OnSymbol},
      {TraceLineKind::kDynamoStart, &TraceProcess::OnDynamoStart},
      {TraceLineKind::kGraph, &TraceProcess::OnGraph},
      {TraceLineKind::kMetrics, &TraceProcess::OnMetrics},
      {TraceLineKind::kBackwardMetrics, &TraceProcess::OnBackwardMetrics},
      {TraceLineKind::kRuntimeMetrics, &TraceProcess::OnRuntimeMetrics},
  };
  const auto reader = std::ranges::find(kReaders, head.event, &Reader::event);
  if (reader != std::end(kReaders)) (this->*reader->read)(head, *object);
}

void TraceProcess::Finish() {
  ResolveError();
  for (Attempt& attempt : attempts_) {
    ReportRecompiles(attempt);
    // Under a stance that forbids recompiles, the reasons are all there is.
    if (!attempt.has_begun) continue;
    Compilation& compilation = attempt.compilation;
    if (compilation.cache == CacheOutcome::kNone) compilation.cache = kCacheOutcomes[attempt.cache];
    session_.AddCompilation(std::move(compilation));
  }
  attempts_.clear();
}

void TraceProcess::DefineText(simdjson::dom::element pair) {
  const auto array = JsonAs<simdjson::dom::array>(pair);
  if (!array) return;
  const auto text = JsonAs<std::string_view>(array->at(0));
  const auto number = JsonAs<int64_t>(array->at(1));
  if (!text || !number || *number < 0 || *number >= kMaxTexts) return;
  const auto index = static_cast<size_t>(*number);
  if (index >= texts_.size()) texts_.resize(index + 1);
  texts_[index] = text->substr(0, kMaxTextBytes);
}

/// The text of a field that is a text or the number of one (-1: None).
std::string_view TraceProcess::TextOf(JsonObjectValue object, std::string_view key,
                                      const RecordOrigin& origin) {
  if (const std::string_view text = JsonText(object, key); !text.empty()) return text;
  const auto number = JsonInt(object, key);
  if (!number || *number < 0) return {};
  const auto index = static_cast<size_t>(*number);
  if (index < texts_.size() && !texts_[index].empty()) return texts_[index];
  session_.stats().Bump(Stat::trace_text_unknown, input_, origin.line);
  return {};
}

/// The frame of the list `key` that is `from_end` frames above the innermost one.
std::optional<StoredPlace> TraceProcess::StackFrame(JsonObjectValue object, std::string_view key,
                                                    size_t from_end, const RecordOrigin& origin) {
  const auto stack = JsonArray(object, key);
  if (!stack || stack->size() <= from_end) return std::nullopt;
  const auto frame = JsonAs<JsonObjectValue>(stack->at(stack->size() - 1 - from_end));
  if (!frame) return std::nullopt;
  std::string_view file = TextOf(*frame, "filename", origin);
  if (file.empty()) file = JsonText(*frame, "uninterned_filename");
  return StoredPlace{InternField(*frame, "name"), Intern(file), JsonLine(*frame, "line")};
}

/// The current attempt that `head` belongs to; otherwise the last one with its id.
TraceProcess::Attempt* TraceProcess::AttemptOf(const TraceHead& head) {
  const auto found = latest_.find(head.id);
  return found == latest_.end() ? nullptr : &attempts_[found->second];
}

/// The same; creates a new one if there is no attempt yet or the last one has ended. `has_begun`:
/// `head` shows that it is running.
TraceProcess::Attempt* TraceProcess::OpenAttempt(const TraceHead& head, bool has_begun) {
  // "!0" captures a backward pass for compiled autograd; its compilation is "!0/1/0".
  if (!HasText(head.id, "/")) return nullptr;
  Attempt* const last = AttemptOf(head);
  if (last != nullptr && !last->is_over) {
    last->has_begun = last->has_begun || has_begun;
    // A restart records its inputs and symbols again.
    if (head.attempt > last->latest_attempt) {
      last->latest_attempt = head.attempt;
      last->compilation.shapes.clear();
      last->compilation.symbols.clear();
      last->compilation.node_shapes.clear();
      last->compilation.mutated.clear();
      last->tensors.clear();
      last->compilation.compile_id = Intern(head.FullId());
    }
    return last;
  }
  Attempt* const attempt = Begin(head);
  if (attempt != nullptr) attempt->has_begun = has_begun;
  return attempt;
}

TraceProcess::Attempt* TraceProcess::Begin(const TraceHead& head) {
  if (attempts_.size() >= kMaxCompilations) {
    session_.stats().Bump(Stat::compilations_too_many, input_, head.origin.line);
    return nullptr;
  }
  latest_[head.id] = attempts_.size();
  Attempt& attempt = attempts_.emplace_back();
  attempt.frame = head.frame;
  attempt.latest_attempt = head.attempt;
  Compilation& compilation = attempt.compilation;
  compilation.input = input_;
  compilation.line = head.origin.line;
  compilation.time = head.origin.time;
  compilation.rank = head.origin.rank;
  compilation.compile_id = Intern(head.FullId());
  compilation.outcome = CompileOutcome::kUnknown;
  NameCompilation(attempt);
  return &attempt;
}

/// Sets the current name of its frame in a compilation.
void TraceProcess::NameCompilation(Attempt& attempt) const {
  const auto found = frames_.find(attempt.frame);
  if (found != frames_.end()) found->second.SetFunctionOf(attempt.compilation);
}

void TraceProcess::NameFrame(const Attempt& attempt, EventDetail& detail) {
  detail.function = attempt.compilation.function;
  detail.file = attempt.compilation.file;
  detail.function_line = attempt.compilation.function_line;
}

void TraceProcess::OnDynamoStart(const TraceHead& head, JsonObjectValue start) {
  ResolveError();
  Attempt* attempt = OpenAttempt(head);
  if (attempt == nullptr) return;
  // The compiled frame is below the frames that called it.
  if (const auto frame = StackFrame(start, "stack", 0, head.origin)) {
    frames_[head.frame] = *frame;
    NameCompilation(*attempt);
  }
  if (const auto caller = StackFrame(start, "stack", 1, head.origin)) {
    attempt->compilation.user_file = caller->file;
    attempt->compilation.user_line = caller->line;
    attempt->compilation.user_function = caller->function;
  }
}

void TraceProcess::OnArtifact(const TraceHead& head, JsonObjectValue /*artifact*/) {
  if (IsGraphArtifact(head.name) || head.name.ends_with("_code_state")) KeepPlace(head);
  const bool is_fx = head.name.starts_with("fx_graph_cache_");
  if (!is_fx && !head.name.starts_with("aotautograd_cache_")) return;
  Attempt* const attempt = AttemptOfLowering(head);
  if (attempt == nullptr) return;
  size_t cache = 0;
  if (head.name.ends_with("_bypass")) cache = 1;
  if (head.name.ends_with("_miss")) cache = is_fx ? 4 : 2;
  if (head.name.ends_with("_hit")) cache = 3;
  attempt->cache = std::max(attempt->cache, cache);
}

/// The attempt that an artifact of lowering belongs to: after the end of the forward part a new
/// one, the backward part.
TraceProcess::Attempt* TraceProcess::AttemptOfLowering(const TraceHead& head) {
  Attempt* attempt = AttemptOf(head);
  if (attempt != nullptr && attempt->is_over) {
    if (!IsOfLowering(head)) return attempt;
    attempt = Begin(head);
    if (attempt == nullptr) return nullptr;
    attempt->has_begun = true;
    attempt->compilation.outcome = CompileOutcome::kBackward;
    return attempt;
  }
  return OpenAttempt(head);
}

void TraceProcess::KeepPlace(const TraceHead& head) {
  Attempt* const attempt = AttemptOfLowering(head);
  if (attempt == nullptr || attempt->compilation.payloads.size() >= kMaxPayloads) return;
  attempt->compilation.payloads.push_back({Intern(head.name), head.origin.line});
}

/// {"sizes": {"l_x_": ["s77", 4], "y": ["2*s77", 4]}} of dynamo_output_graph.
void TraceProcess::OnGraph(const TraceHead& head, JsonObjectValue graph) {
  KeepPlace(head);
  if (!keeps_guard_texts_ || head.name != "dynamo_output_graph") return;
  Attempt* const attempt = AttemptOf(head);
  const auto sizes = JsonObject(graph, "sizes");
  if (attempt == nullptr || !sizes) return;
  std::vector<NodeShape>& nodes = attempt->compilation.node_shapes;
  for (const simdjson::dom::key_value_pair node : *sizes) {
    const auto shape = JsonAs<simdjson::dom::array>(node.value);
    if (nodes.size() >= kMaxNodeShapes || !shape) continue;
    nodes.push_back({Intern(node.key), Intern(ListText(*shape))});
  }
}

void TraceProcess::OnDescribeTensor(const TraceHead& head, JsonObjectValue tensor) {
  if (JsonIsTrue(tensor, "is_parameter")) return;
  Attempt* const attempt = OpenAttempt(head);
  if (attempt == nullptr || attempt->tensors.size() >= kMaxTensors) return;
  const auto id = JsonInt(tensor, "id");
  if (!id) return;
  const auto list_text = [&](std::string_view key) {
    const auto list = JsonArray(tensor, key);
    return list ? Intern(ListText(*list)) : StrId::kNone;
  };
  attempt->tensors[{JsonInt(tensor, "describer_id").value_or(0), *id}] = {
      StrId::kNone, list_text("size"), InternField(tensor, "dtype"), list_text("stride")};
}

void TraceProcess::OnDescribeSource(const TraceHead& head, JsonObjectValue source) {
  Attempt* const attempt = AttemptOf(head);
  const auto id = JsonInt(source, "id");
  if (attempt == nullptr || !id || attempt->compilation.shapes.size() >= kMaxShapes) return;
  const std::string_view text = JsonText(source, "source");
  // Parameters and buffers belong to the module; they are not inputs of a call.
  if (text.empty() || HasText(text, "._parameters[") || HasText(text, "._buffers[")) return;
  const auto found = attempt->tensors.find({JsonInt(source, "describer_id").value_or(0), *id});
  if (found == attempt->tensors.end()) return;
  InputShape shape = found->second;
  shape.source = Intern(text);
  attempt->compilation.shapes.push_back(shape);
}

void TraceProcess::OnSymbol(const TraceHead& head, JsonObjectValue symbol) {
  Attempt* const attempt = OpenAttempt(head);
  if (attempt == nullptr || attempt->compilation.symbols.size() >= kMaxSymbolFacts) return;
  SymbolFact fact;
  fact.line = head.origin.line;
  fact.symbol = InternField(symbol, "symbol");
  fact.range = InternField(symbol, "vr");
  fact.source = InternField(symbol, "source");
  fact.value = InternField(symbol, "val");
  fact.expr = InternField(symbol, "expr");
  if (head.event == TraceLineKind::kCreateUnbackedSymbol) {
    fact.kind = SymbolFact::Kind::kCreatedUnbacked;
  } else if (head.event == TraceLineKind::kGuardAdded) {
    fact.kind = SymbolFact::Kind::kGuardAdded;
  } else if (head.event == TraceLineKind::kSpecialization) {
    fact.kind = SymbolFact::Kind::kSpecialized;
    fact.value = InternField(symbol, "value");
    fact.expr = InternField(symbol, "reason");
    const auto sources = JsonTexts(symbol, "sources");
    if (!sources.empty()) fact.source = Intern(sources[0]);
  }
  if (const auto user = StackFrame(symbol, "user_stack", 0, head.origin)) {
    fact.user_file = user->file;
    fact.user_line = user->line;
    fact.user_function = user->function;
  }
  attempt->compilation.symbols.push_back(fact);
}

void TraceProcess::OnPhase(const TraceHead& head, JsonObjectValue event) {
  const std::string_view kind = JsonText(event, "ph");
  const auto micros = JsonDouble(event, "ts");
  if (!micros) return;
  const double seconds = *micros / 1e6;
  std::vector<OpenPhase>& open = open_phases_[JsonInt(event, "tid").value_or(0)];
  const StrId name = InternField(event, "name");
  if (kind == "B") {
    if (open.size() < kMaxPhaseDepth) open.push_back({name, seconds});
    return;
  }
  if (kind != "E") return;
  // Phases nest; one whose end is missing is dropped.
  size_t at = open.size();
  while (at > 0 && open[at - 1].name != name) --at;
  if (at == 0) return;
  Span span;
  span.kind = SpanKind::kCompilePhase;
  span.clock = Clock::kEpoch;
  span.input = input_;
  span.line = head.origin.line;
  span.rank = head.origin.rank;
  span.begin = open[at - 1].begin;
  span.seconds = seconds - span.begin;
  span.name = name;
  if (const auto args = JsonObject(event, "args")) {
    const std::string_view id = JsonText(*args, "compile_id");
    if (id != "None") span.compile_id = Intern(id);
  }
  open.resize(at - 1);
  session_.AddSpan(span);
}

namespace {

// Real files have fewer processes; a hostile input could name millions.
constexpr size_t kMaxProcesses = 4096;

/// One pass over one trace: passes the requested parts to the process that wrote them.
class TorchTraceReader final : public LogReader, private TraceHandler {
 public:
  TorchTraceReader(Session& session, uint32_t input, const ReadOptions& options)
      : session_(session),
        input_(input),
        options_(options),
        framer_(*this, session.stats(), input, RankInFileName(session.input(input).name)),
        reconciler_(session, input) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    framer_.OnLines(lines, first_line);
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    return framer_.OnPiece(piece, line, is_first, is_last);
  }

  void Finish() override {
    framer_.Finish();
    for (const auto& [id, process] : processes_) process->Finish();
    reconciler_.Finish(/*is_of_torch=*/false);
  }

  uint64_t torch_lines() const override { return framer_.num_envelopes(); }

 private:
  bool Reads(TraceLineKind event, std::string_view /*key*/) const override {
    return event == TraceLineKind::kPhase ? options_.keep_phases
                                          : event != TraceLineKind::kPassedOver;
  }

  bool OnEnvelope(const TraceEnvelope& envelope) override {
    const TraceHead& head = envelope.head;
    if (head.event == TraceLineKind::kUnknown) {
      session_.stats().Bump(Stat::trace_event_unknown, input_, head.origin.line);
    }
    TraceProcess* const process = ProcessFor(head);
    if (process == nullptr) return false;
    const auto value = JsonAs<simdjson::dom::element>(envelope.json[envelope.key]);
    // Up to 2.8 the envelope of a phase contains the phase itself.
    const bool is_elsewhere = head.event == TraceLineKind::kPhase && envelope.has_payload;
    if (!is_elsewhere && value) process->OnEvent(head, *value);
    return envelope.has_payload && TraceProcess::ReadsPayload(head);
  }

  void OnPayload(const TracePayload& payload) override {
    if (TraceProcess* const process = ProcessFor(payload.head)) {
      process->OnPayload(payload.head, payload.text);
    }
  }

  TraceProcess* ProcessFor(const TraceHead& head) {
    std::unique_ptr<TraceProcess>& process = processes_[head.process];
    if (process == nullptr && processes_.size() > kMaxProcesses) {
      processes_.erase(head.process);
      session_.stats().Bump(Stat::streams_too_many, input_, head.origin.line);
      return nullptr;
    }
    if (process == nullptr) {
      process = std::make_unique<TraceProcess>(session_, reconciler_, input_, options_.guard_texts);
    }
    return process.get();
  }

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  TraceFramer framer_;
  Reconciler reconciler_;
  std::map<uint64_t, std::unique_ptr<TraceProcess>> processes_;
};

}  // namespace

const LogFormat kTorchTraceFormat{"torch-trace", IsTrace, NewLogReader<TorchTraceReader>,
                                  /*holds_messages=*/true};

}  // namespace shapewise
