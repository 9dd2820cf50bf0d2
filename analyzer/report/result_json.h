// Parts of a result in the JSON contract's form. Unknown values are null.

#ifndef SHAPEWISE_REPORT_RESULT_JSON_H_
#define SHAPEWISE_REPORT_RESULT_JSON_H_

#include <nlohmann/json.hpp>

#include "shapewise/result/finding.h"

namespace shapewise {

nlohmann::ordered_json SummaryJson(const RunSummary& summary);

nlohmann::ordered_json CoverageJson(const Coverage& coverage);

nlohmann::ordered_json ActionJson(const Action& action);

nlohmann::ordered_json NextStepJson(const NextStep& step);

nlohmann::ordered_json FindingJson(const Finding& finding);

nlohmann::ordered_json IdentityJson(const Identity& identity);

/// The part of a finding that a baseline stores.
nlohmann::ordered_json KnownCauseJson(const Finding& finding);

nlohmann::ordered_json BaselineUseJson(const BaselineUse& baseline);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RESULT_JSON_H_
