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

namespace shapewise {
namespace {

/// What git prints; absent: it says no. Its own words of why stand on stderr.
Expected<std::optional<std::string>> AskGit(const std::string& git,
                                            std::vector<std::string> arguments) {
  llvm::SmallString<128> output;
  if (const std::error_code code = llvm::sys::fs::createTemporaryFile("shapewise", "git", output)) {
    return MakeError("cannot make a temporary file: " + code.message());
  }
  const llvm::FileRemover remover(output);
  // What a user has set up for diffs would change their form.
  std::vector<std::string> all = {"-c", "core.quotePath=false",     "-c", "diff.noprefix=false",
                                  "-c", "diff.mnemonicPrefix=false"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Expected<int> status = RunProgram({git, std::move(all), {}, std::string(output)});
  if (!status) return status.takeError();
  if (*status != 0) return std::nullopt;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(output);
  if (!text) return MakeError("cannot read what git said: " + text.getError().message());
  return (*text)->getBuffer().str();
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Expected<GitChange> GitChange::Since(const std::string& base) {
  GitChange change;
  if (base.starts_with("-")) {
    return MakeError("--diff: '" + base + "' is no commit");
  }
  Expected<std::string> git = FindProgram("git");
  if (!git) return MakeError("--diff needs git: " + llvm::toString(git.takeError()));
  change.git_ = *git;
  const auto ask = [&](std::vector<std::string> arguments) {
    return AskGit(change.git_, std::move(arguments));
  };

  Expected<std::optional<std::string>> root = ask({"rev-parse", "--show-toplevel"});
  if (!root) return root.takeError();
  if (!*root) return MakeError("--diff: this is no git repository");
  llvm::SmallString<256> real_root;
  if (llvm::sys::fs::real_path(FirstLine(**root), real_root)) {
    return MakeError("--diff: " + FirstLine(**root) + " cannot be found");
  }
  change.root_ = std::string(real_root);

  Expected<std::optional<std::string>> commit =
      ask({"rev-parse", "--verify", "--quiet", base + "^{commit}"});
  if (!commit) return commit.takeError();
  if (!*commit) return MakeError("--diff: git knows no commit '" + base + "'");
  change.commit_ = FirstLine(**commit);
  // A shallow clone may not hold the commit where the histories part.
  Expected<std::optional<std::string>> parted = ask({"merge-base", change.commit_, "HEAD"});
  if (!parted) return parted.takeError();
  if (*parted) change.commit_ = FirstLine(**parted);

  Expected<std::optional<std::string>> diff =
      ask({"diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
           "--src-prefix=a/", "--dst-prefix=b/", change.commit_});
  if (!diff) return diff.takeError();
  if (!*diff) return MakeError("--diff: git could not compare with '" + base + "'");
  change.files_ = ParseDiff(**diff);

  // What git does not know of yet is new as well.
  Expected<std::optional<std::string>> others =
      ask({"-C", change.root_, "ls-files", "--others", "--exclude-standard", "-z"});
  if (!others) return others.takeError();
  llvm::SmallVector<llvm::StringRef, 16> names;
  if (*others) llvm::StringRef(**others).split(names, '\0', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef name : names) {
    change.files_.push_back({"", name.str(), {{1, UINT32_MAX}}});
  }
  return change;
}

std::string GitChange::InRepository(const std::string& path) const {
  llvm::SmallString<256> real;
  // A file from standard input need not be there.
  if (llvm::sys::fs::real_path(path, real)) {
    real = path;
    // Without the folder it is run in, the path is as it was given.
    (void)llvm::sys::fs::make_absolute(real);
    llvm::sys::path::remove_dots(real, /*remove_dot_dot=*/true);
  }
  llvm::StringRef rest = real;
  if (!rest.consume_front(root_)) return {};
  return rest.ltrim('/').str();
}

const ChangedFile* GitChange::FindAfter(const std::string& path) const {
  const auto found = std::ranges::find(files_, path, &ChangedFile::after);
  return path.empty() || found == files_.end() ? nullptr : &*found;
}

ChangedLines GitChange::LinesOf(const CodeInputs& inputs) const {
  ChangedLines lines;
  for (const PythonFile& file : inputs.files) {
    const ChangedFile* changed = FindAfter(InRepository(file.path));
    if (changed != nullptr) lines.Add(file.path, changed->lines);
  }
  for (const CodeFault& fault : inputs.faults) {
    const ChangedFile* changed = FindAfter(InRepository(fault.file));
    if (changed != nullptr) lines.AddAll(fault.file);
  }
  return lines;
}

Expected<CodeInputs> GitChange::Before(const CodeInputs& inputs) const {
  const auto text_before = [&](const std::string& path) {
    return AskGit(git_, {"show", commit_ + ":" + path});
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
    // Under its name of now, so that functions of a file that moved are the same ones.
    if (*text) {
      if (auto old = CodeInputs::FileOf(file.path, **text, file.is_checked)) {
        before.files.push_back(std::move(*old));
      }
    }
  }
  for (const ChangedFile& gone : files_) {
    if (!gone.after.empty() || !gone.before.ends_with(".py")) continue;
    Expected<std::optional<std::string>> text = text_before(gone.before);
    if (!text) return text.takeError();
    if (!*text) continue;
    llvm::SmallString<256> path(root_);
    llvm::sys::path::append(path, gone.before);
    llvm::SmallString<256> here;
    if (!llvm::sys::fs::current_path(here) &&
        std::string_view(path.str()).starts_with(std::string_view(here.str())) &&
        path.size() > here.size() && path[here.size()] == '/') {
      path.erase(path.begin(), path.begin() + static_cast<ptrdiff_t>(here.size()) + 1);
    }
    if (auto old = CodeInputs::FileOf(std::string(path), **text, /*is_checked=*/true)) {
      before.files.push_back(std::move(*old));
    }
  }
  std::ranges::sort(before.files, {}, &PythonFile::path);
  return before;
}

}  // namespace shapewise
