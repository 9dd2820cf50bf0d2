#include "timeline/incident.h"

#include <map>
#include <string_view>
#include <tuple>

#include "model/compile_id.h"

namespace shapewise {
namespace {

/// The functions of compile ids, from any record that contains both.
class Functions {
 public:
  explicit Functions(const Session& session) : session_(session) {
    for (const Compilation& compilation : session.compilations()) {
      Add(compilation.rank, compilation.compile_id,
          {compilation.function, compilation.file, compilation.function_line});
    }
    for (const Event& event : session.events()) {
      const EventDetail& detail = session.detail(event);
      Add(event.rank, event.compile_id, {detail.function, detail.file, detail.function_line});
    }
  }

  /// Fills in the function of `incident` by its compile id, if missing.
  void Name(Incident& incident) const {
    if (incident.function != StrId::kNone || incident.compile_id == StrId::kNone) return;
    const std::string_view frame = FrameOf(session_.text(incident.compile_id));
    auto found = by_frame_.find({incident.rank, frame});
    if (found == by_frame_.end()) found = by_frame_.find({kNoRank, frame});
    if (found == by_frame_.end()) return;
    std::tie(incident.function, incident.file, incident.function_line) = found->second;
  }

 private:
  using Function = std::tuple<StrId, StrId, uint32_t>;

  void Add(int32_t rank, StrId compile_id, const Function& function) {
    if (compile_id == StrId::kNone || std::get<0>(function) == StrId::kNone) return;
    by_frame_.try_emplace({rank, FrameOf(session_.text(compile_id))}, function);
  }

  const Session& session_;
  std::map<std::pair<int32_t, std::string_view>, Function> by_frame_;
};

Incident FromEvent(const Session& session, size_t index, SlowCause cause) {
  const Event& event = session.events()[index];
  const EventDetail& detail = session.detail(event);
  Incident incident;
  incident.cause = cause;
  incident.input = event.input;
  incident.line = event.line;
  incident.rank = event.rank;
  if (const std::optional<double> local = LocalSeconds(event.time)) {
    incident.clock = Clock::kLocal;
    incident.begin = *local;
  }
  if (const auto* const compile = detail.As<CompileFact>();
      compile != nullptr && compile->seconds) {
    incident.seconds = compile->seconds;
    incident.begin -= *compile->seconds;  // logged at its end
  }
  incident.compile_id = event.compile_id;
  incident.function = detail.function;
  incident.file = detail.file;
  incident.function_line = detail.function_line;
  incident.event = index;
  return incident;
}

Incident FromCompilation(const Session& session, const Compilation& compilation) {
  Incident incident;
  incident.cause = IsRecompile(session.text(compilation.compile_id)) ? SlowCause::kRecompile
                                                                     : SlowCause::kCompile;
  incident.input = compilation.input;
  incident.line = compilation.line;
  incident.rank = compilation.rank;
  incident.seconds = compilation.seconds.total;
  if (compilation.start > 0) {
    incident.clock = Clock::kEpoch;
    incident.begin = compilation.start;
  } else if (const std::optional<double> local = LocalSeconds(compilation.time)) {
    incident.clock = Clock::kLocal;
    incident.begin = *local - incident.seconds.value_or(0);
  }
  incident.compile_id = compilation.compile_id;
  incident.function = compilation.function;
  incident.file = compilation.file;
  incident.function_line = compilation.function_line;
  return incident;
}

Incident FromSpan(const Span& span, SlowCause cause) {
  Incident incident;
  incident.cause = cause;
  incident.input = span.input;
  incident.line = span.line;
  incident.rank = span.rank;
  incident.clock = span.clock;
  incident.begin = span.begin;
  incident.seconds = span.seconds;
  incident.compile_id = span.compile_id;
  return incident;
}

}  // namespace

std::vector<Incident> FindIncidents(const Session& session) {
  std::vector<Incident> incidents;
  for (const Compilation& compilation : session.compilations()) {
    incidents.push_back(FromCompilation(session, compilation));
  }
  for (size_t i = 0; i < session.events().size(); ++i) {
    const EventDetail& detail = session.detail(session.events()[i]);
    switch (detail.kind()) {
      case EventKind::kRecompile:
      case EventKind::kImpliedRecompile:
        incidents.push_back(FromEvent(session, i, SlowCause::kRecompile));
        break;
      case EventKind::kCompile: {
        const bool is_again = IsRecompile(session.text(session.events()[i].compile_id));
        incidents.push_back(
            FromEvent(session, i, is_again ? SlowCause::kRecompile : SlowCause::kCompile));
        break;
      }
      case EventKind::kCudagraph:
        if (detail.As<CudagraphFact>()->action == CudagraphAction::kRecord) {
          incidents.push_back(FromEvent(session, i, SlowCause::kCudagraph));
        }
        break;
      default:
        break;
    }
  }
  for (const Span& span : session.spans()) {
    switch (span.kind) {
      case SpanKind::kCompile: {
        const bool is_again = IsRecompile(session.text(span.compile_id));
        incidents.push_back(FromSpan(span, is_again ? SlowCause::kRecompile : SlowCause::kCompile));
        break;
      }
      case SpanKind::kCudagraphRecord:
        incidents.push_back(FromSpan(span, SlowCause::kCudagraph));
        break;
      case SpanKind::kGarbageCollection:
        incidents.push_back(FromSpan(span, SlowCause::kGarbageCollection));
        break;
      default:
        break;
    }
  }
  const Functions functions(session);
  for (Incident& incident : incidents) functions.Name(incident);
  return incidents;
}

}  // namespace shapewise
