// Compile time as in the JSON result. Unknown values are null.

#ifndef SHAPEWISE_REPORT_COST_JSON_H_
#define SHAPEWISE_REPORT_COST_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>

#include "shapewise/result/cost.h"

namespace shapewise {

nlohmann::ordered_json CostsJson(const std::optional<CompileCosts>& costs);

nlohmann::ordered_json FunctionCostJson(const FunctionCost& function);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_COST_JSON_H_
