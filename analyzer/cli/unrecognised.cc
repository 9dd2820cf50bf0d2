#include "cli/unrecognised.h"

#include <string>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/ingest/call_record_reader.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

/// "run.log: no output of torch's compiler recognised (expected ...); it begins with '...'"
std::string UnrecognisedText(const Input& input) {
  const std::string name = input.name == "-" ? "standard input" : input.name;
  if (input.format == kCallRecordsFormat) {
    return MakePrintable(name) +
           ": call records, which tell what was called, not what was compiled: predict, advise and "
           "replay take them by --calls, buckets and report as inputs";
  }
  if (input.bytes == 0) return MakePrintable(name) + ": no text in it";
  return MakePrintable(name) +
         ": nothing of torch.compile recognised; expected what TORCH_LOGS prints, such as "
         "\"[0/1] [__recompiles] Recompiling function f in t.py:1\", but it begins with \"" +
         MakePrintable(input.first_line) + "\"";
}

}  // namespace

bool CheckRecognised(const Session& session) {
  std::vector<const Input*> unrecognised;
  std::vector<const Input*> calls;
  for (const Input& input : session.inputs()) {
    if (input.format.empty()) unrecognised.push_back(&input);
    if (input.format == kCallRecordsFormat) calls.push_back(&input);
  }
  const bool has_recognised = unrecognised.size() + calls.size() < session.inputs().size();
  // Beside logs, as in the folder of a run, they are nothing to speak of.
  if (!has_recognised) unrecognised.insert(unrecognised.end(), calls.begin(), calls.end());
  for (size_t i = 0; i < unrecognised.size() && i < kMaxUnrecognised; ++i) {
    llvm::errs() << "shapewise: " << (has_recognised ? "warning: " : "error: ")
                 << UnrecognisedText(*unrecognised[i]) << "\n";
  }
  if (unrecognised.size() > kMaxUnrecognised) {
    llvm::errs() << "shapewise: and " << unrecognised.size() - kMaxUnrecognised
                 << " more like these\n";
  }
  return has_recognised;
}

}  // namespace shapewise
