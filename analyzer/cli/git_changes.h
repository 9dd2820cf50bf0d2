// Reads a change from git: the lines it touches, and the previous text.

#ifndef SHAPEWISE_CLI_GIT_CHANGES_H_
#define SHAPEWISE_CLI_GIT_CHANGES_H_

#include <optional>
#include <string>
#include <vector>

#include "pipeline/code_changes.h"
#include "pipeline/code_inputs.h"
#include "support/error.h"

namespace shapewise {

/// Whether git knows a commit with this name in the working directory. False without git.
bool IsCommit(const std::string& name);

/// The change from a commit to the current files, committed or not.
class GitChange {
 public:
  struct Request {
    std::string base;                ///< a branch, tag or commit
    std::vector<std::string> paths;  ///< files and folders of the check, in one repository
    bool with_untracked = true;      ///< files that git does not track are part of the change
  };

  /// The change is relative to the merge base if it is known, like in a pull request. HEAD before
  /// the first commit is an empty tree. Error: git is missing, the paths are not in one repository,
  /// or the commit does not exist.
  static Expected<GitChange> Since(const Request& request);

  /// The changed lines, by the paths of `inputs`.
  ChangedLines LinesOf(const CodeInputs& inputs) const;

  /// The number of checked files that the change touches.
  uint64_t NumChanged(const CodeInputs& inputs) const;

  /// The code of `inputs` before the change: changed files with their old text, without new files,
  /// with deleted ones. Error: git fails.
  Expected<CodeInputs> Before(const CodeInputs& inputs) const;

 private:
  /// Sets root_ to the repository of `paths`.
  Error FindRoot(const std::vector<std::string>& paths);
  /// Runs git at the root and returns its output; absent: git failed.
  Expected<std::optional<std::string>> AskAtRoot(std::vector<std::string> arguments) const;
  /// `path`, relative to the working directory, as git names it.
  std::string InRepository(const std::string& path) const;
  /// How the check would name the deleted file `path`, given by its name in git; absent: not below
  /// a folder that the check reads.
  std::optional<std::string> PathOfDeleted(const std::string& path, const CodeInputs& inputs) const;
  const ChangedFile* FindAfter(const std::string& path) const;

  std::string git_;
  std::string root_;    ///< root of the repository, without links
  std::string commit_;  ///< the commit before the change
  std::vector<ChangedFile> files_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_GIT_CHANGES_H_
