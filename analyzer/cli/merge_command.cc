#include "cli/commands.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/result_output.h"
#include "ingest/reader.h"
#include "partial/partial.h"
#include "pipeline/load_run.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

struct MergeArguments {
  std::vector<std::string> paths;
  std::string output;
  RedactArguments redact;  ///< --redact, --redact-key
};

std::vector<std::string> ReadAll(const std::vector<std::string>& paths, Redactor* redactor,
                                 Session& session, std::vector<std::string>& notes) {
  ReadOptions options;
  options.notes = &notes;
  options.redactor = redactor;
  return ReadInputs(paths, *NewWatchedFileSource(), session, options);
}

Expected<ExitStatus> RunMerge(MergeArguments& arguments) {
  if (Error error = MakeRedactor(arguments.redact)) return error;
  Redactor* const redactor = arguments.redact.redactor.get();
  if (redactor != nullptr && !redactor->has_key()) return PartialNeedsKey();
  Session session;
  std::vector<std::string> notes;
  const std::vector<std::string> unread = ReadAll(arguments.paths, redactor, session, notes);
  ReportNotes(notes);
  ReportUnread(unread);
  const bool is_any_known = std::ranges::any_of(
      session.inputs(), [](const Input& input) { return !input.format.empty(); });
  const EmptyInputs without_inputs =
      session.inputs().empty() ? EmptyInputs::kError : EmptyInputs::kClean;
  if (!is_any_known && !CheckRecognised(session, without_inputs)) return ExitStatus::kTrouble;
  for (const std::string& sentence : DescribeRepeatedInputs(session)) {
    llvm::errs() << "shapewise: warning: " << MakePrintable(sentence) << "\n";
  }
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    WritePartial(session, SHAPEWISE_VERSION, out);
  });
  // The file contains what could be read, and records what could not.
  return FinishResult(std::move(error), unread.empty() ? ExitStatus::kClean : ExitStatus::kTrouble);
}

void AddMerge(CommandLine& line, MergeArguments& arguments) {
  line.Add("PART", &arguments.paths, "", "Partials from `lint --partial` or `merge`, or logs",
           {.is_required = true});
  line.Add("-o,--output", &arguments.output, "FILE", "Partial to write, or - for standard output",
           {.is_required = true});
  AddRedactOptions(line, arguments.redact);
}

}  // namespace

const Command kMergeCommand = {13, "merge", "Merge partial results into one",
                               Prepare<MergeArguments, AddMerge, RunMerge>};

}  // namespace shapewise
