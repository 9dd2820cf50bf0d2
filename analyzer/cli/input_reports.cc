#include "cli/input_reports.h"

#include "api/record_damage.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {

void PrintMessages(const Messages& messages) {
  for (const api::Message& message : messages) {
    llvm::errs() << "shapewise: " << llvm::StringRef(api::SeverityName(message.severity)) << ": "
                 << message.text << "\n";
  }
}

bool CheckRecognised(const Session& session, EmptyInputs empty_inputs) {
  Messages messages;
  const bool can_continue = FindUnrecognised(session, empty_inputs, messages);
  PrintMessages(messages);
  return can_continue;
}

bool ReportDamage(const std::vector<RecordFile>& files, const std::string& expected) {
  Messages messages;
  const bool is_usable = FindDamage(files, expected, messages);
  PrintMessages(messages);
  return is_usable;
}

}  // namespace shapewise
