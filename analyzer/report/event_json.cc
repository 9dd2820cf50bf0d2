#include "report/event_json.h"

#include <string>
#include <string_view>
#include <utility>

#include "report/json_values.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

/// Sets fields of one object from a Session's texts, leaving out what is not known.
class KnownFields {
 public:
  KnownFields(Json& object, const Session& session) : object_(object), session_(session) {}

  void Add(const char* key, StrId text) {
    if (text != StrId::kNone) object_[key] = session_.text(text);
  }
  void AddLine(const char* key, uint32_t line) {
    if (line != 0) object_[key] = line;
  }

 private:
  Json& object_;
  const Session& session_;
};

Json ReasonJson(const Reason& reason, const Session& session) {
  Json object;
  object["entry"] = TextOrNull(session.text(reason.entry));
  object["guard"] = TextOrNull(session.text(reason.guard));
  object["class"] = GuardClassName(reason.guard_class);
  KnownFields known(object, session);
  known.Add("source", reason.source);
  if (reason.dim >= 0) object["dim"] = reason.dim;
  known.Add("expected", reason.expected);
  known.Add("actual", reason.actual);
  known.Add("user_file", reason.user_file);
  known.AddLine("user_line", reason.user_line);
  known.Add("user_function", reason.user_function);
  known.Add("code", reason.code);
  known.Add("hint", reason.hint);
  return object;
}

Json ReasonsJson(const EventDetail& detail, const Session& session) {
  Json list = Json::array();
  for (const ReasonId id : detail.reasons) list.push_back(ReasonJson(session.reason(id), session));
  return list;
}

/// What a PyTorch/XLA block may tell beyond the contract.
void AddXlaFields(const EventDetail& detail, const Session& session, Json& object) {
  KnownFields known(object, session);
  if (detail.graph_input_gb) object["graph_input_gb"] = *detail.graph_input_gb;
  known.Add("trigger_file", detail.trigger_file);
  known.AddLine("trigger_line", detail.trigger_line);
  known.Add("trigger_function", detail.trigger_function);
  if (detail.fatal) object["fatal"] = true;
}

/// Adds to `object` what only events of this kind have.
void AddOwnFields(const EventDetail& detail, const Session& session, Json& object) {
  const auto text = [&](StrId id) { return TextOrNull(session.text(id)); };
  switch (detail.kind) {
    case EventKind::kRecompile:
      object["reasons"] = ReasonsJson(detail, session);
      if (detail.message != StrId::kNone) object["message"] = text(detail.message);
      break;
    case EventKind::kImpliedRecompile:
      if (!detail.reasons.empty()) object["reasons"] = ReasonsJson(detail, session);
      break;
    case EventKind::kRecompileLimit:
      object["limit"] = NumberOrNull(detail.limit);
      object["limit_name"] = TextOrNull(LimitNameText(detail.limit_name));
      object["reasons"] = ReasonsJson(detail, session);
      break;
    case EventKind::kGraphBreak:
      object["gb"] = text(detail.gb);
      object["type"] = text(detail.type);
      object["repeat"] = detail.repeat;
      object["fatal"] = detail.fatal;
      object["context"] = text(detail.context);
      object["message"] = text(detail.message);
      break;
    case EventKind::kSkippedFrame:
      object["why"] = TextOrNull(WhyName(detail.why));
      object["type"] = text(detail.type);
      object["message"] = text(detail.message);
      break;
    case EventKind::kCompile:
      object["seconds"] = NumberOrNull(detail.seconds);
      object["ops"] = NumberOrNull(detail.num_ops);
      object["graph_inputs"] = NumberOrNull(detail.graph_inputs);
      object["cache"] = TextOrNull(CacheOutcomeName(detail.cache));
      break;
    case EventKind::kCompileError:
      object["type"] = text(detail.type);
      object["message"] = text(detail.message);
      break;
    case EventKind::kConstraintViolation:
      object["source"] = text(detail.source);
      object["dim"] = detail.dim >= 0 ? Json(detail.dim) : Json();
      object["message"] = text(detail.message);
      break;
    case EventKind::kPerfHint:
      object["hint"] = TextOrNull(PerfHintName(detail.hint));
      object["message"] = text(detail.message);
      break;
    case EventKind::kCudagraph:
      object["action"] = TextOrNull(CudagraphActionName(detail.action));
      object["why"] = TextOrNull(WhyName(detail.why));
      object["count"] = NumberOrNull(detail.count);
      object["message"] = text(detail.message);
      break;
    case EventKind::kXlaMetric:
      object["metric"] = text(detail.metric);
      object["count"] = NumberOrNull(detail.count);
      object["steps"] = NumberOrNull(detail.steps);
      if (!detail.ops.empty()) {
        Json ops = Json::array();
        for (const StrId op : detail.ops) ops.push_back(session.text(op));
        object["ops"] = std::move(ops);
      }
      if (detail.seconds) object["seconds"] = *detail.seconds;
      break;
    case EventKind::kXlaCompile:
    case EventKind::kXlaExecution:
      object["cause"] = text(detail.cause);
      object["hash"] = text(detail.hash);
      object["graph_inputs"] = NumberOrNull(detail.graph_inputs);
      object["graph_outputs"] = NumberOrNull(detail.graph_outputs);
      AddXlaFields(detail, session, object);
      break;
    case EventKind::kImpliedBreak:
      break;
    case EventKind::kTorchscript:
      object["message"] = text(detail.message);
      object["action"] = TextOrNull(TorchscriptActionName(detail.torchscript_action));
      break;
    case EventKind::kIgnoredMode:
      object["why"] = TextOrNull(WhyName(detail.why));
      object["message"] = text(detail.message);
      break;
  }
}

}  // namespace

nlohmann::ordered_json EventJson(const Event& event, const Session& session) {
  const EventDetail& detail = session.detail(event);
  Json object;
  object["kind"] = EventKindName(detail.kind);
  object["input"] = event.input;
  object["line"] = event.line;
  if (event.rank != kNoRank) object["rank"] = event.rank;
  KnownFields known(object, session);
  known.Add("compile_id", event.compile_id);
  if (event.time.known()) object["time"] = FormatLogTime(event.time);
  known.Add("function", detail.function);
  known.Add("file", detail.file);
  known.AddLine("function_line", detail.function_line);
  known.Add("user_file", detail.user_file);
  known.AddLine("user_line", detail.user_line);
  known.Add("user_function", detail.user_function);
  AddOwnFields(detail, session, object);
  if (detail.cut) object["cut"] = true;
  if (event.folded > 0) object["folded"] = event.folded;
  return object;
}

}  // namespace shapewise
