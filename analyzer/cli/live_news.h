// `shapewise run --live`: news of a run whose files appear one by one.

#ifndef SHAPEWISE_CLI_LIVE_NEWS_H_
#define SHAPEWISE_CLI_LIVE_NEWS_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "cli/run_folder.h"
#include "shapewise/pipeline/followed_run.h"
#include "shapewise/support/error.h"
#include "shapewise/support/growing_file.h"

namespace shapewise {

/// Reads on in the files of a run, and prints on stderr what is new.
class LiveNews {
 public:
  /// `folder` outlives it. Error: a selector that fits no rule.
  static Expected<std::unique_ptr<LiveNews>> Make(const RunFolder& folder,
                                                  const LintOptions& options);

  /// Reads what has come, and tells of it unless it was told a moment ago. A file that cannot be
  /// read is left alone.
  void Look();

  /// Reads what is left. Called once, last.
  LintResult Finish();

  const Session& session() const { return run_->session(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Followed {
    std::unique_ptr<GrowingFile> file;
    size_t input = 0;
  };

  explicit LiveNews(const RunFolder& folder) : folder_(folder) {}
  /// Whether anything came.
  bool ReadAll();

  const RunFolder& folder_;
  std::unique_ptr<FollowedRun> run_;
  std::map<std::string, Followed> files_;
  Clock::time_point last_bytes_;
  Clock::time_point next_look_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_LIVE_NEWS_H_
