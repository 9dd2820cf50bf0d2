// Writes the plan as a unified diff of the user's sources, where the place of an edit is certain.

#ifndef SHAPEWISE_ADVISE_SOURCE_PATCH_H_
#define SHAPEWISE_ADVISE_SOURCE_PATCH_H_

#include <functional>
#include <optional>
#include <string>

#include "result/advice.h"

namespace shapewise {

/// A source file of the user.
struct SourceText {
  std::string name;  ///< relative path used in the patch
  std::string text;
};

/// Reads the file that a log calls `path`; absent: the file is not on this machine.
using ReadSource = std::function<std::optional<SourceText>(const std::string& path)>;

/// Applies the actions of the plan to the files that `read` returns. An edit is made only if the
/// file defines the function at the line that the log names and the place is certain without
/// parsing Python. Skipped actions are listed with a reason.
SourcePatch PatchSources(const Advice& advice, const ReadSource& read);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_SOURCE_PATCH_H_
