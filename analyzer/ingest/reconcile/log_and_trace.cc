#include "ingest/reconcile/reconciler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "model/compile_number.h"
#include "model/resume_name.h"
#include "model/span.h"

namespace shapewise {
namespace {

constexpr std::string_view kTrace = "torch-trace";
constexpr std::string_view kLog = "torch-log";

constexpr int64_t kMaxMicrosApart = 60'000'000;
constexpr int64_t kMicrosPerDay = 86'400'000'000;
constexpr int64_t kMicrosPerYear = 366 * kMicrosPerDay;  // as LocalSeconds counts

/// Maps printed times, which have no year, to one time line.
class Calendar {
 public:
  /// February has 29 days if any event of `session` happened on the last of them.
  explicit Calendar(const Session& session) {
    const auto is_leap_day = [](const auto& item) {
      return item.time.month == 2 && item.time.day == 29;
    };
    has_leap_day_ = std::ranges::any_of(session.events(), is_leap_day) ||
                    std::ranges::any_of(session.compilations(), is_leap_day) ||
                    std::ranges::any_of(session.printed_guards(), is_leap_day);
  }

  /// Absent if `time` is not printed, or is not a time of day.
  std::optional<int64_t> MicrosOf(const LogTime& time) const {
    const std::optional<double> seconds = LocalSeconds(time);
    if (!seconds || time.micros > kMicrosPerYear) return std::nullopt;
    const auto micros = static_cast<int64_t>(std::llround(*seconds * 1e6));
    return time.month > 2 && !has_leap_day_ ? micros - kMicrosPerDay : micros;
  }

  int64_t micros_per_year() const {
    return has_leap_day_ ? kMicrosPerYear : kMicrosPerYear - kMicrosPerDay;
  }

 private:
  bool has_leap_day_ = false;
};

/// The times at which something happened. Each function takes logarithmic time.
class EventTimes {
 public:
  explicit EventTimes(const Calendar& calendar) : calendar_(&calendar) {}

  void Add(const LogTime& time) {
    if (const std::optional<int64_t> micros = calendar_->MicrosOf(time)) {
      micros_.insert(*micros);
    } else {
      ++num_unknown_;
    }
  }

  /// Whether it happened within a minute of `time`. A time that is not printed is close to all.
  bool HasClose(const LogTime& time) const {
    return num_unknown_ > 0 || FindClose(time) != micros_.end();
  }

  /// Removes the earliest time that is close to `time`; one that is not printed only if no other is
  /// close. False if no time is left.
  bool TakeClose(const LogTime& time) {
    if (const auto found = FindClose(time); found != micros_.end()) {
      micros_.erase(found);
      return true;
    }
    if (num_unknown_ == 0) return false;
    --num_unknown_;
    return true;
  }

 private:
  std::multiset<int64_t>::const_iterator FindClose(const LogTime& time) const {
    const std::optional<int64_t> micros = calendar_->MicrosOf(time);
    if (!micros) return micros_.begin();
    // The run may have continued over New Year.
    const int64_t year = calendar_->micros_per_year();
    for (const int64_t near : {*micros, *micros - year, *micros + year}) {
      const auto found = micros_.lower_bound(near - kMaxMicrosApart);
      if (found != micros_.end() && *found <= near + kMaxMicrosApart) return found;
    }
    return micros_.end();
  }

