#include "pipeline/path_patterns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

namespace shapewise {
namespace {

llvm::StringRef WithoutDot(llvm::StringRef path) {
  while (path.consume_front("./")) path = path.ltrim('/');
  return path;
}

}  // namespace

Expected<PathPatterns> PathPatterns::Make(const std::vector<std::string>& patterns) {
  PathPatterns made;
  for (const std::string& pattern : patterns) {
    const llvm::StringRef text = WithoutDot(llvm::StringRef(pattern).rtrim('/'));
    if (text.empty()) continue;
    Expected<llvm::GlobPattern> glob =
        llvm::GlobPattern::create(made.texts_.emplace_back(text.str()));
    if (!glob) {
      return MakeError("exclude: '" + pattern + "': " + llvm::toString(glob.takeError()));
    }
    (text.contains('/') ? made.of_paths_ : made.of_names_).push_back(*glob);
  }
  return made;
}

bool PathPatterns::MatchLast(llvm::StringRef path) const {
  path = WithoutDot(path);
  const llvm::StringRef name = llvm::sys::path::filename(path);
  const auto fits = [](llvm::StringRef text) {
    return [text](const llvm::GlobPattern& pattern) { return pattern.match(text); };
  };
  return llvm::any_of(of_names_, fits(name)) || llvm::any_of(of_paths_, fits(path));
}

bool PathPatterns::Match(llvm::StringRef path) const {
  for (; !path.empty(); path = llvm::sys::path::parent_path(path)) {
    if (MatchLast(path)) return true;
  }
  return false;
}

}  // namespace shapewise
