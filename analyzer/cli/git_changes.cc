#include "cli/git_changes.h"

#include <algorithm>
#include <utility>

#include "cli/child_program.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Runs git and returns its output; absent: non-zero exit status, with git's message on stderr
/// unless `is_silent`. Only plumbing commands are used, because most user settings do not affect
/// their output.
Expected<std::optional<std::string>> AskGit(const std::string& git,
                                            std::vector<std::string> arguments,
                                            bool is_silent = false) {
  llvm::SmallString<128> output;
  if (const std::error_code code = llvm::sys::fs::createTemporaryFile("shapewise", "git", output)) {
    return MakeError("cannot make a temporary file: " + code.message());
  }
  const llvm::FileRemover remover(output);
  Expected<int> status =
      RunProgram({git, std::move(arguments), {}, std::string(output), is_silent});
  if (!status) return status.takeError();
  if (*status != 0) return std::nullopt;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(output);
  if (!text) return MakeError("cannot read what git said: " + text.getError().message());
  return (*text)->getBuffer().str();
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

bool IsCommit(const std::string& name) {
  if (name.empty() || name.starts_with("-")) return false;
  Expected<std::string> git = FindProgram("git");
  if (!git) {
    llvm::consumeError(git.takeError());
    return false;
  }
  Expected<std::optional<std::string>> commit =
      AskGit(*git, {"rev-parse", "--verify", "--quiet", name + "^{commit}"}, /*is_silent=*/true);
  if (commit) return commit->has_value();
  llvm::consumeError(commit.takeError());
  return false;
}

Expected<GitChange> GitChange::Since(const Request& request) {
  GitChange change;
  const std::string& base = request.base;
  if (base.starts_with("-")) return MakeError("--diff: '" + base + "' is no commit");
  Expected<std::string> git = FindProgram("git");
  if (!git) return MakeError("--diff needs git: " + llvm::toString(git.takeError()));
  change.git_ = *git;
  if (Error error = change.FindRoot(request.paths)) return error;
  Expected<std::optional<std::string>> commit =
      change.AskAtRoot({"rev-parse", "--verify", "--quiet", base + "^{commit}"});
  if (!commit) return commit.takeError();
  if (!*commit && base == "HEAD") {
    // Before the first commit, everything is new.
    commit = change.AskAtRoot({"hash-object", "-t", "tree", "/dev/null"});
    if (!commit) return commit.takeError();
    if (*commit) change.commit_ = FirstLine(**commit);
  } else if (*commit) {
    change.commit_ = FirstLine(**commit);
    // A shallow clone may not contain the merge base.
    Expected<std::optional<std::string>> parted =
        change.AskAtRoot({"merge-base", change.commit_, "HEAD"});
    if (!parted) return parted.takeError();
    if (*parted) change.commit_ = FirstLine(**parted);
  }
  if (!*commit) return MakeError("--diff: git knows no commit '" + base + "'");

  // Attributes may declare code as binary or configure a viewer: request its text.
  Expected<std::optional<std::string>> diff = change.AskAtRoot(
      {"diff-index", "--patch", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
       "--text", "--find-renames", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
       "--submodule=short", change.commit_, "--"});
  if (!diff) return diff.takeError();
  if (!*diff) return MakeError("--diff: git could not compare with '" + base + "'");
  change.files_ = ParseDiff(**diff);

  if (!request.with_untracked) return change;
  // Untracked files are new, too.
  Expected<std::optional<std::string>> others =
      change.AskAtRoot({"ls-files", "--others", "--exclude-standard", "-z"});
  if (!others) return others.takeError();
  llvm::SmallVector<llvm::StringRef, 16> names;
  if (*others) llvm::StringRef(**others).split(names, '\0', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef name : names) {
    change.files_.push_back({"", name.str(), {{1, UINT32_MAX - 1, 0}}});
  }
  return change;
}

Error GitChange::FindRoot(const std::vector<std::string>& paths) {
  // The root of the repository of `folder`, without links; empty: none.
  const auto root_of = [&](const std::string& folder) -> Expected<std::string> {
    std::vector<std::string> arguments = {"rev-parse", "--show-toplevel"};
    // In a hook, GIT_DIR may be relative to the working directory.
    if (!folder.empty()) arguments.insert(arguments.begin(), {"-C", folder});
    Expected<std::optional<std::string>> root =
        AskGit(git_, std::move(arguments), /*is_silent=*/true);
    if (!root) return root.takeError();
    if (!*root) return "";
    llvm::SmallString<256> real;
    if (llvm::sys::fs::real_path(FirstLine(**root), real)) {
      return MakeError("--diff: " + FirstLine(**root) + " cannot be found");
    }
    return std::string(real);
  };
  Expected<std::string> here = root_of("");
  if (!here) return here.takeError();
  root_ = std::move(*here);
  bool is_used = false;
  for (const std::string& path : paths) {
    llvm::StringRef folder = path == "-" ? "." : llvm::StringRef(path);
    if (!llvm::sys::fs::is_directory(folder)) folder = llvm::sys::path::parent_path(folder);
    if (folder.empty()) folder = ".";
    llvm::SmallString<256> real;
    const bool is_found = !llvm::sys::fs::real_path(folder, real);
    llvm::StringRef rest = real;
    if (is_found && !root_.empty() && rest.consume_front(root_) &&
        (rest.empty() || root_ == "/" || std::string_view(rest).starts_with('/'))) {
      is_used = true;
      continue;
    }
    if (is_used) return MakeError("--diff: " + path + " is not in the git repository " + root_);
    Expected<std::string> root = root_of(folder.str());
    if (!root) return root.takeError();
    root_ = std::move(*root);
    if (root_.empty()) {
      return MakeError("--diff: " + (folder == "." ? "the current folder" : folder.str()) +
                       " is not in a git repository");
    }
    is_used = true;
  }
  return Error::success();
}

Expected<std::optional<std::string>> GitChange::AskAtRoot(
    std::vector<std::string> arguments) const {
  // Paths in a patch are relative to the root only if git runs there.
  arguments.insert(arguments.begin(), {"-C", root_});
  return AskGit(git_, std::move(arguments));
}

std::string GitChange::InRepository(const std::string& path) const {
  llvm::SmallString<256> real;
  // A file from standard input need not exist.
  if (llvm::sys::fs::real_path(path, real)) {
    real = path;
    // If the working directory does not exist, the path stays as given.
    (void)llvm::sys::fs::make_absolute(real);
    llvm::sys::path::remove_dots(real, /*remove_dot_dot=*/true);
  }
  llvm::StringRef rest = real;
  if (!rest.consume_front(root_) || (root_ != "/" && !rest.consume_front("/"))) return {};
  return rest.ltrim('/').str();
}

std::optional<std::string> GitChange::PathOfDeleted(const std::string& path,
                                                    const CodeInputs& inputs) const {
  for (const PythonFile& file : inputs.files) {
    const std::string sibling = InRepository(file.path);
    const std::string_view folder = FolderOf(sibling);
    if (sibling.empty() || (!folder.empty() && !path.starts_with(std::string(folder) + "/"))) {
      continue;
    }
    std::string whole(FolderOf(file.path));
    if (!whole.empty() && whole.back() != '/') whole += '/';
    return whole + path.substr(folder.empty() ? 0 : folder.size() + 1);
  }
  return std::nullopt;
}

const ChangedFile* GitChange::FindAfter(const std::string& path) const {
  const auto found = std::ranges::find(files_, path, &ChangedFile::after);
  return path.empty() || found == files_.end() ? nullptr : &*found;
}

ChangedLines GitChange::LinesOf(const CodeInputs& inputs) const {
  ChangedLines lines;
  for (const PythonFile& file : inputs.files) {
    const ChangedFile* changed = FindAfter(InRepository(file.path));
    if (changed != nullptr) lines.Add(file.path, changed->blocks);
  }
  for (const CodeFault& fault : inputs.faults) {
    const ChangedFile* changed = FindAfter(InRepository(fault.file));
    if (changed != nullptr) lines.AddAll(fault.file);
  }
  return lines;
}

uint64_t GitChange::NumChanged(const CodeInputs& inputs) const {
  return static_cast<uint64_t>(std::ranges::count_if(inputs.files, [&](const PythonFile& file) {
    return file.is_checked && FindAfter(InRepository(file.path)) != nullptr;
  }));
}

Expected<CodeInputs> GitChange::Before(const CodeInputs& inputs) const {
  const auto text_before = [&](const std::string& path) {
    return AskAtRoot({"cat-file", "blob", commit_ + ":" + path});
  };
  CodeInputs before;
  before.num_files = inputs.num_files;
  for (const PythonFile& file : inputs.files) {
    const ChangedFile* changed = FindAfter(InRepository(file.path));
    if (changed == nullptr) {
      before.files.push_back(file);
      continue;
    }
    if (changed->before.empty()) continue;
    Expected<std::optional<std::string>> text = text_before(changed->before);
    if (!text) return text.takeError();
    // Under its current name, so that functions of a moved file keep their identity.
    if (*text) {
      if (auto old = CodeInputs::FileOf(file.path, **text, file.is_checked)) {
        old->is_named = file.is_named;
        before.files.push_back(std::move(*old));
      }
    }
  }
  // Deleted files count if they are below a folder of the check; the path of that folder is their
  // prefix.
  for (const ChangedFile& gone : files_) {
    if (!gone.after.empty() || !gone.before.ends_with(".py")) continue;
    const std::optional<std::string> path = PathOfDeleted(gone.before, inputs);
    if (!path) continue;
    Expected<std::optional<std::string>> text = text_before(gone.before);
    if (!text) return text.takeError();
    if (!*text) continue;
    if (auto old = CodeInputs::FileOf(*path, **text, /*is_checked=*/true)) {
      before.files.push_back(std::move(*old));
    }
  }
  std::ranges::sort(before.files, {}, &PythonFile::path);
  return before;
}

}  // namespace shapewise
