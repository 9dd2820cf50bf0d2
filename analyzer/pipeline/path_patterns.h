// Patterns that exclude files and folders.

#ifndef SHAPEWISE_PIPELINE_PATH_PATTERNS_H_
#define SHAPEWISE_PIPELINE_PATH_PATTERNS_H_

#include <deque>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include "support/error.h"

namespace shapewise {

/// Patterns as described in CodeSelection::exclude.
class PathPatterns {
 public:
  PathPatterns(PathPatterns&&) = default;
  PathPatterns& operator=(PathPatterns&&) = default;

  /// Error: an invalid pattern.
  static Expected<PathPatterns> Make(const std::vector<std::string>& patterns);

  /// Whether a pattern matches `path` or one of its parent folders.
  bool Match(llvm::StringRef path) const;
  /// Whether a pattern matches `path` itself, or its last component.
  bool MatchLast(llvm::StringRef path) const;

 private:
  PathPatterns() = default;

  std::deque<std::string> texts_;  ///< texts that the patterns refer to
  std::vector<llvm::GlobPattern> of_names_;
  std::vector<llvm::GlobPattern> of_paths_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PATH_PATTERNS_H_
