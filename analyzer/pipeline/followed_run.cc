// Follows a run by analyzing it repeatedly: the current session with the content of unfinished
// records is copied, sorted and analyzed like any other, and what was reported before is left out.
// So the news are always those of `lint` on the data so far, and there is no second way of finding
// causes that could disagree.

#include "pipeline/followed_run.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "ingest/reconcile/reconciler.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr double kSecondsPerYear = 366.0 * 86400;  // as in LocalSeconds

std::optional<EventKind> KindOf(std::string_view word) {
  if (word == "recompiles" || word == "recompile") return EventKind::kRecompile;
  if (word == "limits" || word == "limit") return EventKind::kRecompileLimit;
  if (word == "breaks" || word == "break") return EventKind::kGraphBreak;
  return std::nullopt;
}

/// Parses the window of `alarm` from "100 steps", "30s", "10 m" or "2h".
bool ParseWindow(std::string_view text, Alarm& alarm) {
  const std::optional<uint64_t> number = ConsumeUint(text);
  if (!number || *number == 0) return false;
  const std::string_view unit = Trim(text);
  alarm.in_steps = unit == "steps" || unit == "step";
  const double scale = alarm.in_steps ? 1
                       : unit == "s"  ? 1
                       : unit == "m"  ? 60
                       : unit == "h"  ? 3600
                                      : 0;
  alarm.window = static_cast<double>(*number) * scale;
  return scale > 0;
}

/// The position of each process of one input, in steps or seconds.
class Positions {
 public:
  explicit Positions(bool in_steps) : in_steps_(in_steps) {}

  void AddStep(const Span& step) {
    ++num_steps_;
    Steps& steps = steps_[step.rank];
    // Falling numbers start another epoch.
    const bool has_rise =
        step.number >= 0 && steps.last_number >= 0 && step.number > steps.last_number;
    steps.position += has_rise ? static_cast<double>(step.number - steps.last_number) : 1;
    steps.last_number = step.number;
  }

  /// Whether further steps are unknown, because too many came before them.
  bool has_ended() const { return num_steps_ >= kMaxStepsOfInput; }

  std::optional<double> Of(const Event& event) {
    if (!in_steps_) return SecondsOf(event);
    if (steps_.empty()) return std::nullopt;
    for (const int32_t rank : {event.rank, kNoRank}) {
      const auto own = steps_.find(rank);
      if (own != steps_.end()) return own->second.position;
    }
    return steps_.begin()->second.position;
  }

 private:
  struct Steps {
    double position = 0;
    int64_t last_number = -1;
  };

  std::optional<double> SecondsOf(const Event& event) {
    std::optional<double> seconds = LocalSeconds(event.time);
    if (!seconds) return std::nullopt;
    // The year changed; lines never go back by months.
    *seconds += years_ * kSecondsPerYear;
    if (*seconds < last_seconds_ - kSecondsPerYear / 2) {
      ++years_;
      *seconds += kSecondsPerYear;
    }
    last_seconds_ = *seconds;
    return seconds;
  }

  bool in_steps_;
  size_t num_steps_ = 0;
  std::map<int32_t, Steps> steps_;
  double last_seconds_ = 0;
  double years_ = 0;
};

struct Window {
  std::deque<double> positions;
  bool is_off = false;  ///< the alarm is still active
};

}  // namespace

Expected<Alarm> ParseAlarm(std::string_view text) {
  Alarm alarm;
  alarm.text = text;
  std::string_view rest = Trim(text);
  const std::optional<uint64_t> count = ConsumeUint(rest);
  rest = TrimLeft(rest);
  const size_t blank = rest.find(' ');
  const std::optional<EventKind> kind = KindOf(rest.substr(0, blank));
  rest = blank == std::string_view::npos ? std::string_view() : TrimLeft(rest.substr(blank));
  if (!count || *count == 0 || !kind || !ConsumeFront(rest, "in ") ||
      !ParseWindow(TrimLeft(rest), alarm)) {
    return MakeError(
        "--alarm: expected such as '3 recompiles in 100 steps' or '1 limits in 10m' "
        "(recompiles, limits or breaks; steps, s, m or h), not '" +
        MakePrintable(text) + "'");
  }
  alarm.count = *count;
  alarm.kind = *kind;
  return alarm;
}

AlarmResult FindAlarms(const Session& session, const Alarm& alarm) {
  AlarmResult result;
  bool has_seen = false;
  bool has_placed = false;
  auto span = session.spans().begin();
  uint32_t input = 0;
  Positions positions(alarm.in_steps);
  std::map<int32_t, Window> windows;  // by rank
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    if (session.detail(event).kind() != alarm.kind) continue;
    if (event.input != input) {
      input = event.input;
      positions = Positions(alarm.in_steps);
      windows.clear();
    }
    for (; span != session.spans().end() &&
           std::tie(span->input, span->line) < std::tie(event.input, event.line);
         ++span) {
      if (span->input == input && span->kind == SpanKind::kStep) positions.AddStep(*span);
    }
    has_seen = true;
    if (alarm.in_steps && positions.has_ended()) {
      result.is_cut = true;
      continue;
    }
    const std::optional<double> position = positions.Of(event);
    // Events before the first step are at step 0; whether steps follow is known only later.
    if (!position && !alarm.in_steps) continue;
    has_placed |= position.has_value();
    Window& window = windows[event.rank];
    window.positions.push_back(position.value_or(0));
    while (window.positions.back() - window.positions.front() >= alarm.window) {
      window.positions.pop_front();
    }
    const bool is_off = window.positions.size() >= alarm.count;
    if (is_off && !window.is_off) result.moments.push_back({index, window.positions.size()});
    window.is_off = is_off;
  }
  result.is_blind = has_seen && !has_placed;
  // Without steps, the distance between events is unknown.
  if (result.is_blind) result.moments.clear();
  return result;
}

