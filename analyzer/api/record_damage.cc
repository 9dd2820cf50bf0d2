#include "api/record_damage.h"

namespace shapewise {

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
