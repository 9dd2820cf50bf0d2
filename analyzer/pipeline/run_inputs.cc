#include "pipeline/run_inputs.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "shapewise/ingest/reader.h"

namespace shapewise {
namespace {

// Names in analyzer/docs/run.md.
constexpr const char* kRunProcesses = ".processes";
constexpr const char* kRunCalls = "calls";
constexpr const char* kRunProbes = ".probes";

/// The folder `name` of each of `logs` that is the folder of a run.
std::vector<std::string> FoldersIn(const std::vector<std::string>& logs, const char* name) {
  std::vector<std::string> found;
  for (const std::string& log : logs) {
    const auto path_of = [&](const char* part) {
      llvm::SmallString<256> path(log);
      llvm::sys::path::append(path, part);
      return std::string(path);
    };
    if (!llvm::sys::fs::is_directory(path_of(kRunProcesses))) continue;
    std::string folder = path_of(name);
    std::error_code code;
    const llvm::sys::fs::directory_iterator first(folder, code);
    if (!code && first != llvm::sys::fs::directory_iterator()) found.push_back(std::move(folder));
  }
  return found;
}

}  // namespace

std::vector<std::string> CallFoldersOf(const std::vector<std::string>& logs) {
  return FoldersIn(logs, kRunCalls);
}

std::unique_ptr<Session> ReadProbes(const std::vector<std::string>& logs, FileSource& files,
                                    Redactor* redactor) {
  const std::vector<std::string> folders = FoldersIn(logs, kRunProbes);
  if (folders.empty()) return nullptr;
  auto session = std::make_unique<Session>();
  ReadOptions options;
  options.guard_texts = true;
  options.redactor = redactor;
  // A trace that cannot be read shows nothing: the answer is that of a run without it.
  (void)ReadInputs(folders, files, *session, options);
  return session;
}

}  // namespace shapewise
