// Draws the sizes of the calls and the bounds of the buckets with characters.

#ifndef SHAPEWISE_REPORT_BUCKET_DRAWING_H_
#define SHAPEWISE_REPORT_BUCKET_DRAWING_H_

#include "report/document.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// Draws how often each size occurred and where the buckets end: bars over a line for one dim, a
/// map for two, and the last dim for three. Draws nothing if there are no calls.
void DrawBuckets(const BucketReport& report, const ReportOptions& options, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_DRAWING_H_
