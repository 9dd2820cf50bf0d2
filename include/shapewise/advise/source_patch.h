// The plan as a unified diff against the user's sources, where the place of an edit is certain.

#ifndef SHAPEWISE_ADVISE_SOURCE_PATCH_H_
#define SHAPEWISE_ADVISE_SOURCE_PATCH_H_

#include <functional>
#include <optional>
#include <string>

#include "shapewise/result/advice.h"

namespace shapewise {

/// A file of the user's.
struct SourceText {
  std::string name;  ///< as the patch is to call it, relative
  std::string text;
};

/// Reads the file that a log calls `path`; absent: it is not here.
using ReadSource = std::function<std::optional<SourceText>(const std::string& path)>;

/// Puts the actions of the plan into the files that `read` gives. An edit is made only where the
/// file has the function at the line that the log names, and the place is certain without knowing
/// Python: everything else is skipped and told.
SourcePatch PatchSources(const Advice& advice, const ReadSource& read);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_SOURCE_PATCH_H_
