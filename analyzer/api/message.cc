#include "api/message.h"

#include <algorithm>

#include "ingest/call_record_reader.h"
#include "llvm/ADT/StringRef.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

std::string ShownName(const Input& input) {
  return input.name == "-" ? "standard input" : MakePrintable(input.name);
}

bool IsPython(const Input& input) { return llvm::StringRef(input.name).endswith(".py"); }

std::string PythonText(const Input& input) {
  const std::string name = ShownName(input);
  return name + ": Python source, not a log; to find graph breaks in code, run: shapewise check " +
         name;
}

/// "run.log: no output of torch's compiler recognised (expected ...); it begins with '...'"
std::string UnrecognisedText(const Input& input) {
  const std::string name = ShownName(input);
  if (input.format == kCallRecordsFormat) {
    return name +
           ": call records contain calls, not compilations: predict, advise and replay read them "
           "with --calls, buckets and report as inputs";
  }
  if (IsPython(input)) return PythonText(input);
  if (input.bytes == 0) return name + ": the file is empty";
  if (input.is_binary) return name + ": a binary file, not a log or a trace";
  return name +
         ": nothing of torch.compile recognised; expected what TORCH_LOGS prints, such as "
         "\"[0/1] [__recompiles] Recompiling function f in t.py:1\", but it begins with \"" +
         MakePrintable(input.first_line) + "\"";
}

/// One line for all inputs: "run.log: no torch.compile output found in 12 lines; ...".
std::string EmptyText(const std::vector<Input>& inputs) {
  uint64_t lines = 0;
  for (const Input& input : inputs) lines += input.lines;
  const std::string what =
      inputs.size() == 1 ? ShownName(inputs[0]) : std::to_string(inputs.size()) + " inputs";
  return what +
         (lines == 0 ? std::string(": empty")
                     : ": no torch.compile output found in " + Counted(lines, "line")) +
         ": no recompiles or graph breaks, if TORCH_LOGS=recompiles,graph_breaks was set";
}

}  // namespace

bool FindUnrecognised(const Session& session, EmptyInputs empty_inputs, Messages& messages) {
  const bool has_unreadable =
      session.stats().count(static_cast<size_t>(Stat::input_unreadable)).times > 0;
  std::vector<const Input*> unrecognised;
  std::vector<const Input*> calls;
  for (const Input& input : session.inputs()) {
    // Of an unreadable input the user has read already.
    const bool is_named = input.bytes > 0 || !has_unreadable;
    if (input.format.empty() && is_named) unrecognised.push_back(&input);
    if (input.format == kCallRecordsFormat) calls.push_back(&input);
  }
  const bool has_recognised = std::ranges::any_of(session.inputs(), [](const Input& input) {
    return !input.format.empty() && input.format != kCallRecordsFormat;
  });
  if (session.inputs().empty()) {
    const bool is_clean = empty_inputs == EmptyInputs::kClean;
    if (empty_inputs != EmptyInputs::kUnread) {
      AddMessage(messages, is_clean ? api::Severity::kWarning : api::Severity::kError,
                 "no files found: nothing was read");
    }
    return is_clean;
  }
  const bool are_logs = std::ranges::none_of(
      session.inputs(), [](const Input& input) { return input.is_binary || IsPython(input); });
  if (empty_inputs == EmptyInputs::kClean && !has_recognised && calls.empty() && are_logs) {
    AddMessage(messages, api::Severity::kWarning, EmptyText(session.inputs()));
    return true;
  }
  // Next to logs, as in the folder of a run, call records are not worth mentioning.
  if (!has_recognised) unrecognised.insert(unrecognised.end(), calls.begin(), calls.end());
  const api::Severity severity = has_recognised ? api::Severity::kWarning : api::Severity::kError;
  for (size_t i = 0; i < unrecognised.size() && i < kMaxUnrecognised; ++i) {
    AddMessage(messages, severity, UnrecognisedText(*unrecognised[i]));
  }
  if (unrecognised.size() > kMaxUnrecognised) {
    AddMessage(
        messages, severity,
        "and " + std::to_string(unrecognised.size() - kMaxUnrecognised) + " more like these");
  }
  return has_recognised;
}

bool FindDamage(const std::vector<RecordFile>& files, const std::string& expected,
                Messages& messages) {
  bool all_recognised = true;
  for (const RecordFile& file : files) {
    const std::string name = file.path == "-" ? "standard input" : file.path;
    const JsonLineTotals& totals = file.totals;
    if (totals.records == 0) {
      all_recognised = false;
      std::string why = ": empty";
      if (totals.damaged > 0) {
        why = ": not recognized: expected " + expected;
        if (totals.first_line.starts_with('{')) {
          const DamagedLine& line = totals.first_damaged.front();
          why += "; line " + std::to_string(line.line) + " was skipped: " + line.what;
        } else {
          why += ", but it begins with \"" + totals.first_line + "\"";
        }
      }
      AddMessage(messages, api::Severity::kError, name + why);
      continue;
    }
    for (const DamagedLine& line : totals.first_damaged) {
      AddMessage(messages, api::Severity::kWarning,
                 name + ":" + std::to_string(line.line) + ": skipped: " + line.what);
    }
    if (totals.damaged > totals.first_damaged.size()) {
      AddMessage(messages, api::Severity::kWarning,
                 name + ": and " + std::to_string(totals.damaged - totals.first_damaged.size()) +
                     " more lines like these");
    }
  }
  return all_recognised;
}

}  // namespace shapewise
