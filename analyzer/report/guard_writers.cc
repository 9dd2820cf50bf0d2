#include "report/guard_writers.h"

namespace shapewise {

std::span<const GuardFormat> GuardFormats() {
  static constexpr GuardFormat formats[] = {{"text", WriteGuardText}, {"json", WriteGuardJson}};
  return formats;
}

}  // namespace shapewise
