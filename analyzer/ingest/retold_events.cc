#include "ingest/retold_events.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ingest/messages/sightings.h"
#include "shapewise/model/compile_id.h"

namespace shapewise {
namespace {

constexpr std::string_view kTrace = "torch-trace";
constexpr std::string_view kLog = "torch-log";

constexpr int64_t kMaxMicrosApart = 60'000'000;

/// What makes two events the same thing, apart from their times; empty for kinds that no trace
/// tells.
std::string KeyOf(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  const auto text = [&](StrId id) { return std::string(session.text(id)); };
  const std::string rank = std::to_string(event.rank) + " ";
  const std::string id(WithoutAttempt(session.text(event.compile_id)));
  const std::string function = text(detail.function) + ":" + std::to_string(detail.function_line);
  const std::string user = text(detail.user_file) + ":" + std::to_string(detail.user_line);
  switch (detail.kind) {
    case EventKind::kRecompile:
      return "recompile " + rank + id + " " + function;
    case EventKind::kImpliedRecompile:
      return "id " + rank + id;
    case EventKind::kImpliedBreak:
      return "resume " + rank + text(detail.function) + " " + std::to_string(detail.user_line);
    case EventKind::kRecompileLimit:
      return "limit " + rank + id + " " + function;
    case EventKind::kGraphBreak:
      // An exception is printed without an id.
      return detail.fatal ? "raise " + rank + text(detail.type) + " " + user
                          : "break " + rank + id + " " + text(detail.type) + " " + user;
    case EventKind::kSkippedFrame:
      return "skip " + rank + text(detail.type) + " " + std::string(WhyName(detail.why)) + " " +
             (detail.why == Why::kCompileError ? text(detail.function) : user);
    case EventKind::kConstraintViolation:
      return "constraint " + rank + id + " " + text(detail.source) + " " +
             std::to_string(detail.dim);
    case EventKind::kCompileError:
      return "error " + rank + text(detail.type) + " " + text(detail.message);
    default:
      return {};
  }
}

/// What a log would imply where a trace tells `event`: a recompile by its id, a break by the name
/// of what is left of its function. Empty if nothing.
std::string ImpliedKeyOf(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  const std::string rank = std::to_string(event.rank) + " ";
  if (detail.kind == EventKind::kRecompile) {
    return "id " + rank + std::string(WithoutAttempt(session.text(event.compile_id)));
  }
  size_t from = 0;
  PrintedResumeName name;
  if (detail.kind != EventKind::kCompile ||
      !FindResumeName(session.text(detail.function), from, name)) {
    return {};
  }
  return "resume " + rank + std::string(name.function) + " " + std::to_string(name.line);
}

bool AreClose(const LogTime& a, const LogTime& b) {
  if (!a.known() || !b.known()) return true;
  return a.month == b.month && a.day == b.day && std::abs(a.micros - b.micros) <= kMaxMicrosApart;
}

/// Drops the guards that a log prints of compilations that a trace tells.
void DropRetoldGuards(Session& session) {
  if (session.printed_guards().empty()) return;
  std::map<std::pair<int32_t, std::string>, std::vector<LogTime>> traced;
  for (const Compilation& compilation : session.compilations()) {
    const std::string_view id = WithoutAttempt(session.text(compilation.compile_id));
    traced[{compilation.rank, std::string(id)}].push_back(compilation.time);
  }
  session.DropPrintedGuards([&](const PrintedGuards& printed) {
    const std::string_view id = WithoutAttempt(session.text(printed.compile_id));
    const auto found = traced.find({printed.rank, std::string(id)});
    return found != traced.end() && std::ranges::any_of(found->second, [&](const LogTime& time) {
             return AreClose(time, printed.time);
           });
  });
}

}  // namespace

void DropRetoldEvents(Session& session) {
  const auto has = [&session](std::string_view format) {
    return std::any_of(session.inputs().begin(), session.inputs().end(),
                       [&](const Input& input) { return input.format == format; });
  };
  if (!has(kTrace) || !has(kLog)) return;
  DropRetoldGuards(session);
  // Times of the traced events that no logged one has been found for, by key.
  std::map<std::string, std::vector<LogTime>> traced;
  for (const Event& event : session.events()) {
    if (session.inputs()[event.input].format != kTrace) continue;
    if (std::string key = KeyOf(session, event); !key.empty()) traced[key].push_back(event.time);
    // A log may imply something long after it happened.
    if (std::string key = ImpliedKeyOf(session, event); !key.empty()) traced[key].emplace_back();
  }
  session.DropEvents([&](const Event& event) {
    if (session.inputs()[event.input].format != kLog) return false;
    const auto found = traced.find(KeyOf(session, event));
    if (found == traced.end()) return false;
    for (auto time = found->second.begin(); time != found->second.end(); ++time) {
      if (!AreClose(*time, event.time)) continue;
      found->second.erase(time);
      return true;
    }
    return false;
  });
}

}  // namespace shapewise
