#include "pipeline/code_inputs.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "support/literal_set.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using llvm::StringRef;

// Larger files are not written by people.
constexpr size_t kMostBytes = size_t{1} << 25;

// Limits on imports from outside the paths: files, and steps.
constexpr size_t kMostImported = 2000;
constexpr unsigned kMostSteps = 4;

// Folders without code of the project. Hidden folders are skipped, too.
constexpr StringRef kForeignFolders[] = {"__pycache__",  "__pypackages__", "_build",
                                         "buck-out",     "build",          "dist",
                                         "node_modules", "site-packages",  "venv"};

bool IsNotebook(StringRef path) { return std::string_view(path).ends_with(".ipynb"); }

/// Whether the file has something that may run in a compiled region, or that matters to it.
bool CanMatter(std::string_view text) { return HasText(text, "torch") || HasText(text, "forward"); }

/// `path` from the root, without "." and "..".
llvm::SmallString<128> WholePath(StringRef path) {
  llvm::SmallString<128> whole(path);
  // Fails only if the working directory was deleted: then the path stays relative.
  (void)llvm::sys::fs::make_absolute(whole);
  llvm::sys::path::remove_dots(whole, /*remove_dot_dot=*/true);
  return whole;
}

/// Collects the files of one check.
class CodeInputReader {
 public:
  CodeInputReader(const CodeSelection& selection, FileSource& files)
      : selection_(selection), files_(files) {
    for (const std::string& path : selection.paths) named_.insert(WholePath(path));
  }

  CodeInputs Read(const std::vector<std::string>& paths);

 private:
  /// Absent: unreadable, or not Python; recorded as a fault if it is checked.
  std::optional<PythonFile> Load(const std::string& path, bool is_checked);
  /// Whether the user named this file, so that it is read whatever it contains.
  bool IsNamed(const std::string& path) const { return named_.contains(WholePath(path)); }
  void AddFault(const std::string& path, const std::string& message);
  void Keep(PythonFile file, unsigned steps);
  void FollowImports(const std::string& path, std::string_view text, unsigned steps);
  void AddImported(const std::string& path, unsigned steps);

  const CodeSelection& selection_;
  FileSource& files_;
  llvm::StringSet<> named_;  ///< whole paths
  ImportPaths import_paths_;
  CodeInputs inputs_;
  std::map<std::string, PythonFile> idle_;  ///< requested, but without anything relevant so far
  llvm::StringSet<> seen_;  ///< real paths of files that were kept or are unreadable
  std::deque<std::pair<size_t, unsigned>> to_follow_;  ///< indices into inputs_.files, steps
  size_t imported_ = 0;
};

void CodeInputReader::AddFault(const std::string& path, const std::string& message) {
  CodeFault& fault = inputs_.faults.emplace_back();
  fault.file = path;
  fault.range = {.line = 1, .column = 1, .end_line = 1, .end_column = 1};
  fault.message = message;
}