  const Calendar* calendar_;
  std::multiset<int64_t> micros_;
  size_t num_unknown_ = 0;
};

/// The key of a compilation: of a recompile, an id in a log, printed guards.
std::string CompileKey(int32_t rank, std::string_view id) {
  return "id " + std::to_string(rank) + " " + std::string(WithoutAttempt(id));
}

/// The same for breaks and the names of resume functions.
std::string ResumeKey(int32_t rank, std::string_view function, uint32_t line) {
  return "resume " + std::to_string(rank) + " " + std::string(function) + " " +
         std::to_string(line);
}

/// A key that identifies an event, apart from its time; empty for kinds that no trace contains.
std::string KeyOf(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  const auto place = [&session](StrId name, uint32_t line) {
    return " " + std::string(session.text(name)) + ":" + std::to_string(line);
  };
  const std::string_view id = session.text(event.compile_id);
  const std::string user = place(detail.user_file, detail.user_line);
  const std::string type = " " + std::string(session.text(detail.type()));
  std::string key(EventKindName(detail.kind()));
  key += " " + std::to_string(event.rank) + " ";
  switch (detail.kind()) {
    case EventKind::kImpliedRecompile:
      return CompileKey(event.rank, id);
    case EventKind::kImpliedBreak:
      return ResumeKey(event.rank, session.text(detail.function), detail.user_line);
    case EventKind::kRecompile:
    case EventKind::kRecompileLimit:
      return key.append(WithoutAttempt(id)) + place(detail.function, detail.function_line);
    case EventKind::kGraphBreak:
      // An exception is printed without an id.
      return key.append(detail.is_fatal_break() ? "raised" : WithoutAttempt(id)) + type + user;
    case EventKind::kSkippedFrame:
      return key.append(WhyName(detail.why())) + type +
             (detail.why() == Why::kCompileError ? place(detail.function, 0) : user);
    case EventKind::kConstraintViolation: {
      const auto* const violation = detail.As<ConstraintFact>();
      return key.append(WithoutAttempt(id)) +
             place(violation->source, static_cast<uint32_t>(violation->dim));
    }
    case EventKind::kCompileError:
      // Messages may be long; equal ones have one id.
      return key + std::to_string(static_cast<uint32_t>(detail.message())) + type;
    default:
      return {};
  }
}

/// The common key of a frame that a log skips because of an error and of that error in a trace;
/// empty for all other events.
std::string SkipKeyOf(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  const bool is_skip =
      detail.kind() == EventKind::kSkippedFrame && detail.why() == Why::kCompileError;
  if (!is_skip && detail.kind() != EventKind::kCompileError) return {};
  return std::to_string(event.rank) + " " + std::string(session.text(detail.type())) + " " +
         std::string(session.text(detail.function));
}

/// The key of the event that a log implies if a trace contains `event`: a recompile by its id, a
/// break by the name of the resume function. Empty if there is no such event.
std::string ImpliedKeyOf(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  if (detail.kind() == EventKind::kRecompile) {
    return CompileKey(event.rank, session.text(event.compile_id));
  }
  PrintedResumeName name;
  const bool is_resumed = detail.kind() == EventKind::kCompile &&
                          ResumeNameScanner(session.text(detail.function)).Next(name);
  return is_resumed ? ResumeKey(event.rank, name.function, name.line) : std::string();
}

/// Times of events by their keys.
class TimesByKey {
 public:
  explicit TimesByKey(const Calendar& calendar) : calendar_(calendar) {}

  void Add(const std::string& key, const LogTime& time) {
    if (!key.empty()) times_.try_emplace(key, calendar_).first->second.Add(time);
  }

  bool HasClose(const std::string& key, const LogTime& time) const {
    const auto found = times_.find(key);
    return found != times_.end() && found->second.HasClose(time);
  }

  bool TakeClose(const std::string& key, const LogTime& time) {
    const auto found = times_.find(key);
    return found != times_.end() && found->second.TakeClose(time);
  }

 private:
  const Calendar& calendar_;
  std::map<std::string, EventTimes> times_;
};

/// Drops guards in a log for compilations that a trace contains.
void DropTracedGuards(const Calendar& calendar, Session& session) {
  if (session.printed_guards().empty()) return;
  TimesByKey traced(calendar);
  for (const Compilation& compilation : session.compilations()) {
    traced.Add(CompileKey(compilation.rank, session.text(compilation.compile_id)),
               compilation.time);
  }
  session.DropPrintedGuards([&](const PrintedGuards& printed) {
    return traced.HasClose(CompileKey(printed.rank, session.text(printed.compile_id)),
                           printed.time);
  });
}

}  // namespace

void ReconcileLogsAndTraces(Session& session) {
  const auto has = [&session](std::string_view format) {
    return std::any_of(session.inputs().begin(), session.inputs().end(),
                       [&](const Input& input) { return input.format == format; });
  };
  if (!has(kTrace) || !has(kLog)) return;
  const Calendar calendar(session);
  DropTracedGuards(calendar, session);
  // Times of the events that have not been paired with one of another input yet.
  TimesByKey traced(calendar);
  TimesByKey logged_skips(calendar);
  for (const Event& event : session.events()) {
    const std::string_view format = session.inputs()[event.input].format;
    if (format == kTrace) {
      traced.Add(KeyOf(session, event), event.time);
      // A log may imply an event long after it happened.
      traced.Add(ImpliedKeyOf(session, event), LogTime{});
    } else if (format == kLog && session.detail(event).kind() == EventKind::kSkippedFrame) {
      logged_skips.Add(SkipKeyOf(session, event), event.time);
    }
  }
  session.DropEvents([&](const Event& event) {
    const std::string_view format = session.inputs()[event.input].format;
    if (format == kLog) return traced.TakeClose(KeyOf(session, event), event.time);
    // The log shows that the error was suppressed.
    return format == kTrace && session.detail(event).kind() == EventKind::kCompileError &&
           logged_skips.TakeClose(SkipKeyOf(session, event), event.time);
  });
}

}  // namespace shapewise
