#include "report/bucket_writers.h"

namespace shapewise {
namespace {

const BucketWriter* Find(const std::vector<const BucketWriter*>& writers, std::string_view name) {
  for (const BucketWriter* writer : writers) {
    if (writer->name() == name) return writer;
  }
  return nullptr;
}

}  // namespace

const std::vector<const BucketWriter*>& BucketWriters() {
  static const std::vector<const BucketWriter*> writers = {&BucketTextReport(), &BucketJsonReport(),
                                                           &BucketSvgReport()};
  return writers;
}

const BucketWriter* FindBucketWriter(std::string_view name) { return Find(BucketWriters(), name); }

const BucketWriter* FindBucketEmitter(std::string_view name) {
  return Find(BucketEmitters(), name);
}

}  // namespace shapewise