std::optional<PythonFile> CodeInputReader::Load(const std::string& path, bool is_checked) {
  const std::string name = path == "-" ? selection_.stdin_name : path;
  Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = files_.Open(path);
  if (!buffer) {
    const std::string message = llvm::toString(buffer.takeError());
    if (is_checked) inputs_.unread.push_back(message);
    return std::nullopt;
  }
  const std::string_view bytes((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  if (bytes.size() > kMostBytes) {
    if (is_checked) AddFault(name, "larger than 32 MiB: it was not checked");
    return std::nullopt;
  }
  std::optional<PythonFile> file = CodeInputs::FileOf(name, bytes, is_checked);
  if (file) return file;
  if (IsNotebook(name)) {
    if (is_checked) AddFault(name, "not a notebook: expected JSON with a list of cells");
  } else if (is_checked && (CanMatter(bytes) || IsNamed(path))) {
    // Only report files that would have been checked.
    AddFault(name, "not UTF-8: it was not checked");
  }
  return std::nullopt;
}

void CodeInputReader::Keep(PythonFile file, unsigned steps) {
  to_follow_.emplace_back(inputs_.files.size(), steps);
  inputs_.files.push_back(std::move(file));
}

void CodeInputReader::AddImported(const std::string& path, unsigned steps) {
  if (!seen_.insert(path).second) return;
  if (const auto idle = idle_.find(path); idle != idle_.end()) {
    PythonFile file = std::move(idle->second);
    idle_.erase(idle);
    Keep(std::move(file), steps);
    return;
  }
  if (imported_ >= kMostImported) return;
  if (std::optional<PythonFile> file = Load(path, /*is_checked=*/false)) {
    ++imported_;
    Keep(std::move(*file), steps);
  }
}

void CodeInputReader::FollowImports(const std::string& path, std::string_view text,
                                    unsigned steps) {
  // The packages of a file determine its module name; their own imports are irrelevant for that.
  for (const std::string& package : import_paths_.PackagesOf(path)) {
    AddImported(package, kMostSteps);
  }
  if (steps >= kMostSteps) return;
  for (const std::string& imported : import_paths_.Imported(path, text)) {
    AddImported(imported, steps + 1);
  }
}

CodeInputs CodeInputReader::Read(const std::vector<std::string>& paths) {
  inputs_.num_files = paths.size();
  for (const std::string& path : paths) {
    std::optional<PythonFile> file = Load(path, /*is_checked=*/true);
    if (!file) {
      seen_.insert(path);
    } else if (IsNamed(path) || CanMatter(file->text)) {
      seen_.insert(file->path);
      file->is_named = IsNamed(path);
      Keep(std::move(*file), 0);
    } else {
      const std::string name = file->path;
      idle_.emplace(name, std::move(*file));
    }
  }
  while (!to_follow_.empty()) {
    const auto [index, steps] = to_follow_.front();
    to_follow_.pop_front();
    // Adding files invalidates references.
    const std::string path = inputs_.files[index].path;
    std::string text = std::move(inputs_.files[index].text);
    FollowImports(path, text, steps);
    inputs_.files[index].text = std::move(text);
  }
  llvm::sort(inputs_.files,
             [](const PythonFile& a, const PythonFile& b) { return a.path < b.path; });
  llvm::sort(inputs_.faults,
             [](const CodeFault& a, const CodeFault& b) { return a.file < b.file; });
  return std::move(inputs_);
}

/// Whether both are the same folder; also if neither exists, as for code from standard input.
bool IsSameFolder(StringRef a, StringRef b) {
  bool is_same = false;
  if (!llvm::sys::fs::equivalent(a, b, is_same)) return is_same;
  return !llvm::sys::fs::exists(a) && !llvm::sys::fs::exists(b);
}

/// The canonical form of a path: without ".", "a/.." and double slashes, and relative to the
/// working directory if `path` is relative, or if `is_relative` and the file is below it. Findings,
/// imports and git are matched by this text.
std::string PlainPath(StringRef path, bool is_relative) {
  llvm::SmallString<128> plain(path);
  llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/false);
  const llvm::SmallString<128> whole = WholePath(plain);
  // After a link to a folder, ".." is a different folder than the text suggests.
  llvm::SmallString<128> as_written(plain);
  (void)llvm::sys::fs::make_absolute(as_written);
  const bool may_shorten =
      IsSameFolder(llvm::sys::path::parent_path(as_written), llvm::sys::path::parent_path(whole));
  const bool is_absolute = llvm::sys::path::is_absolute(plain);
  if (may_shorten) {
    llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
    StringRef rest = whole;
    if ((!is_absolute || is_relative) && rest.consume_front(WholePath("")) &&
        rest.consume_front("/") && !rest.empty()) {
      plain = rest;
    }
  }
  // A file of this name is not standard input.
  return plain == "-" ? "./-" : std::string(plain);
}

/// The distinct files of `paths`, in byte order.
std::vector<std::string> PlainPaths(const std::vector<std::string>& paths) {
  // Files may import each other, so all names must be of the same form.
  const bool is_relative = llvm::any_of(
      paths, [](const std::string& path) { return !llvm::sys::path::is_absolute(path); });
  std::map<std::string, std::string> by_whole;
  for (const std::string& path : paths) {
    std::string plain = path == "-" ? path : PlainPath(path, is_relative);
    const std::string whole = path == "-" ? path : std::string(WholePath(plain));
    by_whole.try_emplace(whole, std::move(plain));
  }
  std::vector<std::string> plain;
  for (auto& [whole, path] : by_whole) plain.push_back(std::move(path));
  llvm::sort(plain);
  return plain;
}

/// The regular files below `folder`, including links to files, in byte order of their paths.
/// `wanted` is called with the path of each file and folder; unwanted folders are skipped, and so
/// are links to folders, which prevents loops. A subfolder that cannot be read is in the result, so
/// that reading it reports the error. Error: `folder` cannot be read.
Expected<std::vector<std::string>> WalkFiles(
    const std::string& folder,
    llvm::function_ref<bool(llvm::StringRef path, bool is_folder)> wanted) {
  std::vector<std::string> files;
  std::vector<std::string> folders = {folder};
  while (!folders.empty()) {
    const std::string current = std::move(folders.back());
    folders.pop_back();
    std::error_code code;
    llvm::sys::fs::directory_iterator entry(current, code, /*follow_symlinks=*/false);
    if (code && current == folder) return MakeError(folder + ": " + code.message());
    for (; !code && entry != llvm::sys::fs::directory_iterator(); entry.increment(code)) {
      llvm::sys::fs::file_type type = entry->type();
      if (type == llvm::sys::fs::file_type::directory_file) {
        if (wanted(entry->path(), true)) folders.push_back(entry->path());
        continue;
      }
      if (type != llvm::sys::fs::file_type::regular_file &&
          type != llvm::sys::fs::file_type::symlink_file)
        continue;
      if (!wanted(entry->path(), false)) continue;
      if (type == llvm::sys::fs::file_type::symlink_file &&
          !llvm::sys::fs::is_regular_file(entry->path()))
        continue;
      files.push_back(entry->path());
    }
    if (code) files.push_back(current);
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool IsEntered(StringRef path, const PathPatterns& exclude) {
  const StringRef name = llvm::sys::path::filename(path);
  return !std::string_view(name).starts_with(".") && !llvm::is_contained(kForeignFolders, name) &&
         !exclude.MatchLast(path) &&
         // A virtual environment with any name.
         !llvm::sys::fs::exists(path + "/pyvenv.cfg");
}

llvm::StringRef WithoutDot(llvm::StringRef path) {
  while (path.consume_front("./")) path = path.ltrim('/');
  return path;
}

}  // namespace

std::optional<PythonFile> CodeInputs::FileOf(const std::string& path, std::string_view bytes,
                                             bool is_checked) {
  PythonFile file{.path = path, .text = {}, .is_checked = is_checked, .notebook = nullptr};
  if (IsNotebook(path)) {
    std::optional<Notebook> notebook = ReadNotebook(bytes);
    if (!notebook) return std::nullopt;
    file.text = notebook->text;
    file.notebook = std::make_shared<const Notebook>(std::move(*notebook));
    return file;
  }
  if (!IsUtf8(bytes)) return std::nullopt;
  file.text = std::string(bytes);
  return file;
}

CodeRange CodeInputs::ReportedRange(const PythonFile& file, const CodeRange& range) {
  return file.notebook == nullptr ? range : file.notebook->InCell(range);
}

std::string CodeInputs::CellsText(const PythonFile& file) {
  std::string text;
  if (file.notebook == nullptr) return text;
  for (const NotebookCell& cell : file.notebook->cells) {
    text += std::to_string(cell.number) + ":" + std::to_string(cell.first_line) + " ";
  }
  return text;
}

const PythonFile* CodeInputs::Find(const std::string& path) const {
  const auto found = std::ranges::lower_bound(files, path, {}, &PythonFile::path);
  return found != files.end() && found->path == path ? &*found : nullptr;
}

void CodeInputs::AddText(const PythonFile& file, CodeTexts& texts) {
  if (file.notebook == nullptr) {
    texts.AddFile(file.path, file.text);
    return;
  }
  for (const NotebookCell& cell : file.notebook->cells) {
    texts.AddCell(file.path, cell.number, cell.text, cell.file_lines);
  }
}

Expected<std::vector<std::string>> ListCode(const CodeSelection& selection) {
  Expected<PathPatterns> exclude = PathPatterns::Make(selection.exclude);
  if (!exclude) return exclude.takeError();
  std::vector<std::string> files;
  for (const std::string& path : selection.paths) {
    if (path == "-") {
      files.push_back(path);
      continue;
    }
    llvm::sys::fs::file_status status;
    if (const std::error_code code = llvm::sys::fs::status(path, status)) {
      std::string reason = code.message();
      reason.front() = llvm::toLower(reason.front());
      return MakeError(path + ": " + reason);
    }
    if (status.type() != llvm::sys::fs::file_type::directory_file) {
      if (!selection.exclude_given || !exclude->Match(path)) files.push_back(path);
      continue;
    }
    Expected<std::vector<std::string>> below =
        WalkFiles(path, [&](StringRef entry, bool is_folder) {
          if (is_folder) return IsEntered(entry, *exclude);
          const StringRef name = llvm::sys::path::filename(entry);
          return (std::string_view(name).ends_with(".py") || IsNotebook(name)) &&
                 !std::string_view(name).starts_with(".") && !exclude->MatchLast(entry);
        });
    if (!below) return below.takeError();
    files.insert(files.end(), below->begin(), below->end());
  }
  return PlainPaths(files);
}

Expected<CodeInputs> ReadCode(const CodeSelection& selection, FileSource& files) {
  Expected<std::vector<std::string>> paths = ListCode(selection);
  if (!paths) return paths.takeError();
  CodeSelection plain = selection;
  plain.stdin_name = PlainPath(selection.stdin_name, /*is_relative=*/false);
  return CodeInputReader(plain, files).Read(*paths);
}

Expected<PathPatterns> PathPatterns::Make(const std::vector<std::string>& patterns) {
  PathPatterns made;
  for (const std::string& pattern : patterns) {
    const llvm::StringRef text = WithoutDot(llvm::StringRef(pattern).rtrim('/'));
    if (text.empty()) continue;
    Expected<llvm::GlobPattern> glob =
        llvm::GlobPattern::create(made.texts_.emplace_back(text.str()));
    if (!glob) return MakeError("exclude: '" + pattern + "': " + llvm::toString(glob.takeError()));
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
