#include "cli/run_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "cli/result_output.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "support/embedded_file.h"
#include "support/terminal_text.h"

namespace shapewise {

/// Start-up files for Python processes under `shapewise run`, of python/shapewise.
std::span<const EmbeddedFile> StartUpFiles();

namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

constexpr const char* kRuns = "shapewise-runs";
constexpr const char* kLogs = "logs";
constexpr const char* kTraces = "trace";
constexpr const char* kCalls = "calls";
constexpr const char* kProbes = ".probes";
constexpr const char* kHook = ".hook";
constexpr const char* kProcesses = ".processes";
/// The package of the hook has its own name, because the user may also have ours installed.
constexpr const char* kHookPackage = "_shapewise";
constexpr std::string_view kPackage = "python/shapewise/";
constexpr std::string_view kSiteFile = "record/sitecustomize.py";
constexpr std::string_view kOlder = ".1";
/// Part of the names of traces that the hook writes; PyTorch's own do not contain it.
constexpr std::string_view kOwnTrace = "pid_";

std::string Join(const std::string& folder, const std::string& name) {
  llvm::SmallString<256> whole(folder);
  path::append(whole, name);
  return std::string(whole);
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : std::string(value);
}

Error CannotMake(const std::string& name, std::error_code code) {
  return MakeError("cannot create the folder " + name + ": " + code.message());
}

Error WriteFile(const std::string& name, std::string_view text) {
  return WriteResult(
      name, [&](llvm::raw_ostream& out) { out << llvm::StringRef(text.data(), text.size()); });
}

/// Whether the file is the older part of one that was rotated.
bool IsOlder(std::string_view file) {
  return file.ends_with(kOlder) &&
         fs::exists(llvm::StringRef(file.data(), file.size() - kOlder.size()));
}

/// Passes lines on with numbers that continue those of another file.
class ContinuedLines final : public LineSink {
 public:
  ContinuedLines(LineSink& sink, uint64_t before) : sink_(sink), before_(before) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    sink_.OnLines(lines, before_ + first_line);
  }
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    return sink_.OnPiece(piece, before_ + line, is_first, is_last);
  }

 private:
  LineSink& sink_;
  const uint64_t before_;
};

class RunFileSource final : public FileSource {
 public:
  Expected<std::vector<std::string>> Expand(const std::string& given) override {
    Expected<std::vector<std::string>> files = disk_->Expand(given);
    if (files) std::erase_if(*files, IsOlder);
    return files;
  }

  Error Read(const std::string& file, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override {
    const std::string older = file + std::string(kOlder);
    TextTotals before;
    if (fs::exists(older)) {
      // It may have been removed since: read what is left.
      llvm::consumeError(disk_->Read(older, sink, stats, input, before));
    }
    ContinuedLines lines(sink, before.lines);
    totals.bytes += before.bytes;
    totals.lines += before.lines;
    return disk_->Read(file, lines, stats, input, totals);
  }

  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& file) override {
    return disk_->Open(file);
  }

 private:
  const std::unique_ptr<FileSource> disk_ = NewDiskFileSource();
};

/// Reads what a process reported, if it is complete.
void ReadProcess(const std::string& file, RunProcesses& processes) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) return;
  const llvm::StringRef text = (*buffer)->getBuffer();
  const nlohmann::json record =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!record.is_object()) return;
  ++processes.with_torch;
  if (const auto bytes = record.find("dropped_bytes");
      bytes != record.end() && bytes->is_number_unsigned()) {
    processes.dropped_bytes += bytes->get<uint64_t>();
  }
  static constexpr std::pair<const char*, const char*> kTroubles[] = {
      {"not_logged", "was not logged: "},
      {"stopped", "was not logged to its end: "},
      {"not_recorded", ": "},
      {"not_probed", "was not probed: "},
  };
  const auto named = record.find("program");
  const bool has_name = named != record.end() && named->is_string();
  const std::string program = has_name ? named->get<std::string>() : "a process";
  for (const auto& [member, words] : kTroubles) {
    const auto why = record.find(member);
    if (why == record.end() || !why->is_string()) continue;
    std::string trouble = "'" + program + "'";
    if (words[0] != ':') trouble += ' ';
    trouble += words + why->get<std::string>();
    processes.troubles.push_back(MakePrintable(trouble));
  }
}

}  // namespace

std::string NewRunName() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  char text[32];
  const size_t size = std::strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &local);
  return Join(kRuns, std::string(text, size) + "-" + std::to_string(getpid()));
}

