#include "pipeline/run_inputs.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "ingest/json_line_totals.h"
#include "ingest/reader.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/json_members.h"

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

/// Reads `note`, one function of a probe's notes. Damaged notes are skipped.
void ReadNote(const nlohmann::json& note, Redactor* redactor, RunProbes& probes) {
  if (!note.is_object()) return;
  const std::optional<int64_t> line = IntMember(note, "line");
  if (!line || !std::in_range<uint32_t>(*line)) return;
  Place where = {TextMember(note, "function"), TextMember(note, "file"),
                 static_cast<uint32_t>(*line)};
  std::vector<std::string> missed = TextsMember(note, "missed");
  if (redactor != nullptr) {
    redactor->Redact(TextKind::kExpression, where.function);
    redactor->Redact(TextKind::kPath, where.file);
    redactor->Redact(TextKind::kProse, missed);
  }
  if (note.value("alike", nlohmann::json()) == true) probes.alike.push_back(where);
  if (!missed.empty()) probes.missed.emplace_back(std::move(where), std::move(missed.front()));
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
    if (TextMember(notes, "schema") != kProbesSchema) continue;
    for (const nlohmann::json& note : ListMember(notes, "functions")) {
      ReadNote(note, redactor, probes);
    }
  }
}

constexpr const char* kRunEndSchema = "shapewise.run-end/1";
/// Hidden, so that it is no input when the folder is read.
constexpr const char* kRunEndFile = ".ended.json";

}  // namespace

std::vector<std::string> CallFoldersOf(const std::vector<std::string>& logs) {
  return FoldersIn(logs, kRunCalls);
}

std::vector<std::string> ProbeFoldersOf(const std::vector<std::string>& runs) {
  return FoldersIn(runs, kRunProbes);
}

std::vector<std::string> ReadRecordFiles(
    const std::vector<std::string>& paths, FileSource& files, Redactor* redactor,
    llvm::function_ref<Expected<JsonLineTotals>(const std::string& path)> read_file,
    std::vector<RecordFile>& read) {
  std::vector<std::string> unread;
  for (const std::string& given : paths) {
    Expected<std::vector<std::string>> expanded = files.Expand(given);
    if (!expanded) {
      unread.push_back(llvm::toString(RedactedError(expanded.takeError(), redactor)));
      continue;
    }
    for (const std::string& path : *expanded) {
      Expected<JsonLineTotals> totals = read_file(path);
      if (totals) {
        read.push_back(MakeRecordFile(path, std::move(*totals), redactor));
      } else {
        unread.push_back(llvm::toString(totals.takeError()));
      }
    }
  }
  return unread;
}

std::vector<std::string> ReadRunRecords(const std::vector<std::string>& paths, FileSource& files,
                                        Redactor* redactor, RecordedFunctions& recorded,
                                        std::vector<RecordFile>& read) {
  const auto read_file = [&](const std::string& path) {
    return ReadCallRecords(path, files, recorded, redactor);
  };
  return ReadRecordFiles(paths, files, redactor, read_file, read);
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
  llvm::raw_fd_ostream stream(Join(folder, kRunEndFile), code);
  if (code) return;
  stream << nlohmann::json{{"schema", kRunEndSchema}, {"status", status}}.dump() << "\n";
  stream.flush();
  stream.clear_error();
}

std::optional<int> ReadRunEnd(const std::string& folder) {
  const auto buffer = llvm::MemoryBuffer::getFile(Join(folder, kRunEndFile));
  if (!buffer) return std::nullopt;
  const llvm::StringRef text = (*buffer)->getBuffer();
  const nlohmann::json end =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (TextMember(end, "schema") != kRunEndSchema) return std::nullopt;
  return IntMember(end, "status");
}

}  // namespace shapewise
