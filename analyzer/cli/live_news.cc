#include "cli/live_news.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/follow_pace.h"
#include "llvm/Support/raw_ostream.h"
#include "report/report.h"

namespace shapewise {
namespace {}  // namespace

Expected<std::unique_ptr<LiveNews>> LiveNews::Make(const RunFolder& folder,
                                                   const LintOptions& options) {
  Expected<std::unique_ptr<FollowedRun>> run = FollowedRun::Make(options, {});
  if (!run) return run.takeError();
  std::unique_ptr<LiveNews> news(new LiveNews(folder));
  news->run_ = std::move(*run);
  news->last_bytes_ = news->next_look_ = Clock::now();
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
  Clock::time_point now = Clock::now();
  if (ReadAll()) last_bytes_ = now;
  const bool is_quiet = now - last_bytes_ >= kQuiet;
  if (!is_quiet && now < next_look_) return;
  for (const RunNews& item : run_->Update(is_quiet)) {
    PrintNews(item, /*as_json=*/false, llvm::errs());
  }
  const Clock::time_point done = Clock::now();
  next_look_ = done + std::max<Clock::duration>(kPause, (done - now) * kRestShare);
}

LintResult LiveNews::Finish() {
  while (ReadAll()) {
  }
  return run_->Finish();
}

}  // namespace shapewise