Expected<std::unique_ptr<RunFolder>> RunFolder::Make(const std::string& given) {
  std::unique_ptr<RunFolder> folder(new RunFolder());
  folder->name_ = given.empty() ? NewRunName() : given;
  llvm::SmallString<256> whole(folder->name_);
  if (const std::error_code code = fs::make_absolute(whole)) return CannotMake(folder->name_, code);
  path::remove_dots(whole, /*remove_dot_dot=*/false);
  folder->path_ = std::string(whole);
  folder->user_trace_ = Variable("TORCH_TRACE");
  if (Error error = folder->Prepare()) return error;
  folder->begin_ = std::chrono::system_clock::now();
  return folder;
}

Error RunFolder::Prepare() {
  if (fs::exists(Join(path_, kProcesses))) {
    return MakeError(name_ + " holds a run already; name another folder");
  }
  const auto make = [](const std::string& made) -> Error {
    const std::error_code code = fs::create_directories(made);
    return code ? CannotMake(made, code) : Error::success();
  };
  for (const char* made : {kProcesses, kLogs, kTraces, kCalls}) {
    if (Error error = make(Join(path_, made))) return error;
  }
  const std::string hook = Join(path_, kHook);
  const std::string package = Join(hook, kHookPackage);
  for (const EmbeddedFile& file : StartUpFiles()) {
    const std::string name(file.path.substr(kPackage.size()));
    const std::string target = Join(name == kSiteFile ? hook : package,
                                    name == kSiteFile ? std::string(path::filename(name)) : name);
    if (Error error = make(std::string(path::parent_path(target)))) return error;
    if (Error error = WriteFile(target, file.text)) return error;
  }
  return WriteFile(Join(package, "__init__.py"), "");
}

std::string RunFolder::CallsFolder() const { return Join(name_, kCalls); }

std::string RunFolder::ProbesFolder() const { return Join(path_, kProbes); }

std::vector<std::pair<std::string, std::string>> RunFolder::Variables(uint64_t max_disk) const {
  std::string python_path = Join(path_, kHook);
  if (const std::string before = Variable("PYTHONPATH"); !before.empty()) {
    python_path += ":" + before;
  }
  std::vector<std::pair<std::string, std::string>> variables = {
      {"PYTHONPATH", std::move(python_path)},
      {"SHAPEWISE_RUN_FOLDER", path_},
      {"SHAPEWISE_RUN_MAX_DISK", std::to_string(max_disk)},
  };
  // Removes values of an outer run, or of the user's choice.
  variables.emplace_back("SHAPEWISE_RUN_TRACE", user_trace_.empty() ? Join(path_, kTraces) : "");
  if (user_trace_.empty()) variables.emplace_back("TORCH_TRACE", Join(path_, kTraces));
  return variables;
}

std::vector<std::string> RunFolder::Files() const {
  const std::unique_ptr<FileSource> files = NewRunFileSource();
  std::vector<std::string> found;
  const auto add = [&](const std::string& folder, bool only_new) {
    Expected<std::vector<std::string>> paths = files->Expand(folder);
    if (!paths) return llvm::consumeError(paths.takeError());
    for (std::string& file : *paths) {
      fs::file_status status;
      if (only_new &&
          (fs::status(file, status) || status.getLastModificationTime() + std::chrono::seconds(1) <
                                           llvm::sys::TimePoint<>(begin_))) {
        continue;
      }
      found.push_back(std::move(file));
    }
  };
  add(Join(name_, kLogs), /*only_new=*/false);
  add(Join(name_, kTraces), /*only_new=*/false);
  if (!user_trace_.empty()) add(user_trace_, /*only_new=*/true);
  return found;
}

std::vector<std::string> RunFolder::Records() const {
  Expected<std::vector<std::string>> paths = NewRunFileSource()->Expand(CallsFolder());
  if (paths) return std::move(*paths);
  llvm::consumeError(paths.takeError());
  return {};
}

RunProcesses RunFolder::ReadProcesses() const {
  RunProcesses processes;
  std::error_code code;
  for (fs::directory_iterator it(Join(path_, kProcesses), code), end; it != end && !code;
       it.increment(code)) {
    if (it->path().ends_with(".json")) ReadProcess(it->path(), processes);
  }
  for (fs::directory_iterator it(Join(path_, kTraces), code), end; it != end && !code;
       it.increment(code)) {
    const llvm::StringRef name = path::filename(it->path());
    if (name.find(llvm::StringRef(kOwnTrace.data(), kOwnTrace.size())) == llvm::StringRef::npos) {
      ++processes.traces_without;
    }
  }
  std::ranges::sort(processes.troubles);
  return processes;
}

std::unique_ptr<FileSource> NewRunFileSource() { return std::make_unique<RunFileSource>(); }

}  // namespace shapewise
