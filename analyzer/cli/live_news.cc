#include "cli/live_news.h"

#include <string_view>
#include <utility>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "report/report.h"

namespace shapewise {
Expected<std::unique_ptr<LiveNews>> LiveNews::Make(const RunFolder& folder,
                                                   const LintOptions& options) {
  Expected<std::unique_ptr<FollowedRun>> run = FollowedRun::Make(options, {});
  if (!run) return run.takeError();
  std::unique_ptr<LiveNews> news(new LiveNews(folder));
  news->run_ = std::move(*run);
  return news;
}

bool LiveNews::ReadAll() {
  for (const std::string& path : folder_.Files()) {
    const auto [known, is_new] = files_.try_emplace(path);
    if (is_new) known->second = {std::make_unique<GrowingFile>(path), run_->AddInput(path)};
  }
  bool has_more = false;
  for (auto& [path, followed] : files_) {
    if (followed.file == nullptr) continue;
    Expected<std::string_view> bytes = followed.file->ReadMore();
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      followed.file.reset();
      continue;
    }
    if (bytes->empty()) continue;
    has_more = true;
    run_->Append(followed.input, *bytes);
  }
  return has_more;
}

void LiveNews::Look() {
  bool has_more = true;
  FollowPace::Clock::time_point now;
  // A busy program always has more by the next call, so what is there is read now.
  do {
    has_more = ReadAll();
    now = FollowPace::Clock::now();
    pace_.HaveRead(has_more, now);
  } while (has_more && !pace_.IsDue(now));
  if (!pace_.IsDue(now)) return;
  for (const RunNews& item : run_->Update(pace_.IsQuiet(now))) {
    PrintNews(item, /*as_json=*/false, llvm::errs());
  }
  pace_.HaveLooked(now, FollowPace::Clock::now());
}

LintResult LiveNews::Finish() {
  while (ReadAll()) {
  }
  return run_->Finish();
}

}  // namespace shapewise
