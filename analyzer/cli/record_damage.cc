#include "cli/record_damage.h"

#include "llvm/Support/raw_ostream.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {

bool ReportDamage(const std::vector<RecordFile>& files, const std::string& expected) {
  bool all_recognised = true;
  for (const RecordFile& file : files) {
    const std::string name = MakePrintable(file.path == "-" ? "standard input" : file.path);
    if (file.totals.records == 0 && file.totals.damaged == 0) {
      all_recognised = false;
      llvm::errs() << "shapewise: error: " << name << ": empty\n";
      continue;
    }
    if (file.totals.records == 0) {
      all_recognised = false;
      llvm::errs() << "shapewise: error: " << name << ": not recognized: expected " << expected;
      if (file.totals.first_line.starts_with('{')) {
        const DamagedLine& line = file.totals.first_damaged.front();
        llvm::errs() << "; line " << line.line << " was skipped: " << MakePrintable(line.what)
                     << "\n";
        continue;
      }
      llvm::errs() << ", but it begins with \"" << MakePrintable(file.totals.first_line) << "\"\n";
      continue;
    }
    for (const DamagedLine& line : file.totals.first_damaged) {
      llvm::errs() << "shapewise: warning: " << name << ":" << line.line
                   << ": skipped: " << MakePrintable(line.what) << "\n";
    }
    if (file.totals.damaged > file.totals.first_damaged.size()) {
      llvm::errs() << "shapewise: warning: " << name << ": and "
                   << file.totals.damaged - file.totals.first_damaged.size()
                   << " more lines like these\n";
    }
  }
  return all_recognised;
}

}  // namespace shapewise
