// The formats of bucket plans, one file each.

#ifndef SHAPEWISE_REPORT_BUCKET_WRITERS_H_
#define SHAPEWISE_REPORT_BUCKET_WRITERS_H_

#include "report/render.h"
#include "shapewise/report/bucket_writer.h"

namespace shapewise {

DocumentFormats<BucketReport>::Describe DescribeBuckets;
BucketFormat::Function WriteBucketJson;
BucketFormat::Function WriteBucketSvg;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_WRITERS_H_
