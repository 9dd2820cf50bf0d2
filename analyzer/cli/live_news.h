// `shapewise run --live`: news of a run whose files appear while it runs.

#ifndef SHAPEWISE_CLI_LIVE_NEWS_H_
#define SHAPEWISE_CLI_LIVE_NEWS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "cli/follow_pace.h"
#include "cli/run_folder.h"
#include "pipeline/followed_run.h"
#include "support/error.h"
#include "support/growing_file.h"

namespace shapewise {

/// Reads new data in the files of a run, and prints news to stderr.
class LiveNews {
 public:
  /// `folder` must outlive this. Error: a selector that matches no rule.
  static Expected<std::unique_ptr<LiveNews>> Make(const RunFolder& folder,
                                                  const LintOptions& options);

  /// Reads new data and prints news, unless it did so a moment ago. Unreadable files are ignored.
  void Look();

  /// Reads the rest. Call once, last.
  LintResult Finish();

  const Session& session() const { return run_->session(); }

 private:
  struct Followed {
    std::unique_ptr<GrowingFile> file;
    size_t input = 0;
  };

  explicit LiveNews(const RunFolder& folder) : folder_(folder) {}
  /// Reads all files; returns whether there was any data.
  bool ReadAll();

  const RunFolder& folder_;
  std::unique_ptr<FollowedRun> run_;
  std::map<std::string, Followed> files_;
  FollowPace pace_{FollowPace::Clock::now()};
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_LIVE_NEWS_H_
