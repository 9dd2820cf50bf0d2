#include "report/guard_writers.h"

namespace shapewise {

const std::vector<const GuardWriter*>& GuardWriters() {
  static const std::vector<const GuardWriter*> writers = {&GuardTextReport(), &GuardJsonReport()};
  return writers;
}

const GuardWriter* FindGuardWriter(std::string_view name) {
  for (const GuardWriter* writer : GuardWriters()) {
    if (writer->name() == name) return writer;
  }
  return nullptr;
}

}  // namespace shapewise
