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

Json SummaryJson(const RunSummary& summary);

Json CoverageJson(const Coverage& coverage);

Json ActionJson(const Action& action);

Json NextStepJson(const NextStep& step);

Json FindingJson(const Finding& finding);

Json IdentityJson(const Identity& identity);

/// The part of a finding that a baseline stores.
Json KnownCauseJson(const Finding& finding);

Json BaselineUseJson(const BaselineUse& baseline);

Json CostsJson(const std::optional<CompileCosts>& costs);

Json FunctionCostJson(const FunctionCost& function);

/// Adds the list "stats": every non-zero counter.
void AddStats(const Stats& stats, JsonStream& object);

/// `event` with the fields of its kind. Common fields (place, rank, frame ...) are omitted if
/// unknown; fields of its own kind are null then.
Json EventJson(const Session& session, const Event& event);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RESULT_JSON_H_
