// Caches analyses of code in the project, so that the same code is not analyzed twice.

#ifndef SHAPEWISE_CLI_CHECK_CACHE_H_
#define SHAPEWISE_CLI_CHECK_CACHE_H_

#include <optional>
#include <string>

#include "pipeline/check.h"

namespace shapewise {

/// A folder with one file per analysis, named by its key. Safe for concurrent use: files are
/// replaced atomically. If anything goes wrong, the result is only slower.
class CheckCache {
 public:
  /// `folder` is created when the first analysis is stored.
  explicit CheckCache(std::string folder) : folder_(std::move(folder)) {}

  /// The analysis stored under `key`; absent: none, or damaged.
  std::optional<CodeAnalysis> Find(const std::string& key) const;

  /// Stores `analysis`, and removes the least recently stored ones if there are too many.
  void Keep(const std::string& key, const CodeAnalysis& analysis) const;

 private:
  void DropOldest() const;

  std::string folder_;
};

/// Identifies this build of the program: its version, and the size and time of its file.
std::string ProgramStamp();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_CACHE_H_
