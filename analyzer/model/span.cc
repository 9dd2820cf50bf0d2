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

}  // namespace shapewise
