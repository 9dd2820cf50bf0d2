#include "report/guard_writers.h"

namespace shapewise {

std::span<const GuardFormat> GuardFormats() {
  static constexpr auto formats =
      DocumentFormats<GuardReport, std::vector<std::string>>::FormatsOf<DescribeGuards>(
          GuardFormat{"json", WriteGuardJson});
  return formats;
}

}  // namespace shapewise
