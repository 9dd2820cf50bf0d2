// Rewriting of what was read, and of results, before anybody sees them.

#ifndef SHAPEWISE_REDACT_REDACT_H_
#define SHAPEWISE_REDACT_REDACT_H_

#include <vector>

#include "shapewise/model/graph_model.h"
#include "shapewise/model/session.h"
#include "shapewise/redact/redactor.h"
#include "shapewise/result/bucket_report.h"
#include "shapewise/result/graph_report.h"

namespace shapewise {

/// Makes the empty session `redacted` equal to `session`, which was sorted, but for its texts.
void RedactSession(const Session& session, Redactor& redactor, Session& redacted);

/// Rewrites graphs and what was found out about them. The operators that are called stay.
void RedactGraphs(Redactor& redactor, GraphSet& graphs, std::vector<GraphReport>& reports);

/// Rewrites the names of columns and files in `report`. Names of `known_ladders` stay, and so do
/// sentences: those that name files are made of rewritten names.
void RedactBuckets(Redactor& redactor, const std::vector<std::string>& known_ladders,
                   BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_REDACT_H_
