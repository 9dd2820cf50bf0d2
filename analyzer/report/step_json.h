// Formats steps as JSON: the member "steps" of a result.

#ifndef SHAPEWISE_REPORT_STEP_JSON_H_
#define SHAPEWISE_REPORT_STEP_JSON_H_

#include <nlohmann/json.hpp>

#include "shapewise/result/step_report.h"

namespace shapewise {

/// The object described in analyzer/docs/steps.md; null: no steps.
nlohmann::ordered_json StepsJson(const StepReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_STEP_JSON_H_
