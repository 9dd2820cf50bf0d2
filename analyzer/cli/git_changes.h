// What git says of a change: which lines it touches, and what stood there before.

#ifndef SHAPEWISE_CLI_GIT_CHANGES_H_
#define SHAPEWISE_CLI_GIT_CHANGES_H_

#include <optional>
#include <string>
#include <vector>

#include "shapewise/pipeline/code_changes.h"
#include "shapewise/pipeline/code_inputs.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Whether git, where the program runs, knows a commit of this name. False without git.
bool IsCommit(const std::string& name);

/// The change from a commit to the files as they are now, saved or not.
class GitChange {
 public:
  /// `base`: a branch, tag or commit. The change is taken from where the two lines of history part,
  /// as a pull request shows it, where that is known. Error: git is not there, this is no
  /// repository, or there is no such commit.
  static Expected<GitChange> Since(const std::string& base);

  /// The lines that are new, by the paths of `inputs`.
  ChangedLines LinesOf(const CodeInputs& inputs) const;

  /// The code of `inputs` as it was before: changed files with their old text, new ones left out,
  /// deleted ones there. Error: git cannot say.
  Expected<CodeInputs> Before(const CodeInputs& inputs) const;

 private:
  /// `path`, which is seen from here, as git names it.
  std::string InRepository(const std::string& path) const;
  /// How the check would name the deleted file `path`, which git names so; absent: it is not below
  /// a folder in which the check reads files.
  std::optional<std::string> PathOfDeleted(const std::string& path, const CodeInputs& inputs) const;
  const ChangedFile* FindAfter(const std::string& path) const;

  std::string git_;
  std::string root_;    ///< of the repository, without links
  std::string commit_;  ///< before the change
  std::vector<ChangedFile> files_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_GIT_CHANGES_H_
