// Tables and drawings of a bucket plan for people.

#ifndef SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_
#define SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_

#include "report/document.h"
#include "report/report_writer.h"
#include "result/bucket_report.h"

namespace shapewise {

/// Adds the effect of more or fewer buckets; without --all, the rows near the plan and at powers
/// of two.
void AddFrontier(const BucketReport& report, Document& page);

/// Adds the modes, best first, and the number of calls from which each is best.
void AddModes(const BucketReport& report, Document& page);

/// Adds the prediction of what Dynamo does with the plan, and caveats. Without --all, long lists
/// of sizes are shortened.
void AddSimulations(const BucketReport& report, Document& page);

/// Adds the size lists of other programs for comparison with the plan.
void AddLadders(const BucketReport& report, Document& page);

/// Draws how often each size occurred and where the buckets end: bars over a line for one dim, a
/// map for two, and the last dim for three. Draws nothing if there are no calls.
void DrawBuckets(const BucketReport& report, const ReportOptions& options, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_
