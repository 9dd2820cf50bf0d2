// Patterns that leave files and folders out.

#ifndef SHAPEWISE_PIPELINE_PATH_PATTERNS_H_
#define SHAPEWISE_PIPELINE_PATH_PATTERNS_H_

#include <deque>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// A few patterns, as CodeSelection::exclude describes them.
class PathPatterns {
 public:
  PathPatterns(PathPatterns&&) = default;
  PathPatterns& operator=(PathPatterns&&) = default;

  /// Error: one of them cannot be read.
  static Expected<PathPatterns> Make(const std::vector<std::string>& patterns);

  /// Whether one fits `path` or a folder that it lies in.
  bool Match(llvm::StringRef path) const;
  /// Whether one fits `path` itself, or the last part of it.
  bool MatchLast(llvm::StringRef path) const;

 private:
  PathPatterns() = default;

  std::deque<std::string> texts_;  ///< which the patterns look into
  std::vector<llvm::GlobPattern> of_names_;
  std::vector<llvm::GlobPattern> of_paths_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PATH_PATTERNS_H_
