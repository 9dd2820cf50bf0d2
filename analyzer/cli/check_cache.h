// What was said of code before, kept beside the project: the same code is not analysed twice.

#ifndef SHAPEWISE_CLI_CHECK_CACHE_H_
#define SHAPEWISE_CLI_CHECK_CACHE_H_

#include <optional>
#include <string>

#include "shapewise/pipeline/check.h"

namespace shapewise {

/// A folder with one file an analysis, named by its key. Programs that use it at once do not
/// disturb one another: a file is there whole or not at all. Whatever goes wrong with it, the
/// answer is only slower.
class CheckCache {
 public:
  /// `folder` is made when the first analysis is kept.
  explicit CheckCache(std::string folder) : folder_(std::move(folder)) {}

  /// What was kept under `key`; absent: nothing, or it is damaged.
  std::optional<CodeAnalysis> Find(const std::string& key) const;

  /// Keeps `analysis`, and drops what has not been kept anew for longest where there is too much.
  void Keep(const std::string& key, const CodeAnalysis& analysis) const;

 private:
  void DropOldest() const;

  std::string folder_;
};

/// What tells this build of the program from others: its version, and size and time of its file.
std::string ProgramStamp();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_CACHE_H_
