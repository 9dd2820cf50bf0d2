// Formats the comparison of ranks as JSON.

#ifndef SHAPEWISE_REPORT_RANK_JSON_H_
#define SHAPEWISE_REPORT_RANK_JSON_H_

#include <nlohmann/json.hpp>

#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// The member "ranks" of a lint result (analyzer/docs/ranks.md); unknown values are null.
nlohmann::ordered_json RanksJson(const RankComparison& comparison);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RANK_JSON_H_
