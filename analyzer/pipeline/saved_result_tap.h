// Catches saved results among the inputs of a run.

#ifndef SHAPEWISE_PIPELINE_SAVED_RESULT_TAP_H_
#define SHAPEWISE_PIPELINE_SAVED_RESULT_TAP_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "shapewise/support/text_input.h"

namespace shapewise {

/// Passes files on as they are, except for those that LooksSaved: their text is kept, and the sink
/// is given nothing. So every file, and every pipe, is read once.
class SavedResultTap final : public FileSource {
 public:
  struct Saved {
    std::string name;
    std::string text;  ///< cut behind kMaxSavedBytes, which is too long anyhow
  };

  /// `files` must outlive this.
  explicit SavedResultTap(FileSource& files) : files_(files) {}

  Expected<std::vector<std::string>> Expand(const std::string& path) override {
    return files_.Expand(path);
  }
  Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override;
  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) override {
    return files_.Open(path);
  }

  /// By name, once all is read.
  const std::vector<Saved>& saved() const { return saved_; }

 private:
  FileSource& files_;
  std::mutex mutex_;  ///< of saved_: several threads read
  std::vector<Saved> saved_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SAVED_RESULT_TAP_H_
