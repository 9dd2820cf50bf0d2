// What a run lost, in a few lines: its steps, its ranks, the starts of its servers.

#ifndef SHAPEWISE_REPORT_RUN_TEXT_H_
#define SHAPEWISE_REPORT_RUN_TEXT_H_

#include <string>

#include "model/session.h"
#include "report/document.h"
#include "result/rank_divergence.h"
#include "result/server_report.h"
#include "result/step_report.h"

namespace shapewise {

/// The duration of a step: "112.0 ms" where SecondsText would print one digit.
std::string StepText(double seconds);

/// Adds step durations, the number of slow steps, and what they coincide with; nothing without
/// steps. Without --all, only the first few tracks.
void AddSteps(const StepReport& report, const Session& session, Document& page);

/// Adds how far the ranks agree, which rank diverges where and when, the largest skew, and the
/// longest estimated wait. Adds nothing if ranks were not compared.
void AddRanks(const RankComparison& comparison, Document& page);

/// Adds the time of each start by phase, one line per worker; nothing without a server. Without
/// --all, only the first few workers of each start.
void AddServer(const ServerReport& report, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RUN_TEXT_H_
