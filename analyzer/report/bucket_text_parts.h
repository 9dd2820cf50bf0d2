// Tables of a bucket plan for people.

#ifndef SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_
#define SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_

#include "report/printed_text.h"
#include "report/text_table.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// Prints the effect of more or fewer buckets; without `all`, the rows near the plan and at powers
/// of two.
void PrintFrontier(const BucketReport& report, bool all, PrintedText& page);

/// Prints the modes, best first, and the number of calls from which each is best.
void PrintModes(const BucketReport& report, PrintedText& page);

/// Prints the prediction of what Dynamo does with the plan, and caveats. Without `all`, long lists
/// of sizes are shortened.
void PrintSimulations(const BucketReport& report, bool all, PrintedText& page);

/// Prints the size lists of other programs for comparison with the plan.
void PrintLadders(const BucketReport& report, bool all, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_
