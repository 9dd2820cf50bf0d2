#include "pipeline/run_inputs.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "ingest/reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {
namespace {

// Names in analyzer/docs/run.md.
constexpr const char* kRunProcesses = ".processes";
constexpr const char* kRunCalls = "calls";
constexpr const char* kRunProbes = ".probes";
constexpr const char* kProbesSchema = "shapewise.probes/1";

std::string Join(llvm::StringRef folder, const char* name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

bool IsRun(llvm::StringRef folder) {
  return llvm::sys::fs::is_directory(Join(folder, kRunProcesses));
}

/// The folder `name` of each of `runs` that is the folder of a run.
std::vector<std::string> FoldersIn(const std::vector<std::string>& runs, const char* name) {
  std::vector<std::string> found;
  for (const std::string& run : runs) {
    if (!IsRun(run)) continue;
    std::string folder = Join(run, name);
    std::error_code code;
    const llvm::sys::fs::directory_iterator first(folder, code);
    if (!code && first != llvm::sys::fs::directory_iterator()) found.push_back(std::move(folder));
  }
  return found;
}

/// `logs`, with the folder of the run in place of a folder or file in it: "RUN" for "RUN/trace".
std::vector<std::string> RunsOf(const std::vector<std::string>& logs) {
  std::vector<std::string> runs;
  for (const std::string& log : logs) {
    llvm::StringRef path = llvm::StringRef(log).rtrim('/');
    for (int level = 0; level < 2 && !IsRun(path); ++level) {
      path = llvm::sys::path::parent_path(path);
    }
    if (!llvm::is_contained(runs, path)) runs.emplace_back(path);
  }
  return runs;
}

std::string Rewritten(Redactor* redactor, TextKind kind, std::string text) {
  return redactor == nullptr ? text : redactor->Rewrite(kind, text);
}

/// Reads `note`, one function of a probe's notes. Damaged notes are skipped.
void ReadNote(const nlohmann::json& note, Redactor* redactor, RunProbes& probes) {
  if (!note.is_object()) return;
  const nlohmann::json function = note.value("function", nlohmann::json());
  const nlohmann::json file = note.value("file", nlohmann::json());
  const nlohmann::json line = note.value("line", nlohmann::json());
  if (!function.is_string() || !file.is_string() || !line.is_number_unsigned()) return;
  const Place where = {
      .function = Rewritten(redactor, TextKind::kExpression, function.get<std::string>()),
      .file = Rewritten(redactor, TextKind::kPath, file.get<std::string>()),
      .line = line.get<uint32_t>()};
  if (note.value("alike", nlohmann::json()) == true) probes.alike.push_back(where);
  const nlohmann::json missed = note.value("missed", nlohmann::json());
  if (missed.is_array() && !missed.empty() && missed.front().is_string()) {
    probes.missed.emplace_back(
        where, Rewritten(redactor, TextKind::kProse, missed.front().get<std::string>()));
  }
}

/// Reads the notes next to the traces in a folder of probes.
void ReadNotes(const std::string& folder, Redactor* redactor, RunProbes& probes) {
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code)) {
    if (!it->path().ends_with(".json")) continue;
    const auto buffer = llvm::MemoryBuffer::getFile(it->path());
    if (!buffer) continue;
    const llvm::StringRef text = (*buffer)->getBuffer();
    const nlohmann::json notes =
        nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
    if (!notes.is_object() || notes.value("schema", nlohmann::json()) != kProbesSchema) continue;
    const auto functions = notes.find("functions");
    if (functions == notes.end() || !functions->is_array()) continue;
    for (const nlohmann::json& note : *functions) ReadNote(note, redactor, probes);
  }
}

constexpr const char* kRunEndSchema = "shapewise.run-end/1";
/// Hidden, so that it is no input when the folder is read.
constexpr const char* kRunEndFile = ".ended.json";

std::string RunEndPath(const std::string& folder) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, kRunEndFile);
  return std::string(path);
}

}  // namespace

std::vector<std::string> CallFoldersOf(const std::vector<std::string>& logs) {
  return FoldersIn(logs, kRunCalls);
}

std::unique_ptr<RunProbes> ReadProbes(const std::vector<std::string>& logs, FileSource& files,
                                      Redactor* redactor) {
  const std::vector<std::string> folders = FoldersIn(RunsOf(logs), kRunProbes);
  if (folders.empty()) return nullptr;
  auto probes = std::make_unique<RunProbes>();
  ReadOptions options;
  options.guard_texts = true;
  options.redactor = redactor;
  // A trace that cannot be read shows nothing: the answer is that of a run without it.
  (void)ReadInputs(folders, files, probes->session, options);
  for (const std::string& folder : folders) ReadNotes(folder, redactor, *probes);
  return probes;
}

void WriteRunEnd(const std::string& folder, int status) {
  std::error_code code;
  llvm::raw_fd_ostream stream(RunEndPath(folder), code);
  if (code) return;
  stream << nlohmann::json{{"schema", kRunEndSchema}, {"status", status}}.dump() << "\n";
  stream.flush();
  stream.clear_error();
}

std::optional<int> ReadRunEnd(const std::string& folder) {
  const auto buffer = llvm::MemoryBuffer::getFile(RunEndPath(folder));
  if (!buffer) return std::nullopt;
  const llvm::StringRef text = (*buffer)->getBuffer();
  const nlohmann::json end =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!end.is_object() || end.value("schema", nlohmann::json()) != kRunEndSchema)
    return std::nullopt;
  const auto status = end.find("status");
  if (status == end.end() || !status->is_number_integer()) return std::nullopt;
  return status->get<int>();
}

}  // namespace shapewise
