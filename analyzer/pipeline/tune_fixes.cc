#include "pipeline/tune_fixes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/fixes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "model/code_owner.h"
#include "pipeline/check.h"

namespace shapewise {
namespace {

/// Files of the program with graph breaks.
std::vector<std::string> FilesWithBreaks(const Session& session) {
  std::set<std::string> paths;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    if (detail.kind() != EventKind::kGraphBreak) continue;
    for (const StrId file : {detail.user_file, detail.file}) {
      const std::string path(session.text(file));
      if (!path.empty() && !IsLibraryFile(path) && llvm::sys::fs::exists(path)) paths.insert(path);
    }
  }
  return {paths.begin(), paths.end()};
}

/// `path` with safe fixes; absent: none.
std::optional<TunePatch> PatchOf(const PythonFile& file, llvm::ArrayRef<CodeFinding> findings) {
  FixedText fixed = ApplyFixes(file.text, findings, /*allow_unsafe=*/false);
  if (fixed.applied.empty()) return std::nullopt;
  llvm::SmallString<256> absolute(file.path);
  (void)llvm::sys::fs::make_absolute(absolute);
  llvm::StringRef relative = absolute;
  llvm::SmallString<256> here;
  if (!llvm::sys::fs::current_path(here) && relative.consume_front(here)) {
    relative = relative.ltrim('/');
  }
  TunePatch patch;
  patch.path = std::string(absolute);
  patch.diff = UnifiedDiff(file.text, fixed.text, relative.ltrim('/').str());
  patch.text = std::move(fixed.text);
  return patch;
}

}  // namespace

std::optional<TunedAction> FixesOfBreaks(const Session& session, FileSource& files) {
  CodeSelection selection;
  selection.paths = FilesWithBreaks(session);
  if (selection.paths.empty()) return std::nullopt;
  Expected<CodeInputs> inputs = ReadCode(selection, files);
  if (!inputs) {
    llvm::consumeError(inputs.takeError());
    return std::nullopt;
  }
  Expected<CodeAnalysis> analysis = AnalyzeCode({}, *inputs);
  if (!analysis) {
    llvm::consumeError(analysis.takeError());
    return std::nullopt;
  }
  TunedAction action;
  action.policy = "fixes";
  action.origin = "check";
  for (const PythonFile& file : inputs->files) {
    if (!file.is_checked || file.notebook != nullptr) continue;
    std::vector<CodeFinding> findings;
    std::ranges::copy_if(analysis->result.findings, std::back_inserter(findings),
                         [&](const CodeFinding& finding) { return finding.file == file.path; });
    if (std::optional<TunePatch> patch = PatchOf(file, findings)) {
      action.patches.push_back(std::move(*patch));
    }
  }
  if (action.patches.empty()) return std::nullopt;
  RankedAction part;
  part.action.kind = "fix_break";
  part.action.text = "Apply the safe fixes of shapewise check --fix.";
  action.parts.push_back(std::move(part));
  action.functions.emplace_back();
  return action;
}

}  // namespace shapewise
