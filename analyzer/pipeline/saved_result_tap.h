// Extracts saved results from the inputs of a run.

#ifndef SHAPEWISE_PIPELINE_SAVED_RESULT_TAP_H_
#define SHAPEWISE_PIPELINE_SAVED_RESULT_TAP_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/text_input.h"

namespace shapewise {

/// Passes files through, except saved results (LooksSaved): their text is stored, and the sink
/// receives nothing. So every file or pipe is read once.
class SavedResultTap final : public FileSource {
 public:
  struct Saved {
    std::string name;
    std::string text;  ///< truncated after kMaxSavedBytes, which is too long anyway
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

  /// Sorted by name; complete after reading.
  const std::vector<Saved>& saved() const { return saved_; }

 private:
  FileSource& files_;
  std::mutex mutex_;  ///< protects saved_: several threads read
  std::vector<Saved> saved_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_SAVED_RESULT_TAP_H_
