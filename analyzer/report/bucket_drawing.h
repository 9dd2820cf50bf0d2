// The sizes of the calls and the bounds of the buckets, drawn in characters.

#ifndef SHAPEWISE_REPORT_BUCKET_DRAWING_H_
#define SHAPEWISE_REPORT_BUCKET_DRAWING_H_

#include "report/printed_text.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// Draws how often which sizes came, and where the buckets end: bars over one line for one dim, a
/// map for two; for three dims the last of them. Nothing if there are no calls.
void DrawBuckets(const BucketReport& report, const ReportOptions& options, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_DRAWING_H_
