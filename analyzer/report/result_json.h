// Parts of a result in the JSON contract's form. Unknown values are null.

#ifndef SHAPEWISE_REPORT_RESULT_JSON_H_
#define SHAPEWISE_REPORT_RESULT_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>

#include "model/session.h"
#include "report/json_stream.h"
#include "result/cost.h"
#include "result/finding.h"
#include "support/stats.h"

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

nlohmann::ordered_json CostsJson(const std::optional<CompileCosts>& costs);

nlohmann::ordered_json FunctionCostJson(const FunctionCost& function);

/// Adds the list "stats": every non-zero counter.
void AddStats(const Stats& stats, JsonStream& object);

/// `event` with the fields of its kind. Common fields (place, rank, frame ...) are omitted if
/// unknown; fields of its own kind are null then.
nlohmann::ordered_json EventJson(const Event& event, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RESULT_JSON_H_
