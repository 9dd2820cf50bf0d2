// Redacts inputs and results before they are shown to others.

#ifndef SHAPEWISE_REDACT_REDACT_H_
#define SHAPEWISE_REDACT_REDACT_H_

#include <vector>

#include "model/graph_model.h"
#include "model/session.h"
#include "redact/redactor.h"
#include "result/bucket_report.h"
#include "result/graph_report.h"

namespace shapewise {

/// Fills the empty session `redacted` with a copy of the sorted `session` with redacted texts.
void RedactSession(const Session& session, Redactor& redactor, Session& redacted);

/// Redacts graphs and the reports on them. Names of operators are kept.
void RedactGraphs(Redactor& redactor, GraphSet& graphs, std::vector<GraphReport>& reports);

/// Redacts names of columns and files in `report`. Names of `known_ladders` are kept, and so are
/// sentences, because the file names in them are already redacted.
void RedactBuckets(Redactor& redactor, const std::vector<std::string>& known_ladders,
                   BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_REDACT_H_