FollowedRun::FollowedRun(const LintOptions& options, std::vector<Alarm> alarms)
    : options_(options),
      alarms_(std::move(alarms)),
      session_(std::make_unique<Session>()),
      num_moments_reported_(alarms_.size()),
      is_blind_(alarms_.size()),
      is_cut_(alarms_.size()) {}

Expected<std::unique_ptr<FollowedRun>> FollowedRun::Make(const LintOptions& options,
                                                         std::vector<Alarm> alarms) {
  // Analyzing an empty run checks the selectors.
  Expected<LintResult> nothing = LintSession(options, Session());
  if (!nothing) return nothing.takeError();
  return std::unique_ptr<FollowedRun>(new FollowedRun(options, std::move(alarms)));
}

size_t FollowedRun::AddInput(const std::string& name) {
  inputs_.push_back(std::make_unique<LiveInput>(name, *session_, options_.read));
  return inputs_.size() - 1;
}

void FollowedRun::Append(size_t input, std::string_view bytes) {
  inputs_[input]->Append(bytes);
  has_new_bytes_ = true;
}

std::vector<RunNews> FollowedRun::Update(bool is_quiet) {
  std::vector<RunNews> news;
  const std::tuple now(session_->num_events_added(), session_->compilations().size(),
                       session_->spans().size());
  const bool is_worth_it = is_quiet ? has_new_bytes_ : now != looked_at_;
  if (!is_worth_it) return news;
  looked_at_ = now;
  if (is_quiet) has_new_bytes_ = false;

  Session snapshot;
  snapshot.CopyFrom(*session_);
  for (const std::unique_ptr<LiveInput>& input : inputs_) input->ShowIn(snapshot, is_quiet);
  snapshot.SortByPlace();
  ReconcileLogsAndTraces(snapshot);
  ReportCauses(snapshot, news);
  ReportAlarms(snapshot, news);
  return news;
}

void FollowedRun::ReportCauses(const Session& snapshot, std::vector<RunNews>& news) {
  Expected<LintResult> result = LintSession(options_, snapshot, program_files_.get());
  if (!result) {
    // Make() already checked the selectors.
    llvm::consumeError(result.takeError());
    return;
  }
  for (Finding& finding : result->findings) {
    const auto [reported, is_new] = reported_.try_emplace(finding.fingerprint);
    ReportedState& before = reported->second;
    const bool is_worse =
        finding.severity > before.severity || (finding.runs_eager && !before.runs_eager);
    if (!is_new && !is_worse) continue;
    before.severity = std::max(before.severity, finding.severity);
    before.runs_eager |= finding.runs_eager;
    RunNews& item = news.emplace_back();
    item.kind = is_new ? RunNews::Kind::kNew : RunNews::Kind::kWorse;
    if (!finding.events.empty()) {
      const Event& event =
          snapshot.events()[is_new ? finding.events.front() : finding.events.back()];
      item.input_name = snapshot.inputs()[event.input].name;
      item.line = event.line;
    }
    item.finding = std::move(finding);
  }
}

void FollowedRun::ReportAlarms(const Session& snapshot, std::vector<RunNews>& news) {
  for (size_t i = 0; i < alarms_.size(); ++i) {
    const AlarmResult result = FindAlarms(snapshot, alarms_[i]);
    is_blind_[i] = result.is_blind;
    is_cut_[i] = result.is_cut;
    for (size_t reported = num_moments_reported_[i]; reported < result.moments.size(); ++reported) {
      const Event& event = snapshot.events()[result.moments[reported].event];
      RunNews& item = news.emplace_back();
      item.kind = RunNews::Kind::kAlarm;
      item.alarm = alarms_[i].text;
      item.count = result.moments[reported].count;
      item.function = snapshot.text(snapshot.detail(event).function);
      item.input_name = snapshot.inputs()[event.input].name;
      item.line = event.line;
    }
    num_moments_reported_[i] = std::max(num_moments_reported_[i], result.moments.size());
  }
}

LintResult FollowedRun::Finish(bool has_calls) {
  for (const std::unique_ptr<LiveInput>& input : inputs_) input->Finish();
  session_->SortByPlace();
  ReconcileLogsAndTraces(*session_);
  LintOptions options = options_;
  options.has_calls |= has_calls;
  Expected<LintResult> result = LintSession(options, *session_, program_files_.get());
  if (result) return std::move(*result);
  llvm::consumeError(result.takeError());
  return {};
}

std::vector<std::string> FollowedRun::alarm_gaps() const {
  std::vector<std::string> gaps;
  for (size_t i = 0; i < alarms_.size(); ++i) {
    const std::string alarm = "--alarm '" + alarms_[i].text + "' ";
    if (is_cut_[i]) {
      gaps.push_back(alarm + "counted the first " + std::to_string(kMaxStepsOfInput) +
                     " steps of an input only; a window of time has no end");
    } else if (is_blind_[i]) {
      gaps.push_back(alarm + "could not count: the logs contain no steps or times of such events");
    }
  }
  return gaps;
}

}  // namespace shapewise
