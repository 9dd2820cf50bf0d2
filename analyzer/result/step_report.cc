#include "shapewise/result/step_report.h"

namespace shapewise {

std::string_view SlowCauseName(SlowCause cause) {
  switch (cause) {
    case SlowCause::kFirstStep:
      return "first-step";
    case SlowCause::kCompile:
      return "compile";
    case SlowCause::kRecompile:
      return "recompile";
    case SlowCause::kCudagraph:
      return "cudagraph";
    case SlowCause::kGarbageCollection:
      return "garbage-collection";
    case SlowCause::kUnexplained:
      return "unexplained";
  }
  return {};
}

std::string_view StepComparisonName(StepComparison comparison) {
  switch (comparison) {
    case StepComparison::kClock:
      return "clock";
    case StepComparison::kLines:
      return "lines";
    case StepComparison::kNoClock:
      return "no-common-clock";
    case StepComparison::kNothing:
      return "nothing";
  }
  return {};
}

}  // namespace shapewise
