// Follows a run that is still going on, and reports causes as they appear, and alarms: too many
// events in too short a time.

#ifndef SHAPEWISE_PIPELINE_FOLLOWED_RUN_H_
#define SHAPEWISE_PIPELINE_FOLLOWED_RUN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ingest/reader.h"
#include "model/session.h"
#include "pipeline/lint.h"
#include "result/finding.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// A parsed alarm, such as "3 recompiles in 100 steps".
struct Alarm {
  uint64_t count = 0;
  EventKind kind = EventKind::kRecompile;
  double window = 0;  ///< steps or seconds
  bool in_steps = false;
  std::string text;  ///< as given
};

/// Parses "K recompiles|limits|breaks in N steps" or "... in Ns", "Nm", "Nh". Error: anything else;
/// the message shows the expected form.
Expected<Alarm> ParseAlarm(std::string_view text);

/// A moment at which an alarm goes off.
struct AlarmMoment {
  size_t event = 0;    ///< index into Session::events() of the event that exceeded the limit
  uint64_t count = 0;  ///< events in the window that ends with it
};

/// What an alarm found in a session.
struct AlarmResult {
  std::vector<AlarmMoment> moments;  ///< by input and line
  bool is_blind = false;             ///< such events exist, but their step or time is unknown
  bool is_cut = false;               ///< such events exist after the last stored step
};

/// Finds where `alarm` goes off in the sorted `session`: at each event with `count` events of one
/// process within the window, and then not again until there were fewer. Steps are those that the
/// log prints (of the same rank, if ranks print them); times are those of log lines.
AlarmResult FindAlarms(const Session& session, const Alarm& alarm);

/// What was read of a run so far. Reads no clock and no file: the caller passes bytes and decides
/// when to check for news.
class FollowedRun {
 public:
  /// Error: a selector that matches no rule. `options.paths` is ignored.
  static Expected<std::unique_ptr<FollowedRun>> Make(const LintOptions& options,
                                                     std::vector<Alarm> alarms);

  /// Adds an input and returns its number.
  size_t AddInput(const std::string& name);

  /// Adds the next bytes of an input, split anywhere.
  void Append(size_t input, std::string_view bytes);

  /// Returns what is new since the last call: causes first, worst first. An unfinished record is
  /// skipped while bytes keep arriving, because half of it could name the wrong cause; with
  /// `is_quiet` it is used as it is. Costs as much as analyzing the whole run, and nothing if no
  /// bytes arrived.
  std::vector<RunNews> Update(bool is_quiet);

  /// Closes the inputs; nothing may be appended after this. `has_calls`: as in LintOptions.
  LintResult Finish(bool has_calls = false);

  /// Everything that was read; call after Finish().
  const Session& session() const { return *session_; }

  /// One sentence, without a full stop, for each alarm that could not count all of its events,
  /// because their time is unknown or too many steps preceded them.
  std::vector<std::string> alarm_gaps() const;

 private:
  FollowedRun(const LintOptions& options, std::vector<Alarm> alarms);

  /// The state of a cause when it was last reported.
  struct ReportedState {
    Severity severity = Severity::kNote;
    bool runs_eager = false;
  };
  void ReportCauses(const Session& snapshot, std::vector<RunNews>& news);
  void ReportAlarms(const Session& snapshot, std::vector<RunNews>& news);

  const LintOptions options_;
  const std::vector<Alarm> alarms_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<FileSource> program_files_ = NewDiskFileSource();
  std::vector<std::unique_ptr<LiveInput>> inputs_;
  std::map<std::string, ReportedState> reported_;  ///< by fingerprint
  std::vector<size_t> num_moments_reported_;
  std::vector<bool> is_blind_;
  std::vector<bool> is_cut_;
  /// Sizes of the session's tables at the last check.
  std::tuple<size_t, size_t, size_t> looked_at_;
  bool has_new_bytes_ = false;  ///< since the last check that included open records
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_FOLLOWED_RUN_H_
