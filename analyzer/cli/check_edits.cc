#include "cli/check_edits.h"

#include <set>
#include <utility>

#include "check/fixes.h"
#include "check/reader_rules.h"
#include "check/suppressions.h"
#include "cli/result_output.h"
#include "llvm/Support/MemoryBuffer.h"

namespace shapewise {
namespace {

EditedFile EditFile(const CheckArguments& arguments, const PythonFile& file,
                    llvm::ArrayRef<CodeFinding> findings, size_t first) {
  EditedFile edited{file.path, file.text, {}, {}};
  if (arguments.add_ignores) {
    // An unused ignore comment is not fixed by adding another one.
    std::vector<CodeFinding> wanted;
    for (size_t i = 0; i < findings.size(); ++i) {
      if (findings[i].rule == kUnusedIgnoreCode) continue;
      wanted.push_back(findings[i]);
      edited.settled.push_back(first + i);
    }
    edited.after = AddIgnores(file.text, wanted, arguments.ignore_reason);
    return edited;
  }
  FixedText fixed = ApplyFixes(file.text, findings, arguments.unsafe_fixes);
  edited.after = std::move(fixed.text);
  for (const size_t index : fixed.applied) edited.settled.push_back(first + index);
  return edited;
}

}  // namespace

std::vector<EditedFile> PlanEdits(const CheckArguments& arguments, const CheckResult& result,
                                  const CodeInputs& inputs) {
  std::vector<EditedFile> edits;
  const std::vector<CodeFinding>& findings = result.findings;
  for (size_t begin = 0; begin < findings.size();) {
    size_t end = begin;
    while (end < findings.size() && findings[end].file == findings[begin].file) ++end;
    const PythonFile* file = inputs.Find(findings[begin].file);
    if (file != nullptr && file->notebook == nullptr) {
      EditedFile edited = EditFile(
          arguments, *file, llvm::ArrayRef<CodeFinding>(&findings[begin], end - begin), begin);
      if (edited.after != edited.before) edits.push_back(std::move(edited));
    }
    begin = end;
  }
  return edits;
}

Error WriteEdits(const std::vector<EditedFile>& edits) {
  for (const EditedFile& edited : edits) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> now =
        llvm::MemoryBuffer::getFile(edited.path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
    if (!now) return MakeError(edited.path + ": " + now.getError().message());
    if ((*now)->getBuffer() != llvm::StringRef(edited.before)) {
      return MakeError(edited.path + ": changed since it was read; nothing was written to it");
    }
    if (Error error =
            WriteResult(edited.path, [&](llvm::raw_ostream& out) { out << edited.after; })) {
      return error;
    }
  }
  return Error::success();
}

size_t DropSettled(const std::vector<EditedFile>& edits, CheckResult& result) {
  std::set<size_t> settled;
  for (const EditedFile& edited : edits)
    settled.insert(edited.settled.begin(), edited.settled.end());
  std::vector<CodeFinding> left;
  for (size_t i = 0; i < result.findings.size(); ++i) {
    if (!settled.contains(i)) left.push_back(std::move(result.findings[i]));
  }
  result.findings = std::move(left);
  return settled.size();
}

}  // namespace shapewise
