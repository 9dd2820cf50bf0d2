#include "shapewise/model/span.h"

namespace shapewise {

std::string_view SpanKindName(SpanKind kind) {
  switch (kind) {
    case SpanKind::kStep:
      return "step";
    case SpanKind::kCompile:
      return "compile";
    case SpanKind::kCompilePhase:
      return "compile_phase";
    case SpanKind::kCudagraphRecord:
      return "cudagraph_record";
    case SpanKind::kGarbageCollection:
      return "garbage_collection";
    case SpanKind::kOtherProcess:
      return "other_process";
  }
  return {};
}

std::optional<double> LocalSeconds(const LogTime& time) {
  constexpr int kDaysBefore[] = {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335};
  if (!time.known() || time.month < 1 || time.month > 12 || time.day < 1) return std::nullopt;
  const int days = kDaysBefore[time.month - 1] + time.day - 1;
  return days * 86400.0 + static_cast<double>(time.micros) * 1e-6;
}

}  // namespace shapewise
