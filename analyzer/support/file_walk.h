// Searches folders for files of one kind, skipping unwanted folders.

#ifndef SHAPEWISE_SUPPORT_FILE_WALK_H_
#define SHAPEWISE_SUPPORT_FILE_WALK_H_

#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "support/error.h"

namespace shapewise {

/// The regular files below `folder`, including links to files, in byte order of their paths.
/// `wanted` is called with the path of each file and folder; unwanted folders are skipped, and so
/// are links to folders, which prevents loops. A subfolder that cannot be read is in the result, so
/// that reading it reports the error. Error: `folder` cannot be read.
Expected<std::vector<std::string>> WalkFiles(
    const std::string& folder,
    llvm::function_ref<bool(llvm::StringRef path, bool is_folder)> wanted);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_FILE_WALK_H_
