// The tables of a plan of buckets as a person reads it.

#ifndef SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_
#define SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_

#include "report/printed_text.h"
#include "report/text_table.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// What more or fewer buckets would give; without `all` the rows around the plan and at powers of
/// two.
void PrintFrontier(const BucketReport& report, bool all, PrintedText& page);

/// The ways to run the whole, best first, and from how many calls on which is best.
void PrintModes(const BucketReport& report, PrintedText& page);

/// What Dynamo is predicted to do with the plan, and its traps. Without `all` long lists of sizes
/// are cut short.
void PrintSimulations(const BucketReport& report, bool all, PrintedText& page);

/// The lists of sizes that other programs ship, beside the plan.
void PrintLadders(const BucketReport& report, bool all, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_TEXT_PARTS_H_
