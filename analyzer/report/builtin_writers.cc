#include "report/builtin_writers.h"

namespace shapewise {

const std::vector<const ReportWriter*>& BuiltinWriters() {
#define SHAPEWISE_WRITER_ADDRESS(function) &function(),
  static const std::vector<const ReportWriter*> writers = {
      SHAPEWISE_WRITERS(SHAPEWISE_WRITER_ADDRESS)};
#undef SHAPEWISE_WRITER_ADDRESS
  return writers;
}

const ReportWriter* FindWriter(std::string_view name) {
  for (const ReportWriter* writer : BuiltinWriters()) {
    if (writer->name() == name) return writer;
  }
  return nullptr;
}

}  // namespace shapewise
