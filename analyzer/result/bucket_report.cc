#include "shapewise/result/bucket_report.h"

namespace shapewise {

std::string_view ServingKindName(ServingKind kind) {
  switch (kind) {
    case ServingKind::kBucket:
      return "bucket";
    case ServingKind::kDynamic:
      return "dynamic";
    case ServingKind::kAlignedDynamic:
      return "aligned-dynamic";
    case ServingKind::kDynamicRange:
      return "dynamic-range";
    case ServingKind::kCaptured:
      return "captured";
    case ServingKind::kEager:
      return "eager";
  }
  return {};
}

std::string_view BucketModeName(BucketMode mode) {
  switch (mode) {
    case BucketMode::kBuckets:
      return "buckets";
    case BucketMode::kDynamic:
      return "dynamic";
    case BucketMode::kStatic:
      return "static";
    case BucketMode::kMixed:
      return "mixed";
  }
  return {};
}

}  // namespace shapewise
