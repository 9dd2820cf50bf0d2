// Names of enumerators in the result structs.

#include "shapewise/result/finding.h"

namespace shapewise {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return {};
}

}  // namespace shapewise
