// Follows a run by analyzing it repeatedly: the current session with the content of unfinished
// records is copied, sorted and analyzed like any other, and what was reported before is left out.
// So the news are always those of `lint` on the data so far, and there is no second way of finding
// causes that could disagree.

#include "pipeline/followed_run.h"

#include <algorithm>
#include <utility>

namespace shapewise {

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
  ReportCauses(snapshot, news);
  ReportAlarms(snapshot, news);
  return news;
}

void FollowedRun::ReportCauses(const Session& snapshot, std::vector<RunNews>& news) {
  Expected<LintResult> result = LintSession(options_, snapshot);
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

LintResult FollowedRun::Finish() {
  for (const std::unique_ptr<LiveInput>& input : inputs_) input->Finish();
  session_->SortByPlace();
  Expected<LintResult> result = LintSession(options_, *session_);
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
