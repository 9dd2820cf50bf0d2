// A run that still goes on, told cause by cause as they appear.

#ifndef SHAPEWISE_PIPELINE_FOLLOWED_RUN_H_
#define SHAPEWISE_PIPELINE_FOLLOWED_RUN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "shapewise/ingest/live_input.h"
#include "shapewise/pipeline/alarm.h"
#include "shapewise/pipeline/lint.h"
#include "shapewise/result/news.h"

namespace shapewise {

/// Holds what was read of a run so far. Reads no clock and no file: bytes are given to it, and
/// whoever gives them says when it is worth looking.
class FollowedRun {
 public:
  /// Error: a selector that fits no rule. `options.paths` is not looked at.
  static Expected<std::unique_ptr<FollowedRun>> Make(const LintOptions& options,
                                                     std::vector<Alarm> alarms);

  /// Adds an input and returns its number.
  size_t AddInput(const std::string& name);

  /// The next bytes of an input, cut anywhere.
  void Append(size_t input, std::string_view bytes);

  /// What is new since the last call, causes first, worst first. While bytes keep coming, a record
  /// that may go on is left alone: half of it could name the wrong cause. When it `is_quiet`, it is
  /// told as it stands. Costs as much as telling the whole run, and nothing if nothing has come.
  std::vector<RunNews> Update(bool is_quiet);

  /// Closes the inputs; beyond this call nothing is appended.
  LintResult Finish();

  /// After Finish(): everything that was read.
  const Session& session() const { return *session_; }

  /// One sentence, without a full stop, for each alarm that could not count all such events: it was
  /// never known when they came, or too many steps came before them.
  std::vector<std::string> alarm_gaps() const;

 private:
  FollowedRun(const LintOptions& options, std::vector<Alarm> alarms);

  /// How bad a cause was when it was told.
  struct Told {
    Severity severity = Severity::kNote;
    bool runs_eager = false;
  };
  void TellCauses(const Session& snapshot, std::vector<RunNews>& news);
  void TellAlarms(const Session& snapshot, std::vector<RunNews>& news);

  const LintOptions options_;
  const std::vector<Alarm> alarms_;
  std::unique_ptr<Session> session_;
  std::vector<std::unique_ptr<LiveInput>> inputs_;
  std::map<std::string, Told> told_;  ///< by fingerprint
  std::vector<size_t> num_moments_told_;
  std::vector<bool> is_blind_;
  std::vector<bool> is_cut_;
  /// Sizes of what the session held when it was looked at last.
  std::tuple<size_t, size_t, size_t> looked_at_;
  bool has_new_bytes_ = false;  ///< since the last look with open records
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_FOLLOWED_RUN_H_
