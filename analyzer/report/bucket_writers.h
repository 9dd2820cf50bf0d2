// The formats of bucket plans, one file each.

#ifndef SHAPEWISE_REPORT_BUCKET_WRITERS_H_
#define SHAPEWISE_REPORT_BUCKET_WRITERS_H_

#include "shapewise/report/bucket_writer.h"

namespace shapewise {

const BucketWriter& BucketTextReport();
const BucketWriter& BucketJsonReport();
const BucketWriter& BucketSvgReport();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_WRITERS_H_
